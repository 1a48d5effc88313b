/** Whether apiVersion and kind name something: a slip there would be refused with "no matches for kind", long after. */
import type { Definitions, KindVersion } from '../crd/definitions';
import { BUILTIN_KINDS, builtinKinds, groupOf, isBuiltinGroup } from '../../model/objects/builtin-kinds';
import { KNOWN_KINDS, fieldsOfKnownKind, readerOfConfiguration } from '../../model/objects/known-kinds';
import type { ManifestObject } from '../../model/objects/manifest-object';
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
  /** The tool that reads it, when it is a configuration file and not an object of a cluster. */
  readonly reader?: string;
  /** Fields that an object of the kind can have; undefined when they are not known. */
  readonly fields?: readonly string[];
}

/** Kinds of other systems: those that engines render, our own, and those that are known by their names. */
function otherKinds(): { readonly apiVersion: string; readonly kind: string; readonly namespaced: boolean }[] {
  const rendered = engines().flatMap((engine) => FRAMEWORK_NAMES.map((framework) => ({ ...engine.kindOf(framework), namespaced: true })));
  return [...rendered, ...KNOWN_KINDS];
}

/** Checks apiVersion and kind. */
export function checkKind({ apiVersion, kind }: ManifestObject, definitions: Definitions): KindResult {
  const reader = readerOfConfiguration(apiVersion, kind);
  if (reader !== undefined) {
    return { violations: [], isTrainingJob: false, reader };
  }
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
    violations.add('apiVersion', apiVersion, `is not a version of ${kind} that the definitions have. Use ${lookup.otherVersions.join(' or ')}.`);
    return wrong();
  }
  const other = otherKinds().find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind);
  if (other !== undefined) {
    return { violations: [], isTrainingJob: false, namespaced: other.namespaced, fields: fieldsOfKnownKind(groupOf(apiVersion), kind) };
  }
  checkUnknown(apiVersion, kind, definitions, violations);
  return wrong();
}

/** An apiVersion and kind that nobody knows: wrong when they are close to what somebody knows, else another custom resource. */
function checkUnknown(apiVersion: string, kind: string, definitions: Definitions, violations: ViolationCollector): void {
  const versions = versionsOf(kind, definitions);
  const group = groupOf(apiVersion);
  if (versions.length > 0) {
    // A group of Kubernetes' own has versions that are not known here, with kinds of other groups' names.
    const hasVersion = BUILTIN_KINDS.some((candidate) => candidate.apiVersion === apiVersion);
    const isBuiltin = isBuiltinGroup(group) && (hasVersion || builtinKinds(kind).length > 0);
    const isSlip = versions.some((version) => groupOf(version) === group) || didYouMean(group, versions.map(groupOf)) !== '' || isBuiltin;
    if (isSlip) {
      violations.add('apiVersion', apiVersion, `does not contain ${kind}; did you mean ${versions.join(' or ')}?`);
    }
    return;
  }
  const neighbours = [
    ...BUILTIN_KINDS.filter((candidate) => groupOf(candidate.apiVersion) === group).map((candidate) => candidate.kind),
    ...otherKinds().filter((candidate) => groupOf(candidate.apiVersion) === group).map((candidate) => candidate.kind),
    ...definitions.kindsOfGroup(group),
  ];
  const guess = didYouMean(kind, neighbours);
  if (guess !== '') {
    violations.add('kind', kind, `is not a kind of ${apiVersion}.${guess}`);
  } else if (isBuiltinGroup(group) && BUILTIN_KINDS.some((candidate) => candidate.apiVersion === apiVersion)) {
    const elsewhere = didYouMean(kind, [...BUILTIN_KINDS, ...otherKinds()].map((candidate) => candidate.kind));
    violations.add('kind', kind, `is not a kind of ${apiVersion}.${elsewhere || ' Correct it, or the apiVersion.'}`);
  }
}

function versionsOf(kind: string, definitions: Definitions): string[] {
  const own = [...builtinKinds(kind), ...otherKinds().filter((candidate) => candidate.kind === kind)].map((candidate) => candidate.apiVersion);
  const defined = definitions.groupsOf(kind).flatMap((group) => {
    const lookup = definitions.lookup(`${group}/`, kind);
    return 'otherVersions' in lookup ? lookup.otherVersions : [];
  });
  return [...new Set([...own, ...defined])];
}
