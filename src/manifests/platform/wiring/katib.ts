/**
 * Katib with the database of the platform, instead of a pod of its own. Only stacks ask for it: a second database has to be made beside that of
 * Pipelines, which a program without Pulumi cannot do.
 */
import { DATABASE_PROXY_NAME } from '../cloud-sql-proxy';
import type { PatchSpec, PlatformComponentSpec } from '../../../model/platform/spec';

/** Namespace of Kubeflow's applications. */
export const KUBEFLOW_NAMESPACE = 'kubeflow';

/** Secret with `username` and `password`, which Pipelines read by this name. */
export const DATABASE_SECRET = 'mysql-secret';

/**
 * Katib's settings: variables of its database manager, and no database in the cluster.
 * @param database name of Katib's database
 * @see https://github.com/kubeflow/katib/tree/v0.19.0/manifests/v1beta1/installs/katib-external-db
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/env-variables/
 */
export function katibWithDatabase(database: string): PlatformComponentSpec {
  const secret = (name: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: DATABASE_SECRET, key } } });
  const manager: PatchSpec = {
    patch: {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'katib-db-manager', namespace: KUBEFLOW_NAMESPACE },
      spec: {
        template: {
          spec: {
            containers: [{
              name: 'katib-db-manager',
              env: [
                { name: 'KATIB_MYSQL_DB_HOST', value: DATABASE_PROXY_NAME }, { name: 'KATIB_MYSQL_DB_PORT', value: '3306' }, { name: 'KATIB_MYSQL_DB_DATABASE', value: database },
                secret('DB_USER', 'username'), secret('DB_PASSWORD', 'password'),
              ],
            }],
          },
        },
      },
    },
  };
  const remove = (apiVersion: string, kind: string): PatchSpec => ({
    patch: { $patch: 'delete', apiVersion, kind, metadata: { name: 'katib-mysql', namespace: KUBEFLOW_NAMESPACE } },
  });
  return { name: 'katib', patches: [manager, remove('apps/v1', 'Deployment'), remove('v1', 'Service'), remove('v1', 'PersistentVolumeClaim')] };
}
