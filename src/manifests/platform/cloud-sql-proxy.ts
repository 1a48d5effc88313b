/** A proxy to an instance of Cloud SQL: its clients use an address in the cluster, and the proxy connects with its own identity. */
import type { DatabaseSpec } from '../../model/platform/spec';
import type { PlatformObject } from './platform-object';
import { PROGRAM_CONTAINER_SECURITY } from '../node-program';

export const DATABASE_PROXY_NAME = 'cloud-sql-proxy';

/** @see https://github.com/GoogleCloudPlatform/cloud-sql-proxy/releases */
const IMAGE = 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.23.0';

/** Service account, Deployment, Service and disruption budget. */
export function constructCloudSqlProxy(
  namespace: string, { instance, privateIp, googleServiceAccount }: Extract<DatabaseSpec, { readonly kind: 'cloud-sql' }>,
): PlatformObject[] {
  const labels = { app: DATABASE_PROXY_NAME };
  const metadata = { name: DATABASE_PROXY_NAME, namespace, labels };
  const probe = (path: string) => ({ httpGet: { path, port: 'health' }, periodSeconds: 10, timeoutSeconds: 5 });
  return [
    {
      apiVersion: 'v1', kind: 'ServiceAccount',
      metadata: { ...metadata, ...(googleServiceAccount !== undefined && { annotations: { 'iam.gke.io/gcp-service-account': googleServiceAccount } }) },
    },
    {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          // The mesh would break the database's protocol.
          metadata: { labels: { ...labels, 'sidecar.istio.io/inject': 'false' } },
          spec: {
            serviceAccountName: DATABASE_PROXY_NAME,
            securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [{
              name: 'proxy',
              image: IMAGE,
              args: [
                '--address=0.0.0.0', '--port=3306', '--health-check', '--http-address=0.0.0.0', '--structured-logs', ...(privateIp ? ['--private-ip'] : []), instance,
              ],
              ports: [{ name: 'mysql', containerPort: 3306 }, { name: 'health', containerPort: 9090 }],
              startupProbe: { ...probe('/startup'), failureThreshold: 12 },
              livenessProbe: probe('/liveness'),
              readinessProbe: probe('/readiness'),
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
              securityContext: PROGRAM_CONTAINER_SECURITY,
            }],
          },
        },
      },
    },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ name: 'mysql', port: 3306, targetPort: 'mysql' }] } },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  ];
}
