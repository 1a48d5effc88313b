/** Names of Ray's objects, what KubeRay derives from them, and how long they may get. */
import { DNS_1035_LABEL_PATTERN } from '../names';
import { ViolationCollector, type Violation } from '../violations';
import { expressionOf } from '../text/expressions';

/** Longest name of a RayCluster: the Service of its applications is `NAME-serve-svc`. */
const RAY_CLUSTER_NAME_MAX_LENGTH = 53;

/** Longest name of a RayJob: KubeRay names a cluster after it, with `-` and five characters appended. */
export const RAY_JOB_NAME_MAX_LENGTH = RAY_CLUSTER_NAME_MAX_LENGTH - 6;

/** Longest name of a RayService, for the same reason. */
const RAY_SERVICE_NAME_MAX_LENGTH = RAY_JOB_NAME_MAX_LENGTH;

/** Longest name of a RayCronJob: its RayJobs carry the time, in 11 characters. */
const RAY_CRON_JOB_NAME_MAX_LENGTH = RAY_JOB_NAME_MAX_LENGTH - 11;

export type RayKind = 'RayCluster' | 'RayJob' | 'RayService' | 'RayCronJob';

/** Longest name of each kind, and why. */
export const RAY_NAME_LIMITS: { readonly [kind in RayKind]: { readonly length: number; readonly because: string } } = {
  RayCluster: { length: RAY_CLUSTER_NAME_MAX_LENGTH, because: 'a Service of it is NAME-serve-svc' },
  RayJob: { length: RAY_JOB_NAME_MAX_LENGTH, because: 'its cluster is NAME-xxxxx' },
  RayService: { length: RAY_SERVICE_NAME_MAX_LENGTH, because: 'its clusters are NAME-xxxxx' },
  RayCronJob: { length: RAY_CRON_JOB_NAME_MAX_LENGTH, because: 'its job names contain the time' },
};

const DNS_1035_LABEL = expressionOf(DNS_1035_LABEL_PATTERN);

const DNS_1123_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

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

/** Whether a text can be a Ray kind's name, apart from its length. */
export function isDns1123Label(text: string): boolean {
  return text.length <= 63 && DNS_1123_LABEL.test(text);
}

export function validateRayName(kind: RayKind, name: string): Violation[] {
  const violations = new ViolationCollector();
  const { length, because } = RAY_NAME_LIMITS[kind];
  if (!DNS_1035_LABEL.test(name)) {
    violations.add('metadata.name', name,
      'must be a DNS-1035 label, because Services are named after it: lower-case letters, digits and \'-\', starting with a letter and ending with a letter or digit.');
  }
  if (name.length > length) {
    violations.add('metadata.name', name, `has ${name.length} characters, and KubeRay allows a ${kind} ${length}, because ${because}. Use at most ${length} characters.`);
  }
  return violations.violations;
}
