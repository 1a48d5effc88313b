/** All about Spark that is installed: who is scraped, alerts, dashboard. */
import {
  RATE, chosen, dashboardUid, query, type Dashboard, type MonitoredSystem, type Panel, type PanelRow, type Scrape, type Alert, type RuleGroup,
} from '../monitored-system';
import { identityOf, ratio, scrapeSelection, select, selectionMatchers, sumBy, type Matchers, type Selection } from '../promql';

/** Labels of pods that monitors of Spark take along: of applications, and of Spark Connect servers. */
const SPARK_APP_LABEL = 'sparkoperator.k8s.io/app-name';
const SPARK_CONNECT_LABEL = 'sparkoperator.k8s.io/connect-name';

/** Page of the driver's UI with the metrics of all executors. */
const PAGE = '/metrics/executors/prometheus';

/** What is watched, and how its drivers are found. */
export interface SparkTarget extends SparkSubject {
  /** Label of pods that has its name, and word of its dashboard's address. */
  readonly podLabel: string;
  readonly about: string;
  /** Its drivers, without their selection. */
  readonly scrape: Pick<Scrape, 'of' | 'matchLabels' | 'endpoints'>;
}

/** SparkApplications: the UI's port has a name in their drivers' pods. */
const APPLICATIONS: SparkTarget = {
  title: 'Spark application', nameLabel: 'sparkoperator_k8s_io_app_name', idles: false, podLabel: SPARK_APP_LABEL, about: 'spark',
  scrape: { of: 'pods', matchLabels: { 'spark-role': 'driver' }, endpoints: [{ port: 'spark-ui', path: PAGE }] },
};

/** A SparkConnect: the operator names the UI's port in the server's Service alone. */
export const SPARK_CONNECT: SparkTarget = {
  title: 'Spark Connect server', nameLabel: 'sparkoperator_k8s_io_connect_name', idles: true, podLabel: SPARK_CONNECT_LABEL, about: 'spark-connect',
  scrape: { of: 'services', matchLabels: {}, endpoints: [{ port: 'web-ui', path: PAGE }] },
};

/** The operator's controller, as its chart labels it. */
const OPERATOR_SCRAPE: Scrape = {
  of: 'pods', name: 'operator', matchLabels: { 'app.kubernetes.io/name': 'spark-operator', 'app.kubernetes.io/component': 'controller' }, inNamespaces: 'any',
  endpoints: [{ port: 'metrics', path: '/metrics' }], podLabels: [],
};

function applicationRow(matchers: Matchers, { nameLabel }: SparkTarget): PanelRow {
  const legend = `{{${nameLabel}}}`;
  const sum = (metric: string, ...more: string[]) => `sum by (${nameLabel}) (${select(metric, ...matchers, ...more)})`;
  const rate = (metric: string, ...more: string[]) => `sum by (${nameLabel}) (rate(${select(metric, ...matchers, ...more)}[${RATE}]))`;
  const line = (title: string, unit: string, expr: string): Panel => ({ title, unit, queries: [query(expr, legend)] });
  return {
    panels: [
      line('Executors', 'short', `count by (${nameLabel}) (${select('metrics_executor_totalCores', ...matchers, 'executor_id!="driver"')})`),
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

function dashboard(selection: Selection, target: SparkTarget): Dashboard {
  const { nameLabel } = target;
  const isOne = selection.name !== undefined;
  const matchers = isOne ? selectionMatchers(selection, nameLabel) : [chosen('namespace', 'namespace'), chosen(nameLabel, 'application')];
  return {
    uid: dashboardUid(target.about, identityOf(selection)),
    title: isOne ? `Spark: ${selection.name}` : 'Trainyard: Spark',
    tags: ['trainyard', 'spark'],
    variables: isOne ? [] : [
      { name: 'namespace', label: 'Namespace', metric: 'metrics_executor_totalCores', valuesOf: 'namespace' },
      { name: 'application', label: 'Application', metric: 'metrics_executor_totalCores{namespace=~"$namespace"}', valuesOf: nameLabel },
    ],
    rows: [applicationRow(matchers, target), ...(isOne ? [] : [OPERATOR_ROW])],
  };
}

/** What the Spark operator appends to the name of a ScheduledSparkApplication for each of its runs. */
export const SPARK_OWNED_SUFFIX = '-[0-9]+';

/**
 * Applications of Spark as their drivers and the Spark operator see them.
 * @param target what is watched: applications unless it is said
 */
export function sparkSystem(selection: Selection, thresholds: SparkThresholds, target: SparkTarget = APPLICATIONS): MonitoredSystem {
  const isOne = selection.name !== undefined;
  const { podLabel, nameLabel, scrape } = target;
  const { matchLabels, ...pods } = scrapeSelection(selection, podLabel);
  return {
    scrapes: [
      { ...scrape, name: '', matchLabels: { ...scrape.matchLabels, ...matchLabels }, ...pods, podLabels: [podLabel] },
      ...(isOne ? [] : [OPERATOR_SCRAPE]),
    ],
    groups: sparkRuleGroups(thresholds, target, selectionMatchers(selection, nameLabel), !isOne),
    dashboard: dashboard(selection, target),
  };
}

/** From when on alerts fire. */
interface SparkThresholds {
  /** Part of the tasks, from 0 to 1, that may fail. */
  readonly failedTaskRatio: number;
  /** Part of the tasks' time, from 0 to 1, that garbage collection may take. */
  readonly garbageCollectionRatio: number;
  /** Seconds that applications may wait for their first executor. */
  readonly startSeconds: number;
}

/** What is watched: applications, or servers. */
interface SparkSubject {
  /** Title for people. */
  readonly title: string;
  /** Label of its series that has its name. */
  readonly nameLabel: string;
  /** Whether it may be without executors for as long as none are asked for. */
  readonly idles: boolean;
}

/**
 * Rules for the applications or servers that match.
 * @param withOperator whether the operator's own are among them: it has no series for one application
 */
function sparkRuleGroups(thresholds: SparkThresholds, subject: SparkSubject, matchers: Matchers, withOperator: boolean): RuleGroup[] {
  return [
    { name: 'trainyard-spark-applications', rules: applicationAlerts(thresholds, subject, matchers) },
    ...(withOperator ? [{ name: 'trainyard-spark-operator', rules: operatorAlerts(thresholds) }] : []),
  ];
}

function applicationAlerts(thresholds: SparkThresholds, { title, nameLabel, idles }: SparkSubject, matchers: Matchers): Alert[] {
  const { failedTaskRatio, garbageCollectionRatio } = thresholds;
  const by = ['namespace', nameLabel];
  const where = `${title} {{ $labels.${nameLabel} }} in {{ $labels.namespace }}`;
  const rate = (metric: string, ...more: string[]) => sumBy(by, `rate(${select(metric, ...matchers, ...more)}[10m])`);
  const failed = rate('metrics_executor_failedTasks_total');
  return [
    {
      alert: 'SparkDriverDown', severity: 'warning', for: '5m', expr: `max by (${by.join(', ')}) (${select('up', ...matchers, `${nameLabel}!=""`)}) == 0`,
      summary: `The driver of ${where} does not answer`,
      description: 'Its pod exists, but its metrics are missing: it hangs, is overloaded, or has spark.ui.prometheus.enabled not set.',
    },
    ...(idles ? [] : [noExecutors(by, where, matchers)]),
    {
      alert: 'SparkTasksFail', severity: 'warning', for: '10m', expr: `${ratio(failed, `(${rate('metrics_executor_completedTasks_total')} + ${failed})`)} > ${failedTaskRatio}`,
      summary: `Tasks of ${where} fail`,
      description: '{{ $value | humanizePercentage }} of the tasks of the last ten minutes failed and are retried.',
    },
    {
      alert: 'SparkGarbageCollection', severity: 'warning', for: '15m',
      expr: `${ratio(rate('metrics_executor_totalGCTime_seconds_total', 'executor_id!="driver"'), rate('metrics_executor_totalDuration_seconds_total', 'executor_id!="driver"'))} > ${garbageCollectionRatio}`,
      summary: `Executors of ${where} spend their time on garbage collection`,
      description: '{{ $value | humanizePercentage }} of the tasks\' time. Give executors more memory, or tasks smaller partitions.',
    },
  ];
}

function noExecutors(by: readonly string[], where: string, matchers: Matchers): Alert {
  return {
    alert: 'SparkNoExecutors', severity: 'warning', for: '15m',
    expr: `${sumBy(by, select('metrics_executor_totalCores', ...matchers, 'executor_id="driver"'))} == 0 `
      + `unless ${sumBy(by, select('metrics_executor_totalCores', ...matchers, 'executor_id!="driver"'))} > 0`,
    summary: `${where} has no executors`,
    description: 'The driver has been waiting for 15 minutes. Check pending executor pods, quotas and the queue.',
  };
}

function operatorAlerts({ startSeconds }: SparkThresholds): Alert[] {
  return [
    {
      alert: 'SparkApplicationsFail', severity: 'warning', expr: 'sum(increase(spark_application_failure_count[30m])) > 0',
      summary: 'Spark applications have failed',
      description: 'status.applicationState.errorMessage of each SparkApplication shows why.',
    },
    {
      alert: 'SparkSubmissionsFail', severity: 'warning', expr: 'sum(increase(spark_application_failed_submission_count[30m])) > 0',
      summary: 'Spark applications cannot be submitted',
      description: 'spark-submit has failed. The operator\'s log and status.applicationState.errorMessage show why.',
    },
    {
      alert: 'SparkExecutorsFailOften', severity: 'warning', expr: 'sum(increase(spark_executor_failure_count[30m])) > 10',
      summary: 'Spark executors fail repeatedly',
      description: 'More than ten within half an hour. Check the executor pods: memory, lost nodes, images.',
    },
    {
      alert: 'SparkStartSlow', severity: 'warning', for: '10m',
      expr: `sum(increase(spark_application_start_latency_seconds_sum[1h])) / (sum(increase(spark_application_start_latency_seconds_count[1h])) > 0) > ${startSeconds}`,
      summary: 'Spark applications wait too long for their executors',
      description: '{{ $value | humanizeDuration }} on average over the last hour. Check queues, quotas and the node autoscaler.',
    },
  ];
}
