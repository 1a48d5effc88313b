/**
 * Checks of one pod: the restricted Pod Security Standard, and what goes beyond it.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
import type { SecurityCheckId, SecurityFindingSpec } from './checks';
import { record, records, texts, type JsonRecord } from '../json-parts';

/** Collects what is found. */
type Tell = (check: SecurityCheckId, path: string, value: unknown, message: string) => void;

/** What is wrong with a pod. @param path where its spec stands */
export function podFindings(spec: JsonRecord, path: string): SecurityFindingSpec[] {
  const found: SecurityFindingSpec[] = [];
  const tell: Tell = (check, at, value, message) => found.push({ check, path: at, value, message });
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    if (spec[field] === true) {
      tell('host-namespaces', `${path}.${field}`, true, 'shares the node\'s namespaces. Remove it.');
    }
  }
  records(spec.volumes).forEach((volume, index) => {
    if (volume.hostPath !== undefined) {
      tell('host-paths', `${path}.volumes[${index}]`, volume.name, 'is a path of the node. Use a claim, an emptyDir or a CSI driver.');
    }
  });
  if (spec.automountServiceAccountToken !== false && spec.serviceAccountName === undefined && spec.serviceAccount === undefined) {
    tell('service-account-token', `${path}.automountServiceAccountToken`, spec.automountServiceAccountToken, 'must be false if no service account is named.');
  }
  const pod = record(spec.securityContext);
  for (const group of ['containers', 'initContainers']) {
    records(spec[group]).forEach((container, index) => containerFindings(container, pod, `${path}.${group}[${index}]`, tell));
  }
  return found;
}

function containerFindings(container: JsonRecord, pod: JsonRecord, path: string, tell: Tell): void {
  const own = record(container.securityContext);
  const at = `${path}.securityContext`;
  if (own.privileged === true) {
    tell('privileged', `${at}.privileged`, true, 'must not be true. Remove it.');
  }
  records(container.ports).forEach((port, index) => {
    if (port.hostPort !== undefined && port.hostPort !== 0) {
      tell('host-ports', `${path}.ports[${index}].hostPort`, port.hostPort, 'must not be set. Use a Service.');
    }
  });
  const { drop, add } = record(own.capabilities);
  if (!texts(drop).includes('ALL')) {
    tell('capabilities', `${at}.capabilities.drop`, drop, 'must contain ALL.');
  }
  const further = texts(add).filter((capability) => capability !== 'NET_BIND_SERVICE');
  if (further.length > 0) {
    tell('capabilities', `${at}.capabilities.add`, further, 'may only contain NET_BIND_SERVICE. Remove the others.');
  }
  if (own.allowPrivilegeEscalation !== false) {
    tell('privilege-escalation', `${at}.allowPrivilegeEscalation`, own.allowPrivilegeEscalation, 'must be false.');
  }
  const user = own.runAsUser ?? pod.runAsUser;
  if ((own.runAsNonRoot ?? pod.runAsNonRoot) !== true || user === 0) {
    tell('run-as-non-root', user === 0 ? `${at}.runAsUser` : `${at}.runAsNonRoot`, user === 0 ? 0 : own.runAsNonRoot ?? pod.runAsNonRoot,
      user === 0 ? 'is root. Use the number of another user.' : 'must be true, on the container or its pod.');
  }
  const seccomp = record(own.seccompProfile ?? pod.seccompProfile).type;
  if (seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost') {
    tell('seccomp', `${at}.seccompProfile.type`, seccomp, 'must be RuntimeDefault or Localhost, on the container or its pod.');
  }
  if (own.readOnlyRootFilesystem !== true) {
    tell('read-only-root', `${at}.readOnlyRootFilesystem`, own.readOnlyRootFilesystem, 'must be true. Mount an emptyDir where the program writes.');
  }
  const { requests, limits } = record(container.resources);
  const missing = ['cpu', 'memory'].filter((resource) => record(requests)[resource] === undefined && record(limits)[resource] === undefined);
  if (missing.length > 0) {
    tell('resource-requests', `${path}.resources.requests`, requests, `must hold ${missing.join(' and ')}.`);
  }
}
