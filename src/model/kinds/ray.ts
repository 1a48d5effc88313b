/** KubeRay's kinds, each with a cluster in it. @see https://github.com/ray-project/kuberay/tree/v1.7.0/ray-operator/apis/ray/v1 */
import { SPEC, TEMPLATE_OF_SET, WITH_DEVICES, variablesOfSets, type CelVariable } from './cel';
import { numberOf, orNull, podSpec, type CountedPods, type PolicyPods } from './pod-sets';
import type { WorkloadKind } from './workload-kind';
import { jsonText, record, records, type JsonRecord } from '../json-parts';

/** Most workers that Ray's autoscaler makes of a group that names no limit. */
const UNLIMITED = 2_147_483_647;

const RAY = { group: 'ray.io', versions: ['v1'], suspend: ['spec', 'suspend'] } as const;
const CLUSTER_LABEL = 'ray.io/cluster';

/** With the autoscaler a group counts as it is at its largest. */
function setsOf({ headGroupSpec, workerGroupSpecs, enableInTreeAutoscaling }: JsonRecord): CountedPods[] {
  const head = headGroupSpec === undefined ? [] : [{ count: 1, pod: podSpec(record(headGroupSpec).template) }];
  return [...head, ...records(workerGroupSpecs).map(({ replicas, maxReplicas, numOfHosts, template }) => ({
    count: (enableInTreeAutoscaling === true ? numberOf(maxReplicas, UNLIMITED) : numberOf(replicas, 0)) * numberOf(numOfHosts, 1),
    pod: podSpec(template),
  }))];
}

/** A head, which has no name, and groups of workers, which have. */
function celOf(cluster: string, mustQueue: string, deadline?: string): CelVariable[] {
  const workers = `(variables.cluster.?enableInTreeAutoscaling.orValue(false) ? int(r.?maxReplicas.orValue(${UNLIMITED})) : int(r.?replicas.orValue(0))) * int(r.?numOfHosts.orValue(1))`;
  return variablesOfSets({
    before: [{ name: 'cluster', expression: cluster }],
    list: '(has(variables.cluster.headGroupSpec) ? [variables.cluster.headGroupSpec] : []) + variables.cluster.?workerGroupSpecs.orValue([])',
    count: `has(r.groupName) ? ${workers} : 1`,
    pod: TEMPLATE_OF_SET,
    mustQueue,
    deadline,
  });
}

/** Clusters that stay. */
const OF_CLUSTERS: Omit<PolicyPods, 'pods'> = {
  target: 'ray-clusters', everyVersion: false, cel: celOf(`object.kind == 'RayService' ? ${SPEC}.?rayClusterConfig.orValue({}) : ${SPEC}`, WITH_DEVICES),
};

export const RAY_CLUSTER: WorkloadKind = {
  ...RAY, kind: 'RayCluster', plural: 'rayclusters', podLabels: [CLUSTER_LABEL],
  policy: { ...OF_CLUSTERS, pods: (spec) => ({ sets: setsOf(spec), queued: 'WithDevices' }) },
  notMigrated: 'is a cluster without a program. Keep it, or write a RayJob with an entrypoint.',
};

export const RAY_SERVICE: WorkloadKind = {
  ...RAY, kind: 'RayService', plural: 'rayservices',
  policy: { ...OF_CLUSTERS, pods: ({ rayClusterConfig }) => ({ sets: setsOf(record(rayClusterConfig)), queued: 'WithDevices' }) },
  notMigrated: 'serves models. Keep it.',
};

/** Its time to live is its cluster's, and `DeleteSelf` among its deletion rules is the job's own (`model/argo-cd/job-findings.ts`). */
export const RAY_JOB: WorkloadKind = {
  ...RAY, kind: 'RayJob', plural: 'rayjobs', isJob: true, hasEndingPods: true, controller: 'ray.io/kuberay-operator',
  podSelectors: ({ metadata, status }) => {
    const { rayClusterName } = record(status);
    return [...(rayClusterName ? [`${CLUSTER_LABEL}=${jsonText(rayClusterName)}`] : []), `job-name=${jsonText(record(metadata).name ?? '')}`];
  },
  policy: {
    target: 'ray-jobs',
    pods: ({ rayClusterSpec, activeDeadlineSeconds }) => ({
      sets: setsOf(record(rayClusterSpec)), deadlineSeconds: orNull(activeDeadlineSeconds),
      // One that runs on a cluster that is there waits with that.
      queued: rayClusterSpec === undefined ? 'WithDevices' : 'Always',
    }),
    cel: celOf(`${SPEC}.?rayClusterSpec.orValue({})`, `has(${SPEC}.rayClusterSpec)`, `${SPEC}.?activeDeadlineSeconds`),
  },
};

export const RAY_CRON_JOB: WorkloadKind = {
  ...RAY, kind: 'RayCronJob', plural: 'raycronjobs', hasEndingPods: true,
  notMigrated: 'creates RayJobs on a schedule. Migrate its spec.jobTemplate as a RayJob, and submit it another way.',
};
