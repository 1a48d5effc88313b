/** Rules on what survives the loss of the head, and on the older ways to say it, which KubeRay refuses beside the field. */
import type { EmbeddedFaultToleranceSpec, RayClusterSpec, RedisFaultToleranceSpec, Texts } from './spec';
import { EMBEDDED_MOUNT_PATH, EMBEDDED_VARIABLES, FAULT_TOLERANCE_ANNOTATIONS, REDIS_VARIABLES } from './variables';
import { ViolationCollector, type Violation } from '../violations';

/** Addresses that Ray connects to. */
const REDIS_ADDRESS = /^(rediss?:\/\/)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?:\d{1,5}$/;

const ACCESS_MODES: readonly string[] = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'];

/** Checks fault tolerance. Annotations are those of the object whose cluster it is. */
export function validateFaultTolerance(cluster: RayClusterSpec, path: string, annotations: Texts = {}): Violation[] {
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
    violations.add(`${path}.redisAddress`, address, 'must be HOST:PORT or redis://HOST:PORT, such as redis.data:6379.');
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
