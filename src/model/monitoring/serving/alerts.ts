/** Alerts about model servers. */
import { llmEngineAlerts } from './llm-system';
import { SERVICE_LABEL, type RequestQueries } from './requests';
import { quantile, ratio, select, type Matchers } from '../promql';
import type { Alert, RuleGroup } from '../rules';

/** From when on alerts fire. */
export interface ServingThresholds {
  /** Part of the requests, from 0 to 1, that may fail. */
  readonly errorRatio: number;
  /** Seconds that 95 of 100 requests may take. */
  readonly latencySeconds: number;
  /** Requests of a large language model that may wait. */
  readonly waitingRequests: number;
}

const WHERE = `{{ $labels.${SERVICE_LABEL} }} in {{ $labels.namespace }}`;
const MODEL = ['namespace', SERVICE_LABEL, 'model_name'] as const;

/** Rules for the services that match. */
export function servingRuleGroups(thresholds: ServingThresholds, matchers: Matchers, requests: readonly RequestQueries[]): RuleGroup[] {
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
