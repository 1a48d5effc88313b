/**
 * KubeRay's objects as they are written in manifests, in the model's terms, so that the rules of the constructs hold for them. Values of the wrong
 * type are left to the check of the structure; applications of Ray Serve and runtime environments, which are YAML in a text, are not read.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1
 */
import type { NamedRayJob, RayDeletionRuleSpec, RayJobSpec } from './job';
import type { CheckedRayService, RayServiceSpec } from './service';
import type {
  Fields, RayAutoscalerSpec, RayClusterSpec, RayFaultToleranceSpec, RayGroupSpec, RayIngressSpec, RayQueueSpec, RayWorkerGroupSpec,
  StandaloneRayCluster, Texts,
} from './spec';
import type { NamedRayCronJob } from './validation';
import { FAULT_TOLERANCE_ANNOTATIONS, REDIS_VARIABLES } from './variables';
import { flagIn, jsonText, numberIn, record, records, textIn, texts, textsIn, type JsonRecord } from '../json-parts';
import { PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL, MULTI_KUEUE_CONTROLLER } from '../kueue-names';
import type { ManifestObject } from '../objects/manifest-object';
import type { EnvVarSpec } from '../training-job/spec';

export function readRayCluster(object: ManifestObject): StandaloneRayCluster {
  const spec = record(object.spec);
  return { ...readIdentity(object), cluster: readClusterSpec(object, spec), suspend: flagIn(spec.suspend), queue: readQueue(object, spec) };
}

export function readRayJob(object: ManifestObject): NamedRayJob {
  return { ...readIdentity(object), spec: readJobSpec(object, record(object.spec)), queue: readQueue(object, record(object.spec)) };
}

export function readRayCronJob(object: ManifestObject): NamedRayCronJob {
  const { schedule, timeZone, suspend, jobTemplate } = record(object.spec);
  return {
    name: readIdentity(object).name, schedule: jsonText(schedule), timeZone: textIn(timeZone), suspend: flagIn(suspend),
    job: readJobSpec(object, record(jobTemplate)),
  };
}

/** A RayService, without its applications. */
export function readRayService(object: ManifestObject): CheckedRayService {
  const spec = record(object.spec);
  const { type, clusterUpgradeOptions } = record(spec.upgradeStrategy);
  return {
    ...readIdentity(object),
    queue: readQueue(object, spec),
    spec: {
      cluster: readClusterSpec(object, record(spec.rayClusterConfig)),
      upgrade: type === undefined ? undefined : { ...record(clusterUpgradeOptions), type } as RayServiceSpec['upgrade'],
      clusterDeletionDelaySeconds: numberIn(spec.rayClusterDeletionDelaySeconds),
      excludeHead: flagIn(spec.excludeHeadPodFromServeSvc),
      suspend: flagIn(spec.suspend),
    },
  };
}

function readJobSpec(object: ManifestObject, spec: JsonRecord): RayJobSpec {
  const rules = record(spec.deletionStrategy).deletionRules;
  return {
    entrypoint: textIn(spec.entrypoint),
    submissionMode: (textIn(spec.submissionMode) ?? 'K8sJobMode') as RayJobSpec['submissionMode'],
    ...(spec.rayClusterSpec !== undefined && { cluster: readClusterSpec(object, record(spec.rayClusterSpec)) }),
    clusterName: spec.clusterSelector === undefined ? undefined : jsonText(record(spec.clusterSelector)['ray.io/cluster'] ?? ''),
    jobId: textIn(spec.jobId),
    backoffLimit: numberIn(spec.backoffLimit),
    activeDeadlineSeconds: numberIn(spec.activeDeadlineSeconds),
    preRunningDeadlineSeconds: numberIn(spec.preRunningDeadlineSeconds),
    shutdownAfterJobFinishes: flagIn(spec.shutdownAfterJobFinishes),
    ttlSecondsAfterFinished: numberIn(spec.ttlSecondsAfterFinished) || undefined,
    deletionRules: Array.isArray(rules) ? records(rules).map(readRule) : undefined,
    entrypointResources: {
      cpus: numberIn(spec.entrypointNumCpus), gpus: numberIn(spec.entrypointNumGpus), custom: amountsIn(spec.entrypointResources),
    },
    submitter: spec.submitterPodTemplate === undefined && spec.submitterConfig === undefined ? undefined : {
      backoffLimit: numberIn(record(spec.submitterConfig).backoffLimit), podSpec: readPodSpec(spec.submitterPodTemplate),
    },
    suspend: flagIn(spec.suspend),
  };
}

function readRule({ policy, condition }: JsonRecord): RayDeletionRuleSpec {
  const { jobStatus, jobDeploymentStatus, ttlSeconds } = record(condition);
  return {
    policy: jsonText(policy) as RayDeletionRuleSpec['policy'],
    end: (jobDeploymentStatus === undefined ? jsonText(jobStatus) : 'DeploymentFailed') as RayDeletionRuleSpec['end'],
    ttlSeconds: numberIn(ttlSeconds) ?? 0,
  };
}

function readClusterSpec(object: ManifestObject, spec: JsonRecord): RayClusterSpec {
  const head = readGroup(record(spec.headGroupSpec));
  const { ingressOptions } = record(spec.headGroupSpec);
  const scales = spec.enableInTreeAutoscaling === true;
  const auth = record(spec.authOptions);
  return {
    rayVersion: textIn(spec.rayVersion),
    head: {
      ...(isOlderFaultTolerance(object) ? withoutFaultTolerance(head) : head),
      runsTasks: head.startParams?.['num-cpus'] !== '0',
      ...(ingressOptions !== undefined && { ingress: readIngress(record(ingressOptions)) }),
    },
    workerGroups: records(spec.workerGroupSpecs).map((group) => readWorkers(group, scales)),
    autoscaler: scales ? record(spec.autoscalerOptions) as RayAutoscalerSpec : undefined,
    ...(spec.gcsFaultToleranceOptions !== undefined && { faultTolerance: readFaultTolerance(record(spec.gcsFaultToleranceOptions)) }),
    ...(auth.mode === 'token' && { auth: { secretName: textIn(auth.secretName), kubernetes: flagIn(auth.enableK8sTokenAuth) } }),
    tls: flagIn(record(spec.tlsOptions).enabled),
  };
}

/** What the rules ask of a group. The first container is Ray's. */
function readGroup({ template, rayStartParams, resources, labels }: JsonRecord): RayGroupSpec {
  const pod = record(record(template).spec);
  const [ray = {}, ...others] = records(pod.containers);
  const { limits, requests } = record(ray.resources);
  const cpu = record(limits).cpu ?? record(requests).cpu;
  return {
    image: textIn(ray.image) ?? '',
    env: records(ray.env) as unknown as readonly EnvVarSpec[],
    volumeMounts: records(ray.volumeMounts) as RayGroupSpec['volumeMounts'],
    resources: cpu === undefined ? undefined : { cpu: jsonText(cpu) },
    podSpec: { ...pod, containers: others } as Fields,
    startParams: textsIn(rayStartParams),
    rayResources: resources === undefined ? undefined : textsIn(resources),
    rayLabels: textsIn(labels),
  };
}

function readWorkers(group: JsonRecord, scales: boolean): RayWorkerGroupSpec {
  const [replicas, minReplicas, maxReplicas] = [group.replicas, group.minReplicas, group.maxReplicas].map(numberIn);
  // Limits that nothing moves between do no harm, and KubeRay's own samples have them.
  const isBetween = !scales && (minReplicas ?? 0) <= (replicas ?? 0) && (replicas ?? 0) <= (maxReplicas ?? Infinity);
  return {
    ...readGroup(group),
    name: textIn(group.groupName) ?? '',
    replicas,
    ...(!isBetween && { minReplicas, maxReplicas }),
    hosts: numberIn(group.numOfHosts),
    idleTimeoutSeconds: numberIn(group.idleTimeoutSeconds),
    priority: numberIn(group.priority),
    suspend: flagIn(group.suspend),
  };
}

function readIngress({ host, path, tls }: JsonRecord): RayIngressSpec {
  return { host: textIn(host), path: textIn(path), tlsSecretName: textIn(records(tls)[0]?.secretName) };
}

function readFaultTolerance({ backend, redisAddress, storage }: JsonRecord): RayFaultToleranceSpec {
  if (backend !== 'rocksdb') {
    return { backend: 'redis', address: textIn(redisAddress) };
  }
  const { claimName, size, storageClassName, accessModes } = record(storage);
  return {
    backend, claimName: textIn(claimName), size: size === undefined ? undefined : jsonText(size), storageClassName: textIn(storageClassName),
    accessModes: accessModes === undefined ? undefined : texts(accessModes),
  };
}

/** Fault tolerance as it was said before its field came, by annotations and variables: KubeRay takes it still, without the field. */
function isOlderFaultTolerance({ metadata, spec }: ManifestObject): boolean {
  const { rayClusterSpec, rayClusterConfig } = record(spec);
  const hasField = [spec, rayClusterSpec, rayClusterConfig].some((cluster) => record(cluster).gcsFaultToleranceOptions !== undefined);
  return !hasField && FAULT_TOLERANCE_ANNOTATIONS.some((name) => textsIn(metadata?.annotations)[name] !== undefined);
}

function withoutFaultTolerance(head: RayGroupSpec): RayGroupSpec {
  const { 'redis-password': _password, 'redis-username': _username, ...startParams } = head.startParams ?? {};
  return { ...head, startParams, env: head.env?.filter(({ name }) => !REDIS_VARIABLES.includes(name)) };
}

function readQueue({ metadata }: ManifestObject, { managedBy }: JsonRecord): RayQueueSpec {
  const { [QUEUE_NAME_LABEL]: queueName, [PRIORITY_CLASS_LABEL]: queuePriorityClassName } = textsIn(metadata?.labels);
  return { queueName, queuePriorityClassName, ...(managedBy === MULTI_KUEUE_CONTROLLER && { multiKueue: true }) };
}

function readIdentity(object: ManifestObject): { readonly name: string; readonly annotations: Texts } {
  const isOlder = isOlderFaultTolerance(object);
  const annotations = Object.entries(textsIn(object.metadata?.annotations))
    .filter(([name]) => !isOlder || !FAULT_TOLERANCE_ANNOTATIONS.includes(name));
  return { name: textIn(object.metadata?.name) ?? '', annotations: Object.fromEntries(annotations) };
}

/** Amounts in JSON, in which one that is not a number is nothing that a rule is about. */
function amountsIn(json: unknown): { readonly [name: string]: number } | undefined {
  try {
    const amounts = Object.entries(record(JSON.parse(jsonText(json)))).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    return Object.fromEntries(amounts);
  } catch {
    return undefined;
  }
}

/** `spec` of a pod in a template, whose containers are objects. */
function readPodSpec(template: unknown): JsonRecord {
  const pod = record(record(template).spec);
  return { ...pod, ...(pod.containers !== undefined && { containers: records(pod.containers) }) };
}
