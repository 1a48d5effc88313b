/**
 * Accelerators of GKE: whether nodes have what pods ask for. A training job is checked as a whole. In other objects each pod template is checked,
 * whatever the kind, because a pod is recognised by its containers.
 */
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { Finding } from '../../model/findings';
import { NODE_LABELS } from '../../model/accelerators/labels';
import { checkPodAccelerators, type PodAccelerators, type PodToleration } from '../../model/accelerators/rules/pod-rules';
import { checkPodOnPools, type PoolOfGpus } from '../../model/node-pools/rules/divided-rules';
import { fieldPath } from '../../model/shapes';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { checkJobAccelerators } from '../../model/training-job/validation/accelerators';
import { isRecord, jsonNumber, jsonText } from '../../model/json-parts';

interface Fields { readonly [field: string]: unknown }

/** Kinds that contain no pods, whatever their contents look like. */
const KINDS_WITHOUT_PODS = ['CustomResourceDefinition', 'ConfigMap', 'Secret'];

/** Deepest level at which pods are searched for: in operators' objects they are five or six levels deep. */
const MAX_DEPTH = 12;

/** Checks pods against the node pools of the same place: objects given separately may be for different clusters. */
export class AcceleratorsOfPlace {
  private readonly pools: readonly PoolOfGpus[];

  /** @param objects everything in the place */
  public constructor(objects: readonly ManifestObject[]) {
    this.pools = objects.filter(({ kind }) => kind === 'ContainerNodePool').map(dividedPool);
  }

  /** Checks a training job that follows the rules of the model. */
  public checkJob(name: string, spec: TrainingJobSpec): Finding[] {
    return asksForNodes(spec, this.pools.length > 0) ? checkJobAccelerators(resolveTrainingJob(name, spec), this.pools) : [];
  }

  /** Checks the pods in any other object. */
  public check(object: ManifestObject): Finding[] {
    return KINDS_WITHOUT_PODS.includes(jsonText(object.kind)) ? [] : podsIn(object as Fields, '', undefined, 0)
      .flatMap((pod) => [...checkPodAccelerators(pod), ...checkPodOnPools(pod, this.pools)]);
  }
}

/** Whether a job says anything about its nodes that the rules check. GPUs on any node can be checked against pools only. */
function asksForNodes({ resources = {}, scheduling, template, roles, helpers }: TrainingJobSpec, hasPools: boolean): boolean {
  const { gpu, tpu, extended } = resources;
  return [hasPools ? gpu : undefined, tpu, extended, scheduling?.nodeSelector, template, roles, helpers].some((part) => part !== undefined);
}

/** The GPUs of Config Connector's pool. */
function dividedPool({ metadata, spec }: ManifestObject): PoolOfGpus {
  const pool = isRecord(spec) ? spec : {};
  const config = isRecord(pool.nodeConfig) ? pool.nodeConfig : {};
  const [gpus] = fieldsOf(config.guestAccelerator);
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const sharing = gpus !== undefined && isRecord(gpus.gpuSharingConfig) ? gpus.gpuSharingConfig : undefined;
  return {
    name: text(pool.resourceID) ?? text(metadata?.name) ?? '',
    computeClass: isRecord(config.labels) ? text(config.labels[NODE_LABELS.computeClass]) : undefined,
    gpus: gpus && {
      type: text(gpus.type) ?? '',
      count: jsonNumber(gpus.count ?? 1),
      partition: text(gpus.gpuPartitionSize),
      sharing: sharing && { strategy: sharing.gpuSharingStrategy === 'MPS' ? 'mps' : 'time-sharing', clients: jsonNumber(sharing.maxSharedClientsPerGpu ?? 2) },
    },
  };
}

/** @param job the object that has the pod's template: a Job says how many pods it creates */
function podsIn(value: unknown, path: string, job: { readonly fields: Fields; readonly path: string } | undefined, depth: number): PodAccelerators[] {
  if (depth > MAX_DEPTH) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => podsIn(entry, `${path}[${index}]`, undefined, depth + 1));
  }
  if (!isRecord(value)) {
    return [];
  }
  if (Array.isArray(value.containers) && value.containers.some((container) => isRecord(container) && 'image' in container)) {
    return [podOf(value, path, job)];
  }
  return Object.entries(value).flatMap(([name, field]) => {
    const parent = name === 'template' ? { fields: value, path } : name === 'spec' ? job : undefined;
    return podsIn(field, path === '' ? name : fieldPath(path, name), parent, depth + 1);
  });
}

function podOf(spec: Fields, path: string, job: { readonly fields: Fields; readonly path: string } | undefined): PodAccelerators {
  const nodeSelector = isRecord(spec.nodeSelector) ? spec.nodeSelector : {};
  return {
    // Values that are no text are reported by the rules of the kind.
    nodeSelector: Object.fromEntries(Object.entries(nodeSelector).filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    labelPath: (label) => fieldPath(`${path}.nodeSelector`, label),
    tolerations: [...fieldsOf(spec.tolerations) as readonly PodToleration[], ...devicesOf(spec, path).map(({ resource }) => ({ key: resource, operator: 'Exists' }))],
    devices: devicesOf(spec, path),
    images: (Array.isArray(spec.containers) ? spec.containers : []).flatMap((container: unknown, index) => (
      isRecord(container) && typeof container.image === 'string' ? [{ value: container.image, path: `${path}.containers[${index}].image` }] : []
    )),
    ephemeralVolumes: (Array.isArray(spec.volumes) ? spec.volumes : []).flatMap((volume: unknown, index) => (
      isRecord(volume) && 'ephemeral' in volume ? [{ value: jsonText(volume.name), path: `${path}.volumes[${index}]` }] : []
    )),
    ...(job !== undefined && replicasOf(job.fields, job.path)),
  };
}

/** Fields that only a Job has next to its template. */
const JOB_FIELDS = ['parallelism', 'completions', 'completionMode', 'backoffLimit'];

/** How many pods are created from a template, where they form one slice. */
function replicasOf(owner: Fields, path: string): Pick<PodAccelerators, 'replicas'> {
  const numbered = (field: string) => {
    const { [field]: value = 1 } = owner;
    return typeof value === 'number' ? { replicas: { count: value, path: `${path}.${field}` } } : {};
  };
  if (JOB_FIELDS.some((field) => field in owner)) {
    return numbered('parallelism');
  }
  if ('rayStartParams' in owner || 'numOfHosts' in owner) {
    return path.includes('workerGroupSpecs') ? numbered('numOfHosts') : {};
  }
  // Roles of Kubeflow's training jobs.
  return /ReplicaSpecs\.\w+$/.test(path) ? numbered('replicas') : {};
}

/** Extended resources: GKE adds the toleration to pods that request them. */
function devicesOf(spec: Fields, path: string): PodAccelerators['devices'] {
  return fieldsOf(spec.containers).flatMap(({ resources }, index) => {
    const limits = isRecord(resources) && isRecord(resources.limits) ? resources.limits : {};
    return Object.entries(limits).filter(([name]) => name.includes('/')).map(([resource, value]) => ({
      resource, value: jsonNumber(value), path: fieldPath(`${path}.containers[${index}].resources.limits`, resource),
    }));
  });
}

function fieldsOf(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
