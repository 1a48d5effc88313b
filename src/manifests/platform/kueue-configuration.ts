/** Configuration of Kueue's manager. @see https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/ */

/** What is configured. */
export interface KueueConfigurationSpec {
  readonly frameworks?: readonly string[];
  readonly fairSharing?: boolean;
  readonly waitForPodsReadySeconds?: number;
  readonly manageJobsWithoutQueueName?: boolean;
}

/** Kinds that Kueue queues when nobody says it: of those that are not installed it takes no notice. */
const FRAMEWORKS = [
  'batch/job', 'jobset.x-k8s.io/jobset', 'trainer.kubeflow.org/trainjob', 'ray.io/rayjob', 'ray.io/raycluster', 'kubeflow.org/mpijob', 'kubeflow.org/pytorchjob',
  'kubeflow.org/tfjob', 'kubeflow.org/xgboostjob', 'kubeflow.org/paddlejob', 'kubeflow.org/jaxjob', 'leaderworkerset.x-k8s.io/leaderworkerset',
];

/** The whole configuration, which replaces the chart's; nothing where all is the chart's own. */
export function kueueConfiguration(spec: KueueConfigurationSpec): object | undefined {
  const { frameworks, fairSharing = false, waitForPodsReadySeconds, manageJobsWithoutQueueName } = spec;
  if (frameworks === undefined && !fairSharing && waitForPodsReadySeconds === undefined && manageJobsWithoutQueueName === undefined) {
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
    integrations: { frameworks: frameworks ?? FRAMEWORKS },
    ...(fairSharing && { fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] } }),
    ...(waitForPodsReadySeconds !== undefined && { waitForPodsReady: { timeout: `${waitForPodsReadySeconds}s` } }),
    ...(manageJobsWithoutQueueName !== undefined && { manageJobsWithoutQueueName }),
  };
}
