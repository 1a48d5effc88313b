/**
 * What `SecurityChecks` looks for.
 */
export enum SecurityCheck {
  /** Containers that are root on the node. */
  PRIVILEGED = 'privileged',

  /** Pods that see the node's processes or network. */
  HOST_NAMESPACES = 'host-namespaces',

  /** Volumes that are paths of the node. */
  HOST_PATHS = 'host-paths',

  /** Ports of the node. */
  HOST_PORTS = 'host-ports',

  /** Capabilities that are not dropped, or added. */
  CAPABILITIES = 'capabilities',

  /** Containers whose programs can get more rights. */
  PRIVILEGE_ESCALATION = 'privilege-escalation',

  /** Containers that may run as root. */
  RUN_AS_NON_ROOT = 'run-as-non-root',

  /** Containers that may make every system call. */
  SECCOMP = 'seccomp',

  /** Containers that can write to their own programs. */
  READ_ONLY_ROOT = 'read-only-root',

  /** Containers that do not say what they need. */
  RESOURCE_REQUESTS = 'resource-requests',

  /** Tokens that nothing asked for. */
  SERVICE_ACCOUNT_TOKEN = 'service-account-token',

  /** Rights with a wildcard, and cluster-admin. */
  WILDCARD_RBAC = 'wildcard-rbac',

  /** Services of several replicas without a PodDisruptionBudget. */
  DISRUPTION_BUDGET = 'disruption-budget',

  /** Sidecars in pods that have to end. */
  MESH_INJECTION = 'mesh-injection',
}
