/** Configuration of Kueue's manager. @see https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/ */
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import type { KueueSettings } from '../../model/platform/spec';

/**
 * Kinds that Kueue queues by default: all that it supports, because it ignores those that are not installed. Its chart omits the jobs of
 * training-operator v1 and of the Spark operator.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/charts/kueue/values.yaml
 */
const FRAMEWORKS: readonly string[] = [
  ...WORKLOAD_KINDS.filter(({ isQueued, isRetired }) => isQueued === true && isRetired !== true).map(({ group, kind }) => `${group}/${kind.toLowerCase()}`),
  'workload.codeflare.dev/appwrapper', 'pod', 'deployment', 'statefulset',
];

/**
 * The whole configuration, which replaces the chart's; undefined if the chart's is right.
 * @param externalFrameworks kinds whose operators create Workloads themselves, as `Kind.version.group`
 */
export function kueueConfiguration(settings: KueueSettings, externalFrameworks: readonly string[]): object | undefined {
  const { frameworks, fairSharing = false, waitForPodsReadySeconds, manageJobsWithoutQueueName, usageHalfLifeSeconds, uncountedResources } = settings;
  const isSet = [frameworks, waitForPodsReadySeconds, manageJobsWithoutQueueName, usageHalfLifeSeconds, uncountedResources]
    .some((value) => value !== undefined);
  if (!isSet && !fairSharing && externalFrameworks.length === 0) {
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
