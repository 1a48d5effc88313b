/** The operator's settings, read once from its environment. */
import { hostname } from 'node:os';
import type { ProgressConfig } from './progress/server';
import { COUNTS_INTERVAL_MS } from './status-writer';
import type { PrometheusConfig } from './utilization/prometheus';
import { OPERATOR_HEALTH_PORT, OPERATOR_NAME, OPERATOR_VARIABLES as VARIABLES } from '../../manifests/operator/settings';
import { GPU_EXPORTER_NAMESPACES } from '../../model/monitoring/gpu/exporters';

/** Settings with their defaults. */
export interface OperatorConfig {
  /** `WATCH_NAMESPACES`, comma-separated: the namespaces whose jobs are run. @default - all namespaces */
  readonly watchNamespaces: readonly string[];
  /** `WORKERS`: jobs that are reconciled at the same time. @default 64 */
  readonly workers: number;
  /**
   * `MAX_REQUESTS`: API requests in flight at the same time, fewer while the API server is slow (`runtime/http/adaptive-limiter.ts`). Half of what an
   * API server with default settings lets all service accounts have (245 of its 600 places), so that some are left to others, and to the lease of an
   * operator that was installed without its FlowSchema. @default 128
   */
  readonly maxRequests: number;
  /** `LEADER_ELECT`: wait for the lease before acting. @default true */
  readonly leaderElect: boolean;
  /**
   * `SHARDS`: parts that the jobs are divided into, so that several replicas act, each on the jobs of its shards; the same number in all replicas.
   * @default 1, which is one leader for all jobs
   */
  readonly shards: number;
  /** `LEASE_SECONDS`: how long the other replicas wait for a leader that says nothing. @default 15 */
  readonly leaseSeconds: number;
  /** `POD_NAMESPACE`: where the lease is. @default - the namespace of the service account or kubeconfig */
  readonly namespace?: string;
  /** `POD_NAME`: name of this replica in the lease. @default - the host name */
  readonly identity: string;
  /** `HEALTH_PORT`. 0 picks a free one. @default 8081 */
  readonly healthPort: number;
  /** `HEALTH_HOST`. @default - all addresses, as the kubelet needs it */
  readonly healthHost?: string;
  /** `LOG_LEVEL`: debug, info, warn or error. @default info */
  readonly logLevel: LogLevel;
  /** `RESYNC_SECONDS`: how often everything is listed and planned again, whatever the watches say. @default 600 */
  readonly resyncSeconds: number;
  /** `STATUS_COUNTS_SECONDS`: least time from one write of a job's status to the next that tells of counts alone. @default 10 */
  readonly statusCountsSeconds: number;
  /**
   * `TRAINYARD_ADDRESSES`: `pods` gives replicas the host names of pods; `loopback` gives them 127.0.0.1 and a port each, for
   * `trainyard dev`, where pods are processes of one machine. @default pods
   */
  readonly addresses: 'pods' | 'loopback';
  /**
   * `PROMETHEUS_URL`, `PROMETHEUS_TOKEN_FILE`, `PROMETHEUS_POLL_SECONDS`, `GPU_EXPORTER_NAMESPACES`: who tells the use of GPUs, for `spec.idle`.
   * @default - scripts alone
   */
  readonly prometheus?: PrometheusConfig;
  /** `METRICS_V1_NAMES`: count jobs by training-operator v1's names too. @default false */
  readonly v1MetricNames: boolean;
  /** Whether traces are sent: `OTEL_EXPORTER_OTLP_ENDPOINT` is set, and nothing switches them off. OpenTelemetry's packages read the rest. */
  readonly traces: boolean;
  /**
   * `PROGRESS_URL`, `PROGRESS_PORT`, `PROGRESS_HOST`, `PROGRESS_CERTIFICATES_SECONDS`: the endpoint that training scripts report to.
   * @default - none
   */
  readonly progress?: ProgressConfig;
}

/** Levels of {@link OperatorConfig.logLevel}. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Name of the lease that replicas of the operator compete for. */
export const LEASE_NAME = OPERATOR_NAME;

/** Reads the settings. @throws Error that names the variable, its value and what it has to be */
export function readConfig(env: NodeJS.ProcessEnv): OperatorConfig {
  const shards = integer(env, VARIABLES.shards, 1, 1);
  const leaderElect = choice(env, VARIABLES.leaderElect, ['true', 'false']) === 'true';
  if (shards > 1 && !leaderElect) {
    throw new Error(`Reading the operator's settings: ${VARIABLES.shards} is "${shards}" and ${VARIABLES.leaderElect} is "false", but shards are held by Leases. `
      + 'Remove one of the two.');
  }
  return {
    shards,
    watchNamespaces: (env[VARIABLES.watchNamespaces] ?? '').split(',').map((name) => name.trim()).filter(Boolean),
    workers: integer(env, VARIABLES.workers, 64, 1),
    maxRequests: integer(env, 'MAX_REQUESTS', 128, 1),
    leaderElect,
    leaseSeconds: integer(env, 'LEASE_SECONDS', 15, 2),
    namespace: env[VARIABLES.podNamespace] || undefined,
    identity: env[VARIABLES.podName] || `${hostname()}-${process.pid}`,
    healthPort: integer(env, VARIABLES.healthPort, OPERATOR_HEALTH_PORT, 0),
    healthHost: env.HEALTH_HOST || undefined,
    logLevel: choice(env, VARIABLES.logLevel, ['info', 'debug', 'warn', 'error']),
    resyncSeconds: integer(env, 'RESYNC_SECONDS', 600, 1),
    statusCountsSeconds: integer(env, 'STATUS_COUNTS_SECONDS', COUNTS_INTERVAL_MS / 1000, 1),
    addresses: choice(env, 'TRAINYARD_ADDRESSES', ['pods', 'loopback']),
    v1MetricNames: choice(env, VARIABLES.v1MetricNames, ['false', 'true']) === 'true',
    traces: Boolean(env[VARIABLES.tracesEndpoint] || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
      && env.OTEL_SDK_DISABLED !== 'true' && env.OTEL_TRACES_EXPORTER !== 'none',
    progress: progressConfig(env),
    prometheus: prometheusConfig(env),
  };
}

function prometheusConfig(env: NodeJS.ProcessEnv): PrometheusConfig | undefined {
  const url = env[VARIABLES.prometheusUrl];
  if (!url) {
    return undefined;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`Reading the operator's settings: ${VARIABLES.prometheusUrl} is "${url}", but must be an http or https URL.`);
  }
  const exporters = (env[VARIABLES.gpuExporterNamespaces] ?? '').split(',').map((name) => name.trim()).filter(Boolean);
  return {
    url,
    tokenFile: env[VARIABLES.prometheusTokenFile] || undefined,
    pollSeconds: integer(env, 'PROMETHEUS_POLL_SECONDS', 60, 1),
    exporterNamespaces: exporters.length > 0 ? exporters : GPU_EXPORTER_NAMESPACES,
  };
}

function progressConfig(env: NodeJS.ProcessEnv): ProgressConfig | undefined {
  const text = env[VARIABLES.progressUrl];
  if (!text) {
    return undefined;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.pathname !== '/' || url.search !== '') {
    throw new Error(`Reading the operator's settings: ${VARIABLES.progressUrl} is "${text}", but must be https:// with a host, an optional port and no path.`);
  }
  return {
    url: url.origin,
    port: integer(env, VARIABLES.progressPort, Number(url.port || 443), 0),
    host: env.PROGRESS_HOST || undefined,
    certificatesSeconds: integer(env, 'PROGRESS_CERTIFICATES_SECONDS', 300, 1),
  };
}

function integer(env: NodeJS.ProcessEnv, name: string, standard: number, least: number): number {
  const text = env[name];
  if (text === undefined || text === '') {
    return standard;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`Reading the operator's settings: ${name} is "${text}", but must be a whole number of at least ${least}.`);
  }
  return value;
}

/** The first of the allowed values is the default. */
function choice<T extends string>(env: NodeJS.ProcessEnv, name: string, allowed: readonly [T, ...T[]]): T {
  const text = env[name];
  if (text === undefined || text === '') {
    return allowed[0];
  }
  if (!(allowed as readonly string[]).includes(text)) {
    throw new Error(`Reading the operator's settings: ${name} is "${text}", but must be one of ${allowed.join(', ')}.`);
  }
  return text as T;
}
