/** Metrics of Spark and of the Spark operator that are asked for. */
import { counter, gauge, summary, type MetricSource } from '../metric';

/** Labels of what the driver tells about its executors. */
const EXECUTOR = ['application_id', 'application_name', 'executor_id'];

/** Labels that a chart's default gives to the operator's metrics. */
const OPERATOR = ['app_type'];

/** Labels of pods that monitors of Spark take along: of applications, and of Spark Connect servers. */
export const SPARK_APP_LABEL = 'sparkoperator.k8s.io/app-name';
export const SPARK_CONNECT_LABEL = 'sparkoperator.k8s.io/connect-name';

/** The driver, at `/metrics/executors/prometheus` of its UI. */
export const SPARK: MetricSource = {
  program: 'Spark 4.0',
  url: 'https://spark.apache.org/docs/latest/monitoring.html#executor-metrics',
  targetLabels: ['sparkoperator_k8s_io_app_name', 'sparkoperator_k8s_io_connect_name'],
  metrics: [
    gauge('metrics_executor_rddBlocks', 'Blocks of RDDs in the executor.', EXECUTOR),
    gauge('metrics_executor_memoryUsed_bytes', 'Memory used by blocks.', EXECUTOR),
    gauge('metrics_executor_maxMemory_bytes', 'Memory available for blocks.', EXECUTOR),
    gauge('metrics_executor_diskUsed_bytes', 'Disk used by blocks.', EXECUTOR),
    gauge('metrics_executor_totalCores', 'Cores of the executor.', EXECUTOR),
    gauge('metrics_executor_activeTasks', 'Tasks that run.', EXECUTOR),
    counter('metrics_executor_failedTasks_total', 'Tasks that have failed.', EXECUTOR),
    counter('metrics_executor_completedTasks_total', 'Tasks that have ended.', EXECUTOR),
    counter('metrics_executor_totalDuration_seconds_total', 'Time of tasks.', EXECUTOR),
    counter('metrics_executor_totalGCTime_seconds_total', 'Time of garbage collection.', EXECUTOR),
    counter('metrics_executor_totalInputBytes_bytes_total', 'Bytes that were read.', EXECUTOR),
    counter('metrics_executor_totalShuffleRead_bytes_total', 'Bytes that shuffles have read.', EXECUTOR),
    counter('metrics_executor_totalShuffleWrite_bytes_total', 'Bytes that shuffles have written.', EXECUTOR),
  ],
};

/** The Spark operator's controller, on the port `metrics`. */
const SPARK_OPERATOR: MetricSource = {
  program: 'Spark operator 2.5',
  url: 'https://github.com/kubeflow/spark-operator/blob/master/pkg/common/metrics.go',
  targetLabels: [],
  metrics: [
    counter('spark_application_count', 'Applications that the operator has seen.', OPERATOR),
    counter('spark_application_submit_count', 'Applications that were submitted.', OPERATOR),
    counter('spark_application_failed_submission_count', 'Submissions that have failed.', OPERATOR),
    gauge('spark_application_running_count', 'Applications that run.', OPERATOR),
    counter('spark_application_success_count', 'Applications that have completed.', OPERATOR),
    counter('spark_application_failure_count', 'Applications that have failed.', OPERATOR),
    summary('spark_application_start_latency_seconds', 'From the submission of an application to its first executor.', OPERATOR),
    gauge('spark_executor_running_count', 'Executors that run.', OPERATOR),
    counter('spark_executor_failure_count', 'Executors that have failed.', OPERATOR),
  ],
};

/** All of them. */
export const SPARK_SOURCES: readonly MetricSource[] = [SPARK, SPARK_OPERATOR];
