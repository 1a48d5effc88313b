/** Whether apiVersion and kind name something: a slip there would be refused with "no matches for kind", long after. */
import type { Definitions, KindVersion } from '../crd/definitions';
import { BUILTIN_KINDS, builtinKinds, groupOf, isBuiltinGroup } from '../manifests/builtin-kinds';
import type { ManifestObject } from '../read-manifests';
import { engines } from '../../manifests/engines/registry';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import { FRAMEWORK_NAMES } from '../../model/training-job/spec';
import { ViolationCollector, didYouMean, type Violation } from '../../model/violations';

/** What is known of an object's kind. */
export interface KindResult {
  readonly violations: readonly Violation[];
  /** Its definition, when one was given. */
  readonly definition?: KindVersion;
  /** Whether it is an MLTrainingJob that the model knows. */
  readonly isTrainingJob: boolean;
  /** Whether objects of the kind live in namespaces; undefined when nobody knows. */
  readonly namespaced?: boolean;
}

/** Kinds that engines render, and our own. */
function engineKinds(): { readonly apiVersion: string; readonly kind: string }[] {
  return engines().flatMap((engine) => FRAMEWORK_NAMES.map((framework) => engine.kindOf(framework)));
}

/** Checks apiVersion and kind. */
export function checkKind({ apiVersion, kind }: ManifestObject, definitions: Definitions): KindResult {
  const violations = new ViolationCollector();
  const wrong = () => ({ violations: violations.violations, isTrainingJob: false });
  if (typeof kind !== 'string' || kind === '') {
    violations.add('kind', kind, 'is required: what the object is, such as MLTrainingJob or ConfigMap.');
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    const versions = typeof kind === 'string' ? versionsOf(kind, definitions) : [];
    violations.add('apiVersion', apiVersion, `is required.${versions.length > 0 ? ` ${String(kind)} is of ${versions.join(' or ')}: add it.` : ' Add the group and version of the kind, such as batch/v1.'}`);
  }
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    return wrong();
  }
  if (apiVersion === GROUP_VERSION && kind === TRAINING_JOB_KIND) {
    return { violations: [], isTrainingJob: true, namespaced: true };
  }
  const builtin = builtinKinds(kind).find((candidate) => candidate.apiVersion === apiVersion);
  if (builtin !== undefined) {
    return { violations: [], isTrainingJob: false, namespaced: builtin.namespaced };
  }
  const lookup = definitions.lookup(apiVersion, kind);
  if ('found' in lookup) {
    return { violations: [], isTrainingJob: false, definition: lookup.found, namespaced: lookup.found.namespaced };
  }
  if ('otherVersions' in lookup) {
    violations.add('apiVersion', apiVersion, `is no version of ${kind} that the definitions have. Use ${lookup.otherVersions.join(' or ')}.`);
    return wrong();
  }
  checkUnknown(apiVersion, kind, definitions, violations);
  return wrong();
}

/** An apiVersion and kind that nobody knows: wrong when they are close to what somebody knows, else another custom resource. */
function checkUnknown(apiVersion: string, kind: string, definitions: Definitions, violations: ViolationCollector): void {
  const versions = versionsOf(kind, definitions);
  const group = groupOf(apiVersion);
  if (versions.length > 0) {
    const isSlip = versions.some((version) => groupOf(version) === group) || didYouMean(group, versions.map(groupOf)) !== '' || isBuiltinGroup(group);
    if (isSlip) {
      violations.add('apiVersion', apiVersion, `has no ${kind}, which is of ${versions.join(' or ')}. Write that.`);
    }
    return;
  }
  const neighbours = [
    ...BUILTIN_KINDS.filter((candidate) => groupOf(candidate.apiVersion) === group).map((candidate) => candidate.kind),
    ...engineKinds().filter((candidate) => groupOf(candidate.apiVersion) === group).map((candidate) => candidate.kind),
    ...definitions.kindsOfGroup(group),
  ];
  const guess = didYouMean(kind, neighbours);
  if (guess !== '') {
    violations.add('kind', kind, `is no kind of ${apiVersion}.${guess}`);
  } else if (isBuiltinGroup(group) && BUILTIN_KINDS.some((candidate) => candidate.apiVersion === apiVersion)) {
    const elsewhere = didYouMean(kind, [...BUILTIN_KINDS, ...engineKinds()].map((candidate) => candidate.kind));
    violations.add('kind', kind, `is no kind of ${apiVersion}.${elsewhere || ' Correct it, or the apiVersion.'}`);
  }
}

function versionsOf(kind: string, definitions: Definitions): string[] {
  const own = [...builtinKinds(kind), ...engineKinds().filter((candidate) => candidate.kind === kind)].map((candidate) => candidate.apiVersion);
  const defined = definitions.groupsOf(kind).flatMap((group) => {
    const lookup = definitions.lookup(`${group}/`, kind);
    return 'otherVersions' in lookup ? lookup.otherVersions : [];
  });
  return [...new Set([...own, ...defined])];
}
