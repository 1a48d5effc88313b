/** All about model serving that is installed: who is scraped, alerts, dashboard. */
import { llmEngineAlerts, llmRow, llmScrape } from './llm-system';
import { RATE, chosen, dashboardUid, query, type Alert, type Dashboard, type MonitoredSystem, type PanelRow, type RuleGroup } from '../monitored-system';
import {
  identityOf, quantile, ratio, scrapeSelection, select, selectionMatchers, isOneOf, matches, quoted, sumBy, type Matchers, type Selection,
} from '../promql';

/** Label that our monitors put on series of a service's pods. */
const SERVICE_LABEL = 'serving_kserve_io_inferenceservice';

/** Labels of pods that a monitor of serving takes along: `serving_kserve_io_inferenceservice` and `component`. */
const SERVING_POD_LABELS = ['serving.kserve.io/inferenceservice', 'component'];

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

/** From when on alerts fire. */
interface ServingThresholds {
  /** Part of the requests, from 0 to 1, that may fail. */
  readonly errorRatio: number;
  /** Seconds that 95 of 100 requests may take. */
  readonly latencySeconds: number;
  /** Requests of a large language model that may wait. */
  readonly waitingRequests: number;
}

const WHERE = `{{ $labels.${SERVICE_LABEL} }} in {{ $labels.namespace }}`;
const MODEL = ['namespace', SERVICE_LABEL, 'model_name'] as const;

function servingRuleGroups(thresholds: ServingThresholds, matchers: Matchers, requests: readonly RequestQueries[]): RuleGroup[] {
  return [
    ...requests.map((queries) => ({ name: `trainyard-serving-requests-${queries.counter}`, rules: requestAlerts(thresholds, queries) })),
    { name: 'trainyard-serving-models', rules: modelAlerts(thresholds, matchers) },
  ];
}

function requestAlerts({ errorRatio, latencySeconds }: ServingThresholds, { counter, where, all, errors, time, timeUnit }: RequestQueries): Alert[] {
  const labels = { counted_by: counter };
  return [
    {
      alert: 'ServingErrors', severity: 'critical', labels, for: '5m', expr: `${ratio(errors('5m'), all('5m'))} > ${errorRatio}`,
      summary: `Requests to ${where} fail`,
      description: '{{ $value | humanizePercentage }} of the requests of the last five minutes returned an error. With a canary, `rollback` removes its traffic.',
    },
    {
      alert: 'ServingSlow', severity: 'warning', labels, for: '10m', expr: `${time(0.95, '5m')} > ${timeUnit === 'ms' ? latencySeconds * 1000 : latencySeconds}`,
      summary: `Requests to ${where} are slow`,
      description: `5 % take longer than {{ $value | humanize }} ${timeUnit}. Check the model latency, the replicas and the waiting requests.`,
    },
  ];
}

function modelAlerts({ latencySeconds, waitingRequests }: ServingThresholds, matchers: Matchers): Alert[] {
  const of = (metric: string, ...more: string[]) => select(metric, ...matchers, ...more);
  return [
    {
      alert: 'ServingPodDown', severity: 'warning', for: '10m', expr: `max by (namespace, ${SERVICE_LABEL}, pod) (${of('up', `${SERVICE_LABEL}!=""`)}) == 0`,
      summary: `Pod {{ $labels.pod }} of ${WHERE} does not answer`,
      description: 'Its metrics have been missing for ten minutes. Check the pod; if its server has no metrics, check the annotation prometheus.kserve.io/port.',
    },
    {
      alert: 'ServingModelSlow', severity: 'warning', for: '10m', expr: `${quantile(0.95, 'request_predict_seconds', MODEL, matchers, '5m')} > ${latencySeconds}`,
      summary: `Model {{ $labels.model_name }} of ${WHERE} is slow`,
      description: '5 % of the predictions take longer than {{ $value | humanize }} s in the model itself.',
    },
    ...llmEngineAlerts(waitingRequests, MODEL, matchers),
  ];
}

/** Who it is. */
type RequestCounter = 'knative' | 'istio' | 'envoy-gateway';

/** How requests are asked for. */
interface RequestQueries {
  readonly counter: RequestCounter;
  /** Name of the counter, for people. */
  readonly title: string;
  /** What a service is known by. */
  readonly by: readonly string[];
  /** How that is said in an alert. */
  readonly where: string;
  /** Requests, and those with an error, per second. */
  readonly all: (range: string) => string;
  readonly errors: (range: string) => string;
  /** Quantile of their time, in milliseconds or seconds. */
  readonly time: (q: number, range: string) => string;
  readonly timeUnit: 'ms' | 's';
}

function requestQueries(counter: RequestCounter, selection: Selection): RequestQueries {
  switch (counter) {
    case 'knative': return knative(selectionMatchers(selection, SERVICE_LABEL));
    case 'istio': return istio(selection);
    case 'envoy-gateway': return envoyGateway(selection);
  }
}

function knative(matchers: Matchers): RequestQueries {
  const by = ['namespace', SERVICE_LABEL];
  const metric = 'kn_serving_invocation_duration_seconds';
  const rate = (range: string, ...more: string[]) => sumBy(by, `rate(${select(`${metric}_count`, ...matchers, ...more)}[${range}])`);
  return {
    counter: 'knative',
    title: 'Knative',
    by,
    where: `{{ $labels.${SERVICE_LABEL} }} in {{ $labels.namespace }}`,
    all: (range) => rate(range),
    errors: (range) => rate(range, matches('http_response_status_code', '5..')),
    time: (q, range) => quantile(q, metric, by, matchers, range),
    timeUnit: 's',
  };
}

/** A gateway or a caller's sidecar counts each request once, as its source. */
function istio({ namespaces, name }: Selection): RequestQueries {
  const by = ['destination_service_namespace', 'destination_service_name'];
  const matchers = [
    'reporter="source"',
    ...(namespaces === undefined ? [] : [isOneOf('destination_service_namespace', namespaces)]),
    matches('destination_service_name', name === undefined ? '.+-(predictor|transformer|explainer)' : `${quoted(name)}-.*(predictor|transformer|explainer)`),
  ];
  const rate = (range: string, ...more: string[]) => sumBy(by, `rate(${select('istio_requests_total', ...matchers, ...more)}[${range}])`);
  return {
    counter: 'istio',
    title: 'Istio',
    by,
    where: '{{ $labels.destination_service_name }} in {{ $labels.destination_service_namespace }}',
    all: (range) => rate(range),
    errors: (range) => rate(range, matches('response_code', '5..|0')),
    time: (q, range) => quantile(q, 'istio_request_duration_milliseconds', by, matchers, range),
    timeUnit: 'ms',
  };
}

function envoyGateway({ namespaces, name }: Selection): RequestQueries {
  const by = ['envoy_cluster_name'];
  const namespace = namespaces === undefined ? '[^/]+' : `(${namespaces.map(quoted).join('|')})`;
  const route = name === undefined ? '[^/]+' : `${quoted(name)}(-(predictor|transformer|explainer))?`;
  const matchers = [matches('envoy_cluster_name', `httproute/${namespace}/${route}/rule/.*`)];
  const rate = (range: string, ...more: string[]) => sumBy(by, `rate(${select('envoy_cluster_upstream_rq_xx', ...matchers, ...more)}[${range}])`);
  return {
    counter: 'envoy-gateway',
    title: 'Envoy Gateway',
    by,
    where: '{{ $labels.envoy_cluster_name }}',
    all: (range) => rate(range),
    errors: (range) => rate(range, 'envoy_response_code_class="5"'),
    time: (q, range) => quantile(q, 'envoy_cluster_upstream_rq_time', by, matchers, range),
    timeUnit: 'ms',
  };
}
