/**
 * Knative eventing: a Trigger that sends a broker's events to the launcher, which is a server here, with a Deployment and a Service.
 * @see https://knative.dev/docs/eventing/triggers/
 */
import type { PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';
import type { KnativeSource } from '../../model/events/spec';

/** `apiVersion` of a Trigger. */
export const TRIGGER_API_VERSION = 'eventing.knative.dev/v1';

/** Annotation of the pod template: files that a server has read at its start. */
const FILES_ANNOTATION = 'ml.collabnix.io/launcher-files';

/** How often an event is sent again, and the first pause; pauses grow exponentially. */
const DEFAULT_RETRIES = 20;
const DEFAULT_BACKOFF_SECONDS = 10;

type Fields = { readonly [field: string]: unknown };

/** `spec` of the Deployment: one server, because two would count jobs at the same time. */
export function constructLauncherDeployment(pod: PodSpec, selector: { readonly [label: string]: string }, digest: string): Fields {
  return plainObject({
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: selector },
    template: { metadata: { labels: selector, annotations: { [FILES_ANNOTATION]: digest } }, spec: pod },
  });
}

/** `spec` of the Service. */
export function constructLauncherService(selector: { readonly [label: string]: string }): Fields {
  return { selector, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] };
}

/** `spec` of the Trigger. */
export function constructTriggerSpec(source: KnativeSource, serviceName: string): Fields {
  const { attributes = {}, cesql, deadLetter } = source;
  const filters = [...(Object.keys(attributes).length > 0 ? [{ exact: attributes }] : []), ...(cesql === undefined ? [] : [{ cesql }])];
  return plainObject({
    broker: source.broker,
    filters: filters.length > 0 ? filters : undefined,
    subscriber: { ref: { apiVersion: 'v1', kind: 'Service', name: serviceName } },
    delivery: {
      retry: source.retries ?? DEFAULT_RETRIES,
      backoffPolicy: 'exponential',
      backoffDelay: `PT${source.backoffSeconds ?? DEFAULT_BACKOFF_SECONDS}S`,
      deadLetterSink: deadLetter,
    },
  });
}
