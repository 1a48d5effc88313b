/** From what was said of applications to the model's terms. Pure. */
import { runtimeEnvSpec } from './runtime-env-to-spec';
import type { ServeApplication, ServeDeployment } from './serve';
import type { ServeApplicationSpec, ServeDeploymentSpec } from '../../model/ray/serve';

/** In the model's terms. */
export function serveApplicationSpec({ name, importPath, routePrefix, runtimeEnv, args, deployments, more }: ServeApplication): ServeApplicationSpec {
  return {
    name, importPath, routePrefix, runtimeEnv: runtimeEnv && runtimeEnvSpec(runtimeEnv), args, deployments: deployments?.map(deploymentSpec), more,
  };
}

function deploymentSpec(
  { autoscaling, memory, healthCheckPeriod, healthCheckTimeout, gracefulShutdownTimeout, ...same }: ServeDeployment,
): ServeDeploymentSpec {
  return {
    ...same,
    memoryBytes: memory && memory.toKibibytes() * 1024,
    autoscaling: autoscaling && {
      minReplicas: autoscaling.minReplicas,
      maxReplicas: autoscaling.maxReplicas,
      initialReplicas: autoscaling.initialReplicas,
      targetOngoingRequests: autoscaling.targetOngoingRequests,
      upscaleDelaySeconds: autoscaling.upscaleDelay?.toSeconds(),
      downscaleDelaySeconds: autoscaling.downscaleDelay?.toSeconds(),
    },
    healthCheckPeriodSeconds: healthCheckPeriod?.toSeconds(),
    healthCheckTimeoutSeconds: healthCheckTimeout?.toSeconds(),
    gracefulShutdownTimeoutSeconds: gracefulShutdownTimeout?.toSeconds(),
  };
}
