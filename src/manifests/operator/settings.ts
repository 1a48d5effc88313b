/** Names, ports and variables that the operator's manifests and the operator itself have to agree on. */

/** Name of every object that the operator is installed with, and of its Lease. */
export const OPERATOR_NAME = 'trainyard-operator';

/** Namespace that the operator is installed into unless told otherwise. */
export const OPERATOR_NAMESPACE = 'trainyard-system';

/** Label that the operator's own pods are selected by. Not the label of the pods that it makes for jobs. */
export const OPERATOR_NAME_LABEL = 'app.kubernetes.io/name';

/** Port of `/healthz` and `/readyz`. */
export const OPERATOR_HEALTH_PORT = 8081;

/** Variables that configure the operator. */
export const OPERATOR_VARIABLES = {
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `true` when only one of several replicas may act. */
  leaderElect: 'LEADER_ELECT',
  /** Namespaces whose jobs are run, joined by commas; all when empty or absent. */
  watchNamespaces: 'WATCH_NAMESPACES',
  /** How many jobs are worked on at the same time. */
  workers: 'WORKERS',
  /** The operator's own pod: its identity in the Lease. */
  podName: 'POD_NAME',
  /** Where the Lease is. */
  podNamespace: 'POD_NAMESPACE',
} as const;
