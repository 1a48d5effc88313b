/** Who counts requests and errors. KServe's own servers count neither, so that it is what stands in front of them. */
import { isOneOf, matches, quantile, quoted, select, selectionMatchers, sumBy, type Matchers, type Selection } from '../promql';

/** Who it is. */
export type RequestCounter = 'knative' | 'istio' | 'envoy-gateway';

/** How requests are asked for. */
export interface RequestQueries {
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

/** Label that our monitors put on series of a service's pods. */
export const SERVICE_LABEL = 'serving_kserve_io_inferenceservice';

/** Queries for the services that are selected. */
export function requestQueries(counter: RequestCounter, selection: Selection): RequestQueries {
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
