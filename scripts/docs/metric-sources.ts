/**
 * Metrics of other systems that alerts and dashboards ask for, as their projects publish them. docs/operator/monitoring.md shows them, and tests hold
 * the alerts and dashboards of the library against them.
 */
import { HTTP_REQUESTS } from '../../src/model/monitoring/serving/llm-system';

/** How a metric counts. */
type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

/** A metric and what is said about it. */
interface Metric {
  /** Name in Prometheus' text format. */
  readonly name: string;
  readonly type: MetricType;
  /** Labels of its own, without those that a scrape adds. */
  readonly labels: readonly string[];
  readonly help: string;
}

/** Metrics of one program. */
export interface MetricSource {
  /** The program, with the version that was looked at. */
  readonly program: string;
  /** Where its metrics are described or made. */
  readonly url: string;
  readonly metrics: readonly Metric[];
  /** Labels that every series has beyond those of its metric: of the program itself, and those that our monitors take from pods. */
  readonly targetLabels: readonly string[];
}

/** Labels that the Prometheus Operator's monitors put on every series. */
export const SCRAPE_LABELS = ['namespace', 'pod', 'container', 'instance', 'job', 'endpoint'] as const;

const counter = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'counter', help, labels });
const gauge = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'gauge', help, labels });
const histogram = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'histogram', help, labels });
const summary = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'summary', help, labels });

/** Series that metrics make, by name, with the labels of their metric. */
export function seriesOf(metrics: readonly Metric[]): Map<string, readonly string[]> {
  return new Map(metrics.flatMap(({ name, type, labels }): [string, readonly string[]][] => {
    switch (type) {
      case 'histogram':
        return [[`${name}_bucket`, [...labels, 'le']], [`${name}_sum`, labels], [`${name}_count`, labels]];
      case 'summary':
        return [[name, [...labels, 'quantile']], [`${name}_sum`, labels], [`${name}_count`, labels]];
      case 'counter':
      case 'gauge':
        return [[name, labels]];
    }
  }));
}

/** Series that a source's programs have, with all their labels. */
export function seriesOfSource({ metrics, targetLabels }: MetricSource): Map<string, readonly string[]> {
  return new Map([...seriesOf(metrics)].map(([name, labels]) => [name, [...labels, ...targetLabels, ...SCRAPE_LABELS]]));
}

/** Labels that say which GPU, on which machine. */
const DCGM_GPU = ['gpu', 'UUID', 'pci_bus_id', 'device', 'modelName', 'Hostname', 'DCGM_FI_DRIVER_VERSION', 'GPU_I_PROFILE', 'GPU_I_ID'];

/**
 * What the exporter tells by default. Whose GPU it is stands in `namespace`, `pod` and `container`, or in `exported_namespace` and so on where the
 * scrape does not honour labels.
 */
export const DCGM: MetricSource = {
  program: 'DCGM exporter 4',
  url: 'https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/default-counters.csv',
  targetLabels: ['exported_namespace', 'exported_pod', 'exported_container', 'err_code', 'err_msg'],
  metrics: [
    gauge('DCGM_FI_DEV_GPU_UTIL', 'GPU utilization in percent.', DCGM_GPU),
    gauge('DCGM_FI_DEV_FB_USED', 'Memory in use, MiB.', DCGM_GPU),
    gauge('DCGM_FI_DEV_FB_FREE', 'Free memory, MiB.', DCGM_GPU),
    gauge('DCGM_FI_DEV_GPU_TEMP', 'Temperature, Celsius.', DCGM_GPU),
    gauge('DCGM_FI_DEV_POWER_USAGE', 'Power, watts.', DCGM_GPU),
    gauge('DCGM_FI_DEV_SM_CLOCK', 'Clock of the multiprocessors, MHz.', DCGM_GPU),
    gauge('DCGM_FI_DEV_XID_ERRORS', 'Number of the last XID error.', DCGM_GPU),
    counter('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', 'Memory rows remapped after uncorrectable errors.', DCGM_GPU),
    gauge('DCGM_FI_DEV_ROW_REMAP_FAILURE', '1 if remapping rows failed.', DCGM_GPU),
  ],
};

/** What an installation of the exporter has of it. */
export function dcgmWithout(lacks: readonly string[]): MetricSource {
  return { ...DCGM, metrics: DCGM.metrics.filter(({ name }) => !lacks.includes(name)) };
}

/** Labels of what a node tells about itself. */
const RAY_NODE = ['ip', 'RayNodeType', 'IsHeadNode', 'SessionName', 'Version'];

const RAY_GPU = [...RAY_NODE, 'GpuDeviceName', 'GpuIndex'];

/** What Ray's processes put on what they count. */
const RAY_CORE = ['Component', 'JobId', 'NodeAddress', 'SessionName', 'Version', 'WorkerId'];

const RAY_TARGET = ['ray_io_cluster', 'ray_io_node_type'];

/** A node of Ray, on the port `metrics`. */
const RAY: MetricSource = {
  program: 'Ray 2.56',
  url: 'https://docs.ray.io/en/latest/ray-observability/reference/system-metrics.html',
  targetLabels: RAY_TARGET,
  metrics: [
    gauge('ray_node_cpu_utilization', 'CPU utilization of the node in percent.', RAY_NODE),
    gauge('ray_node_cpu_count', 'CPUs of the node.', RAY_NODE),
    gauge('ray_node_mem_used', 'Memory in use, bytes.', RAY_NODE),
    gauge('ray_node_mem_total', 'Memory of the node, bytes.', RAY_NODE),
    gauge('ray_node_disk_usage', 'Disk in use, bytes.', RAY_NODE),
    gauge('ray_node_disk_free', 'Free disk, bytes.', RAY_NODE),
    gauge('ray_node_network_send_speed', 'Bytes sent per second.', RAY_NODE),
    gauge('ray_node_network_receive_speed', 'Bytes received per second.', RAY_NODE),
    gauge('ray_node_gpus_utilization', 'GPU utilization in percent.', RAY_GPU),
    gauge('ray_node_gram_used', 'Memory of a GPU in use, MiB.', RAY_GPU),
    gauge('ray_resources', 'Logical resources, used and available.', [...RAY_CORE, 'Name', 'State']),
    gauge('ray_object_store_memory', 'Memory of objects, by where they are.', [...RAY_CORE, 'Location', 'ObjectState']),
    gauge('ray_tasks', 'Tasks by state.', [...RAY_CORE, 'Name', 'State', 'IsRetry', 'Source']),
    gauge('ray_actors', 'Actors by state.', [...RAY_CORE, 'Name', 'State', 'Source']),
    gauge('ray_placement_groups', 'Placement groups by state.', [...RAY_CORE, 'State']),
    counter('ray_memory_manager_worker_eviction_total', 'Workers killed because of low memory.', [...RAY_CORE, 'Name', 'Type']),
    counter('ray_node_manager_unexpected_worker_failure_total', 'Workers lost for reasons other than their code.', [...RAY_CORE, 'Name', 'Type']),
  ],
};

/** Ray Serve's part of it. */
const RAY_SERVE: MetricSource = {
  program: 'Ray Serve 2.56',
  url: 'https://docs.ray.io/en/latest/serve/monitoring.html',
  targetLabels: RAY_TARGET,
  metrics: [
    counter('ray_serve_num_http_requests_total', 'HTTP requests.', [...RAY_CORE, 'application', 'route', 'method', 'status_code']),
    counter('ray_serve_num_http_error_requests_total', 'HTTP requests that returned an error.', [...RAY_CORE, 'application', 'route', 'method', 'error_code']),
    histogram('ray_serve_http_request_latency_ms', 'Time of an HTTP request in milliseconds.', [...RAY_CORE, 'application', 'route', 'method', 'status_code']),
    gauge('ray_serve_deployment_queued_queries', 'Requests waiting for a replica.', [...RAY_CORE, 'application', 'deployment', 'handle', 'actor_id']),
    gauge('ray_serve_deployment_replica_healthy', '1 for a healthy replica.', [...RAY_CORE, 'application', 'deployment', 'replica']),
  ],
};

/** The autoscaler in the head's pod, on the port `as-metrics`. */
const RAY_AUTOSCALER: MetricSource = {
  program: 'Ray autoscaler 2.56',
  url: 'https://github.com/ray-project/ray/blob/master/python/ray/autoscaler/_private/prom_metrics.py',
  targetLabels: RAY_TARGET,
  metrics: [
    gauge('autoscaler_active_nodes', 'Nodes of the cluster.', ['NodeType', 'SessionName']),
    gauge('autoscaler_pending_nodes', 'Requested nodes.', ['NodeType', 'SessionName']),
    gauge('autoscaler_recently_failed_nodes', 'Recently lost nodes.', ['NodeType', 'SessionName']),
  ],
};

/** The KubeRay operator. Its own `namespace` becomes `exported_namespace` where its monitor does not honour labels. */
const KUBERAY: MetricSource = {
  program: 'KubeRay operator 1.7',
  url: 'https://docs.ray.io/en/latest/cluster/kubernetes/k8s-ecosystem/metrics-references.html',
  targetLabels: ['exported_namespace'],
  metrics: [
    gauge('kuberay_cluster_condition_provisioned', 'Whether all pods of a RayCluster have been ready at least once.', ['name', 'namespace', 'uid', 'condition']),
    gauge('kuberay_job_deployment_status', 'Status of a RayJob.', ['name', 'namespace', 'uid', 'deployment_status']),
  ],
};

export const RAY_SOURCES: readonly MetricSource[] = [RAY, RAY_SERVE, RAY_AUTOSCALER, KUBERAY];

/** Labels of what the driver tells about its executors. */
const SPARK_EXECUTOR = ['application_id', 'application_name', 'executor_id'];

/** Labels that a chart's default gives to the operator's metrics. */
const SPARK_CHART = ['app_type'];

/** The driver, at `/metrics/executors/prometheus` of its UI. */
export const SPARK: MetricSource = {
  program: 'Spark 4.0',
  url: 'https://spark.apache.org/docs/latest/monitoring.html#executor-metrics',
  targetLabels: ['sparkoperator_k8s_io_app_name', 'sparkoperator_k8s_io_connect_name'],
  metrics: [
    gauge('metrics_executor_rddBlocks', 'Blocks of RDDs in the executor.', SPARK_EXECUTOR),
    gauge('metrics_executor_memoryUsed_bytes', 'Memory used by blocks.', SPARK_EXECUTOR),
    gauge('metrics_executor_maxMemory_bytes', 'Memory available for blocks.', SPARK_EXECUTOR),
    gauge('metrics_executor_diskUsed_bytes', 'Disk used by blocks.', SPARK_EXECUTOR),
    gauge('metrics_executor_totalCores', 'Cores of the executor.', SPARK_EXECUTOR),
    gauge('metrics_executor_activeTasks', 'Tasks that run.', SPARK_EXECUTOR),
    counter('metrics_executor_failedTasks_total', 'Tasks that have failed.', SPARK_EXECUTOR),
    counter('metrics_executor_completedTasks_total', 'Tasks that have ended.', SPARK_EXECUTOR),
    counter('metrics_executor_totalDuration_seconds_total', 'Time of tasks.', SPARK_EXECUTOR),
    counter('metrics_executor_totalGCTime_seconds_total', 'Time of garbage collection.', SPARK_EXECUTOR),
    counter('metrics_executor_totalInputBytes_bytes_total', 'Bytes that were read.', SPARK_EXECUTOR),
    counter('metrics_executor_totalShuffleRead_bytes_total', 'Bytes that shuffles have read.', SPARK_EXECUTOR),
    counter('metrics_executor_totalShuffleWrite_bytes_total', 'Bytes that shuffles have written.', SPARK_EXECUTOR),
  ],
};

/** The Spark operator's controller, on the port `metrics`. */
const SPARK_OPERATOR: MetricSource = {
  program: 'Spark operator 2.5',
  url: 'https://github.com/kubeflow/spark-operator/blob/master/pkg/common/metrics.go',
  targetLabels: [],
  metrics: [
    counter('spark_application_count', 'Applications that the operator has seen.', SPARK_CHART),
    counter('spark_application_submit_count', 'Applications that were submitted.', SPARK_CHART),
    counter('spark_application_failed_submission_count', 'Submissions that have failed.', SPARK_CHART),
    gauge('spark_application_running_count', 'Applications that run.', SPARK_CHART),
    counter('spark_application_success_count', 'Applications that have completed.', SPARK_CHART),
    counter('spark_application_failure_count', 'Applications that have failed.', SPARK_CHART),
    summary('spark_application_start_latency_seconds', 'From the submission of an application to its first executor.', SPARK_CHART),
    gauge('spark_executor_running_count', 'Executors that run.', SPARK_CHART),
    counter('spark_executor_failure_count', 'Executors that have failed.', SPARK_CHART),
  ],
};

export const SPARK_SOURCES: readonly MetricSource[] = [SPARK, SPARK_OPERATOR];

const SERVING_TARGET = ['serving_kserve_io_inferenceservice', 'component'];

/** KServe's own servers (scikit-learn, XGBoost, LightGBM, Hugging Face and custom ones in Python). */
const KSERVE: MetricSource = {
  program: 'KServe 0.20 model servers',
  url: 'https://kserve.github.io/website/docs/model-serving/predictive-inference/observability/prometheus-metrics',
  targetLabels: SERVING_TARGET,
  metrics: [
    histogram('request_preprocess_seconds', 'Time before the model.', ['model_name']),
    histogram('request_predict_seconds', 'Time in the model.', ['model_name']),
    histogram('request_postprocess_seconds', 'Time after the model.', ['model_name']),
    histogram('request_explain_seconds', 'Time of explanations.', ['model_name']),
  ],
};

/** vLLM, in KServe's Hugging Face server and in `LLMInferenceService`. */
const VLLM: MetricSource = {
  program: 'vLLM (V1 engine)',
  url: 'https://docs.vllm.ai/en/latest/usage/metrics/',
  targetLabels: [...SERVING_TARGET, 'app_kubernetes_io_name'],
  metrics: [
    gauge('vllm:num_requests_running', 'Running requests.', ['model_name', 'engine']),
    gauge('vllm:num_requests_waiting', 'Waiting requests.', ['model_name', 'engine']),
    gauge('vllm:kv_cache_usage_perc', 'Used share of the KV cache, from 0 to 1.', ['model_name', 'engine']),
    counter('vllm:num_preemptions_total', 'Requests preempted because the cache was full.', ['model_name', 'engine']),
    counter('vllm:prompt_tokens_total', 'Tokens that were read.', ['model_name', 'engine']),
    counter('vllm:generation_tokens_total', 'Tokens that were written.', ['model_name', 'engine']),
    histogram('vllm:time_to_first_token_seconds', 'Time to the first token.', ['model_name', 'engine']),
    histogram('vllm:e2e_request_latency_seconds', 'Time of a request.', ['model_name', 'engine']),
  ],
};

/** The HTTP server of vLLM, asked of an `LLMInferenceService` alone: many programs have a metric of this name. */
export const VLLM_HTTP: MetricSource = {
  program: 'vLLM (HTTP server)',
  url: 'https://docs.vllm.ai/en/latest/design/metrics/',
  targetLabels: VLLM.targetLabels,
  metrics: [counter(HTTP_REQUESTS, 'Requests by response class.', ['handler', 'method', 'status'])],
};

/** Knative's proxy beside each server, on the port `http-usermetric`. */
const KNATIVE: MetricSource = {
  program: 'Knative Serving 1.21 queue-proxy',
  url: 'https://knative.dev/docs/serving/observability/metrics/serving-metrics',
  targetLabels: SERVING_TARGET,
  metrics: [
    histogram('kn_serving_invocation_duration_seconds', 'Time of a request in the server.', ['http_response_status_code', 'otel_scope_name', 'otel_scope_version']),
    gauge('kn_serving_queue_depth', 'Requests in the proxy.', ['otel_scope_name', 'otel_scope_version']),
  ],
};

/** Istio's gateways and sidecars, scraped by whoever runs the mesh. */
const ISTIO: MetricSource = {
  program: 'Istio',
  url: 'https://istio.io/latest/docs/reference/config/metrics/',
  targetLabels: [],
  metrics: [
    counter('istio_requests_total', 'HTTP requests.', ['reporter', 'destination_service_name', 'destination_service_namespace', 'response_code']),
    histogram('istio_request_duration_milliseconds', 'Time of a request.', ['reporter', 'destination_service_name', 'destination_service_namespace', 'response_code']),
  ],
};

/** Envoy Gateway's proxies, scraped by whoever runs the gateway. A cluster is a rule of an HTTPRoute: `httproute/NAMESPACE/NAME/rule/0`. */
const ENVOY_GATEWAY: MetricSource = {
  program: 'Envoy Gateway',
  url: 'https://www.envoyproxy.io/docs/envoy/latest/configuration/upstream/cluster_manager/cluster_stats',
  targetLabels: [],
  metrics: [
    counter('envoy_cluster_upstream_rq_xx', 'Requests to a cluster, by response class.', ['envoy_cluster_name', 'envoy_response_code_class']),
    histogram('envoy_cluster_upstream_rq_time', 'Time of a request in milliseconds.', ['envoy_cluster_name']),
  ],
};

/** What a large language model is asked for. */
export const LLM_SOURCES: readonly MetricSource[] = [VLLM, VLLM_HTTP];

/** All that model servers together are asked for. */
export const SERVING_SOURCES: readonly MetricSource[] = [KSERVE, VLLM, KNATIVE, ISTIO, ENVOY_GATEWAY];
