/**
 * KubeRay's RayService.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayservice-quick-start.html
 */
import { constructClusterFields, managedBy } from './cluster';
import { constructServeConfig } from './serve-config';
import { yamlText } from './yaml-text';
import { INITIALIZING_TIMEOUT_ANNOTATION, type NamedRayService, type RayServiceSpec, type RayServiceUpgradeSpec } from '../../model/ray/service';
import type { Fields, Texts } from '../../model/ray/spec';
import { plainObject } from '../plain-object';

/** `RayService.spec`. */
export function constructRayServiceSpec({ name, spec, queue = {} }: NamedRayService): Fields {
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
    rayClusterConfig: constructClusterFields(name, spec.cluster),
  });
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
