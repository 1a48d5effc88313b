/** Every system that is watched, whole and one of its kind, with the series that there are for it. */
import {
  DCGM, LLM_SOURCES, RAY_SOURCES, SCRAPE_LABELS, SERVING_SOURCES, SPARK_SOURCES, dcgmWithout, seriesOf, seriesOfSource, type MetricSource,
} from '../../../../scripts/docs/metric-sources';
import { GPU_EXPORTER_FACTS } from '../../../../src/model/monitoring/gpu/exporters';
import { gpuSystem } from '../../../../src/model/monitoring/gpu/system';
import { DEFAULT_OPERATOR_THRESHOLDS, GOODPUT, GPU_GOODPUT, operatorRuleGroups } from '../../../../src/model/monitoring/operator/alerts';
import { operatorDashboard } from '../../../../src/model/monitoring/operator/dashboard';
import type { Dashboard, RuleGroup } from '../../../../src/model/monitoring/monitored-system';
import { RAY_CRON_OWNED_SUFFIX, RAY_OWNED_SUFFIX, raySystem } from '../../../../src/model/monitoring/ray/system';
import { llmSystem } from '../../../../src/model/monitoring/serving/llm-system';
import { servingSystem } from '../../../../src/model/monitoring/serving/system';
import { SPARK_CONNECT, SPARK_OWNED_SUFFIX, sparkSystem } from '../../../../src/model/monitoring/spark/system';
import { FAMILIES } from '../../../../src/operator/training/metrics/families';

/** Something that is watched, as tests look at it. */
export interface WatchedSystem {
  readonly title: string;
  readonly groups: readonly RuleGroup[];
  readonly dashboard: Dashboard;
  /** Series by name, with their labels. */
  readonly series: ReadonlyMap<string, readonly string[]>;
  readonly sources: readonly MetricSource[];
}

const RAY = { errorRatio: 0.05, latencySeconds: 1, gpuIdlePercent: 5, pendingSeconds: 1_800 };
const SPARK = { failedTaskRatio: 0.1, garbageCollectionRatio: 0.2, startSeconds: 600 };
const SERVING = { errorRatio: 0.05, latencySeconds: 1, waitingRequests: 10 };
const LLM = { errorRatio: 0.05, firstTokenSeconds: 5, waitingRequests: 10 };
const ONE = { namespaces: ['ml'], name: 'net.v1' };

/** Prometheus itself says of every target whether it answers. */
const UP: readonly [string, readonly string[]] = ['up', [
  ...SCRAPE_LABELS, 'ray_io_cluster', 'ray_io_node_type', 'sparkoperator_k8s_io_app_name', 'sparkoperator_k8s_io_connect_name', 'serving_kserve_io_inferenceservice',
  'app_kubernetes_io_name',
]];

function fromSources(sources: readonly MetricSource[]): Map<string, readonly string[]> {
  return new Map([UP, ...sources.flatMap((source) => [...seriesOfSource(source)])]);
}

/** What the operator has in its registry, what its rules record, and GPUs as the exporter has them. */
const OPERATOR_SERIES = new Map<string, readonly string[]>([
  ...[...seriesOf(FAMILIES)].map(([name, labels]): [string, readonly string[]] => [name, [...labels, ...SCRAPE_LABELS]]),
  [GOODPUT, ['job_namespace', 'framework']],
  [GPU_GOODPUT, ['job_namespace', 'framework']],
  ...seriesOfSource(DCGM),
]);

/** See the top of this file. */
export const SYSTEMS: readonly WatchedSystem[] = [
  { title: 'the operator', groups: operatorRuleGroups(DEFAULT_OPERATOR_THRESHOLDS), dashboard: operatorDashboard(), series: OPERATOR_SERIES, sources: [] },
  ...[
    { title: 'all GPUs', system: gpuSystem({ idlePercent: 5, idleSeconds: 1_800, temperature: 85 }), sources: [DCGM] },
    {
      title: 'GPUs on GKE', system: gpuSystem({ idlePercent: 5, idleSeconds: 1_800, temperature: 85, exporters: ['gke-managed'] }),
      sources: [dcgmWithout(GPU_EXPORTER_FACTS['gke-managed'].lacks)],
    },
    { title: 'Ray', system: raySystem({}, RAY), sources: RAY_SOURCES },
    { title: 'Ray in two namespaces', system: raySystem({ namespaces: ['ml', 'dev'] }, RAY), sources: RAY_SOURCES },
    { title: 'one RayCluster', system: raySystem(ONE, RAY), sources: RAY_SOURCES },
    { title: 'the clusters of one RayJob', system: raySystem({ ...ONE, suffix: RAY_OWNED_SUFFIX }, RAY), sources: RAY_SOURCES },
    { title: 'the clusters of one RayCronJob', system: raySystem({ ...ONE, suffix: RAY_CRON_OWNED_SUFFIX }, RAY), sources: RAY_SOURCES },
    { title: 'Spark', system: sparkSystem({}, SPARK), sources: SPARK_SOURCES },
    { title: 'one SparkApplication', system: sparkSystem(ONE, SPARK), sources: SPARK_SOURCES },
    { title: 'the runs of one ScheduledSparkApplication', system: sparkSystem({ ...ONE, suffix: SPARK_OWNED_SUFFIX }, SPARK), sources: SPARK_SOURCES },
    { title: 'one SparkConnect', system: sparkSystem(ONE, SPARK, SPARK_CONNECT), sources: SPARK_SOURCES },
    { title: 'model servers', system: servingSystem({}, SERVING, ['knative', 'istio', 'envoy-gateway']), sources: SERVING_SOURCES },
    { title: 'one InferenceService', system: servingSystem(ONE, SERVING, ['knative', 'istio', 'envoy-gateway']), sources: SERVING_SOURCES },
    { title: 'one LLMInferenceService', system: llmSystem(ONE, LLM), sources: LLM_SOURCES },
  ].map(({ title, system, sources }) => ({ title, ...system, sources, series: fromSources(sources) })),
];

/** One of them. */
export function systemCalled(title: string): WatchedSystem {
  const found = SYSTEMS.find((system) => system.title === title);
  if (found === undefined) {
    throw new Error(`no system is called "${title}"`);
  }
  return found;
}

/** Expressions of a dashboard, with Grafana's variables replaced by what it would put there. */
export function dashboardExpressions({ rows }: Dashboard): string[] {
  return rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => inGrafana(expr))));
}

/** An expression as Grafana sends it. */
export function inGrafana(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(namespace|job_namespace|cluster|application|service|node)\b/g, '.*');
}
