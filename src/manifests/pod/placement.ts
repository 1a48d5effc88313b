/**
 * Where the pod of a replica may go, and who is asked: the gang scheduler, Kueue, and the topology that the job wants. Added last to a pod that
 * is otherwise complete.
 */
import { gangPodFields, type PodSpecOf } from '../gang';
import type { JobOwnership } from '../job/job-metadata';
import type { Pod, PodSpec, Toleration } from '../kubernetes';
import { podGroupMetadata } from '../kueue/pod-group';
import { mergePodSpec } from './pod-template';
import { sliceAffinity, sliceLabels } from './slice-placement';
import type { Replica } from '../../model/frameworks/contract';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

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
