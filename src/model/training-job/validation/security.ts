/**
 * Rules on `spec.security`. A restricted job whose template asks for more would be refused by the API server pod by pod, or not at all where the
 * namespace enforces nothing; both are reported before the job is applied.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { templatesOf } from './templates';
import type { PodTemplateSpec } from '../spec';
import { record, records, type JsonRecord } from '../../json-parts';
import { ViolationCollector, type Violation } from '../../violations';

/** Kinds of volumes that a restricted pod may have. */
const RESTRICTED_VOLUMES: readonly string[] = [
  'configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret',
];

/** Four numbers from 0 to 255 and a prefix from 0 to 32; or an address of IPv6 and a prefix. */
const CIDR = /^(((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\.(?=[0-9])|(?=\/))){4}\/(3[0-2]|[12]?[0-9])|[0-9a-fA-F]*:[0-9a-fA-F:.]*\/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$/;

/** Whether a text is a range of addresses, such as `10.8.0.0/16`. */
export function isCidr(text: string): boolean {
  return CIDR.test(text);
}

export function validateSecurity({ spec }: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  const { security = {} } = spec;
  for (const [index, cidr] of (security.networkPolicy?.toCidrs ?? []).entries()) {
    if (!isCidr(cidr)) {
      violations.add(`spec.security.networkPolicy.toCidrs[${index}]`, cidr, 'is not an address range. Write one such as 10.8.0.0/16, or 10.8.0.7/32 for one address.');
    }
  }
  if (security.networkPolicy?.toCidrs !== undefined && security.networkPolicy.egress !== 'Limited') {
    violations.add('spec.security.networkPolicy.toCidrs', security.networkPolicy.toCidrs, 'applies only if egress is limited. Set egress: Limited, or remove it.');
  }
  if (security.restricted) {
    if (security.runAsUser === 0) {
      violations.add('spec.security.runAsUser', 0, 'is root, which a restricted pod must not run as. Use the number of another user of the image.');
    }
    templatesOf(spec).forEach(({ path, template }) => validateTemplate(template, path, violations));
  }
  return violations.violations;
}

function validateTemplate(template: PodTemplateSpec | undefined, path: string, violations: ViolationCollector): void {
  const pod = record(template?.spec);
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    refuse(violations, pod[field] === true, `${path}.spec.${field}`, pod[field], 'shares the node\'s namespaces with the pod');
  }
  records(pod.volumes).forEach((volume, index) => {
    const kind = Object.keys(volume).find((field) => field !== 'name');
    refuse(violations, kind !== undefined && !RESTRICTED_VOLUMES.includes(kind), `${path}.spec.volumes[${index}]`, volume.name,
      `is a volume of kind ${kind}; the restricted standard allows ${RESTRICTED_VOLUMES.join(', ')}`);
  });
  validateContext(record(pod.securityContext), `${path}.spec.securityContext`, violations);
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    records(pod[field]).forEach((container, index) => {
      const place = `${path}.spec.${field}[${index}]`;
      validateContext(record(container.securityContext), `${place}.securityContext`, violations);
      refuse(violations, records(container.ports).some((port) => port.hostPort !== undefined && port.hostPort !== 0), `${place}.ports`, container.name, 'takes ports of the node');
    });
  }
}

function validateContext(context: JsonRecord, path: string, violations: ViolationCollector): void {
  const { privileged, allowPrivilegeEscalation, runAsNonRoot, runAsUser, capabilities, seccompProfile, procMount } = context;
  refuse(violations, privileged === true, `${path}.privileged`, privileged, 'gives the container the privileges of the node');
  refuse(violations, allowPrivilegeEscalation === true, `${path}.allowPrivilegeEscalation`, allowPrivilegeEscalation, 'lets processes gain privileges');
  refuse(violations, runAsNonRoot === false, `${path}.runAsNonRoot`, runAsNonRoot, 'lets the container run as root');
  refuse(violations, runAsUser === 0, `${path}.runAsUser`, runAsUser, 'is root');
  const added = record(capabilities).add;
  refuse(violations, Array.isArray(added) && added.some((name) => name !== 'NET_BIND_SERVICE'), `${path}.capabilities.add`, added,
    'adds capabilities, of which only NET_BIND_SERVICE is allowed');
  refuse(violations, record(seccompProfile).type === 'Unconfined', `${path}.seccompProfile.type`, 'Unconfined', 'disables the system call filter');
  refuse(violations, procMount !== undefined && procMount !== 'Default', `${path}.procMount`, procMount, 'shows the container more of /proc');
}

function refuse(violations: ViolationCollector, isBroken: boolean, path: string, value: unknown, why: string): void {
  if (isBroken) {
    violations.add(path, value, `${why}, which spec.security.restricted forbids. Remove it, or leave restricted out.`);
  }
}
