/** Metrics of model servers on KServe, and of what stands in front of them, that are asked for. */
import { counter, gauge, histogram, type MetricSource } from '../metric';

/** Labels of pods that a monitor of serving takes along: `serving_kserve_io_inferenceservice` and `component`. */
export const SERVING_POD_LABELS = ['serving.kserve.io/inferenceservice', 'component'];

const TARGET_LABELS = ['serving_kserve_io_inferenceservice', 'component'];

/** KServe's own servers (scikit-learn, XGBoost, LightGBM, Hugging Face and custom ones in Python). */
const KSERVE: MetricSource = {
  program: 'KServe 0.20 model servers',
  url: 'https://kserve.github.io/website/docs/model-serving/predictive-inference/observability/prometheus-metrics',
  targetLabels: TARGET_LABELS,
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
  targetLabels: [...TARGET_LABELS, 'app_kubernetes_io_name'],
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

/** Requests that a server of vLLM has answered, of all of its addresses. */
export const HTTP_REQUESTS = 'http_requests_total';

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
  targetLabels: TARGET_LABELS,
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
