/**
 * Names of the objects that a job owns, and the length rules that follow from them. A name that is too long fails here, with the
 * object that would break, and not minutes later in an event of a pod.
 */
import { ViolationCollector, type Violation } from './violations';
import { NAME_MAX_LENGTH, shownName } from './text/printable';
import { expressionOf } from './text/expressions';

/** Longest DNS label: service names, pod host names and label values. */
export const DNS_LABEL_MAX_LENGTH = 63;

/** RFC 1035 label, the strictest of the forms that a job's name ends up in (its services). */
export const DNS_1035_LABEL_PATTERN = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/** Key of a label: a domain and a slash, which may be missing, and a name. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/ */
export const LABEL_KEY_PATTERN = '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';

export const LABEL_KEY_MAX_LENGTH = NAME_MAX_LENGTH + 1 + DNS_LABEL_MAX_LENGTH;

const LABEL_KEY = expressionOf(LABEL_KEY_PATTERN);

const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** RFC 1123 label, as names of namespaces are. */
const DNS_1123_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Labels with dots between them, as names of most objects are. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Name of a host, or with `*.` in front of all below it. */
export const HOST_NAME = /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function isLabelKey(text: string): boolean {
  return text.length <= LABEL_KEY_MAX_LENGTH && LABEL_KEY.test(text);
}

/** Whether a text can be the value of a label; an empty one can. */
export function isLabelValue(text: string): boolean {
  return LABEL_VALUE.test(text);
}

/** Records which entries cannot be labels. @param path of the map */
export function checkLabels(labels: { readonly [key: string]: string }, path: string, violations: ViolationCollector): void {
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelKey(key) || !isLabelValue(value)) {
      violations.add(`${path}['${key}']`, value,
        'must be a label: a name with at most 63 letters, digits, -, _ and . after an optional domain, and a value of the same characters.');
    }
  }
}

/**
 * Longest name that the CRD lets a job have: its service is `NAME-master`, and a service's name is a DNS label. Roles and replica
 * counts can ask for less; {@link validateJobName} reports that.
 */
export const JOB_NAME_MAX_LENGTH = DNS_LABEL_MAX_LENGTH - '-master'.length;

const DNS_1035_LABEL = expressionOf(DNS_1035_LABEL_PATTERN);

/** Name of the container that trains, as in the blog. A template's container of this name is merged into it. */
export const TRAINING_CONTAINER = 'training';

/** Whether `name` is an RFC 1035 label of at most 63 characters. */
export function isDns1035Label(name: string): boolean {
  return name.length <= DNS_LABEL_MAX_LENGTH && DNS_1035_LABEL.test(name);
}

/** Whether `name` is an RFC 1123 label of at most 63 characters. */
export function isDns1123Label(name: string): boolean {
  return name.length <= DNS_LABEL_MAX_LENGTH && DNS_1123_LABEL.test(name);
}

/** Whether `name` can be the name of an object that has no stricter rule. */
export function isSubdomain(name: string, maxLength = NAME_MAX_LENGTH): boolean {
  return name.length <= maxLength && SUBDOMAIN.test(name);
}

/** Longest name, and why it cannot be longer, such as `a Service of it is NAME-serve-svc`. */
export interface NameLimit {
  readonly length: number;
  readonly because: string;
}

/**
 * Records that an object's name is not a DNS-1035 label, or too long.
 * @param use why it has to be one, such as `Services are named after it`
 */
export function checkBaseName(name: string, use: string, violations: ViolationCollector, limit?: NameLimit): void {
  violations.form('metadata.name', name, DNS_1035_LABEL,
    `must be a DNS-1035 label, because ${use}: lower-case letters, digits and '-', starting with a letter and ending with a letter or digit.`);
  if (limit !== undefined && name.length > limit.length) {
    violations.add('metadata.name', name, `has ${name.length} characters, and ${limit.because}. Use at most ${limit.length} characters.`);
  }
}

/**
 * Pod name of a replica. A role that has exactly one replica by its framework's contract (master, chief, launcher, scheduler)
 * carries no index, as in the blog: `NAME-master`, `NAME-worker-0`.
 */
export function podName(jobName: string, role: string, index: number, singleton: boolean): string {
  return singleton ? `${jobName}-${role}` : `${jobName}-${role}-${index}`;
}

/** Headless service that gives every replica a stable host name, `POD.SERVICE`. Only made where replicas need to find each other. */
export function peerServiceName(jobName: string): string {
  return jobName;
}

/** Headless service in front of the coordinator alone; the blog's `NAME-master`. */
export function coordinatorServiceName(jobName: string, role: string): string {
  return `${jobName}-${role}`;
}

/** ConfigMap with the MPI hostfile, the ssh client's and the ssh server's settings. */
export function mpiConfigMapName(jobName: string): string {
  return `${jobName}-mpi-config`;
}

/**
 * Secret with the key pair that the launcher reaches the workers with. A job in a cluster has one of its own, whatever job had its name before: the
 * operator may create it and not read it, so its name alone says whose it is.
 * @param uid of the job; @default - the job has none: it runs on this machine, or its engine makes the keys
 */
export function mpiSecretName(jobName: string, uid?: string): string {
  return `${jobName}-mpi-ssh-auth${uid === undefined ? '' : `-${uid}`}`;
}

/** ConfigMap with the scripts of `spec.debug` and `spec.preflight`. */
export function toolsConfigMapName(jobName: string): string {
  return `${jobName}-tools`;
}

/** MLTrainingJob of one trial of a search, from 1. */
export function trialJobName(jobName: string, trial: number): string {
  return `${jobName}-trial-${trial}`;
}

/** MLTrainingJob of one copy of an array, from 0. */
export function arrayJobName(jobName: string, index: number): string {
  return `${jobName}-${index}`;
}

/** A name that follows from the job's, and what carries it. */
export interface DerivedName {
  readonly name: string;
  /** Such as `service` or `host name of the last worker`. */
  readonly what: string;
}

/**
 * Checks a job's name against everything that is derived from it.
 * @param jobName the MLTrainingJob's name
 * @param longest the longest derived name, as the caller knows roles and replica counts
 */
export function validateJobName(jobName: string, longest: DerivedName): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(jobName, 'Services use it', violations);
  checkDerivedName(jobName, longest, 'Shorten the name of the role.', violations);
  return violations.violations;
}

/** Records that what is named after an object would have too long a name. @param otherwise the fix where the object's name is not the reason */
export function checkDerivedName(name: string, derived: DerivedName, otherwise: string, violations: ViolationCollector): void {
  const excess = derived.name.length - DNS_LABEL_MAX_LENGTH;
  if (excess > 0) {
    const fix = name.length > excess ? `Use at most ${name.length - excess} characters.` : otherwise;
    violations.add('metadata.name', name,
      `is too long: the ${derived.what} would be '${shownName(derived.name)}' with ${derived.name.length} characters, and host names and labels hold `
      + `${DNS_LABEL_MAX_LENGTH}. ${fix}`);
  }
}

/** A violation of a job that was derived from another one, as one of that: of its name, there is less room. */
export function inTermsOf(name: string, derived: string, violation: Violation): Violation {
  return violation.path !== 'metadata.name' ? violation : {
    path: 'metadata.name',
    value: name,
    message: violation.message.replace(/Use at most (\d+) characters/, (_text, most: string) => `Use at most ${Number(most) - derived.length + name.length} characters`),
  };
}
