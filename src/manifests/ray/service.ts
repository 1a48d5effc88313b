/**
 * KubeRay's RayService.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayservice-quick-start.html
 */
import { constructClusterFields, managedBy } from './cluster';
import { constructServeConfig } from './serve-config';
import { yamlText } from '../yaml-text';
import { INITIALIZING_TIMEOUT_ANNOTATION, type NamedRayService, type RayServiceSpec, type RayServiceUpgradeSpec } from '../../model/ray/service';
import type { Fields, Texts } from '../../model/ray/spec';
import { plainObject } from '../plain-object';

/** Label of the workers of a RayService, on their pods; the budget of the service selects by it. */
const SERVICE_LABEL = 'ml.collabnix.io/ray-service';

/**
 * `RayService.spec`.
 * @param hasWorkerBudget whether a budget has to find its workers
 */
export function constructRayServiceSpec({ name, spec, queue = {} }: NamedRayService, hasWorkerBudget: boolean = false): Fields {
  const { serviceType, serviceAnnotations, upgrade } = spec;
  const hasService = serviceType !== undefined || serviceAnnotations !== undefined;
  return plainObject({
    serveConfigV2: yamlText(constructServeConfig(spec.serve)),
    upgradeStrategy: upgrade && constructUpgrade(upgrade),
    rayClusterDeletionDelaySeconds: spec.clusterDeletionDelaySeconds,
    excludeHeadPodFromServeSvc: spec.excludeHead,
    suspend: queue.queueName === undefined ? spec.suspend : undefined,
    managedBy: managedBy(queue.multiKueue),
    serveService: !hasService ? undefined : {
      metadata: serviceAnnotations && { annotations: serviceAnnotations },
      spec: serviceType === undefined ? undefined : { type: serviceType },
    },
    rayClusterConfig: constructClusterFields(name, spec.cluster, { labels: hasWorkerBudget ? serviceWorkerLabels(name) : undefined }),
  });
}

/** Labels of a service's workers, which KubeRay gives them from the template: those of its own change with each cluster. */
export function serviceWorkerLabels(name: string): Texts {
  return { [SERVICE_LABEL]: name };
}

/** How many workers a service has at the least, of all groups. */
export function leastWorkers({ cluster: { workerGroups, autoscaler } }: RayServiceSpec): number {
  return workerGroups.reduce((sum, { replicas, minReplicas, hosts = 1 }) => (
    sum + (minReplicas ?? (autoscaler === undefined ? replicas ?? 1 : 0)) * hosts), 0);
}

/** Annotations of the object. */
export function rayServiceAnnotations({ initializingTimeoutSeconds }: RayServiceSpec): Texts {
  return initializingTimeoutSeconds === undefined ? {} : { [INITIALIZING_TIMEOUT_ANNOTATION]: `${initializingTimeoutSeconds}s` };
}

function constructUpgrade({ type, gatewayClassName, stepSizePercent, intervalSeconds, maxSurgePercent }: RayServiceUpgradeSpec): Fields {
  return {
    type,
    clusterUpgradeOptions: type === 'NewClusterWithIncrementalUpgrade' ? { gatewayClassName, stepSizePercent, intervalSeconds, maxSurgePercent } : undefined,
  };
}
