import type { AlertCase } from './alert-case';

const IRIS = 'namespace="ml",serving_kserve_io_inferenceservice="iris"';
const LABELS = { namespace: 'ml', serving_kserve_io_inferenceservice: 'iris' };
const MODEL = `${IRIS},model_name="iris"`;
const MODEL_LABELS = { ...LABELS, model_name: 'iris' };

const knative = (part: string, more: string) => `kn_serving_invocation_duration_seconds_${part}{${IRIS},${more}}`;

const TO_IRIS = 'destination_service_namespace="ml",destination_service_name="iris-predictor"';
const istio = (metric: string, more: string) => `${metric}{reporter="source",${TO_IRIS},${more}}`;
const ISTIO_LABELS = { destination_service_namespace: 'ml', destination_service_name: 'iris-predictor' };

const CLUSTER = 'httproute/ml/iris-predictor/rule/0';
const envoy = (metric: string, more: string) => `${metric}{envoy_cluster_name="${CLUSTER}",${more}}`;

const predictions = (le: string) => `request_predict_seconds_bucket{${MODEL},le="${le}"}`;

const system = 'model servers';

/** Stories of model servers. */
export const SERVING_CASES: readonly AlertCase[] = [
  {
    system, alert: 'ServingErrors', about: 'Knative', at: '20m', labels: LABELS, value: '10%',
    series: { [knative('count', 'http_response_status_code="500"')]: '0+6x30', [knative('count', 'http_response_status_code="200"')]: '0+54x30' },
    silent: { [knative('count', 'http_response_status_code="404"')]: '0+6x30', [knative('count', 'http_response_status_code="200"')]: '0+54x30' },
  },
  {
    system, alert: 'ServingErrors', about: 'Istio', at: '20m', labels: ISTIO_LABELS, value: '10%',
    series: { [istio('istio_requests_total', 'response_code="503"')]: '0+6x30', [istio('istio_requests_total', 'response_code="200"')]: '0+54x30' },
    silent: { [istio('istio_requests_total', 'response_code="503"')]: '0+1x30', [istio('istio_requests_total', 'response_code="200"')]: '0+54x30' },
  },
  {
    system, alert: 'ServingErrors', about: 'Envoy Gateway', at: '20m', labels: { envoy_cluster_name: CLUSTER }, value: '10%',
    series: { [envoy('envoy_cluster_upstream_rq_xx', 'envoy_response_code_class="5"')]: '0+6x30', [envoy('envoy_cluster_upstream_rq_xx', 'envoy_response_code_class="2"')]: '0+54x30' },
    silent: { [envoy('envoy_cluster_upstream_rq_xx', 'envoy_response_code_class="4"')]: '0+6x30', [envoy('envoy_cluster_upstream_rq_xx', 'envoy_response_code_class="2"')]: '0+54x30' },
  },
  {
    system, alert: 'ServingSlow', about: 'Knative', at: '30m', labels: LABELS, value: '4.778',
    series: { [knative('bucket', 'le="1"')]: '0+10x40', [knative('bucket', 'le="5"')]: '0+100x40', [knative('bucket', 'le="+Inf"')]: '0+100x40' },
    silent: { [knative('bucket', 'le="1"')]: '0+100x40', [knative('bucket', 'le="5"')]: '0+100x40', [knative('bucket', 'le="+Inf"')]: '0+100x40' },
  },
  {
    system, alert: 'ServingSlow', about: 'Istio', at: '30m', labels: ISTIO_LABELS, value: '4.778k',
    series: {
      [istio('istio_request_duration_milliseconds_bucket', 'le="1000"')]: '0+10x40', [istio('istio_request_duration_milliseconds_bucket', 'le="5000"')]: '0+100x40',
      [istio('istio_request_duration_milliseconds_bucket', 'le="+Inf"')]: '0+100x40',
    },
    silent: { [istio('istio_request_duration_milliseconds_bucket', 'le="500"')]: '0+100x40', [istio('istio_request_duration_milliseconds_bucket', 'le="+Inf"')]: '0+100x40' },
  },
  {
    system, alert: 'ServingSlow', about: 'Envoy Gateway', at: '30m', labels: { envoy_cluster_name: CLUSTER }, value: '4.778k',
    series: {
      [envoy('envoy_cluster_upstream_rq_time_bucket', 'le="1000"')]: '0+10x40', [envoy('envoy_cluster_upstream_rq_time_bucket', 'le="5000"')]: '0+100x40',
      [envoy('envoy_cluster_upstream_rq_time_bucket', 'le="+Inf"')]: '0+100x40',
    },
    silent: { [envoy('envoy_cluster_upstream_rq_time_bucket', 'le="500"')]: '0+100x40', [envoy('envoy_cluster_upstream_rq_time_bucket', 'le="+Inf"')]: '0+100x40' },
  },
  {
    system, alert: 'ServingPodDown', at: '20m', labels: { ...LABELS, pod: 'iris-0' },
    series: { [`up{${IRIS},pod="iris-0"}`]: '0x30' }, silent: { [`up{${IRIS},pod="iris-0"}`]: '0x5 1x30', 'up{namespace="ml",pod="other"}': '0x30' },
  },
  {
    system, alert: 'ServingModelSlow', at: '30m', labels: MODEL_LABELS, value: '4.778',
    series: { [predictions('1')]: '0+10x40', [predictions('5')]: '0+100x40', [predictions('+Inf')]: '0+100x40' },
    silent: { [predictions('1')]: '0+100x40', [predictions('5')]: '0+100x40', [predictions('+Inf')]: '0+100x40' },
  },
  {
    system, alert: 'LlmRequestsWait', at: '20m', labels: MODEL_LABELS, value: '24',
    series: { [`vllm:num_requests_waiting{${MODEL},pod="a"}`]: '12x30', [`vllm:num_requests_waiting{${MODEL},pod="b"}`]: '12x30' },
    silent: { [`vllm:num_requests_waiting{${MODEL},pod="a"}`]: '40x5 2x30' },
  },
  {
    system, alert: 'LlmCacheFull', at: '20m', labels: { ...MODEL_LABELS, pod: 'a' }, value: '98%',
    series: { [`vllm:kv_cache_usage_perc{${MODEL},pod="a"}`]: '0.98x30' }, silent: { [`vllm:kv_cache_usage_perc{${MODEL},pod="a"}`]: '0.9x30' },
  },
];
