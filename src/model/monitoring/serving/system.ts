/** All about model serving that is installed: who is scraped, alerts, dashboard. */
import { servingRuleGroups, type ServingThresholds } from './alerts';
import { SERVING_POD_LABELS } from './metrics';
import { requestQueries, SERVICE_LABEL, type RequestCounter, type RequestQueries } from './requests';
import { chosen, dashboardUid, query, RATE, type Dashboard, type PanelRow } from '../dashboard';
import { quantile, ratio, select, type Matchers } from '../promql';
import type { MonitoredSystem, Scrape } from '../scrape';
import { identityOf, scrapeSelection, selectionMatchers, type Selection } from '../selection';

const POD_LABEL = 'serving.kserve.io/inferenceservice';

/** Annotations that KServe's runtimes give to pods. */
const ANNOTATIONS = { container: 'kserve-container', port: 'prometheus.kserve.io/port', path: 'prometheus.kserve.io/path' };

/** Services of large language models, as their controller labels them. Their servers have certificates of their own. */
const LLM_SCRAPE: Scrape = {
  of: 'services', name: 'llm', matchLabels: { 'app.kubernetes.io/part-of': 'llminferenceservice' },
  endpoints: [{ port: 'https', path: '/metrics', scheme: 'https' }], podLabels: ['app.kubernetes.io/name'],
};

function requestRow({ title, by, all, errors, time, timeUnit }: RequestQueries): PanelRow {
  const legend = by.map((label) => `{{${label}}}`).join(' ');
  return {
    title: `Requests, by ${title}`,
    panels: [
      { title: `Requests per second, by ${title}`, unit: 'reqps', queries: [query(all(RATE), legend)] },
      { title: `Errors, by ${title}`, unit: 'percentunit', queries: [query(ratio(errors(RATE), all(RATE)), legend)] },
      { title: `Time of a request, by ${title}`, unit: timeUnit, queries: [0.5, 0.95].map((q) => query(time(q, RATE), `${legend} p${q * 100}`)) },
    ],
  };
}

function modelRow(matchers: Matchers): PanelRow {
  const by = [SERVICE_LABEL, 'model_name'];
  const legend = `{{${SERVICE_LABEL}}} {{model_name}}`;
  const time = (title: string, metric: string) => ({ title, unit: 's', queries: [0.5, 0.95].map((q) => query(quantile(q, metric, by, matchers, RATE), `${legend} p${q * 100}`)) });
  return {
    title: 'Models',
    panels: [
      { title: 'Predictions per second', unit: 'ops', queries: [query(`sum by (${by.join(', ')}) (rate(${select('request_predict_seconds_count', ...matchers)}[${RATE}]))`, legend)] },
      time('Time in the model', 'request_predict_seconds'),
      time('Time before the model', 'request_preprocess_seconds'),
      time('Time after the model', 'request_postprocess_seconds'),
      time('Time of explanations', 'request_explain_seconds'),
      { title: 'Requests in Knative\'s proxies', queries: [query(`sum by (${SERVICE_LABEL}) (${select('kn_serving_queue_depth', ...matchers)})`, `{{${SERVICE_LABEL}}}`)] },
    ],
  };
}

/** Services of `LLMInferenceService` have no label of an InferenceService, so that models are told apart by their names. */
function llmRow(matchers: Matchers): PanelRow {
  const of = (metric: string) => select(metric, ...matchers);
  const sum = (title: string, metric: string) => ({ title, queries: [query(`sum by (model_name) (${of(metric)})`, '{{model_name}}')] });
  const rate = (title: string, metric: string) => ({ title, unit: 'ops', queries: [query(`sum by (model_name) (rate(${of(metric)}[${RATE}]))`, '{{model_name}}')] });
  const time = (title: string, metric: string) => (
    { title, unit: 's', queries: [0.5, 0.95].map((q) => query(quantile(q, metric, ['model_name'], matchers, RATE), `{{model_name}} p${q * 100}`)) });
  return {
    title: 'Large language models',
    panels: [
      sum('Requests that are worked on', 'vllm:num_requests_running'),
      sum('Requests that wait', 'vllm:num_requests_waiting'),
      { title: 'KV cache', unit: 'percentunit', queries: [query(`max by (model_name, pod) (${of('vllm:kv_cache_usage_perc')})`, '{{model_name}} {{pod}}')] },
      time('Time to the first token', 'vllm:time_to_first_token_seconds'),
      time('Time of a whole answer', 'vllm:e2e_request_latency_seconds'),
      rate('Requests put back per second', 'vllm:num_preemptions_total'),
      rate('Tokens read per second', 'vllm:prompt_tokens_total'),
      rate('Tokens written per second', 'vllm:generation_tokens_total'),
    ],
  };
}

function dashboard(selection: Selection, requests: readonly RequestQueries[]): Dashboard {
  const isOne = selection.name !== undefined;
  const ofNamespace = isOne ? selectionMatchers({ namespaces: selection.namespaces }, SERVICE_LABEL) : [chosen('namespace', 'namespace')];
  const matchers = isOne ? selectionMatchers(selection, SERVICE_LABEL) : [...ofNamespace, chosen(SERVICE_LABEL, 'service')];
  return {
    uid: dashboardUid('serving', identityOf(selection)),
    title: isOne ? `Serving: ${selection.name}` : 'Trainyard: serving',
    tags: ['trainyard', 'serving'],
    variables: isOne ? [] : [
      { name: 'namespace', label: 'Namespace', metric: 'up', valuesOf: 'namespace' },
      { name: 'service', label: 'Service', metric: `up{namespace=~"$namespace",${SERVICE_LABEL}!=""}`, valuesOf: SERVICE_LABEL },
    ],
    rows: [...requests.map(requestRow), modelRow(matchers), llmRow(isOne ? matchers : ofNamespace)],
  };
}

/** Model servers on KServe. @param requests who counts requests and errors */
export function servingSystem(selection: Selection, thresholds: ServingThresholds, requests: readonly RequestCounter[]): MonitoredSystem {
  const queries = requests.map((counter) => requestQueries(counter, selection));
  return {
    scrapes: [
      {
        of: 'pods', name: '', ...scrapeSelection(selection, POD_LABEL),
        endpoints: [{ path: '/metrics', fromAnnotations: ANNOTATIONS }, { port: 'http-usermetric', path: '/metrics' }],
        podLabels: SERVING_POD_LABELS,
      },
      ...(selection.name === undefined ? [LLM_SCRAPE] : []),
    ],
    groups: servingRuleGroups(thresholds, selectionMatchers(selection, SERVICE_LABEL), queries),
    dashboard: dashboard(selection, queries),
  };
}
