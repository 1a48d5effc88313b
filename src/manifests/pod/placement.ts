/**
 * Placement of a replica's pod by the gang scheduler, Kueue, and the job's topology. It is added last to a pod that is otherwise complete.
 *
 * It also keeps the pods of a TPU slice together, and away from other slices. A slice of several hosts is a node pool on GKE: pods of one slice on
 * nodes of two pools could not reach each other. JobSet's exclusive placement does the same.
 * @see https://jobset.sigs.k8s.io/docs/tasks/tpu_multislice/
 */
import { createHash } from 'node:crypto';
import { mergePodSpec } from './pod-template';
import { gangPodFields, type PodSpecOf } from '../gang';
import type { JobOwnership } from '../job/job-metadata';
import type { Pod, PodSpec, Toleration } from '../kubernetes';
import { nonEmpty } from '../plain-object';
import { podGroupMetadata } from '../kueue/pod-group';
import { NODE_LABELS } from '../../model/accelerators/labels';
import type { Replica } from '../../model/frameworks/contract';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TPU_SLICE_LABEL } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { slicePlaceOf } from '../../model/training-job/replicas/tpu-slices';

/** Placement of the pods of a role by the admission to a queue. */
export interface PodPlacement {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly Toleration[];
  /** Names of gates that another controller removes. */
  readonly schedulingGates?: readonly string[];
}

/** The part of an affinity that keeps pods near others. */
interface PodAffinities {
  readonly podAffinity: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly object[];
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly object[];
  };
}

/** Input of {@link withPlacement}. */
export interface PlacementOptions {
  readonly job: ResolvedTrainingJob;
  readonly replica: Replica;
  readonly attempt: number;
  readonly ownership: JobOwnership;
  /** Pod specs without placement. */
  readonly podSpecOf: PodSpecOf;
  /** Placement of the pod's role. @default - none: the job is not in a queue, or the queue does not place it */
  readonly placement?: PodPlacement;
}

/** The pod with its placement, which overrides templates, except for the name of the scheduler. */
export function withPlacement(pod: Pod, { job, replica, attempt, ownership, podSpecOf, placement = {} }: PlacementOptions): Pod {
  const gang = gangPodFields(job, replica, attempt, ownership, podSpecOf);
  const { schedulerName, ...gangSpec } = gang.spec ?? {};
  const queue = podGroupMetadata(job, replica, attempt);
  const annotations = { ...pod.metadata?.annotations, ...gang.annotations, ...queue?.annotations, ...placement.annotations };
  const spec: PodSpec = {
    ...mergePodSpec({ ...pod.spec!, ...gangSpec }, queueSpec(placement)),
    ...(pod.spec!.schedulerName === undefined && schedulerName !== undefined && { schedulerName }),
  };
  const affinity = jobAffinity(job, replica, ownership.namespace);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...pod.metadata?.labels, ...sliceLabels(job, replica, ownership.namespace), ...gang.labels, ...queue?.labels, ...placement.labels },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    // A template's own pod affinity takes precedence.
    spec: affinity === undefined ? spec : mergePodSpec({ containers: [], affinity }, spec),
  };
}

function queueSpec({ nodeSelector, tolerations, schedulingGates = [] }: PodPlacement): Partial<PodSpec> {
  return {
    nodeSelector,
    tolerations: nonEmpty(tolerations),
    schedulingGates: nonEmpty(schedulingGates.map((name) => ({ name }))),
  };
}

/**
 * Affinity to other pods by the job's fields; undefined if there is none.
 * @param host the replica, if affinity should also keep its TPU slice together
 */
export function jobAffinity(
  job: ResolvedTrainingJob, host: Replica | undefined, namespace: string | undefined, managedBy = MANAGED_BY_OPERATOR,
): object | undefined {
  const topology = topologyAffinity(job, managedBy);
  const slice = host && sliceAffinity(job, host, namespace);
  if (topology === undefined || slice === undefined) {
    return topology ?? slice;
  }
  const { requiredDuringSchedulingIgnoredDuringExecution: ofTopology = [], ...preferred } = topology.podAffinity;
  const { requiredDuringSchedulingIgnoredDuringExecution: ofSlice } = slice.podAffinity;
  return { ...slice, podAffinity: { ...preferred, requiredDuringSchedulingIgnoredDuringExecution: [...ofTopology, ...ofSlice] } };
}

/**
 * Keeps the replicas of a job that is not in a queue within one domain of the topology. The first pod can use any domain, because Kubernetes ignores
 * affinity to the pod's own labels if there is no other such pod.
 */
function topologyAffinity({ name, spec }: ResolvedTrainingJob, managedBy: string): PodAffinities | undefined {
  const { topology, queueName } = spec.scheduling ?? {};
  if (topology === undefined || queueName !== undefined) {
    return undefined;
  }
  const term = {
    labelSelector: { matchLabels: { [JOB_LABEL]: name, [MANAGED_BY_LABEL]: managedBy } },
    topologyKey: topology.key,
  };
  return {
    podAffinity: topology.mode === 'Preferred'
      ? { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] }
      : { requiredDuringSchedulingIgnoredDuringExecution: [term] },
  };
}

/** Terms that a node must meet. */
interface Required {
  readonly requiredDuringSchedulingIgnoredDuringExecution: readonly object[];
}

/** Labels of a pod that is a host of a slice; none for any other. */
export function sliceLabels(job: ResolvedTrainingJob, replica: Replica, namespace: string | undefined): { readonly [label: string]: string } {
  const name = sliceName(job, replica, namespace);
  return name === undefined ? {} : { [TPU_SLICE_LABEL]: name };
}

/**
 * Affinity of a pod that is a host of a slice. The first host can use any pool, because Kubernetes ignores affinity to the pod's own labels if there
 * is no other such pod.
 */
function sliceAffinity(
  job: ResolvedTrainingJob, replica: Replica, namespace: string | undefined,
): { readonly podAffinity: Required; readonly podAntiAffinity: Required } | undefined {
  const name = sliceName(job, replica, namespace);
  const topologyKey = NODE_LABELS.nodePool;
  return name === undefined ? undefined : {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { [TPU_SLICE_LABEL]: name } }, topologyKey }] },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        labelSelector: { matchExpressions: [{ key: TPU_SLICE_LABEL, operator: 'Exists' }, { key: TPU_SLICE_LABEL, operator: 'NotIn', values: [name] }] },
        namespaceSelector: {},
        topologyKey,
      }],
    },
  };
}

/** Number of the slice in the job, and a text that is unique for the job in the cluster. */
function sliceName(job: ResolvedTrainingJob, replica: Replica, namespace = ''): string | undefined {
  const place = slicePlaceOf(job, replica);
  return place && `${place.slices.first + place.slice}-${createHash('sha256').update(`${namespace}/${job.name}`).digest('hex').slice(0, 10)}`;
}

/** The parts of an affinity that are used here; others are unchanged. */
interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly object[];
  };
}

interface NodeSelectorTerm {
  readonly matchFields?: readonly object[];
  readonly [field: string]: unknown;
}

/** Weight of the preference for other nodes, the highest possible. */
const PREFERENCE_WEIGHT = 100;

/**
 * The pod's spec with the nodes excluded, in addition to its own affinity. Nodes are excluded by name and not by `kubernetes.io/hostname`: the label
 * can differ from the name, and an operator that cannot read nodes knows only their names.
 * @param strictly whether the pod must not run there, or only prefers other nodes
 */
export function withNodesAvoided(spec: PodSpec, nodes: readonly string[] = [], strictly = true): PodSpec {
  if (nodes.length === 0) {
    return spec;
  }
  const affinity = (spec.affinity ?? {}) as Affinity;
  // The API server accepts one name per requirement.
  const avoided = nodes.map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] }));
  const rules = strictly ? required(affinity.nodeAffinity, avoided) : preferred(affinity.nodeAffinity, avoided);
  return { ...spec, affinity: { ...affinity, nodeAffinity: { ...affinity.nodeAffinity, ...rules } } };
}

function required(nodeAffinity: Affinity['nodeAffinity'], avoided: readonly object[]): Affinity['nodeAffinity'] {
  const own = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives, so each of them must exclude the nodes.
  const terms: readonly NodeSelectorTerm[] = own?.nodeSelectorTerms?.length ? own.nodeSelectorTerms : [{}];
  return {
    requiredDuringSchedulingIgnoredDuringExecution: {
      ...own,
      nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), ...avoided] })),
    },
  };
}

function preferred(nodeAffinity: Affinity['nodeAffinity'], avoided: readonly object[]): Affinity['nodeAffinity'] {
  const own = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return { preferredDuringSchedulingIgnoredDuringExecution: [...own, { weight: PREFERENCE_WEIGHT, preference: { matchFields: avoided } }] };
}
