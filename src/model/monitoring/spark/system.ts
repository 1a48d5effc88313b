/** All about Spark that is installed: who is scraped, alerts, dashboard. */
import { sparkRuleGroups, type SparkThresholds } from './alerts';
import { SPARK_POD_LABELS } from './metrics';
import { chosen, dashboardUid, query, RATE, type Dashboard, type Panel, type PanelRow } from '../dashboard';
import { ratio, select, type Matchers } from '../promql';
import type { MonitoredSystem, Scrape } from '../scrape';
import { identityOf, scrapeSelection, selectionMatchers, type Selection } from '../selection';

const APP_LABEL = 'sparkoperator.k8s.io/app-name';
const APP = 'sparkoperator_k8s_io_app_name';
/** The operator's controller, as its chart labels it. */
const OPERATOR_SCRAPE: Scrape = {
  of: 'pods', name: 'operator', matchLabels: { 'app.kubernetes.io/name': 'spark-operator', 'app.kubernetes.io/component': 'controller' }, anyNamespace: true,
  endpoints: [{ port: 'metrics', path: '/metrics' }], podLabels: [],
};

const LEGEND = `{{${APP}}}`;

function applicationRow(matchers: Matchers): PanelRow {
  const sum = (metric: string, ...more: string[]) => `sum by (${APP}) (${select(metric, ...matchers, ...more)})`;
  const rate = (metric: string, ...more: string[]) => `sum by (${APP}) (rate(${select(metric, ...matchers, ...more)}[${RATE}]))`;
  const line = (title: string, unit: string, expr: string): Panel => ({ title, unit, queries: [query(expr, LEGEND)] });
  return {
    panels: [
      line('Executors', 'short', `count by (${APP}) (${select('metrics_executor_totalCores', ...matchers, 'executor_id!="driver"')})`),
      line('Cores', 'short', sum('metrics_executor_totalCores')),
      line('Tasks that run', 'short', sum('metrics_executor_activeTasks')),
      line('Tasks that end, per second', 'ops', rate('metrics_executor_completedTasks_total')),
      line('Tasks that fail, per second', 'ops', rate('metrics_executor_failedTasks_total')),
      line('Garbage collection', 'percentunit', ratio(rate('metrics_executor_totalGCTime_seconds_total'), rate('metrics_executor_totalDuration_seconds_total'))),
      line('Memory of blocks', 'percentunit', `${sum('metrics_executor_memoryUsed_bytes')} / ${sum('metrics_executor_maxMemory_bytes')}`),
      line('Disk of blocks', 'bytes', sum('metrics_executor_diskUsed_bytes')),
      line('Blocks', 'short', sum('metrics_executor_rddBlocks')),
      line('Input', 'Bps', rate('metrics_executor_totalInputBytes_bytes_total')),
      line('Shuffles read', 'Bps', rate('metrics_executor_totalShuffleRead_bytes_total')),
      line('Shuffles written', 'Bps', rate('metrics_executor_totalShuffleWrite_bytes_total')),
    ],
  };
}

/** The operator counts all applications together. */
const OPERATOR_ROW: PanelRow = {
  title: 'Operator',
  panels: [
    { title: 'Applications that run', kind: 'stat', queries: [query('sum(spark_application_running_count)', 'applications')] },
    { title: 'Executors that run', kind: 'stat', queries: [query('sum(spark_executor_running_count)', 'executors')] },
    {
      title: 'Applications per hour',
      queries: ['spark_application_count', 'spark_application_submit_count', 'spark_application_success_count', 'spark_application_failure_count',
        'spark_application_failed_submission_count'].map((metric) => query(`sum(increase(${metric}[1h]))`, metric.replace('spark_application_', '').replace('_count', '').replace('spark_application', 'seen'))),
    },
    { title: 'Executors that fail, per hour', queries: [query('sum(increase(spark_executor_failure_count[1h]))', 'failed')] },
    {
      title: 'From submission to the first executor', unit: 's',
      queries: [query('sum(increase(spark_application_start_latency_seconds_sum[1h])) / (sum(increase(spark_application_start_latency_seconds_count[1h])) > 0)', 'mean')],
    },
  ],
};

function dashboard(selection: Selection): Dashboard {
  const isOne = selection.name !== undefined;
  const matchers = isOne ? selectionMatchers(selection, APP) : [chosen('namespace', 'namespace'), chosen(APP, 'application')];
  return {
    uid: dashboardUid('spark', identityOf(selection)),
    title: isOne ? `Spark: ${selection.name}` : 'Trainyard: Spark',
    tags: ['trainyard', 'spark'],
    variables: isOne ? [] : [
      { name: 'namespace', label: 'Namespace', metric: 'metrics_executor_totalCores', valuesOf: 'namespace' },
      { name: 'application', label: 'Application', metric: 'metrics_executor_totalCores{namespace=~"$namespace"}', valuesOf: APP },
    ],
    rows: [applicationRow(matchers), ...(isOne ? [] : [OPERATOR_ROW])],
  };
}

/** What the Spark operator puts behind the name of a ScheduledSparkApplication for each of its runs. */
export const SPARK_OWNED_SUFFIX = '-[0-9]+';

/** Applications of Spark as their drivers and the Spark operator see them. */
export function sparkSystem(selection: Selection, thresholds: SparkThresholds): MonitoredSystem {
  const isOne = selection.name !== undefined;
  const { matchLabels, ...pods } = scrapeSelection(selection, APP_LABEL);
  return {
    scrapes: [
      {
        of: 'pods', name: '', matchLabels: { 'spark-role': 'driver', ...matchLabels }, ...pods,
        // The UI's port, as Spark names it in the driver's pod.
        endpoints: [{ port: 'spark-ui', path: '/metrics/executors/prometheus' }],
        podLabels: SPARK_POD_LABELS,
      },
      ...(isOne ? [] : [OPERATOR_SCRAPE]),
    ],
    groups: sparkRuleGroups(thresholds, selectionMatchers(selection, APP), !isOne),
    dashboard: dashboard(selection),
  };
}
