/**
 * Where the pod of a replica may go, and who is asked: the gang scheduler, Kueue, and the topology that the job wants. Added last to a pod that is
 * otherwise complete.
 *
 * Keeps the pods of a TPU slice together, and away from other slices. A slice of several hosts is a node pool on GKE: pods of one slice on nodes of
 * two pools could not reach each other. JobSet's exclusive placement says the same.
 * @see https://jobset.sigs.k8s.io/docs/tasks/tpu_multislice/
 */
import { createHash } from 'node:crypto';
import { mergePodSpec } from './pod-template';
import { gangPodFields, type PodSpecOf } from '../gang';
import type { JobOwnership } from '../job/job-metadata';
import type { Pod, PodSpec, Toleration } from '../kubernetes';
import { podGroupMetadata } from '../kueue/pod-group';
import { NODE_LABELS } from '../../model/accelerators/labels';
import type { Replica } from '../../model/frameworks/contract';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TPU_SLICE_LABEL } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { slicePlaceOf } from '../../model/training-job/replicas/tpu-slices';

/** What the admission to a queue says about the pods of a role. */
export interface PodPlacement {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly Toleration[];
  /** Names of gates that somebody else opens. */
  readonly schedulingGates?: readonly string[];
}

/** The part of an affinity that keeps pods near others. */
interface PodAffinities {
  readonly podAffinity: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly object[];
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly object[];
  };
}

/** What {@link withPlacement} needs to know. */
export interface PlacementOptions {
  readonly job: ResolvedTrainingJob;
  readonly replica: Replica;
  readonly attempt: number;
  readonly ownership: JobOwnership;
  /** Pod specs without placement. */
  readonly podSpecOf: PodSpecOf;
  /** Of the pod's role. @default - the job is in no queue, or the queue has nothing to say */
  readonly placement?: PodPlacement;
}

/** The pod with everything that decides about its place. What is added wins over templates, except for the name of the scheduler. */
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
    // A template's own affinity between pods is more exact than ours.
    spec: affinity === undefined ? spec : mergePodSpec({ containers: [], affinity }, spec),
  };
}

function queueSpec({ nodeSelector, tolerations, schedulingGates = [] }: PodPlacement): Partial<PodSpec> {
  return {
    nodeSelector,
    tolerations: tolerations === undefined || tolerations.length === 0 ? undefined : [...tolerations],
    schedulingGates: schedulingGates.length > 0 ? schedulingGates.map((name) => ({ name })) : undefined,
  };
}

/**
 * What keeps a pod near others or away from them, as far as the job's fields ask for it; undefined where nothing does.
 * @param host the replica, where its slice of TPUs is kept together too
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
 * Keeps the replicas of a job that no queue places within one domain of the topology. The first pod may go anywhere: Kubernetes lets a pod
 * that only has to be near its like start alone.
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

/** Terms that a node has to keep. */
interface Required {
  readonly requiredDuringSchedulingIgnoredDuringExecution: readonly object[];
}

/** Labels of a pod that is a host of a slice; none of any other. */
export function sliceLabels(job: ResolvedTrainingJob, replica: Replica, namespace: string | undefined): { readonly [label: string]: string } {
  const name = sliceName(job, replica, namespace);
  return name === undefined ? {} : { [TPU_SLICE_LABEL]: name };
}

/**
 * Affinity of a pod that is a host of a slice. The first of them may go to any pool: Kubernetes lets a pod that has to be near its like start alone.
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

/** Number of the slice in the job, and a text that is the job's own in the cluster. */
function sliceName(job: ResolvedTrainingJob, replica: Replica, namespace = ''): string | undefined {
  const place = slicePlaceOf(job, replica);
  return place && `${place.slices.first + place.slice}-${createHash('sha256').update(`${namespace}/${job.name}`).digest('hex').slice(0, 10)}`;
}

/** The parts of an affinity that matter here; all others pass through. */
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

/** Weight of the wish for other nodes, before all other wishes. */
const PREFERENCE_WEIGHT = 100;

/**
 * The pod's spec with the nodes excluded, whatever affinity it has of its own.
 *
 * Keeping a pod away from certain nodes. By the nodes' names and not by `kubernetes.io/hostname`: the label can be another text than the name, and
 * the operator knows the name alone where it may not read nodes.
 * @param strictly whether the pod may not run there, or only prefers other nodes
 */
export function withNodesAvoided(spec: PodSpec, nodes: readonly string[] = [], strictly = true): PodSpec {
  if (nodes.length === 0) {
    return spec;
  }
  const affinity = (spec.affinity ?? {}) as Affinity;
  // The API server takes one name a requirement.
  const avoided = nodes.map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] }));
  const rules = strictly ? required(affinity.nodeAffinity, avoided) : preferred(affinity.nodeAffinity, avoided);
  return { ...spec, affinity: { ...affinity, nodeAffinity: { ...affinity.nodeAffinity, ...rules } } };
}

function required(nodeAffinity: Affinity['nodeAffinity'], avoided: readonly object[]): Affinity['nodeAffinity'] {
  const own = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives, so that each of them has to exclude the nodes.
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
