/** KubeRay's kinds, each with a cluster in it. @see https://github.com/ray-project/kuberay/tree/v1.7.0/ray-operator/apis/ray/v1 */
import { SPEC, TEMPLATE_OF_SET, WITH_DEVICES, variablesOfSets, type CelVariable } from './cel';
import { UNLIMITED_PODS, numberOf, orNull, podSpec, type CountedPods, type PolicyPods } from './pod-sets';
import { readyOf, standingByConditions, standingByPhase } from './standing';
import type { ScaledRole, WorkloadKind } from './workload-kind';
import { range, times } from '../cost/ranges';
import { jsonText, numberIn, record, records, type JsonRecord } from '../json-parts';
import { programText } from '../../programs/program-text';

const RAY = { group: 'ray.io', versions: ['v1'], suspend: ['spec', 'suspend'] } as const;
const CLUSTER_LABEL = 'ray.io/cluster';
const GROUP_LABEL = 'ray.io/group';

/** With the autoscaler a group counts as it is at its largest. Without, KubeRay keeps the number of workers within the limits. */
function setsOf({ headGroupSpec, workerGroupSpecs, enableInTreeAutoscaling }: JsonRecord): CountedPods[] {
  const head = headGroupSpec === undefined ? [] : [{ name: 'head', count: 1, pod: podSpec(record(headGroupSpec).template) }];
  return [...head, ...records(workerGroupSpecs).map(({ groupName, replicas, minReplicas, maxReplicas, numOfHosts, suspend, template }) => {
    const hosts = numberOf(numOfHosts, 1);
    const isScaled = enableInTreeAutoscaling === true;
    const fixed = Math.min(Math.max(numberOf(replicas, 0), numberOf(minReplicas, 0)), numberOf(maxReplicas, UNLIMITED_PODS));
    const atATime = suspend === true ? range(0) : isScaled ? range(numberOf(minReplicas, 0), numberOf(maxReplicas, fixed)) : range(fixed);
    return {
      name: jsonText(groupName ?? 'workers'),
      count: (isScaled ? numberOf(maxReplicas, UNLIMITED_PODS) : fixed) * hosts,
      atATime: times(atATime, hosts),
      pod: podSpec(template),
    };
  })];
}

/** A head, which has no name, and groups of workers, which have. */
function celOf(cluster: string, mustQueue: string, deadline?: string): CelVariable[] {
  const most = `int(r.?maxReplicas.orValue(${UNLIMITED_PODS}))`;
  const fixed = `[[int(r.?replicas.orValue(0)), int(r.?minReplicas.orValue(0))].max(), ${most}].min()`;
  const workers = `(variables.cluster.?enableInTreeAutoscaling.orValue(false) ? ${most} : ${fixed}) * int(r.?numOfHosts.orValue(1))`;
  return variablesOfSets({
    before: [{ name: 'cluster', expression: cluster }],
    list: '(has(variables.cluster.headGroupSpec) ? [variables.cluster.headGroupSpec] : []) + variables.cluster.?workerGroupSpecs.orValue([])',
    count: `has(r.groupName) ? ${workers} : 1`,
    pod: TEMPLATE_OF_SET,
    mustQueue,
    deadline,
  });
}

function scaledGroups(cluster: unknown, path: readonly string[]): ScaledRole[] {
  return records(record(cluster).workerGroupSpecs).map(({ groupName, replicas }, index) => (
    { role: jsonText(groupName ?? 'workers'), field: [...path, 'workerGroupSpecs', index, 'replicas'], replicas: numberIn(replicas) }));
}

/** Clusters that stay. */
const OF_CLUSTERS: PolicyPods = {
  target: 'ray-clusters', everyVersion: false, cel: celOf(`object.kind == 'RayService' ? ${SPEC}.?rayClusterConfig.orValue({}) : ${SPEC}`, WITH_DEVICES),
};

/** Suspending it deletes its pods. */
export const RAY_CLUSTER: WorkloadKind = {
  ...RAY, kind: 'RayCluster', plural: 'rayclusters', podLabels: [CLUSTER_LABEL], logStream: 'ray_cluster', roleLabel: GROUP_LABEL, isQueued: true,
  standing: (object) => {
    const { state, readyWorkerReplicas, availableWorkerReplicas, desiredWorkerReplicas } = record(object.status);
    return standingByPhase(object, state, { ready: 'Running', suspended: 'Suspended', failed: 'Failed' }, { ready: readyOf(readyWorkerReplicas ?? availableWorkerReplicas, desiredWorkerReplicas) });
  },
  scales: (spec) => scaledGroups(spec, []),
  pods: (spec) => ({ sets: setsOf(spec), queued: 'WithDevices' }),
  policy: OF_CLUSTERS,
  argoCd: {
    health: programText('argo-cd/health/ray-cluster.lua'),
    // Ray's autoscaler writes both into the cluster itself.
    written: ['replicas', 'scaleStrategy'].map((field) => `.spec | select(.enableInTreeAutoscaling == true) | .workerGroupSpecs[]?.${field}`),
  },
  notMigrated: 'is a cluster without a program. Keep it, or write a RayJob with an entrypoint.',
};

export const RAY_SERVICE: WorkloadKind = {
  ...RAY, kind: 'RayService', plural: 'rayservices', isQueued: true, roleLabel: GROUP_LABEL,
  podSelectors: ({ status }) => ['activeServiceStatus', 'pendingServiceStatus'].flatMap((part) => {
    const { rayClusterName } = record(record(status)[part]);
    return rayClusterName ? [`${CLUSTER_LABEL}=${jsonText(rayClusterName)}`] : [];
  }),
  standing: (object) => standingByConditions(object),
  scales: ({ rayClusterConfig }) => scaledGroups(rayClusterConfig, ['rayClusterConfig']),
  pods: ({ rayClusterConfig }) => ({ sets: setsOf(record(rayClusterConfig)), queued: 'WithDevices' }),
  policy: OF_CLUSTERS,
  argoCd: { health: programText('argo-cd/health/ray-service.lua') },
  notMigrated: 'serves models. Keep it.',
};

/** Of its deployment, and before that is said, of the job on the cluster. */
const RAY_JOB_STATES = {
  RUNNING: 'Running', SUCCEEDED: 'Succeeded', FAILED: 'Failed', STOPPED: 'Failed',
  Running: 'Running', Retrying: 'Restarting', Failed: 'Failed', ValidationFailed: 'Failed', Suspending: 'Suspended', Suspended: 'Suspended',
} as const;

/** Its time to live is its cluster's, and `DeleteSelf` among its deletion rules is the job's own (`model/argo-cd/job-findings.ts`). */
export const RAY_JOB: WorkloadKind = {
  ...RAY, kind: 'RayJob', plural: 'rayjobs', pastVersions: ['v1alpha1'], isJob: true, hasEndingPods: true, controller: 'ray.io/kuberay-operator', isQueued: true,
  migrated: 'RayJob', roleLabel: GROUP_LABEL,
  // The pod that submits it has its output. Those of its cluster have the cluster's name.
  logStream: 'ray_job', logLabel: 'ray.io/originated-from-cr-name',
  standing: (object) => {
    const { jobDeploymentStatus, jobStatus, rayClusterStatus } = record(object.status);
    const { readyWorkerReplicas, desiredWorkerReplicas } = record(rayClusterStatus);
    // One that was stopped has not done its work.
    const states = { ...RAY_JOB_STATES, Complete: jobStatus === 'SUCCEEDED' ? 'Succeeded' : 'Failed' } as const;
    return standingByPhase(object, jobDeploymentStatus || jobStatus, states, { ready: readyOf(readyWorkerReplicas, desiredWorkerReplicas) });
  },
  podSelectors: ({ metadata, status }) => {
    const { rayClusterName } = record(status);
    return [...(rayClusterName ? [`${CLUSTER_LABEL}=${jsonText(rayClusterName)}`] : []), `job-name=${jsonText(record(metadata).name ?? '')}`];
  },
  pods: ({ rayClusterSpec, activeDeadlineSeconds, submitterPodTemplate }) => ({
    sets: setsOf(record(rayClusterSpec)), deadlineSeconds: orNull(activeDeadlineSeconds),
    beside: submitterPodTemplate === undefined ? [] : [{ name: 'submitter', count: 1, pod: podSpec(submitterPodTemplate) }],
    // One that runs on an existing cluster waits with that.
    queued: rayClusterSpec === undefined ? 'WithDevices' : 'Always',
  }),
  policy: { target: 'ray-jobs', cel: celOf(`${SPEC}.?rayClusterSpec.orValue({})`, `has(${SPEC}.rayClusterSpec)`, `${SPEC}.?activeDeadlineSeconds`) },
  argoCd: {
    health: programText('argo-cd/health/ray-job.lua'),
    finished: "status.jobDeploymentStatus == 'Complete' or status.jobDeploymentStatus == 'Failed' or status.jobDeploymentStatus == 'ValidationFailed'",
    failed: "status.jobDeploymentStatus == 'Failed'",
    // KubeRay refuses to suspend one that keeps its cluster, or runs on an existing cluster.
    unsuspendable: "field(obj, 'spec', 'shutdownAfterJobFinishes') ~= true or field(obj, 'spec', 'clusterSelector') ~= nil",
    // A new one has a new id.
    forgotten: [['jobId']],
  },
};

/** While it is suspended no new jobs are begun. Kueue has its jobs, and not itself. */
export const RAY_CRON_JOB: WorkloadKind = {
  ...RAY, kind: 'RayCronJob', plural: 'raycronjobs', hasEndingPods: true, scheduled: { of: RAY_JOB, spec: ['spec', 'jobTemplate'] },
  argoCd: { health: programText('argo-cd/health/ray-cron-job.lua') },
  notMigrated: 'creates RayJobs on a schedule. Migrate its spec.jobTemplate as a RayJob, and submit it another way.',
};
