/**
 * KubeRay's RayJob, and the RayCronJob that makes one again and again.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 */
import { constructClusterFields, managedBy } from './cluster';
import { constructRuntimeEnv } from './serve-config';
import { yamlText } from './yaml-text';
import type { NamedRayJob, RayDeletionRuleSpec, RayJobSpec, RaySubmitterSpec } from '../../model/ray/job';
import type { Fields } from '../../model/ray/spec';
import type { NamedRayCronJob } from '../../model/ray/validation';
import type { PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';
import { mergePodSpec } from '../pod-template';
import { constructResources } from '../resources';

/** Key of `clusterSelector` that names the cluster. */
const CLUSTER_LABEL = 'ray.io/cluster';

/** What the pod that submits asks for: it waits and prints. */
export const SUBMITTER_RESOURCES = { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } } as const;

/** `RayJob.spec`. */
export function constructRayJobSpec({ name, spec, queue = {} }: NamedRayJob): Fields {
  return plainObject({ ...constructJobFields(name, spec, queue.queueName !== undefined), managedBy: managedBy(queue.multiKueue) });
}

/** `RayCronJob.spec`. */
export function constructRayCronJobSpec({ name, schedule, timeZone, suspend, job }: NamedRayCronJob): Fields {
  return plainObject({ schedule, timeZone, suspend, jobTemplate: constructJobFields(name, job, false) });
}

function constructJobFields(name: string, spec: RayJobSpec, isQueued: boolean): Fields {
  const { cluster, clusterName, deletionRules, submitter, entrypointResources: { cpus, gpus, custom } = {}, runtimeEnv } = spec;
  return {
    entrypoint: spec.entrypoint,
    submissionMode: spec.submissionMode,
    jobId: spec.jobId,
    metadata: spec.jobMetadata,
    runtimeEnvYAML: runtimeEnv && yamlText(constructRuntimeEnv(runtimeEnv)),
    entrypointNumCpus: cpus,
    entrypointNumGpus: gpus,
    entrypointResources: custom && JSON.stringify(custom),
    backoffLimit: spec.backoffLimit,
    activeDeadlineSeconds: spec.activeDeadlineSeconds,
    preRunningDeadlineSeconds: spec.preRunningDeadlineSeconds,
    shutdownAfterJobFinishes: spec.shutdownAfterJobFinishes,
    ttlSecondsAfterFinished: spec.ttlSecondsAfterFinished,
    deletionStrategy: deletionRules && { deletionRules: deletionRules.map(constructRule) },
    submitterConfig: submitter?.backoffLimit === undefined ? undefined : { backoffLimit: submitter.backoffLimit },
    submitterPodTemplate: submitter && constructSubmitter(submitter, cluster?.head.image),
    suspend: isQueued ? undefined : spec.suspend,
    clusterSelector: clusterName === undefined ? undefined : { [CLUSTER_LABEL]: clusterName },
    rayClusterSpec: cluster && constructClusterFields(name, cluster),
  };
}

function constructRule({ policy, end, ttlSeconds }: RayDeletionRuleSpec): Fields {
  return { policy, condition: { ...(end === 'DeploymentFailed' ? { jobDeploymentStatus: 'Failed' } : { jobStatus: end }), ttlSeconds } };
}

/** KubeRay gives the pod its command. Undefined where nothing is said of the pod, so that KubeRay's own stands. */
function constructSubmitter({ image, resources, podSpec }: RaySubmitterSpec, headImage: string | undefined): Fields | undefined {
  if (image === undefined && resources === undefined && podSpec === undefined) {
    return undefined;
  }
  const base: PodSpec = {
    restartPolicy: 'Never',
    containers: [plainObject({ name: 'ray-job-submitter', image: image ?? headImage, resources: (resources && constructResources(resources)) ?? SUBMITTER_RESOURCES })],
  };
  return { spec: mergePodSpec(base, (podSpec ?? {}) as Partial<PodSpec>) };
}
