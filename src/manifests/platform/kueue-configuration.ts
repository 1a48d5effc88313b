/** Configuration of Kueue's manager. @see https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/ */
import { gatesOfIntegrations, KUEUE_INTEGRATIONS } from '../../model/platform/kueue-integrations';
import type { KueueSettings } from '../../model/platform/spec';

/** Reconciles at the same time, as in the chart's configuration; Kueue's own default is one for each kind. */
const CONCURRENCY = {
  'Job.batch': 5, 'Pod': 5, 'Workload.kueue.x-k8s.io': 10, 'LocalQueue.kueue.x-k8s.io': 5, 'ClusterQueue.kueue.x-k8s.io': 5,
  'ResourceFlavor.kueue.x-k8s.io': 1,
};

/** A configuration. */
export interface KueueConfiguration {
  readonly featureGates?: { readonly [gate: string]: boolean };
  readonly [field: string]: unknown;
}

/**
 * The whole configuration, which replaces the chart's.
 * @param externalFrameworks kinds whose operators create Workloads themselves, as `Kind.version.group`
 */
export function kueueConfiguration(settings: KueueSettings, externalFrameworks: readonly string[]): KueueConfiguration {
  const {
    frameworks, fairSharing = false, waitForPodsReadySeconds, manageJobsWithoutQueueName, usageHalfLifeSeconds, uncountedResources, featureGates,
  } = settings;
  // Kueue ignores kinds that are not installed. Its chart omits the jobs of training-operator v1 and of the Spark operator.
  const integrations = frameworks ?? KUEUE_INTEGRATIONS;
  const gates = { ...Object.fromEntries(Object.keys(gatesOfIntegrations(integrations)).map((gate) => [gate, true])), ...featureGates };
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: ':8081' },
    metrics: { bindAddress: ':8443' },
    webhook: { port: 9443 },
    leaderElection: { leaderElect: true, resourceName: 'c1f6bfd2.kueue.x-k8s.io' },
    controller: { groupKindConcurrency: CONCURRENCY },
    clientConnection: { qps: 300, burst: 500 },
    integrations: { frameworks: integrations, ...(externalFrameworks.length > 0 && { externalFrameworks }) },
    ...(Object.keys(gates).length > 0 && { featureGates: gates }),
    ...(fairSharing && { fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] } }),
    ...(usageHalfLifeSeconds !== undefined && { admissionFairSharing: { usageHalfLifeTime: `${usageHalfLifeSeconds}s`, usageSamplingInterval: '5m' } }),
    ...(uncountedResources !== undefined && { resources: { excludeResourcePrefixes: uncountedResources } }),
    ...(waitForPodsReadySeconds !== undefined && { waitForPodsReady: { timeout: `${waitForPodsReadySeconds}s` } }),
    ...(manageJobsWithoutQueueName !== undefined && { manageJobsWithoutQueueName }),
  };
}
