/**
 * The Workload of a job in Kueue: one pod set for each role, so a job of any size has few of them. It contains only the fields of pods that Kueue
 * uses (requests, selectors, tolerations, priority); variables and volumes would only make it large.
 * @see https://kueue.sigs.k8s.io/docs/concepts/workload/
 */
import { createHash } from 'node:crypto';
import * as names from '../../model/kueue-names';
import { REPLICA_INDEX_LABEL, API_GROUP } from '../../model/labels';
import { resolveTrainingJob, statedResources, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { PodSpecOf } from '../gang';
import { jobObjectMeta, type JobOwnership } from '../job/job-metadata';
import type { Container, Manifest, PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';

/** Most pod sets that a Workload may have. Jobs have at most 16 roles. */
export const MAX_POD_SETS = 18;

/** Hash of the pod sets of a Workload. The operator sets it, because Kueue may complete the pod sets themselves. */
export const POD_SETS_HASH_ANNOTATION = `${API_GROUP}/pod-sets-hash`;

/** Longest name of a Workload, because it is also a label. */
const NAME_MAX_LENGTH = 63;

/** One of `spec.podSets`. */
export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly template: { readonly metadata?: object; readonly spec: PodSpec };
  readonly topologyRequest?: { readonly required?: string; readonly preferred?: string; readonly podIndexLabel?: string };
}

/** Source of a Workload's priority. */
export interface PriorityClassRef {
  readonly group: string;
  readonly kind: 'WorkloadPriorityClass' | 'PriorityClass';
  readonly name: string;
}

/** Whether the operator queues the job with a Workload. */
export function needsWorkload(job: { readonly spec: ResolvedTrainingJob['spec'] }): boolean {
  const { queueName, queueMode } = job.spec.scheduling ?? {};
  return queueName !== undefined && queueMode !== 'PodGroup';
}

/** Name of the Workload of a job. A new job with the same name gets another one. */
export function workloadName(jobName: string, uid: string): string {
  const suffix = `-${createHash('sha256').update(uid).digest('hex').slice(0, 5)}`;
  return `mltj-${jobName}`.slice(0, NAME_MAX_LENGTH - suffix.length) + suffix;
}

/** The pod sets of a job. @param podSpecOf pods of the job in its {@link queuedSize} */
export function constructPodSets(wanted: ResolvedTrainingJob, podSpecOf: PodSpecOf): PodSet[] {
  const job = queuedSize(wanted);
  const topology = job.spec.scheduling?.topology;
  return job.roles.map((role) => plainObject<PodSet>({
    name: role.name,
    count: role.replicas,
    template: { spec: decisivePart(podSpecOf(job.replicas.find((replica) => replica.role === role.name)!)) },
    ...(topology && {
      topologyRequest: {
        [topology.mode === 'Preferred' ? 'preferred' : 'required']: topology.key,
        podIndexLabel: REPLICA_INDEX_LABEL,
      },
    }),
  }));
}

/**
 * A hash of the job's queue, its priority, and the sizes and requests of its roles. It is computed from the spec without defaults, and not from the
 * pod sets, because another release of the operator may create other pods, and must not consider all running jobs changed.
 */
export function podSetsHash(job: ResolvedTrainingJob): string {
  const { queueName, queuePriorityClassName, priorityClassName } = job.spec.scheduling ?? {};
  const sorted = (resources: object) => Object.entries(resources).sort(([one], [other]) => (one < other ? -1 : 1));
  const roles = queuedSize(job).roles.map((role) => [role.name, role.replicas, sorted(statedResources(job, role))]);
  return createHash('sha256').update(JSON.stringify([queueName, queuePriorityClassName, priorityClassName, roles])).digest('hex').slice(0, 16);
}

/** Source of the priority: Kueue's class, which does not affect the pods, before that of the pods. */
export function priorityClassRefOf(job: ResolvedTrainingJob): PriorityClassRef | undefined {
  const { queuePriorityClassName, priorityClassName } = job.spec.scheduling ?? {};
  if (queuePriorityClassName !== undefined) {
    return { group: names.KUEUE_GROUP, kind: 'WorkloadPriorityClass', name: queuePriorityClassName };
  }
  return priorityClassName === undefined ? undefined : { group: 'scheduling.k8s.io', kind: 'PriorityClass', name: priorityClassName };
}

/**
 * Constructs the Workload.
 * @param podSpecOf pods of the job in its {@link queuedSize}
 * @param priority value of the class of {@link priorityClassRefOf}, which Kueue requires
 */
export function constructWorkload(job: ResolvedTrainingJob, ownership: JobOwnership, podSpecOf: PodSpecOf, priority?: number): Manifest {
  const uid = ownership.owner?.uid ?? '';
  const meta = jobObjectMeta(job.name, workloadName(job.name, uid), ownership);
  return plainObject({
    apiVersion: `${names.KUEUE_GROUP}/${names.KUEUE_VERSION}`,
    kind: 'Workload',
    metadata: {
      ...meta,
      labels: { ...meta.labels, [names.JOB_UID_LABEL]: uid },
      annotations: { [POD_SETS_HASH_ANNOTATION]: podSetsHash(job) },
    },
    spec: {
      queueName: job.spec.scheduling!.queueName,
      ...(priority !== undefined && { priorityClassRef: priorityClassRefOf(job), priority }),
      podSets: constructPodSets(job, podSpecOf),
    },
  });
}

const largest = new WeakMap<ResolvedTrainingJob, ResolvedTrainingJob>();

/**
 * The job in the size for which it requests quota. An elastic job requests its largest size: it could not grow without quota, and would have to stop
 * to request more.
 */
export function queuedSize(job: ResolvedTrainingJob): ResolvedTrainingJob {
  const { elastic, replicas } = job.spec;
  if (elastic === undefined || replicas === elastic.maxReplicas) {
    return job;
  }
  const known = largest.get(job) ?? resolveTrainingJob(job.name, { ...job.spec, replicas: elastic.maxReplicas });
  largest.set(job, known);
  return known;
}

/** The part of a pod that determines where it can run and what it requests. */
function decisivePart(spec: PodSpec): PodSpec {
  const { nodeSelector, tolerations, affinity, priorityClassName, runtimeClassName, overhead, resourceClaims, schedulerName } = spec;
  return {
    containers: spec.containers.map(decisiveContainer),
    initContainers: spec.initContainers?.map(decisiveContainer),
    nodeSelector, tolerations, affinity, priorityClassName, runtimeClassName, overhead, resourceClaims, schedulerName,
    restartPolicy: 'Never',
  };
}

function decisiveContainer({ name, image, resources, restartPolicy }: Container): Container {
  return { name, image, resources, ...(restartPolicy !== undefined && { restartPolicy }) };
}
