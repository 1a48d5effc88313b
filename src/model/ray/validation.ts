/** All rules on KubeRay's kinds: those on fault tolerance, the others in a file by their topic. */
import type { NamedRayJob, RayJobSpec } from './job';
import { validateRayName, type RayKind } from './names';
import { validateServeConfig } from './serve';
import { validateRayServiceSpec, type CheckedRayService } from './service';
import type { EmbeddedFaultToleranceSpec, RayClusterSpec, RedisFaultToleranceSpec, StandaloneRayCluster, Texts } from './spec';
import { validateRayAutoscaler } from './validation-autoscaler';
import { validateRayGroups } from './validation-groups';
import { validateRayJobSpec } from './validation-job';
import { validateRayQueue } from './validation-queue';
import { validateRaySecurity } from './validation-security';
import { EMBEDDED_MOUNT_PATH, EMBEDDED_VARIABLES, FAULT_TOLERANCE_ANNOTATIONS, REDIS_VARIABLES } from './variables';
import { validateSchedule, type ScheduleSpec } from '../schedules';
import { ViolationCollector, type Violation } from '../violations';

/** A RayCronJob in our terms. */
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

/** What is wrong with a RayJob. */
export function validateRayJob({ name, annotations, ...job }: NamedRayJob): Violation[] {
  return [...validateRayName('RayJob', name), ...validateJob(job, 'spec', annotations)];
}

/** What is wrong with a RayService. */
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

/** What is wrong with a RayCronJob. */
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

function validateJob(job: Pick<NamedRayJob, 'spec' | 'queue'>, path: string, annotations?: Texts): Violation[] {
  const { cluster } = job.spec;
  return [
    ...validateRayJobSpec(job, path),
    ...(cluster === undefined ? [] : validateClusterSpec('RayJob', cluster, `${path}.rayClusterSpec`, annotations)),
  ];
}

function validateClusterSpec(kind: RayKind, cluster: RayClusterSpec, path: string, annotations?: Texts): Violation[] {
  return [
    ...validateRayGroups(cluster, path),
    ...validateRayAutoscaler(cluster, path),
    ...validateFaultTolerance(cluster, path, annotations),
    ...validateRaySecurity(kind, cluster, path),
  ];
}

/** Addresses that Ray connects to. */
const REDIS_ADDRESS = /^(rediss?:\/\/)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?:\d{1,5}$/;

const ACCESS_MODES: readonly string[] = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'];

/**
 * Checks fault tolerance. Annotations are those of the object whose cluster it is.
 *
 * Rules on what survives the loss of the head, and on the older ways to say it, which KubeRay refuses beside the field.
 */
function validateFaultTolerance(cluster: RayClusterSpec, path: string, annotations: Texts = {}): Violation[] {
  const violations = new ViolationCollector();
  const { faultTolerance, head } = cluster;
  for (const name of FAULT_TOLERANCE_ANNOTATIONS.filter((annotation) => annotations[annotation] !== undefined)) {
    violations.add(`metadata.annotations['${name}']`, annotations[name], 'is deprecated. Set faultTolerance and remove this annotation.');
  }
  for (const flag of ['redis-password', 'redis-username'].filter((name) => head.startParams?.[name] !== undefined)) {
    violations.add(`${path}.headGroupSpec.rayStartParams['${flag}']`, head.startParams![flag], 'appears in plain text in the head\'s command, and KubeRay rejects it. Use RayFaultTolerance.redis.');
  }
  const taken = faultTolerance?.backend === 'rocksdb' ? [...REDIS_VARIABLES, ...EMBEDDED_VARIABLES] : REDIS_VARIABLES;
  // KubeRay's own variables are told as such.
  for (const { name, value } of head.env?.filter((variable) => taken.includes(variable.name) && variable.name !== 'REDIS_PASSWORD') ?? []) {
    violations.add(`${path}.headGroupSpec.template.spec.containers[0].env['${name}']`, value, 'is set by KubeRay from faultTolerance. Use RayFaultTolerance, and remove it.');
  }
  if (faultTolerance?.backend === 'redis') {
    validateRedis(faultTolerance, `${path}.gcsFaultToleranceOptions`, violations);
  } else if (faultTolerance?.backend === 'rocksdb') {
    validateEmbedded(cluster, faultTolerance, path, violations);
  }
  return violations.violations;
}

function validateRedis({ address }: RedisFaultToleranceSpec, path: string, violations: ViolationCollector): void {
  if (address !== undefined && !REDIS_ADDRESS.test(address)) {
    violations.add(`${path}.redisAddress`, address, 'must be HOST:PORT or redis://HOST:PORT of one Redis instance, such as redis.data:6379. KubeRay does not support a Redis Cluster.');
  }
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
    violations.add(`${path}.headGroupSpec.template.spec.containers[0].volumeMounts`, mount.mountPath, 'is where KubeRay mounts the state of the head. Choose another path.');
  }
}
