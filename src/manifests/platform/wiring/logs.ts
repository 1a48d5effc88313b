/** Lines of pods: Fluent Bit writes them to the store that the platform has, and Grafana reads them there. */
import { ELASTIC_ADDRESS, ELASTIC_AUTHORITY_SECRET, ELASTIC_PASSWORD_SECRET, constructElasticStack } from '../elastic-stack';
import type { ComponentWiring } from './wiring';
import { component } from '../../../model/catalogue/catalogue';
import type { ChartValues } from '../../../model/catalogue/types';
import type { PlatformSpec } from '../../../model/platform/spec';
import { constructFluentBitValues } from '../../monitoring/log-values';

/** Gateway of the chart of Loki. */
const LOKI = { host: 'loki-gateway.logging', port: 80, tls: false };

const isThere = ({ components, existing }: PlatformSpec, wanted: string) => [...components, ...existing].some(({ name }) => name === wanted);

/** Without this the chart of Fluent Bit writes to an Elasticsearch that nobody has. */
export function wireFluentBit(spec: PlatformSpec): ComponentWiring {
  const own = spec.components.find(({ name }) => name === 'fluent-bit');
  // The program says itself where lines go.
  if (own?.values !== undefined) {
    return {};
  }
  const namespaces = own?.logs?.namespaces;
  const elastic = { ...ELASTIC_ADDRESS, passwordSecret: ELASTIC_PASSWORD_SECRET, authoritySecret: ELASTIC_AUTHORITY_SECRET };
  const values = constructFluentBitValues({ namespaces, ...(isThere(spec, 'elastic-stack') ? { elastic } : { destination: LOKI }) }) as ChartValues;
  return { 'fluent-bit': { values } };
}

/** Grafana knows the Loki of the platform. */
export function wirePrometheusStack(spec: PlatformSpec): ComponentWiring {
  const loki = { name: 'Loki', type: 'loki', access: 'proxy', url: `http://${LOKI.host}` };
  return isThere(spec, 'loki') ? { 'kube-prometheus-stack': { values: { grafana: { additionalDataSources: [loki] } } } } : {};
}

/** Elasticsearch and Kibana. */
export function wireElasticStack({ components }: PlatformSpec): ComponentWiring {
  const { namespace, version } = component('elastic-stack');
  const settings = components.find(({ name }) => name === 'elastic-stack')?.elastic ?? {};
  return { stack: { objects: constructElasticStack(namespace, version, settings) } };
}
