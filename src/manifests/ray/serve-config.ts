/** What Ray reads as YAML: runtime environments, and the configuration of Ray Serve. Names are Ray's. */
import type { RuntimeEnvSpec } from '../../model/ray/runtime-env';
import type { ServeApplicationSpec, ServeAutoscalingSpec, ServeConfigSpec, ServeDeploymentSpec } from '../../model/ray/serve';
import type { Fields } from '../../model/ray/spec';
import { plainObject } from '../plain-object';

/** A runtime environment. */
export function constructRuntimeEnv({ workingDir, pyModules, pip, uv, conda, envVars, more }: RuntimeEnvSpec): Fields {
  return plainObject({ working_dir: workingDir, py_modules: pyModules, pip, uv, conda, env_vars: envVars, ...more });
}

/** `serveConfigV2`, before it is a text. */
export function constructServeConfig(config: ServeConfigSpec): Fields {
  const { proxyLocation, httpPort, requestTimeoutSeconds, keepAliveSeconds, more, applications } = config;
  const http = plainObject({ port: httpPort, request_timeout_s: requestTimeoutSeconds, keep_alive_timeout_s: keepAliveSeconds });
  return plainObject({
    proxy_location: proxyLocation,
    // A proxy that listens on the pod alone would get nothing from the Service.
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
