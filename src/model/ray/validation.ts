/** All rules on KubeRay's kinds: those on fault tolerance, the others in a file by their topic. */
import type { NamedRayJob, RayJobSpec } from './job';
import { RAY_NAME_LIMITS, type RayKind } from './names';
import { validateServeConfig } from './serve';
import { validateRayServiceSpec, type CheckedRayService } from './service';
import {
  groupsOf, rayContainer, workerPath,
  type EmbeddedFaultToleranceSpec, type RayClusterSpec, type RedisFaultToleranceSpec, type StandaloneRayCluster, type Texts,
} from './spec';
import { validateRayGroups } from './validation-groups';
import { validateRayJobSpec } from './validation-job';
import { validateRayQueue } from './validation-queue';
import {
  EMBEDDED_MOUNT_PATH, EMBEDDED_VARIABLES, FAULT_TOLERANCE_ANNOTATIONS, REDIS_VARIABLES, TLS_VARIABLES, TLS_VOLUME, TOKEN_VARIABLES,
  AUTOSCALER_COMMAND_VARIABLE, AUTOSCALER_V2_VARIABLE,
} from './variables';
import { HOST_NAME, checkBaseName } from '../names';
import { validateSchedule, type ScheduleSpec } from '../schedules';
import { checkTaken } from '../variable-references';
import { ViolationCollector, type Violation } from '../violations';
import {
  isBefore, KUBERNETES_TOKENS_SINCE, rayVersionOfImage, rayVersionText, tryParseRayVersion, TOKENS_SINCE, AUTOSCALER_V2_BY_DEFAULT_SINCE,
  AUTOSCALER_V2_SINCE, GROUP_PRIORITY_SINCE, type RayVersion,
} from './versions';

export interface NamedRayCronJob extends ScheduleSpec {
  readonly name: string;
  readonly suspend?: boolean;
  readonly job: RayJobSpec;
}

/** What is wrong with a RayCluster; paths are those of KubeRay's object. */
export function validateRayCluster({ name, cluster, queue = {}, suspend, annotations }: StandaloneRayCluster): Violation[] {
  return [
    ...validateRayName('RayCluster', name),
    ...validateClusterSpec('RayCluster', cluster, 'spec', annotations),
    ...validateRayQueue({ kind: 'RayCluster', queue, cluster, path: 'spec', suspend }),
  ];
}

export function validateRayJob({ name, annotations, ...job }: NamedRayJob): Violation[] {
  return [...validateRayName('RayJob', name), ...validateJob(job, 'spec', annotations)];
}

export function validateRayService(service: CheckedRayService): Violation[] {
  const { name, spec, queue = {}, annotations } = service;
  return [
    ...validateRayName('RayService', name),
    ...(spec.serve === undefined ? [] : validateServeConfig(spec.serve, 'spec.serveConfigV2')),
    ...validateClusterSpec('RayService', spec.cluster, 'spec.rayClusterConfig', annotations),
    ...validateRayServiceSpec(service),
    ...validateRayQueue({ kind: 'RayService', queue, cluster: spec.cluster, path: 'spec.rayClusterConfig', suspend: spec.suspend }),
  ];
}

export function validateRayCronJob({ name, schedule, timeZone, job }: NamedRayCronJob): Violation[] {
  const violations = new ViolationCollector();
  violations.addAll(validateRayName('RayCronJob', name));
  violations.addAll(validateSchedule({ schedule, timeZone }, 'spec.schedule'));
  if (job.jobId !== undefined) {
    violations.add('spec.jobTemplate.jobId', job.jobId, 'is one id for all runs, and Ray accepts each id only once. Remove it.');
  }
  const { className, annotations } = job.cluster?.head.ingress ?? {};
  if (className !== undefined || annotations !== undefined) {
    violations.add('spec.jobTemplate.rayClusterSpec.headGroupSpec.ingressOptions', className ?? annotations,
      'must be an annotation of each job, but KubeRay does not annotate the jobs of a schedule. Remove className and annotations.');
  }
  return [...violations.violations, ...validateJob({ spec: job }, 'spec.jobTemplate')];
}

function validateRayName(kind: RayKind, name: string): Violation[] {
  const violations = new ViolationCollector();
  const { length, because } = RAY_NAME_LIMITS[kind];
  checkBaseName(name, 'Services are named after it', violations, { length, because: `KubeRay allows a ${kind} ${length}, because ${because}` });
  return violations.violations;
}

function validateJob(job: Pick<NamedRayJob, 'spec' | 'queue'>, path: string, annotations?: Texts): Violation[] {
  const { cluster } = job.spec;
  return [
    ...validateRayJobSpec(job, path),
    ...(cluster === undefined ? [] : validateClusterSpec('RayJob', cluster, `${path}.rayClusterSpec`, annotations)),
  ];
}

function validateClusterSpec(kind: RayKind, cluster: RayClusterSpec, path: string, annotations: Texts = {}): Violation[] {
  const violations = new ViolationCollector();
  violations.addAll(validateRayGroups(cluster, path));
  validateGroups(cluster, path, violations);
  validateAutoscaler(cluster, path, violations);
  validateFaultTolerance(cluster, path, annotations, violations);
  validateVersions(cluster, path, violations);
  validateTokens(kind, cluster, path, violations);
  validateTls(cluster, path, violations);
  validateIngress(cluster, path, violations);
  return violations.violations;
}

/** Addresses that Ray connects to. */
const REDIS_ADDRESS = /^(rediss?:\/\/)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?:\d{1,5}$/;

const ACCESS_MODES: readonly string[] = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'];

/**
 * Rules on what survives the loss of the head, and on the older ways to say it, which KubeRay refuses together with the field. Annotations are those
 * of the object whose cluster it is.
 */
function validateFaultTolerance(cluster: RayClusterSpec, path: string, annotations: Texts, violations: ViolationCollector): void {
  const { faultTolerance, head } = cluster;
  for (const name of FAULT_TOLERANCE_ANNOTATIONS.filter((annotation) => annotations[annotation] !== undefined)) {
    violations.add(`metadata.annotations['${name}']`, annotations[name], 'is deprecated. Set faultTolerance and remove this annotation.');
  }
  for (const flag of ['redis-password', 'redis-username'].filter((name) => head.startParams?.[name] !== undefined)) {
    violations.add(`${path}.headGroupSpec.rayStartParams['${flag}']`, head.startParams![flag], 'appears in plain text in the head\'s command, and KubeRay rejects it. Use RayFaultTolerance.redis.');
  }
  const taken = faultTolerance?.backend === 'rocksdb' ? [...REDIS_VARIABLES, ...EMBEDDED_VARIABLES] : REDIS_VARIABLES;
  // KubeRay's own variables are reported as such.
  const others = head.env?.filter(({ name }) => name !== 'REDIS_PASSWORD');
  checkTaken(others, taken, `${rayContainer(`${path}.headGroupSpec`)}.env`, 'is set by KubeRay from faultTolerance. Use RayFaultTolerance, and remove it.', violations);
  if (faultTolerance?.backend === 'redis') {
    validateRedis(faultTolerance, `${path}.gcsFaultToleranceOptions`, violations);
  } else if (faultTolerance?.backend === 'rocksdb') {
    validateEmbedded(cluster, faultTolerance, path, violations);
  }
}

function validateRedis({ address }: RedisFaultToleranceSpec, path: string, violations: ViolationCollector): void {
  violations.form(`${path}.redisAddress`, address, REDIS_ADDRESS,
    'must be HOST:PORT or redis://HOST:PORT of one Redis instance, such as redis.data:6379. KubeRay does not support a Redis Cluster.');
}

function validateEmbedded({ head }: RayClusterSpec, storage: EmbeddedFaultToleranceSpec, path: string, violations: ViolationCollector): void {
  const { claimName, size, storageClassName, accessModes } = storage;
  const where = `${path}.gcsFaultToleranceOptions.storage`;
  if (claimName !== undefined) {
    for (const [field, value] of Object.entries({ size, storageClassName, accessModes }).filter(([, given]) => given !== undefined)) {
      violations.add(`${where}.${field}`, value, `belongs to a claim that KubeRay creates, but '${claimName}' is an existing claim. Remove one of the two.`);
    }
  }
  for (const mode of accessModes?.filter((written) => !ACCESS_MODES.includes(written)) ?? []) {
    violations.add(`${where}.accessModes`, mode, `does not allow writing. Use one of ${ACCESS_MODES.join(', ')}.`);
  }
  for (const mount of head.volumeMounts?.filter(({ mountPath }) => mountPath === EMBEDDED_MOUNT_PATH) ?? []) {
    violations.add(`${rayContainer(`${path}.headGroupSpec`)}.volumeMounts`, mount.mountPath, 'is where KubeRay mounts the state of the head. Choose another path.');
  }
}

function validateVersions(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { rayVersion } = cluster;
  if (rayVersion === undefined) {
    return;
  }
  const version = tryParseRayVersion(rayVersion);
  if (version === undefined) {
    violations.add(`${path}.rayVersion`, rayVersion, 'must be a version of Ray, such as 2.54.0: KubeRay derives the cluster\'s features from it.');
    return;
  }
  // Ray refuses to connect nodes of different releases.
  for (const { path: where, title, group: { image } } of groupsOf(cluster, path)) {
    const found = rayVersionOfImage(image);
    if (found !== undefined && found !== rayVersionText(version)) {
      violations.add(`${rayContainer(where)}.image`, image, `has Ray ${found}, but the cluster uses ${rayVersion}: ${title} could not join it. Use one release everywhere.`);
    }
  }
}

function validateTokens(kind: RayKind, cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { auth, rayVersion } = cluster;
  if (auth === undefined) {
    return;
  }
  const wanted: RayVersion = auth.kubernetes ? KUBERNETES_TOKENS_SINCE : TOKENS_SINCE;
  const version = tryParseRayVersion(rayVersion);
  if (rayVersion === undefined || (version !== undefined && isBefore(version, wanted))) {
    violations.add(`${path}.rayVersion`, rayVersion, `must be ${rayVersionText(wanted)} or later with authentication: older releases of Ray ${auth.kubernetes
      ? 'cannot let Kubernetes check tokens' : 'do not require a token'}, and KubeRay must know the version. Set the version of the image.`);
  }
  if (auth.kubernetes && kind !== 'RayCluster') {
    violations.add(`${path}.authOptions.enableK8sTokenAuth`, true, `is not supported for a ${kind}: KubeRay has no token to reach it with. Use RayAuthentication.token.`);
  }
  for (const { path: where, group: { env } } of groupsOf(cluster, path)) {
    checkTaken(env, TOKEN_VARIABLES, `${rayContainer(where)}.env`, 'is set by KubeRay from authentication. Remove it.', violations);
  }
}

function validateTls(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  if (!cluster.tls) {
    return;
  }
  const message = 'is set by KubeRay, which creates the certificates (tls: true). Remove one of the two.';
  checkTaken(cluster.autoscaler?.env, TLS_VARIABLES, `${path}.autoscalerOptions.env`, message, violations);
  for (const { path: where, group: { env, volumeMounts = [] } } of groupsOf(cluster, path)) {
    checkTaken(env, TLS_VARIABLES, `${rayContainer(where)}.env`, message, violations);
    for (const { name, mountPath } of volumeMounts.filter((mount) => mount.name === TLS_VOLUME.name || mount.mountPath === TLS_VOLUME.mountPath)) {
      violations.add(`${rayContainer(where)}.volumeMounts`, mountPath, `is volume '${name}', but KubeRay mounts its certificates as ${TLS_VOLUME.name} at ${TLS_VOLUME.mountPath}. Choose another name and path.`);
    }
  }
}

function validateIngress({ head: { ingress } }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  if (ingress === undefined) {
    return;
  }
  const where = `${path}.headGroupSpec.ingressOptions`;
  violations.form(`${where}.host`, ingress.host, HOST_NAME, 'must be a host name without scheme, port or path, such as ray.example.org.');
  if (ingress.path !== undefined && !ingress.path.startsWith('/')) {
    violations.add(`${where}.path`, ingress.path, 'must start with \'/\'.');
  }
  if (ingress.tlsSecretName !== undefined && ingress.host === undefined) {
    violations.add(`${where}.tls`, ingress.tlsSecretName, 'is a host certificate, but no host is set. Set host.');
  }
}

/** Version of a cluster's autoscaler; undefined where there is none, or where only Ray itself will know. */
export function autoscalerVersion({ autoscaler, rayVersion }: RayClusterSpec): 'v1' | 'v2' | undefined {
  const version = tryParseRayVersion(rayVersion);
  if (autoscaler === undefined || autoscaler.version !== undefined || version === undefined) {
    return autoscaler?.version;
  }
  return isBefore(version, AUTOSCALER_V2_BY_DEFAULT_SINCE) ? 'v1' : 'v2';
}

function validateAutoscaler(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { head, autoscaler } = cluster;
  checkTaken(head.env, [AUTOSCALER_V2_VARIABLE], `${rayContainer(`${path}.headGroupSpec`)}.env`, autoscaler === undefined
    ? 'chooses an autoscaler version, but there is no autoscaler. Add an autoscaler, and remove this variable.'
    : 'duplicates autoscaler.version, and KubeRay accepts only one of the two. Use the latter.', violations);
  if (autoscaler !== undefined) {
    validateVersion(cluster, path, violations);
    validateOptions(cluster, path, violations);
    validateCpus(cluster, path, violations);
    validateSidecars(cluster, path, violations);
  }
}

function validateGroups(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const version = autoscalerVersion(cluster);
  const ray = tryParseRayVersion(cluster.rayVersion);
  cluster.workerGroups.forEach(({ idleTimeoutSeconds, priority }, index) => {
    const where = workerPath(path, index);
    if (idleTimeoutSeconds !== undefined) {
      violations.seconds(`${where}.idleTimeoutSeconds`, idleTimeoutSeconds, 0);
      if (version !== 'v2') {
        violations.add(`${where}.idleTimeoutSeconds`, idleTimeoutSeconds, `is supported only by version 2 of the autoscaler${ofVersion(cluster)}. `
          + 'Use RayAutoscalerVersion.V2, or one idleTimeout for all groups.');
      }
    }
    if (priority !== undefined && priority !== 0) {
      if (ray === undefined || isBefore(ray, GROUP_PRIORITY_SINCE)) {
        violations.add(`${where}.priority`, priority, `needs Ray ${rayVersionText(GROUP_PRIORITY_SINCE)} or later, and ${ray === undefined ? 'KubeRay must know the version'
          : `this is ${cluster.rayVersion}`}. Give rayVersion, or remove it.`);
      } else if (version !== 'v2') {
        violations.add(`${where}.priority`, priority, `is supported only by version 2 of the autoscaler${ofVersion(cluster)}. Use RayAutoscalerVersion.V2.`);
      }
    }
  });
}

function ofVersion({ autoscaler, rayVersion }: RayClusterSpec): string {
  if (autoscaler === undefined) {
    return ', and this cluster does not have it';
  }
  return autoscaler.version === undefined && rayVersion === undefined ? ', and the version of this cluster is unknown' : '';
}

function validateVersion({ autoscaler, rayVersion }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const ray = tryParseRayVersion(rayVersion);
  if (autoscaler?.version === 'v2' && ray !== undefined && isBefore(ray, AUTOSCALER_V2_SINCE)) {
    violations.add(`${path}.autoscalerOptions.version`, 'v2', `was added in Ray ${rayVersionText(AUTOSCALER_V2_SINCE)}, but this is ${rayVersion}. Use RayAutoscalerVersion.V1.`);
  }
}

function validateOptions(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { idleTimeoutSeconds, env } = cluster.autoscaler!;
  violations.seconds(`${path}.autoscalerOptions.idleTimeoutSeconds`, idleTimeoutSeconds, 0);
  checkTaken(env, [AUTOSCALER_COMMAND_VARIABLE], `${path}.autoscalerOptions.env`, 'is set by KubeRay. Remove it.', violations);
  if (autoscalerVersion(cluster) !== 'v2') {
    return;
  }
  // A pod that restarts in place would be a node that the second version has given up.
  for (const { path: where, title, group: { podSpec = {} } } of groupsOf(cluster, path)) {
    if (podSpec.restartPolicy !== undefined && podSpec.restartPolicy !== 'Never') {
      violations.add(`${where}.template.spec.restartPolicy`, podSpec.restartPolicy, `must be Never or left out for ${title}: version 2 of the autoscaler replaces pods. Remove it.`);
    }
  }
}

/** The autoscaler reads what a node would have from the object, and gives up where that does not say. */
function validateCpus(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  for (const { path: where, title, group: { resources, startParams = {}, rayResources = {} } } of groupsOf(cluster, path)) {
    if (resources?.cpu === undefined && startParams['num-cpus'] === undefined && rayResources.CPU === undefined) {
      violations.add(`${rayContainer(where)}.resources`, resources?.cpu, `must set the number of cores of ${title}, because the autoscaler counts them. `
        + 'Set resources with cpu.');
    }
  }
}

function validateSidecars({ head }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const containers = (head.podSpec?.containers ?? []) as readonly { readonly name?: string }[];
  containers.forEach(({ name }, index) => {
    if (name === 'autoscaler') {
      violations.add(`${path}.headGroupSpec.template.spec.containers[${index + 1}].name`, name, 'is the name of a container that KubeRay adds. Rename the sidecar.');
    }
  });
}
