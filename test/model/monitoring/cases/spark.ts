import type { AlertCase } from './alert-case';

const ETL = 'namespace="ml",sparkoperator_k8s_io_app_name="etl"';
const LABELS = { namespace: 'ml', sparkoperator_k8s_io_app_name: 'etl' };

const of = (metric: string, executor: string) => `metrics_executor_${metric}{${ETL},executor_id="${executor}"}`;
const starts = (part: string) => `spark_application_start_latency_seconds_${part}{app_type="Python"}`;

const system = 'Spark';

/** Stories of Spark. */
export const SPARK_CASES: readonly AlertCase[] = [
  { system, alert: 'SparkDriverDown', at: '10m', labels: LABELS, series: { [`up{${ETL}}`]: '0x20' }, silent: { [`up{${ETL}}`]: '0x3 1x20', 'up{job="node"}': '0x20' } },
  {
    system, alert: 'SparkNoExecutors', at: '30m', labels: LABELS,
    series: { [of('totalCores', 'driver')]: '0x40' }, silent: { [of('totalCores', 'driver')]: '0x40', [of('totalCores', '1')]: '4x40' },
  },
  {
    system, alert: 'SparkTasksFail', at: '40m', labels: LABELS, value: '50%',
    series: { [of('failedTasks_total', '1')]: '0+10x60', [of('completedTasks_total', '1')]: '0+10x60' },
    silent: { [of('failedTasks_total', '1')]: '0+1x60', [of('completedTasks_total', '1')]: '0+100x60' },
  },
  {
    system, alert: 'SparkGarbageCollection', at: '40m', labels: LABELS, value: '50%',
    series: { [of('totalGCTime_seconds_total', '1')]: '0+30x60', [of('totalDuration_seconds_total', '1')]: '0+60x60' },
    silent: {
      [of('totalGCTime_seconds_total', '1')]: '0+1x60', [of('totalDuration_seconds_total', '1')]: '0+60x60',
      [of('totalGCTime_seconds_total', 'driver')]: '0+60x60', [of('totalDuration_seconds_total', 'driver')]: '0+60x60',
    },
  },
  {
    system, alert: 'SparkApplicationsFail', at: '20m', labels: {},
    series: { 'spark_application_failure_count{app_type="Python"}': '0x5 1x30' }, silent: { 'spark_application_failure_count{app_type="Python"}': '5x40' },
  },
  {
    system, alert: 'SparkSubmissionsFail', at: '20m', labels: {},
    series: { 'spark_application_failed_submission_count{app_type="Python"}': '0x5 1x30' }, silent: { 'spark_application_failed_submission_count{app_type="Python"}': '5x40' },
  },
  {
    system, alert: 'SparkExecutorsFailOften', at: '40m', labels: {},
    series: { 'spark_executor_failure_count{app_type="Python"}': '0+1x60' }, silent: { 'spark_executor_failure_count{app_type="Python"}': '20x15 24x60' },
  },
  {
    system, alert: 'SparkStartSlow', at: '90m', labels: {}, value: '1h 0m 0s',
    series: { [starts('sum')]: '0+3600x120', [starts('count')]: '0+1x120' }, silent: { [starts('sum')]: '0+60x120', [starts('count')]: '0+1x120' },
  },
];
