/** What is looked for in objects: names, and why. */

const STANDARDS = 'https://kubernetes.io/docs/concepts/security/pod-security-standards/';
const CHECKLIST = 'https://kubernetes.io/docs/concepts/security/application-security-checklist/';

/** All checks by their id. */
export const SECURITY_CHECKS = {
  'privileged': { why: 'a privileged container is root on the node', source: STANDARDS },
  'host-namespaces': { why: 'the pod sees the node\'s processes or network', source: STANDARDS },
  'host-paths': { why: 'the pod reads or writes files of the node', source: STANDARDS },
  'host-ports': { why: 'the pod takes a port of the node', source: STANDARDS },
  'capabilities': { why: 'the container keeps rights of root that it does not need', source: STANDARDS },
  'privilege-escalation': { why: 'a program of the container can get more rights than it was started with', source: STANDARDS },
  'run-as-non-root': { why: 'the container may run as root', source: STANDARDS },
  'seccomp': { why: 'the container may make any system call', source: STANDARDS },
  'read-only-root': { why: 'an attacker in the container can change its programs', source: CHECKLIST },
  'resource-requests': { why: 'the scheduler does not know what the container needs, and the pod is the first to be evicted', source: CHECKLIST },
  'service-account-token': { why: 'the pod has a token of the default account that nothing needs', source: CHECKLIST },
  'wildcard-rbac': { why: 'the permissions cover unintended resources, and whatever is installed later', source: 'https://kubernetes.io/docs/concepts/security/rbac-good-practices/' },
  'disruption-budget': { why: 'a drain of nodes may stop all replicas at once', source: 'https://kubernetes.io/docs/tasks/run-application/configure-pdb/' },
  'mesh-injection': { why: 'a sidecar keeps the pods of a job running after the training has ended', source: 'https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/' },
} as const;

export type SecurityCheckId = keyof typeof SECURITY_CHECKS;

export const SECURITY_CHECK_IDS = Object.keys(SECURITY_CHECKS) as SecurityCheckId[];

/** Something that a check found. */
export interface SecurityFindingSpec {
  readonly check: SecurityCheckId;
  /** Field path below the object. */
  readonly path: string;
  readonly value: unknown;
  /** The rule and the fix. */
  readonly message: string;
}
