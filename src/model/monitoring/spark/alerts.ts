/** Alerts about Spark's applications, and about their operator. */
import { ratio, select, sumBy, type Matchers } from '../promql';
import type { Alert, RuleGroup } from '../monitored-system';

/** From when on alerts fire. */
export interface SparkThresholds {
  /** Part of the tasks, from 0 to 1, that may fail. */
  readonly failedTaskRatio: number;
  /** Part of the tasks' time, from 0 to 1, that garbage collection may take. */
  readonly garbageCollectionRatio: number;
  /** Seconds that applications may wait for their first executor. */
  readonly startSeconds: number;
}

/** What is watched: applications, or servers. */
export interface SparkSubject {
  /** How it is called. */
  readonly title: string;
  /** Label of its series that has its name. */
  readonly nameLabel: string;
  /** Whether it may be without executors for as long as nobody asks for any. */
  readonly idles: boolean;
}

/**
 * Rules for the applications or servers that match.
 * @param withOperator whether the operator's own are among them: it has no series for one application
 */
export function sparkRuleGroups(thresholds: SparkThresholds, subject: SparkSubject, matchers: Matchers, withOperator: boolean): RuleGroup[] {
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
