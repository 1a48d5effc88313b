/** Configuration of Kueue's manager. @see https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/ */
import type { KueueSettings } from '../../model/platform/spec';

/**
 * Kinds that Kueue queues when nobody says it, which are those of its chart: of those that are not installed it takes no notice.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/charts/kueue/values.yaml
 */
const FRAMEWORKS = [
  'batch/job', 'kubeflow.org/mpijob', 'ray.io/rayjob', 'ray.io/raycluster', 'jobset.x-k8s.io/jobset', 'trainer.kubeflow.org/trainjob', 'kubeflow.org/paddlejob',
  'kubeflow.org/pytorchjob', 'kubeflow.org/tfjob', 'kubeflow.org/xgboostjob', 'kubeflow.org/jaxjob', 'workload.codeflare.dev/appwrapper', 'pod', 'deployment', 'statefulset',
  'leaderworkerset.x-k8s.io/leaderworkerset',
];

/**
 * The whole configuration, which replaces the chart's; nothing where all is the chart's own.
 * @param externalFrameworks kinds whose operators make Workloads themselves, as `Kind.version.group`
 */
export function kueueConfiguration(settings: KueueSettings, externalFrameworks: readonly string[]): object | undefined {
  const { frameworks, fairSharing = false, waitForPodsReadySeconds, manageJobsWithoutQueueName, usageHalfLifeSeconds, uncountedResources } = settings;
  const asked = [frameworks, waitForPodsReadySeconds, manageJobsWithoutQueueName, usageHalfLifeSeconds, uncountedResources]
    .some((value) => value !== undefined);
  if (!asked && !fairSharing && externalFrameworks.length === 0) {
    return undefined;
  }
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: ':8081' },
    metrics: { bindAddress: ':8443' },
    webhook: { port: 9443 },
    leaderElection: { leaderElect: true, resourceName: 'c1f6bfd2.kueue.x-k8s.io' },
    clientConnection: { qps: 50, burst: 100 },
    integrations: { frameworks: frameworks ?? FRAMEWORKS, ...(externalFrameworks.length > 0 && { externalFrameworks }) },
    ...(fairSharing && { fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] } }),
    ...(usageHalfLifeSeconds !== undefined && { admissionFairSharing: { usageHalfLifeTime: `${usageHalfLifeSeconds}s`, usageSamplingInterval: '5m' } }),
    ...(uncountedResources !== undefined && { resources: { excludeResourcePrefixes: uncountedResources } }),
    ...(waitForPodsReadySeconds !== undefined && { waitForPodsReady: { timeout: `${waitForPodsReadySeconds}s` } }),
    ...(manageJobsWithoutQueueName !== undefined && { manageJobsWithoutQueueName }),
  };
}
