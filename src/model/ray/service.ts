/**
 * A RayService in our terms: applications of Ray Serve, the cluster that they run on, and how a new cluster takes over.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/rayservice_types.go
 */
import type { ServeConfigSpec } from './serve';
import type { RayClusterSpec, RayQueueSpec, Texts } from './spec';
import { ViolationCollector, type Violation } from '../violations';

/** How a changed cluster takes over from the one that serves. */
export interface RayServiceUpgradeSpec {
  readonly type: 'NewCluster' | 'NewClusterWithIncrementalUpgrade' | 'None';
  readonly gatewayClassName?: string;
  readonly stepSizePercent?: number;
  readonly intervalSeconds?: number;
  readonly maxSurgePercent?: number;
}

/** `RayService.spec` in our terms. */
export interface RayServiceSpec {
  readonly serve: ServeConfigSpec;
  readonly cluster: RayClusterSpec;
  readonly upgrade?: RayServiceUpgradeSpec;
  readonly clusterDeletionDelaySeconds?: number;
  readonly excludeHead?: boolean;
  readonly suspend?: boolean;
  readonly initializingTimeoutSeconds?: number;
  readonly serviceType?: string;
  readonly serviceAnnotations?: Texts;
}

export interface NamedRayService {
  readonly name: string;
  readonly spec: RayServiceSpec;
  readonly queue?: RayQueueSpec;
  readonly annotations?: Texts;
}

/** A RayService of which the applications may be unknown. */
export type CheckedRayService = Omit<NamedRayService, 'spec'> & { readonly spec: Omit<RayServiceSpec, 'serve'> & Partial<Pick<RayServiceSpec, 'serve'>> };

/** Annotation that says how long a service may take to start. */
export const INITIALIZING_TIMEOUT_ANNOTATION = 'ray.io/initializing-timeout';

/** Checks a service apart from its name, its applications and its cluster. */
export function validateRayServiceSpec({ spec, annotations = {} }: CheckedRayService): Violation[] {
  const violations = new ViolationCollector();
  const { clusterDeletionDelaySeconds, initializingTimeoutSeconds, excludeHead, cluster, serve } = spec;
  violations.seconds('spec.rayClusterDeletionDelaySeconds', clusterDeletionDelaySeconds, 0);
  violations.seconds(`metadata.annotations['${INITIALIZING_TIMEOUT_ANNOTATION}']`, initializingTimeoutSeconds, 1);
  const written = annotations[INITIALIZING_TIMEOUT_ANNOTATION];
  violations.form(`metadata.annotations['${INITIALIZING_TIMEOUT_ANNOTATION}']`, written, /^([1-9]\d*|(\d+(\.\d+)?(ms|s|m|h))+)$/,
    'must be seconds or a duration such as 30m. Use initializingTimeout.');
  if (excludeHead && cluster.workerGroups.length === 0) {
    violations.add('spec.excludeHeadPodFromServeSvc', true, 'leaves no pod to serve traffic: there are no worker groups. Add one.');
  }
  if (excludeHead && serve?.proxyLocation === 'HeadOnly') {
    violations.add('spec.serveConfigV2.proxy_location', 'HeadOnly', 'accepts requests only on the head, which gets none (excludeHead: true). Use EVERY_NODE.');
  }
  validateUpgrade(spec, violations);
  return violations.violations;
}

function validateUpgrade({ upgrade, cluster }: CheckedRayService['spec'], violations: ViolationCollector): void {
  if (upgrade?.type !== 'NewClusterWithIncrementalUpgrade') {
    return;
  }
  const path = 'spec.upgradeStrategy.clusterUpgradeOptions';
  const { gatewayClassName = '', stepSizePercent, intervalSeconds, maxSurgePercent = 100 } = upgrade;
  if (cluster.autoscaler === undefined) {
    violations.add('spec.upgradeStrategy.type', upgrade.type, 'moves traffic as fast as the new cluster grows, but this one has no autoscaler. Add one, or use RayServiceUpgrade.newCluster.');
  }
  if (gatewayClassName === '') {
    violations.add(`${path}.gatewayClassName`, gatewayClassName, 'is required: the GatewayClass of the gateway that splits traffic, such as istio.');
  }
  for (const [field, value] of [['maxSurgePercent', maxSurgePercent], ['stepSizePercent', stepSizePercent]] as const) {
    if (!(Number.isInteger(value) && value! >= 0 && value! <= 100)) {
      violations.add(`${path}.${field}`, value, 'must be a whole number from 0 to 100.');
    }
  }
  if (stepSizePercent !== undefined && stepSizePercent > maxSurgePercent) {
    violations.add(`${path}.stepSizePercent`, stepSizePercent, `is more than the new cluster may grow in one step (maxSurgePercent, ${maxSurgePercent}). Use less.`);
  }
  if (!(Number.isInteger(intervalSeconds) && intervalSeconds! >= 1)) {
    violations.add(`${path}.intervalSeconds`, intervalSeconds, 'must be whole seconds, 1 or more.');
  }
}
