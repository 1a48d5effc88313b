/** Whether apiVersion and kind exist. The API server would reject a typo with "no matches for kind". */
import path from 'node:path';
import type { Definitions, KindVersion } from '../crd/definitions';
import { engines } from '../../manifests/engines/registry';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import { BUILTIN_KINDS, builtinKinds, groupOf, isBuiltinGroup } from '../../model/objects/builtin-kinds';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { FRAMEWORK_NAMES } from '../../model/training-job/spec';
import { ViolationCollector, didYouMean, type Violation } from '../../model/violations';
import { entryOf } from '../../model/lists';

export interface KindResult {
  readonly violations: readonly Violation[];
  /** Its definition, if there is one. */
  readonly definition?: KindVersion;
  /** Whether it is an MLTrainingJob of a known version. @default false */
  readonly isTrainingJob?: boolean;
  /** Whether objects of the kind are namespaced; undefined if that is unknown. */
  readonly namespaced?: boolean;
  /** The tool that reads it, if it is a configuration file and not an object of a cluster. */
  readonly reader?: string;
}

/** Kinds that engines render. Some of them are not in the releases with packaged definitions: the training operator has removed MXJob. */
function renderedKinds(): { readonly apiVersion: string; readonly kind: string }[] {
  return engines().flatMap((engine) => FRAMEWORK_NAMES.map((framework) => engine.kindOf(framework)));
}

export function checkKind(file: string, { apiVersion, kind }: ManifestObject, definitions: Definitions): KindResult {
  const reader = readerOfConfiguration(file, { apiVersion, kind });
  if (reader !== undefined) {
    return { violations: [], reader };
  }
  const violations = new ViolationCollector();
  if (typeof kind !== 'string' || kind === '') {
    violations.add('kind', kind, 'is required: the kind of the object, such as MLTrainingJob or ConfigMap.');
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    const versions = typeof kind === 'string' ? versionsOf(kind, definitions) : [];
    violations.add('apiVersion', apiVersion, `is required.${versions.length > 0 ? ` ${String(kind)} is of ${versions.join(' or ')}: add it.` : ' Add the group and version of the kind, such as batch/v1.'}`);
  }
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    return { violations: violations.violations };
  }
  if (apiVersion === GROUP_VERSION && kind === TRAINING_JOB_KIND) {
    return { violations: [], isTrainingJob: true, namespaced: true };
  }
  const lookup = definitions.lookup(apiVersion, kind);
  if ('found' in lookup) {
    return { violations: [], definition: lookup.found, namespaced: lookup.found.namespaced };
  }
  if (renderedKinds().some((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind)) {
    return { violations: [], namespaced: true };
  }
  if ('otherVersions' in lookup) {
    const { otherVersions, release } = lookup;
    const isOfCluster = isBuiltinGroup(groupOf(apiVersion));
    violations.add('apiVersion', apiVersion, release === undefined
      ? `is not a version of ${kind} that the definitions have. Use ${otherVersions.join(' or ')}.`
      : `does not contain ${kind} in ${release}; did you mean ${otherVersions.join(' or ')}?${isOfCluster ? '' : ' If the cluster has another release, set its definitions (--crds).'}`);
  } else {
    checkUnknown(apiVersion, kind, definitions, violations);
  }
  return { violations: violations.violations };
}

/** An unknown apiVersion and kind: a spelling mistake if they are close to known ones, otherwise another custom resource. */
function checkUnknown(apiVersion: string, kind: string, definitions: Definitions, violations: ViolationCollector): void {
  const versions = versionsOf(kind, definitions);
  const group = groupOf(apiVersion);
  if (versions.length > 0) {
    // A built-in group can have newer versions with kinds that other groups have too.
    const hasVersion = BUILTIN_KINDS.some((candidate) => candidate.apiVersion === apiVersion);
    const isBuiltin = isBuiltinGroup(group) && (hasVersion || builtinKinds(kind).length > 0);
    const isLikeAnother = !isBuiltinGroup(group) && didYouMean(group, versions.map(groupOf)) !== '';
    if (isBuiltin || isLikeAnother || versions.some((version) => groupOf(version) === group)) {
      violations.add('apiVersion', apiVersion, `does not contain ${kind}; did you mean ${versions.join(' or ')}?`);
    }
    return;
  }
  const known = [...BUILTIN_KINDS, ...renderedKinds()];
  const neighbours = known.filter((candidate) => groupOf(candidate.apiVersion) === group).map((candidate) => candidate.kind);
  const guess = didYouMean(kind, [...neighbours, ...definitions.kindsOfGroup(group)]);
  if (guess !== '') {
    violations.add('kind', kind, `is not a kind of ${apiVersion}.${guess}`);
  } else if (isBuiltinGroup(group) && BUILTIN_KINDS.some((candidate) => candidate.apiVersion === apiVersion)) {
    const elsewhere = didYouMean(kind, known.map((candidate) => candidate.kind));
    violations.add('kind', kind, `is not a kind of ${apiVersion}.${elsewhere || ' Correct it, or the apiVersion.'}`);
  }
}

function versionsOf(kind: string, definitions: Definitions): string[] {
  const rendered = renderedKinds().filter((candidate) => candidate.kind === kind).map((candidate) => candidate.apiVersion);
  return [...new Set([...definitions.apiVersionsOf(kind), ...rendered])];
}

const KUSTOMIZE = 'kustomize (kubectl apply -k FOLDER)';

/** File names that kustomize looks for. Such a file needs no apiVersion. */
export const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The tool that reads a file, by the group of its `apiVersion`. */
const CONFIGURATION_FILES: { readonly [group: string]: string } = {
  'kind.x-k8s.io': 'kind (kind create cluster --config FILE)',
  'kustomize.config.k8s.io': KUSTOMIZE,
  'kubeadm.k8s.io': 'kubeadm',
  'kubelet.config.k8s.io': 'the kubelet',
  'kubescheduler.config.k8s.io': 'kube-scheduler',
  'kubeproxy.config.k8s.io': 'kube-proxy',
  'apiserver.config.k8s.io': 'kube-apiserver',
  'audit.k8s.io': 'kube-apiserver (--audit-policy-file)',
  'client.authentication.k8s.io': 'kubectl',
  'skaffold': 'Skaffold',
};

/** The tool that reads a configuration file; undefined for an object. */
function readerOfConfiguration(file: string, { apiVersion, kind }: Pick<ManifestObject, 'apiVersion' | 'kind'>): string | undefined {
  if (apiVersion === undefined && KUSTOMIZATIONS.includes(path.basename(file))) {
    return KUSTOMIZE;
  }
  if (apiVersion === 'v1' && kind === 'Config') {
    return 'kubectl (KUBECONFIG)';
  }
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  // Kueue, JobSet and other controllers: config.kueue.x-k8s.io.
  return group.startsWith('config.') && kind === 'Configuration' ? 'a controller (--config)' : entryOf(CONFIGURATION_FILES, group);
}
