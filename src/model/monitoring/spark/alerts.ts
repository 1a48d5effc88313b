/** Alerts about Spark's applications, and about their operator. */
import { ratio, select, sumBy, type Matchers } from '../promql';
import type { Alert, RuleGroup } from '../rules';

/** From when on alerts fire. */
export interface SparkThresholds {
  /** Part of the tasks, from 0 to 1, that may fail. */
  readonly failedTaskRatio: number;
  /** Part of the tasks' time, from 0 to 1, that garbage collection may take. */
  readonly garbageCollectionRatio: number;
  /** Seconds that applications may wait for their first executor. */
  readonly startSeconds: number;
}

/** What an application is known by. */
const APPLICATION = ['namespace', 'sparkoperator_k8s_io_app_name'] as const;
const WHERE = 'Spark application {{ $labels.sparkoperator_k8s_io_app_name }} in {{ $labels.namespace }}';

/** Rules for the applications that match. @param withOperator whether the operator's own are among them: it has no series for one application */
export function sparkRuleGroups(thresholds: SparkThresholds, matchers: Matchers, withOperator: boolean): RuleGroup[] {
  return [
    { name: 'trainyard-spark-applications', rules: applicationAlerts(thresholds, matchers) },
    ...(withOperator ? [{ name: 'trainyard-spark-operator', rules: operatorAlerts(thresholds) }] : []),
  ];
}

function applicationAlerts({ failedTaskRatio, garbageCollectionRatio }: SparkThresholds, matchers: Matchers): Alert[] {
  const rate = (metric: string, ...more: string[]) => sumBy(APPLICATION, `rate(${select(metric, ...matchers, ...more)}[10m])`);
  const failed = rate('metrics_executor_failedTasks_total');
  return [
    {
      alert: 'SparkDriverDown', severity: 'warning', for: '5m', expr: `max by (${APPLICATION.join(', ')}) (${select('up', ...matchers, 'sparkoperator_k8s_io_app_name!=""')}) == 0`,
      summary: `The driver of ${WHERE} does not answer`,
      description: 'Its pod is there, and its metrics are not: it hangs, is overloaded, or has spark.ui.prometheus.enabled not set.',
    },
    {
      alert: 'SparkNoExecutors', severity: 'warning', for: '15m',
      expr: `${sumBy(APPLICATION, select('metrics_executor_totalCores', ...matchers, 'executor_id="driver"'))} == 0 `
        + `unless ${sumBy(APPLICATION, select('metrics_executor_totalCores', ...matchers, 'executor_id!="driver"'))} > 0`,
      summary: `${WHERE} has no executors`,
      description: 'The driver waits for a quarter of an hour. Look at pending pods of executors, at quotas and at the queue.',
    },
    {
      alert: 'SparkTasksFail', severity: 'warning', for: '10m', expr: `${ratio(failed, `(${rate('metrics_executor_completedTasks_total')} + ${failed})`)} > ${failedTaskRatio}`,
      summary: `Tasks of ${WHERE} fail`,
      description: '{{ $value | humanizePercentage }} of the tasks of the last ten minutes have failed and are done again.',
    },
    {
      alert: 'SparkGarbageCollection', severity: 'warning', for: '15m',
      expr: `${ratio(rate('metrics_executor_totalGCTime_seconds_total', 'executor_id!="driver"'), rate('metrics_executor_totalDuration_seconds_total', 'executor_id!="driver"'))} > ${garbageCollectionRatio}`,
      summary: `Executors of ${WHERE} spend their time on garbage collection`,
      description: '{{ $value | humanizePercentage }} of the tasks\' time. Give executors more memory, or tasks smaller partitions.',
    },
  ];
}

function operatorAlerts({ startSeconds }: SparkThresholds): Alert[] {
  return [
    {
      alert: 'SparkApplicationsFail', severity: 'warning', expr: 'sum(increase(spark_application_failure_count[30m])) > 0',
      summary: 'Spark applications have failed',
      description: 'status.applicationState.errorMessage of each SparkApplication says why.',
    },
    {
      alert: 'SparkSubmissionsFail', severity: 'warning', expr: 'sum(increase(spark_application_failed_submission_count[30m])) > 0',
      summary: 'Spark applications cannot be submitted',
      description: 'spark-submit has failed. The operator\'s log and status.applicationState.errorMessage say why.',
    },
    {
      alert: 'SparkExecutorsFailOften', severity: 'warning', expr: 'sum(increase(spark_executor_failure_count[30m])) > 10',
      summary: 'Executors of Spark fail again and again',
      description: 'More than ten within half an hour. Look at the pods of executors: memory, nodes that go, images.',
    },
    {
      alert: 'SparkStartSlow', severity: 'warning', for: '10m',
      expr: `sum(increase(spark_application_start_latency_seconds_sum[1h])) / (sum(increase(spark_application_start_latency_seconds_count[1h])) > 0) > ${startSeconds}`,
      summary: 'Spark applications wait long for their executors',
      description: '{{ $value | humanizeDuration }} in the mean of the last hour. Look at queues, quotas and the autoscaler of nodes.',
    },
  ];
}
