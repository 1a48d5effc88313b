/**
 * Logs of pods: Fluent Bit writes them to the platform's store, and Grafana reads them there.
 *
 * Elasticsearch and Kibana are objects of Elastic's operator, which derives the names, Secrets and certificate authority for clients from the
 * object's name.
 * @see https://www.elastic.co/docs/deploy-manage/deploy/cloud-on-k8s
 */
import type { ComponentWiring } from './additions';
import { constructNamespace, type PlatformObject } from '../platform-object';
import { constructFluentBitValues } from '../../monitoring/log-values';
import { component } from '../../../model/catalogue/catalogue';
import type { ChartValues } from '../../../model/catalogue/types';
import type { ElasticSettings, PlatformSpec } from '../../../model/platform/spec';

/** Gateway of the chart of Loki. */
const LOKI = { host: 'loki-gateway.logging', port: 80, tls: false };

const isThere = ({ components, existing }: PlatformSpec, wanted: string) => [...components, ...existing].some(({ name }) => name === wanted);

/** Without this, the chart of Fluent Bit writes to an Elasticsearch that does not exist. */
export function wireFluentBit(spec: PlatformSpec): ComponentWiring {
  const own = spec.components.find(({ name }) => name === 'fluent-bit');
  // The program itself sets the destination.
  if (own?.values !== undefined) {
    return {};
  }
  const namespaces = own?.logs?.namespaces;
  const elastic = { ...ELASTIC_ADDRESS, passwordSecret: ELASTIC_PASSWORD_SECRET, authoritySecret: ELASTIC_AUTHORITY_SECRET };
  const values = constructFluentBitValues({ namespaces, ...(isThere(spec, 'elastic-stack') ? { elastic } : { destination: LOKI }) }) as ChartValues;
  return { 'fluent-bit': { values } };
}

/** Adds the platform's Loki to Grafana. */
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

const NAME = 'lines';

/** Its service uses TLS. */
const ELASTIC_ADDRESS = { host: `${NAME}-es-http.logging.svc`, port: 9200 };

/** Secret with the password of the user `elastic`, under that key. */
const ELASTIC_PASSWORD_SECRET = `${NAME}-es-elastic-user`;

/** Secret with the authority of its certificate, under `ca.crt`. */
const ELASTIC_AUTHORITY_SECRET = `${NAME}-es-http-certs-public`;

/** Namespace, Elasticsearch and Kibana. */
function constructElasticStack(namespace: string, version: string, { nodes = 1, storage = '50Gi' }: ElasticSettings): PlatformObject[] {
  const metadata = { name: NAME, namespace };
  return [
    constructNamespace(namespace),
    {
      apiVersion: 'elasticsearch.k8s.elastic.co/v1', kind: 'Elasticsearch', metadata,
      spec: {
        version,
        nodeSets: [{
          name: 'default',
          count: nodes,
          // Otherwise a privileged container would have to raise a limit of the node.
          config: { 'node.store.allow_mmap': false },
          volumeClaimTemplates: [{
            metadata: { name: 'elasticsearch-data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
          }],
        }],
      },
    },
    { apiVersion: 'kibana.k8s.elastic.co/v1', kind: 'Kibana', metadata, spec: { version, count: 1, elasticsearchRef: { name: NAME } } },
  ];
}
