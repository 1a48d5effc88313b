/** All about model serving that is installed: who is scraped, alerts, dashboard. */
import { servingRuleGroups, type ServingThresholds } from './alerts';
import { llmRow, llmScrape } from './llm-system';
import { SERVING_POD_LABELS } from './metrics';
import { requestQueries, SERVICE_LABEL, type RequestCounter, type RequestQueries } from './requests';
import { chosen, dashboardUid, query, RATE, type Dashboard, type PanelRow } from '../dashboard';
import { quantile, ratio, select, type Matchers } from '../promql';
import type { MonitoredSystem } from '../scrape';
import { identityOf, scrapeSelection, selectionMatchers, type Selection } from '../selection';

const POD_LABEL = 'serving.kserve.io/inferenceservice';

/** Annotations that KServe's runtimes give to pods. */
const ANNOTATIONS = { container: 'kserve-container', port: 'prometheus.kserve.io/port', path: 'prometheus.kserve.io/path' };

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
      ...(selection.name === undefined ? [llmScrape('llm')] : []),
    ],
    groups: servingRuleGroups(thresholds, selectionMatchers(selection, SERVICE_LABEL), queries),
    dashboard: dashboard(selection, queries),
  };
}
