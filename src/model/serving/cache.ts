/**
 * Models on the disks of nodes, and the rules on them. That one model is cached once in a cluster is a rule of KServe's webhook; that it fits is not.
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/modelcache/localmodel
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1alpha1/localmodelnode/controller.go (launchJob, injectCredentials)
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/webhook/admission/localmodelcache/localmodelcache_validator.go
 */
import { schemeOf, validateStorageUri } from './validation-storage';
import { DNS_LABEL_MAX_LENGTH, isSubdomain } from '../names';
import { tryParseQuantity } from '../quantities';
import { ViolationCollector, type Violation } from '../violations';

export interface LocalModelNodeGroupSpec {
  readonly limit: string;
  readonly path: string;
  readonly storageClassName: string;
  readonly nodeSelector: { readonly [label: string]: string };
}

/** A model that is kept on them. */
export interface LocalModelCacheSpec {
  readonly uri?: string;
  /** Whether a ClusterStorageContainer of the user's downloads it, so that KServe's list of schemes says nothing. */
  readonly ownContainer?: boolean;
  readonly size: string;
  readonly nodeGroups: readonly { readonly name: string; readonly limit?: string }[];
  /** Account whose secrets the download reads: one of the namespace of KServe's jobs, for caches of a namespace too. */
  readonly serviceAccountName?: string;
}

export function validateNodeGroup(name: string, { path, nodeSelector }: LocalModelNodeGroupSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(name, violations);
  if (!path.startsWith('/') || path === '/' || path.split('/').includes('..')) {
    violations.add('spec.persistentVolumeSpec.local.path', path, 'must be an absolute path below /, without \'..\'. Use the mount point of the local disks.');
  }
  if (Object.keys(nodeSelector).length === 0) {
    violations.add('spec.persistentVolumeSpec.nodeAffinity', undefined, 'is required: volumes on local disks name their nodes. Set a nodeSelector.');
  }
  return violations.violations;
}

export function validateLocalModelCache(name: string, spec: LocalModelCacheSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(name, violations);
  if (spec.uri === undefined) {
    violations.add('spec.sourceModelUri', undefined, 'is required: an entry of the storage secret has no URI by which services can find the cache. Set the model as a URI.');
  } else {
    violations.addAll(validateStorageUri(spec, 'spec.sourceModelUri'));
    if (['pvc', 'oci', 'file'].includes(schemeOf(spec.uri))) {
      violations.add('spec.sourceModelUri', spec.uri, 'is already mounted or pulled by each pod, so there is no download to cache. Cache what comes from a bucket or a hub.');
    }
  }
  if (spec.nodeGroups.length === 0) {
    violations.add('spec.nodeGroups', undefined, 'is required: list the nodes that store the model.');
  }
  const size = tryParseQuantity(spec.size) ?? 0;
  for (const [index, { name: group, limit }] of spec.nodeGroups.entries()) {
    const room = limit === undefined ? Infinity : tryParseQuantity(limit) ?? Infinity;
    if (size > room) {
      violations.add('spec.modelSize', spec.size, `does not fit on the nodes of '${group}', whose disks have ${limit}. Raise the limit, or choose another group.`);
    }
    if (spec.nodeGroups.findIndex((other) => other.name === group) < index) {
      violations.add(`spec.nodeGroups[${index}]`, group, 'is already in the list. Remove one of the two.');
    }
  }
  if (size <= 0) {
    violations.add('spec.modelSize', spec.size, 'must be greater than zero: the disk space of the model on each node.');
  }
  return violations.violations;
}

/**
 * KServe's webhook refuses a second LocalModelCache of a model. It lets a namespace have several of its own.
 * @param others caches of the cluster that come before it
 */
export function checkModelOnce(uri: string | undefined, others: readonly { readonly name: string; readonly uri?: string }[]): Violation[] {
  const twin = uri === undefined ? undefined : others.find((other) => other.uri === uri);
  return twin === undefined ? [] : [{
    path: 'spec.sourceModelUri', value: uri, message: `'${twin.name}' caches the same model, and KServe refuses the second. Keep one of them, with the node groups of both.`,
  }];
}

function checkName(name: string, violations: ViolationCollector): void {
  if (!isSubdomain(name, DNS_LABEL_MAX_LENGTH)) {
    violations.add('metadata.name', name, 'is also a label value: at most 63 lower-case letters, digits, \'-\' and \'.\', starting and ending with a letter or digit.');
  }
}
