/** Names, ports and variables that the operator's manifests and the operator itself share. */
import { API_GROUP } from '../../model/labels';

/** Name of the operator's objects and of its Lease. */
export const OPERATOR_NAME = 'trainyard-operator';

/** Maximum number of shards, because each replica reads the Lease of each shard every two seconds. */
export const OPERATOR_MAX_SHARDS = 32;

/** Name of the Lease of a shard of the jobs. */
export function operatorShardLease(shard: number): string {
  return `${OPERATOR_NAME}-shard-${shard}`;
}

/** Default namespace of the operator. */
export const OPERATOR_NAMESPACE = 'trainyard-system';

/** Label that selects the operator's own pods, but not those that it creates for jobs. */
export const OPERATOR_NAME_LABEL = 'app.kubernetes.io/name';

/** Annotation of the operator's pods with a hash of their code, and label of the ConfigMaps with the code. */
export const OPERATOR_CODE_HASH = `${API_GROUP}/operator-code`;

/** Labels of the operator's pods, which select them, and of its other objects. */
export const OPERATOR_LABELS = { [OPERATOR_NAME_LABEL]: OPERATOR_NAME };

/** Port of `/healthz`, `/readyz` and `/metrics`. */
export const OPERATOR_HEALTH_PORT = 8081;

/** Name of that port in the operator's Service and pods. */
export const OPERATOR_PORT_NAME = 'http';

/** Port on which training scripts report their progress; Kubeflow Trainer's. */
export const OPERATOR_PROGRESS_PORT = 10443;

/**
 * Flags of Node.js for the operator. Most of what it reads at its start is soon garbage: with three times 16 MiB for young objects, the default on a
 * large machine, ten thousand jobs use up to 50 MiB more than necessary.
 */
export const OPERATOR_NODE_FLAGS: readonly string[] = ['--max-semi-space-size=8'];

/** Name of that port in the operator's Service and pods. */
export const OPERATOR_PROGRESS_PORT_NAME = 'progress';

/** Secret in the operator's namespace with the certificates of that port; the operator creates and renews it. */
export const OPERATOR_PROGRESS_SECRET = `${OPERATOR_NAME}-progress-tls`;

/** URL at which training scripts reach an operator in `namespace`. */
export function operatorProgressUrl(namespace: string): string {
  return `https://${OPERATOR_NAME}.${namespace}.svc:${OPERATOR_PROGRESS_PORT}`;
}

/** Variables that configure the operator. */
export const OPERATOR_VARIABLES = {
  /** Base URL of the Prometheus with the utilization of GPUs. */
  prometheusUrl: 'PROMETHEUS_URL',
  /** File with a bearer token for it. */
  prometheusTokenFile: 'PROMETHEUS_TOKEN_FILE',
  /** Namespaces of GPU exporters that are trusted about pods of other namespaces, separated by commas. */
  gpuExporterNamespaces: 'GPU_EXPORTER_NAMESPACES',
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `true` if only one of several replicas may act. */
  leaderElect: 'LEADER_ELECT',
  /** Number of shards of the jobs, with which several replicas act; 1 if absent. */
  shards: 'SHARDS',
  /** Namespaces of the operator's jobs, separated by commas; all if empty or absent. */
  watchNamespaces: 'WATCH_NAMESPACES',
  /** How many jobs are processed at the same time. */
  workers: 'WORKERS',
  /** The operator's own pod: its identity in the Lease. */
  podName: 'POD_NAME',
  /** Namespace of the Lease. */
  podNamespace: 'POD_NAMESPACE',
  /** `true` for metrics with training-operator v1's names too. */
  v1MetricNames: 'METRICS_V1_NAMES',
  /** Collector of traces; a variable of OpenTelemetry, like the next two. */
  tracesEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  /** How traces are sampled. */
  tracesSampler: 'OTEL_TRACES_SAMPLER',
  /** With `traceidratio`: the ratio of traces that are sent. */
  tracesSamplerArgument: 'OTEL_TRACES_SAMPLER_ARG',
  /** URL at which training scripts reach the operator; without it they cannot report. */
  progressUrl: 'PROGRESS_URL',
  /** Port for their reports. */
  progressPort: 'PROGRESS_PORT',
} as const;
