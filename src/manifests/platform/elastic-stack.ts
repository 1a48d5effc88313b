/**
 * Elasticsearch and Kibana for lines, as objects of Elastic's operator, and where their clients find them: names, Secrets and the authority are those
 * that the operator makes of the object's name.
 * @see https://www.elastic.co/docs/deploy-manage/deploy/cloud-on-k8s
 */
import type { ElasticSettings } from '../../model/platform/spec';
import { constructNamespace, type PlatformObject } from './platform-object';

const NAME = 'lines';

/** Its service speaks TLS. */
export const ELASTIC_ADDRESS = { host: `${NAME}-es-http.logging.svc`, port: 9200 };

/** Secret with the password of the user `elastic`, under that key. */
export const ELASTIC_PASSWORD_SECRET = `${NAME}-es-elastic-user`;

/** Secret with the authority of its certificate, under `ca.crt`. */
export const ELASTIC_AUTHORITY_SECRET = `${NAME}-es-http-certs-public`;

/** Namespace, Elasticsearch and Kibana. */
export function constructElasticStack(namespace: string, version: string, { nodes = 1, storage = '50Gi' }: ElasticSettings): PlatformObject[] {
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
