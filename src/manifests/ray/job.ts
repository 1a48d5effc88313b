/**
 * KubeRay's RayJob, and the RayCronJob that creates one on a schedule.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 */
import { constructClusterFields, managedBy } from './cluster';
import { rayPodSpec } from './pods';
import { constructRuntimeEnv } from './service';
import { yamlText } from '../yaml-text';
import { labelsWithoutSidecar, meshLabels } from '../../model/mesh';
import type { NamedRayJob, RayDeletionRuleSpec, RayJobSpec, RaySubmitterSpec } from '../../model/ray/job';
import type { Fields, RayHeadSpec } from '../../model/ray/spec';
import type { NamedRayCronJob } from '../../model/ray/validation';
import type { PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';
import { mergePodSpec } from '../pod/pod-template';
import { constructResources } from '../pod/resources';
import { typedPodTemplate } from '../pod/typed-pod';

/** Key of `clusterSelector` that names the cluster. */
const CLUSTER_LABEL = 'ray.io/cluster';

/** Resources of the submitter pod, which waits and prints. */
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
    submitterPodTemplate: constructSubmitter(submitter, spec.submissionMode, cluster?.head),
    suspend: isQueued ? undefined : spec.suspend,
    clusterSelector: clusterName === undefined ? undefined : { [CLUSTER_LABEL]: clusterName },
    rayClusterSpec: cluster && constructClusterFields(name, cluster, { end: true }),
  };
}

function constructRule({ policy, end, ttlSeconds }: RayDeletionRuleSpec): Fields {
  return { policy, condition: { ...(end === 'DeploymentFailed' ? { jobDeploymentStatus: 'Failed' } : { jobStatus: end }), ttlSeconds } };
}

/**
 * KubeRay sets the pod's command. Undefined where there is no such pod, and where nothing is set for the one that KubeRay creates for an existing
 * cluster: its image is not known here.
 */
function constructSubmitter(
  { image, resources, podSpec = {} }: RaySubmitterSpec = {}, mode: RayJobSpec['submissionMode'], head: RayHeadSpec | undefined,
): Fields | undefined {
  const isSaid = image !== undefined || resources !== undefined || Object.keys(podSpec).length > 0;
  if (!isSaid && (mode !== 'K8sJobMode' || head === undefined)) {
    return undefined;
  }
  const base: PodSpec = plainObject({
    restartPolicy: 'Never',
    imagePullSecrets: image === undefined && head?.imagePullSecrets?.length ? head.imagePullSecrets.map((name) => ({ name })) : undefined,
    containers: [{ name: 'ray-job-submitter', image: image ?? head?.image, resources: (resources && constructResources(resources)) ?? SUBMITTER_RESOURCES }],
  });
  return typedPodTemplate({
    // Its program has no setting for sidecars: it uses the head's.
    metadata: { labels: labelsWithoutSidecar({ labels: meshLabels(head) }) },
    spec: rayPodSpec(mergePodSpec(base, podSpec as Partial<PodSpec>), false),
  });
}
