/**
 * Pods of jobs of other systems: how many of which there are at a time, as far as the object says. `manifests/policy/cel-pod-sets.ts` asks the API
 * server for the same; a test holds the two against each other.
 */
import { record, records, type JsonRecord } from '../json-parts';

/** Pods that are alike. */
export interface CountedPods {
  readonly count: number;
  /** `spec` of each. */
  readonly pod: JsonRecord;
}

/**
 * Which objects of a kind that Kueue takes have to wait in a queue where a policy has some: jobs always; what may serve as well, where it asks for
 * devices.
 */
export type Queued = 'Always' | 'WithDevices';

/** What a job is made of. */
export interface JobPods {
  /** @default - the object does not say */
  readonly sets?: readonly CountedPods[];
  /** Deadline of kinds that have one; `null` where the object names none. */
  readonly deadlineSeconds?: number | null;
  /** Priority class that the job names for all of its pods. */
  readonly priorityClass?: string;
  /** @default - Kueue does not take the kind */
  readonly queued?: Queued;
}

/** Most workers that Ray's autoscaler makes of a group that names no limit. */
export const RAY_UNLIMITED = 2_147_483_647;

/** Fields of training-operator v1 with roles, by which its kinds differ. */
export const V1_REPLICA_FIELDS: readonly string[] = [
  'pytorchReplicaSpecs', 'tfReplicaSpecs', 'mpiReplicaSpecs', 'xgbReplicaSpecs', 'paddleReplicaSpecs', 'jaxReplicaSpecs',
];

const V1_KINDS = ['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'];

/** Where they say how large they are is not known here: their pods are looked at one by one. */
const SPARK_KINDS = ['SparkApplication', 'ScheduledSparkApplication'];

const KINDS: { readonly [groupAndKind: string]: (spec: JsonRecord) => JobPods } = {
  'jobset.x-k8s.io JobSet': ({ replicatedJobs }) => {
    const jobs = records(replicatedJobs).map(({ replicas, template }) => ({ replicas, job: record(record(template).spec) }));
    const deadlines = jobs.map(({ job }) => orNull(job.activeDeadlineSeconds));
    return {
      sets: jobs.map(({ replicas, job: { parallelism, template } }) => (
        { count: numberOf(replicas, 1) * numberOf(parallelism, 1), pod: podSpec(template) }
      )),
      // It has none itself: each of its jobs has to have one.
      deadlineSeconds: deadlines.length === 0 || deadlines.includes(null) ? null : Math.max(...deadlines as number[]),
      queued: 'Always',
    };
  },
  'leaderworkerset.x-k8s.io LeaderWorkerSet': ({ replicas, leaderWorkerTemplate }) => {
    const { workerTemplate, leaderTemplate = workerTemplate, size } = record(leaderWorkerTemplate);
    const groups = numberOf(replicas, 1);
    return {
      sets: [{ count: groups, pod: podSpec(leaderTemplate) }, { count: groups * (numberOf(size, 1) - 1), pod: podSpec(workerTemplate) }],
      queued: 'WithDevices',
    };
  },
  ...Object.fromEntries(SPARK_KINDS.map((kind) => [`sparkoperator.k8s.io ${kind}`, () => ({ queued: 'Always' as const })])),
  'trainer.kubeflow.org TrainJob': ({ trainer, activeDeadlineSeconds }) => {
    const { numNodes, image, resourcesPerNode } = record(trainer);
    const pod = { containers: [{ image, resources: resourcesPerNode }] };
    return { sets: [{ count: numberOf(numNodes, 1), pod }], deadlineSeconds: orNull(activeDeadlineSeconds), queued: 'Always' };
  },
  'batch.volcano.sh Job': ({ tasks, priorityClassName }) => ({
    sets: records(tasks).map(({ replicas, template }) => ({ count: numberOf(replicas, 1), pod: podSpec(template) })),
    ...(typeof priorityClassName === 'string' && { priorityClass: priorityClassName }),
  }),
  'ray.io RayCluster': (spec) => ({ sets: raySets(spec), queued: 'WithDevices' }),
  'ray.io RayService': ({ rayClusterConfig }) => ({ sets: raySets(record(rayClusterConfig)), queued: 'WithDevices' }),
  'ray.io RayJob': ({ rayClusterSpec, activeDeadlineSeconds }) => ({
    sets: raySets(record(rayClusterSpec)), deadlineSeconds: orNull(activeDeadlineSeconds),
    // One that runs on a cluster that is there waits with that.
    queued: rayClusterSpec === undefined ? 'WithDevices' : 'Always',
  }),
  ...Object.fromEntries(V1_KINDS.map((kind) => [`kubeflow.org ${kind}`, v1Pods])),
};

/** Pods of a job of another system; undefined for kinds that are none. */
export function jobPods(apiVersion: string, kind: string, spec: JsonRecord): JobPods | undefined {
  return KINDS[`${apiVersion.split('/')[0]} ${kind}`]?.(spec);
}

function v1Pods(spec: JsonRecord): JobPods {
  const roles = V1_REPLICA_FIELDS.flatMap((field) => records(Object.values(record(spec[field]))));
  return {
    sets: roles.map(({ replicas, template }) => ({ count: numberOf(replicas, 1), pod: podSpec(template) })),
    deadlineSeconds: orNull(record(spec.runPolicy).activeDeadlineSeconds),
    queued: 'Always',
  };
}

/** With the autoscaler a group counts as it is at its largest. */
function raySets({ headGroupSpec, workerGroupSpecs, enableInTreeAutoscaling }: JsonRecord): CountedPods[] {
  const head = headGroupSpec === undefined ? [] : [{ count: 1, pod: podSpec(record(headGroupSpec).template) }];
  return [...head, ...records(workerGroupSpecs).map(({ replicas, maxReplicas, numOfHosts, template }) => ({
    count: (enableInTreeAutoscaling === true ? numberOf(maxReplicas, RAY_UNLIMITED) : numberOf(replicas, 0)) * numberOf(numOfHosts, 1),
    pod: podSpec(template),
  }))];
}

function podSpec(template: unknown): JsonRecord {
  return record(record(template).spec);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function orNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
