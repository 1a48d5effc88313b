/** Converts the options of Ray's jobs, applications and runtime environments to specs. Pure. */
import { Duration } from 'cdk8s';
import { RayJobSubmissionMode } from './enums';
import type { RayDeletionRule, RayJobOptions, RaySubmitter } from './job-options';
import { RayCluster, type IRayCluster } from './ray-cluster';
import type { ServeApplication, ServeAutoscaling, ServeDeployment } from './serve';
import { resources } from '../training-job/to-spec';
import type { RayDeletionRuleSpec, RayJobSpec, RaySubmitterSpec } from '../../model/ray/job';
import type { ServeApplicationSpec, ServeDeploymentSpec } from '../../model/ray/serve';
import type { RayClusterSpec } from '../../model/ray/spec';

/** A job, with its own cluster if any. */
export function rayJobSpec(options: RayJobOptions, cluster: RayClusterSpec | undefined): RayJobSpec {
  const { runtimeEnv, entrypointResources, deletionRules, submitter, onCluster } = options;
  // An idle cluster occupies its devices, so it is only kept if the program requests it.
  const shutdown = options.shutdownAfterJobFinishes ?? (cluster !== undefined && deletionRules === undefined ? true : undefined);
  return {
    entrypoint: options.entrypoint,
    submissionMode: options.submissionMode ?? RayJobSubmissionMode.K8S_JOB,
    cluster,
    clusterName: onCluster?.name,
    runtimeEnv,
    entrypointResources: entrypointResources && { ...entrypointResources },
    jobId: options.jobId,
    jobMetadata: options.jobMetadata,
    backoffLimit: options.retries,
    activeDeadlineSeconds: options.activeDeadline?.toSeconds(),
    preRunningDeadlineSeconds: options.preRunningDeadline?.toSeconds(),
    shutdownAfterJobFinishes: shutdown,
    ttlSecondsAfterFinished: options.ttlAfterFinished?.toSeconds(),
    deletionRules: deletionRules?.map(deletionRuleSpec),
    submitter: submitter && submitterSpec(submitter),
  };
}

function submitterSpec({ image, resources: compute, retries, podSpec }: RaySubmitter): RaySubmitterSpec {
  return { image, resources: compute && resources(compute), backoffLimit: retries, podSpec };
}

function deletionRuleSpec({ policy, end, after = Duration.seconds(0) }: RayDeletionRule): RayDeletionRuleSpec {
  return { policy, end, ttlSeconds: after.toSeconds() };
}

/** The cluster of a job must be in the same namespace, if the program creates it. */
export function onClusterProblems(cluster: IRayCluster | undefined, namespace: string | undefined): string[] {
  if (!(cluster instanceof RayCluster) || cluster.metadata.namespace === namespace) {
    return [];
  }
  return [`metadata.namespace: ${JSON.stringify(namespace)}: RayCluster '${cluster.name}' is in the namespace '${cluster.metadata.namespace}', but a job can only use clusters in its own namespace. `
    + 'Use the same namespace for both.'];
}

/** An application as a spec. */
export function serveApplicationSpec({ deployments, ...same }: ServeApplication): ServeApplicationSpec {
  return { ...same, deployments: deployments?.map(deploymentSpec) };
}

function deploymentSpec(
  { autoscaling, memory, healthCheckPeriod, healthCheckTimeout, gracefulShutdownTimeout, ...same }: ServeDeployment,
): ServeDeploymentSpec {
  return {
    ...same,
    memoryBytes: memory && memory.toKibibytes() * 1024,
    autoscaling: autoscaling && autoscalingSpec(autoscaling),
    healthCheckPeriodSeconds: healthCheckPeriod?.toSeconds(),
    healthCheckTimeoutSeconds: healthCheckTimeout?.toSeconds(),
    gracefulShutdownTimeoutSeconds: gracefulShutdownTimeout?.toSeconds(),
  };
}

function autoscalingSpec({ upscaleDelay, downscaleDelay, ...counts }: ServeAutoscaling): ServeDeploymentSpec['autoscaling'] {
  return { ...counts, upscaleDelaySeconds: upscaleDelay?.toSeconds(), downscaleDelaySeconds: downscaleDelay?.toSeconds() };
}
