/**
 * The Workload that stands for a job in Kueue: one pod set for each role, so that a job of any size has few of them. Of the pods it holds what
 * Kueue decides by (requests, selectors, tolerations, priority) and nothing else; variables and volumes would only make it large.
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

/** Hash of the pod sets that a Workload was made from. Set by the operator on its Workloads: Kueue may complete the pod sets themselves. */
export const POD_SETS_HASH_ANNOTATION = `${API_GROUP}/pod-sets-hash`;

/** Longest name of a Workload: labels carry it. */
const NAME_MAX_LENGTH = 63;

/** One of `spec.podSets`. */
export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly template: { readonly metadata?: object; readonly spec: PodSpec };
  readonly topologyRequest?: { readonly required?: string; readonly preferred?: string; readonly podIndexLabel?: string };
}

/** What the priority of a Workload is taken from. */
export interface PriorityClassRef {
  readonly group: string;
  readonly kind: 'WorkloadPriorityClass' | 'PriorityClass';
  readonly name: string;
}

/** Whether the job is queued by a Workload that the operator makes. */
export function needsWorkload(job: { readonly spec: ResolvedTrainingJob['spec'] }): boolean {
  const { queueName, queueMode } = job.spec.scheduling ?? {};
  return queueName !== undefined && queueMode !== 'PodGroup';
}

/** Name of the Workload of a job: another one for a job that is created anew under the same name. */
export function workloadName(jobName: string, uid: string): string {
  const suffix = `-${createHash('sha256').update(uid).digest('hex').slice(0, 5)}`;
  return `mltj-${jobName}`.slice(0, NAME_MAX_LENGTH - suffix.length) + suffix;
}

/** The pod sets of a job. @param podSpecOf of the job in its {@link queuedSize} */
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
 * A hash that changes with what the job is queued for: its queue, its priority, the size and the requests of its roles. It is taken from the spec
 * as it is written, without defaults, and not from the pod sets: another release of the operator, which may make other pods, must not find all
 * running jobs changed.
 */
export function podSetsHash(job: ResolvedTrainingJob): string {
  const { queueName, queuePriorityClassName, priorityClassName } = job.spec.scheduling ?? {};
  const sorted = (resources: object) => Object.entries(resources).sort(([one], [other]) => (one < other ? -1 : 1));
  const roles = queuedSize(job).roles.map((role) => [role.name, role.replicas, sorted(statedResources(job, role))]);
  return createHash('sha256').update(JSON.stringify([queueName, queuePriorityClassName, priorityClassName, roles])).digest('hex').slice(0, 16);
}

/** Where the priority comes from: Kueue's class, which says nothing about the pods, before that of the pods. */
export function priorityClassRefOf(job: ResolvedTrainingJob): PriorityClassRef | undefined {
  const { queuePriorityClassName, priorityClassName } = job.spec.scheduling ?? {};
  if (queuePriorityClassName !== undefined) {
    return { group: names.KUEUE_GROUP, kind: 'WorkloadPriorityClass', name: queuePriorityClassName };
  }
  return priorityClassName === undefined ? undefined : { group: 'scheduling.k8s.io', kind: 'PriorityClass', name: priorityClassName };
}

/**
 * Constructs the Workload.
 * @param podSpecOf of the job in its {@link queuedSize}
 * @param priority value of the class that {@link priorityClassRefOf} names, which Kueue wants to be told
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
 * The job as the quota is asked for it. An elastic job asks for as many replicas as it may ever have: it could not grow on quota that it does not
 * hold, and to ask anew would mean to stop.
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

/** The part of a pod that decides where it may run and what it takes there. */
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
