/** Names, ports and variables that the operator's manifests and the operator itself have to agree on. */
import { API_GROUP } from '../../model/labels';

/** Name of every object that the operator is installed with, and of its Lease. */
export const OPERATOR_NAME = 'trainyard-operator';

/** Most shards: each replica asks for the Lease of each of them every two seconds. */
export const OPERATOR_MAX_SHARDS = 32;

/** Name of the Lease of a shard of the jobs. */
export function operatorShardLease(shard: number): string {
  return `${OPERATOR_NAME}-shard-${shard}`;
}

/** Namespace that the operator is installed into unless told otherwise. */
export const OPERATOR_NAMESPACE = 'trainyard-system';

/** Label that the operator's own pods are selected by. Not the label of the pods that it makes for jobs. */
export const OPERATOR_NAME_LABEL = 'app.kubernetes.io/name';

/** Annotation of the operator's pods with a hash of the code that they run, and label of the ConfigMaps that hold it. */
export const OPERATOR_CODE_HASH = `${API_GROUP}/operator-code`;

/** Labels of the operator's pods, which select them, and of the objects that it is installed with. */
export const OPERATOR_LABELS = { [OPERATOR_NAME_LABEL]: OPERATOR_NAME };

/** Port of `/healthz`, `/readyz` and `/metrics`. */
export const OPERATOR_HEALTH_PORT = 8081;

/** Name of that port in the operator's Service and pods. */
export const OPERATOR_PORT_NAME = 'http';

/** Port on which training scripts report their progress; Kubeflow Trainer's. */
export const OPERATOR_PROGRESS_PORT = 10443;

/**
 * Flags of Node.js for the operator. What it reads at a start is garbage soon: where young objects have three times 16 MiB, as they have on a large
 * machine, ten thousand jobs take up to 50 MiB more than they need.
 */
export const OPERATOR_NODE_FLAGS: readonly string[] = ['--max-semi-space-size=8'];

/** Name of that port in the operator's Service and pods. */
export const OPERATOR_PROGRESS_PORT_NAME = 'progress';

/** Secret in the operator's namespace with the certificates of that port; the operator makes and renews it. */
export const OPERATOR_PROGRESS_SECRET = `${OPERATOR_NAME}-progress-tls`;

/** URL by which training scripts reach an operator in `namespace`. */
export function operatorProgressUrl(namespace: string): string {
  return `https://${OPERATOR_NAME}.${namespace}.svc:${OPERATOR_PROGRESS_PORT}`;
}

/** Variables that configure the operator. */
export const OPERATOR_VARIABLES = {
  /** Base URL of the Prometheus that is asked for the use of GPUs. */
  prometheusUrl: 'PROMETHEUS_URL',
  /** File with a bearer token for it. */
  prometheusTokenFile: 'PROMETHEUS_TOKEN_FILE',
  /** Namespaces whose GPU exporters it is believed about pods of others, joined by commas. */
  gpuExporterNamespaces: 'GPU_EXPORTER_NAMESPACES',
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `true` when only one of several replicas may act. */
  leaderElect: 'LEADER_ELECT',
  /** Parts that the jobs are divided into, so that several replicas act; one when absent. */
  shards: 'SHARDS',
  /** Namespaces whose jobs are run, joined by commas; all when empty or absent. */
  watchNamespaces: 'WATCH_NAMESPACES',
  /** How many jobs are worked on at the same time. */
  workers: 'WORKERS',
  /** The operator's own pod: its identity in the Lease. */
  podName: 'POD_NAME',
  /** Where the Lease is. */
  podNamespace: 'POD_NAMESPACE',
  /** `true` to count jobs by training-operator v1's names too. */
  v1MetricNames: 'METRICS_V1_NAMES',
  /** Collector that traces are sent to; OpenTelemetry's name, like the next two. */
  tracesEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  /** How traces are sampled. */
  tracesSampler: 'OTEL_TRACES_SAMPLER',
  /** With `traceidratio`: the part of traces that is sent. */
  tracesSamplerArgument: 'OTEL_TRACES_SAMPLER_ARG',
  /** URL by which training scripts reach the operator; without it they cannot report. */
  progressUrl: 'PROGRESS_URL',
  /** Port for their reports. */
  progressPort: 'PROGRESS_PORT',
} as const;
