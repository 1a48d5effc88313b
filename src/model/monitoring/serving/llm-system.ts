/**
 * Large language models of KServe's LLMInferenceService: who is scraped, alerts and dashboard of one of them. Its servers are vLLM, which counts
 * requests and errors itself.
 */
import { RATE, dashboardUid, query, type Alert, type Dashboard, type MonitoredSystem, type PanelRow, type Scrape } from '../monitored-system';
import { identityOf, matches, quantile, ratio, select, selectionMatchers, sumBy, type Matchers, type Selection } from '../promql';
import { LLM_NAME_LABEL, llmLabels } from '../../kinds/serving';

/** Requests that a server of vLLM has answered, of all of its addresses. */
export const HTTP_REQUESTS = 'http_requests_total';

/** From when on alerts fire. */
export interface LlmThresholds {
  /** Part of the requests, from 0 to 1, that may fail. */
  readonly errorRatio: number;
  readonly firstTokenSeconds: number;
  readonly waitingRequests: number;
}

/** Label of series that has the name. */
const NAME = 'app_kubernetes_io_name';

/** Requests to the model; others are to the server. */
const TO_MODEL = matches('handler', '/v[0-9]+/.+');

/** Services in front of the servers. Their port is named after its protocol: certificates, which the controller makes, can be switched off. */
export function llmScrape(scrapeName: string, service?: string): Scrape {
  return {
    of: 'services', name: scrapeName,
    matchLabels: llmLabels(service),
    endpoints: [{ port: 'https', path: '/metrics', scheme: 'https' }, { port: 'http', path: '/metrics' }],
    podLabels: [LLM_NAME_LABEL],
  };
}

/** Panels about engines. Models are distinguished by their names. */
export function llmRow(matchers: Matchers): PanelRow {
  const of = (metric: string) => select(metric, ...matchers);
  const sum = (title: string, metric: string) => ({ title, queries: [query(`sum by (model_name) (${of(metric)})`, '{{model_name}}')] });
  const rate = (title: string, metric: string) => ({ title, unit: 'ops', queries: [query(`sum by (model_name) (rate(${of(metric)}[${RATE}]))`, '{{model_name}}')] });
  const time = (title: string, metric: string) => (
    { title, unit: 's', queries: [0.5, 0.95].map((q) => query(quantile(q, metric, ['model_name'], matchers, RATE), `{{model_name}} p${q * 100}`)) });
  return {
    title: 'Large language models',
    panels: [
      sum('Running requests', 'vllm:num_requests_running'),
      sum('Waiting requests', 'vllm:num_requests_waiting'),
      { title: 'KV cache', unit: 'percentunit', queries: [query(`max by (model_name, pod) (${of('vllm:kv_cache_usage_perc')})`, '{{model_name}} {{pod}}')] },
      time('Time to the first token', 'vllm:time_to_first_token_seconds'),
      time('Time of a full response', 'vllm:e2e_request_latency_seconds'),
      rate('Preempted requests per second', 'vllm:num_preemptions_total'),
      rate('Tokens read per second', 'vllm:prompt_tokens_total'),
      rate('Tokens written per second', 'vllm:generation_tokens_total'),
    ],
  };
}

/** Alerts about engines. @param by labels that distinguish models */
export function llmEngineAlerts(waitingRequests: number, by: readonly string[], matchers: Matchers): Alert[] {
  const of = (metric: string) => select(metric, ...matchers);
  return [
    {
      alert: 'LlmRequestsWait', severity: 'warning', for: '10m', expr: `sum by (${by.join(', ')}) (${of('vllm:num_requests_waiting')}) > ${waitingRequests}`,
      summary: 'Requests to {{ $labels.model_name }} in {{ $labels.namespace }} wait',
      description: '{{ $value }} requests wait for the engine. Add replicas, or allow fewer requests at a time.',
    },
    {
      alert: 'LlmCacheFull', severity: 'warning', for: '10m', expr: `max by (${[...by, 'pod'].join(', ')}) (${of('vllm:kv_cache_usage_perc')}) > 0.95`,
      summary: 'The KV cache of {{ $labels.model_name }} in {{ $labels.namespace }} is full',
      description: '{{ $value | humanizePercentage }} of the cache of pod {{ $labels.pod }} is in use; requests are preempted and recomputed. Add replicas, or give the cache more memory.',
    },
  ];
}

function serviceAlerts({ errorRatio, firstTokenSeconds, waitingRequests }: LlmThresholds, matchers: Matchers): Alert[] {
  const service = ['namespace', NAME];
  const where = `{{ $labels.${NAME} }} in {{ $labels.namespace }}`;
  const requests = (...more: string[]) => sumBy(service, `rate(${select(HTTP_REQUESTS, ...matchers, TO_MODEL, ...more)}[5m])`);
  return [
    {
      alert: 'LlmErrors', severity: 'critical', for: '5m', expr: `${ratio(requests('status="5xx"'), requests())} > ${errorRatio}`,
      summary: `Requests to ${where} fail`,
      description: '{{ $value | humanizePercentage }} of the requests of the last five minutes returned an error. Check the servers\' logs.',
    },
    {
      alert: 'LlmSlow', severity: 'warning', for: '10m', expr: `${quantile(0.95, 'vllm:time_to_first_token_seconds', service, matchers, '5m')} > ${firstTokenSeconds}`,
      summary: `Requests to ${where} wait too long for their first token`,
      description: '5 % wait longer than {{ $value | humanize }} s. Check waiting requests and the cache; add replicas, or use separate prefill servers.',
    },
    {
      alert: 'LlmPodDown', severity: 'warning', for: '10m', expr: `max by (${[...service, 'pod'].join(', ')}) (${select('up', ...matchers)}) == 0`,
      summary: `Pod {{ $labels.pod }} of ${where} does not answer`,
      description: 'Its metrics have been missing for ten minutes. Check the pod.',
    },
    ...llmEngineAlerts(waitingRequests, [...service, 'model_name'], matchers),
  ];
}

function requestRow(matchers: Matchers): PanelRow {
  const rate = (...more: string[]) => sumBy([NAME], `rate(${select(HTTP_REQUESTS, ...matchers, TO_MODEL, ...more)}[${RATE}])`);
  return {
    title: 'Requests',
    panels: [
      { title: 'Requests per second', unit: 'reqps', queries: [query(rate(), `{{${NAME}}}`)] },
      { title: 'Errors', unit: 'percentunit', queries: [query(ratio(rate('status="5xx"'), rate()), `{{${NAME}}}`)] },
    ],
  };
}

/** One LLMInferenceService. */
export function llmSystem(selection: Selection, thresholds: LlmThresholds): MonitoredSystem {
  const matchers = selectionMatchers(selection, NAME);
  const dashboard: Dashboard = {
    uid: dashboardUid('llm', identityOf(selection)),
    title: `Large language model: ${selection.name}`,
    tags: ['trainyard', 'serving'],
    variables: [],
    rows: [requestRow(matchers), llmRow(matchers)],
  };
  return { scrapes: [llmScrape('', selection.name)], groups: [{ name: 'trainyard-llm', rules: serviceAlerts(thresholds, matchers) }], dashboard };
}
