/**
 * KubeRay's RayService.
 *
 * What Ray reads as YAML: runtime environments, and the configuration of Ray Serve. Names are Ray's.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayservice-quick-start.html
 */
import { constructClusterFields, managedBy } from './cluster';
import { plainObject } from '../plain-object';
import { yamlText } from '../yaml-text';
import type { RuntimeEnvSpec } from '../../model/ray/runtime-env';
import type { ServeApplicationSpec, ServeAutoscalingSpec, ServeConfigSpec, ServeDeploymentSpec } from '../../model/ray/serve';
import { INITIALIZING_TIMEOUT_ANNOTATION, type NamedRayService, type RayServiceSpec, type RayServiceUpgradeSpec } from '../../model/ray/service';
import type { Fields, Texts } from '../../model/ray/spec';

/** Label of the workers of a RayService, on their pods; the budget of the service selects by it. */
const SERVICE_LABEL = 'ml.collabnix.io/ray-service';

/** `RayService.spec`. @param hasWorkerBudget whether a budget has to find its workers */
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

/** The least number of workers of a service, over all groups. */
export function minWorkersOf({ cluster: { workerGroups, autoscaler } }: RayServiceSpec): number {
  return workerGroups.reduce((sum, { replicas, minReplicas, hosts = 1 }) => (
    sum + (minReplicas ?? (autoscaler === undefined ? replicas ?? 1 : 0)) * hosts), 0);
}

export function rayServiceAnnotations({ initializingTimeoutSeconds }: RayServiceSpec): Texts {
  return initializingTimeoutSeconds === undefined ? {} : { [INITIALIZING_TIMEOUT_ANNOTATION]: `${initializingTimeoutSeconds}s` };
}

function constructUpgrade({ type, gatewayClassName, stepSizePercent, intervalSeconds, maxSurgePercent }: RayServiceUpgradeSpec): Fields {
  return {
    type,
    clusterUpgradeOptions: type === 'NewClusterWithIncrementalUpgrade' ? { gatewayClassName, stepSizePercent, intervalSeconds, maxSurgePercent } : undefined,
  };
}

export function constructRuntimeEnv({ workingDir, pyModules, pip, uv, conda, envVars, more }: RuntimeEnvSpec): Fields {
  return plainObject({ working_dir: workingDir, py_modules: pyModules, pip, uv, conda, env_vars: envVars, ...more });
}

/** `serveConfigV2`, before it is written as YAML. */
function constructServeConfig(config: ServeConfigSpec): Fields {
  const { proxyLocation, httpPort, requestTimeoutSeconds, keepAliveSeconds, more, applications } = config;
  const http = plainObject({ port: httpPort, request_timeout_s: requestTimeoutSeconds, keep_alive_timeout_s: keepAliveSeconds });
  return plainObject({
    proxy_location: proxyLocation,
    // A proxy that listens only on localhost would get no requests from the Service.
    http_options: Object.keys(http).length > 0 ? { host: '0.0.0.0', ...http } : undefined,
    ...more,
    applications: applications.map(constructApplication),
  });
}

function constructApplication({ name, importPath, routePrefix = '/', runtimeEnv, args, deployments, more }: ServeApplicationSpec): Fields {
  return {
    name,
    route_prefix: routePrefix,
    import_path: importPath,
    runtime_env: runtimeEnv && constructRuntimeEnv(runtimeEnv),
    args,
    ...more,
    deployments: deployments === undefined || deployments.length === 0 ? undefined : deployments.map(constructDeployment),
  };
}

function constructDeployment(deployment: ServeDeploymentSpec): Fields {
  const actor = plainObject({
    num_cpus: deployment.cpus,
    num_gpus: deployment.gpus,
    memory: deployment.memoryBytes,
    resources: deployment.customResources,
    accelerator_type: deployment.acceleratorType,
  });
  return {
    name: deployment.name,
    num_replicas: deployment.replicas,
    autoscaling_config: deployment.autoscaling && constructAutoscaling(deployment.autoscaling),
    max_ongoing_requests: deployment.maxOngoingRequests,
    max_queued_requests: deployment.maxQueuedRequests,
    user_config: deployment.userConfig,
    health_check_period_s: deployment.healthCheckPeriodSeconds,
    health_check_timeout_s: deployment.healthCheckTimeoutSeconds,
    graceful_shutdown_timeout_s: deployment.gracefulShutdownTimeoutSeconds,
    ray_actor_options: Object.keys(actor).length > 0 ? actor : undefined,
    ...deployment.more,
  };
}

function constructAutoscaling(autoscaling: ServeAutoscalingSpec): Fields {
  return plainObject({
    min_replicas: autoscaling.minReplicas,
    max_replicas: autoscaling.maxReplicas,
    initial_replicas: autoscaling.initialReplicas,
    target_ongoing_requests: autoscaling.targetOngoingRequests,
    upscale_delay_s: autoscaling.upscaleDelaySeconds,
    downscale_delay_s: autoscaling.downscaleDelaySeconds,
  });
}
