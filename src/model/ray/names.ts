/** Names of Ray's objects, what KubeRay derives from them, and how long they may get. */
import type { NameLimit } from '../names';

/** Longest name of a RayCluster: the Service of its applications is `NAME-serve-svc`. */
const RAY_CLUSTER_NAME_MAX_LENGTH = 53;

/** Longest name of a RayJob: KubeRay names a cluster after it, with `-` and five characters appended. */
export const RAY_JOB_NAME_MAX_LENGTH = RAY_CLUSTER_NAME_MAX_LENGTH - 6;

export type RayKind = 'RayCluster' | 'RayJob' | 'RayService' | 'RayCronJob';

/** Longest name of each kind, and why. */
export const RAY_NAME_LIMITS: { readonly [kind in RayKind]: NameLimit } = {
  RayCluster: { length: RAY_CLUSTER_NAME_MAX_LENGTH, because: 'a Service of it is NAME-serve-svc' },
  RayJob: { length: RAY_JOB_NAME_MAX_LENGTH, because: 'its cluster is NAME-xxxxx' },
  RayService: { length: RAY_JOB_NAME_MAX_LENGTH, because: 'its clusters are NAME-xxxxx' },
  // 11 characters for the time.
  RayCronJob: { length: RAY_JOB_NAME_MAX_LENGTH - 11, because: 'its job names contain the time' },
};

/** Group of the head, in the label `ray.io/group`. */
export const HEAD_GROUP = 'headgroup';

/** Service in front of the head of a RayCluster, and of the head that serves now of a RayService. */
export function headServiceName(name: string): string {
  return `${name}-head-svc`;
}

/** Service in front of the pods that serve. */
export function serveServiceName(name: string): string {
  return `${name}-serve-svc`;
}

/** Objects of a Redis next to a cluster. */
export function ownRedisName(name: string): string {
  return `${name}-redis`;
}
