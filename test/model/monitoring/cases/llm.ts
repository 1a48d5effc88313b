import type { AlertCase } from './alert-case';

// The service is called `net.v1`, as every one that is watched alone.
const SERVICE = 'namespace="ml",app_kubernetes_io_name="net.v1"';
const LABELS = { namespace: 'ml', app_kubernetes_io_name: 'net.v1' };
const MODEL = `${SERVICE},model_name="qwen"`;
const MODEL_LABELS = { ...LABELS, model_name: 'qwen' };

const answers = (status: string, handler = '/v1/chat/completions') => `http_requests_total{${SERVICE},handler="${handler}",method="POST",status="${status}"}`;
const firstToken = (le: string) => `vllm:time_to_first_token_seconds_bucket{${MODEL},le="${le}"}`;

const system = 'one LLMInferenceService';

/** Stories of a large language model. */
export const LLM_CASES: readonly AlertCase[] = [
  {
    system, alert: 'LlmErrors', at: '20m', labels: LABELS, value: '10%',
    series: { [answers('5xx')]: '0+6x30', [answers('2xx')]: '0+54x30' },
    silent: { [answers('5xx', '/tokenize')]: '0+60x30', [answers('4xx')]: '0+6x30', [answers('2xx')]: '0+54x30' },
  },
  {
    system, alert: 'LlmSlow', at: '30m', labels: LABELS, value: '9.722',
    series: { [firstToken('5')]: '0+10x40', [firstToken('10')]: '0+100x40', [firstToken('+Inf')]: '0+100x40' },
    silent: { [firstToken('1')]: '0+100x40', [firstToken('5')]: '0+100x40', [firstToken('+Inf')]: '0+100x40' },
  },
  {
    system, alert: 'LlmPodDown', at: '20m', labels: { ...LABELS, pod: 'a' },
    series: { [`up{${SERVICE},pod="a"}`]: '0x30' }, silent: { [`up{${SERVICE},pod="a"}`]: '0x5 1x30', 'up{namespace="ml",app_kubernetes_io_name="other",pod="b"}': '0x30' },
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
