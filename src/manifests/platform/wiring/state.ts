/**
 * What applications keep in the store and the database of the platform.
 *
 * Katib with the database of the platform, instead of a pod of its own. Only stacks ask for it: a second database has to be made beside that of
 * Pipelines, which a program without Pulumi cannot do.
 */
import type { ComponentWiring } from './wiring';
import { DATABASE_PROXY_NAME, constructCloudSqlProxy } from '../cloud-sql-proxy';
import type { ArtifactStoreSpec, DatabaseSpec, PatchSpec, PlatformComponentSpec, PlatformSpec } from '../../../model/platform/spec';

const NAMESPACE = 'kubeflow';

/** Secret that Pipelines reads credentials of its store from, unless the program names one. */
const STORE_SECRET = 'mlpipeline-minio-artifact';

/** How files of a run are called within the bucket, as upstream has it. */
const KEY_FORMAT = 'private-artifacts/{{workflow.namespace}}/{{workflow.name}}/{{workflow.creationTimestamp.Y}}/{{workflow.creationTimestamp.m}}/'
  + '{{workflow.creationTimestamp.d}}/{{pod.name}}';

type BucketStore = Exclude<ArtifactStoreSpec, { readonly kind: 'in-cluster' }>;

/**
 * Values, patches and the proxy.
 *
 * Kubeflow Pipelines with the platform's store and database.
 *
 * Its objects that know of them: the ConfigMap `pipeline-install-config` (launcher, API server, metadata), the ConfigMap
 * `workflow-controller-configmap` (lines and artifacts of steps) and the Deployment `ml-pipeline` (the API server's own store).
 * @see https://github.com/kubeflow/pipelines/tree/2.16.0/manifests/kustomize
 */
export function wirePipelines({ artifactStore, database }: PlatformSpec): ComponentWiring {
  const settings = { ...storeSettings(artifactStore), ...databaseSettings(database) };
  const patches: PatchSpec[] = Object.keys(settings).length === 0 ? [] : [configMap('pipeline-install-config', settings)];
  if (artifactStore.kind !== 'in-cluster') {
    patches.push(configMap('workflow-controller-configmap', { artifactRepository: `${JSON.stringify(artifactRepository(artifactStore), undefined, 2)}\n` }));
    patches.push(...apiServerStore(artifactStore));
  }
  if (database.kind !== 'in-cluster') {
    patches.push(...withoutMysql());
  }
  return { 'pipelines': { patches }, 'database-proxy': { objects: database.kind === 'cloud-sql' ? constructCloudSqlProxy(NAMESPACE, database) : [] } };
}

function configMap(name: string, data: { readonly [key: string]: string }): PatchSpec {
  return { patch: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data } };
}

/** Where files of pipelines go by default. */
function storeSettings(store: ArtifactStoreSpec): { readonly [key: string]: string } {
  if (store.kind === 'in-cluster') {
    return {};
  }
  const path = [store.bucket, store.prefix, 'v2/artifacts'].filter((part) => part !== undefined).join('/');
  switch (store.kind) {
    case 'gcs':
      return { bucketName: store.bucket, defaultPipelineRoot: `gs://${path}` };
    case 's3':
      return { bucketName: store.bucket, defaultPipelineRoot: `s3://${path}?region=${store.region}` };
    case 'minio':
      return { bucketName: store.bucket, defaultPipelineRoot: `s3://${path}?endpoint=${store.endpoint}&disableSSL=${!store.tls}&s3ForcePathStyle=true&region=us-east-1` };
  }
}

/** Argo Workflows' repository. Without a Secret its pods get at the bucket by their own identity. */
function artifactRepository(store: BucketStore): object {
  const keyFormat = store.prefix === undefined ? KEY_FORMAT : `${store.prefix}/${KEY_FORMAT}`;
  if (store.kind === 'gcs') {
    return { archiveLogs: true, gcs: { bucket: store.bucket, keyFormat } };
  }
  const endpoint = store.kind === 's3' ? { endpoint: `s3.${store.region}.amazonaws.com`, region: store.region } : { endpoint: store.endpoint, insecure: !store.tls };
  const credentials = store.secretName === undefined ? { useSDKCreds: true } : {
    accessKeySecret: { name: store.secretName, key: 'accesskey' }, secretKeySecret: { name: store.secretName, key: 'secretkey' },
  };
  return { archiveLogs: true, s3: { bucket: store.bucket, keyFormat, ...endpoint, ...credentials } };
}

/** The API server's own store speaks S3. Google's buckets do so for HMAC keys; without one it keeps using the store in the cluster. */
function apiServerStore(store: BucketStore): PatchSpec[] {
  const secretName = store.kind === 'gcs' ? store.hmacSecretName : store.secretName ?? STORE_SECRET;
  if (secretName === undefined) {
    return [];
  }
  const [host, port] = store.kind === 'gcs' ? ['storage.googleapis.com', '443'] : store.kind === 's3' ? [`s3.${store.region}.amazonaws.com`, '443'] : store.endpoint.split(':');
  const secure = store.kind === 'minio' ? store.tls : true;
  const key = (name: string, of: string) => ({ name, valueFrom: { secretKeyRef: { name: secretName, key: of } } });
  const env = [
    { name: 'OBJECTSTORECONFIG_HOST', value: host }, { name: 'OBJECTSTORECONFIG_PORT', value: port }, { name: 'OBJECTSTORECONFIG_SECURE', value: String(secure) },
    ...(store.kind === 's3' ? [{ name: 'OBJECTSTORECONFIG_REGION', value: store.region }] : []),
    key('OBJECTSTORECONFIG_ACCESSKEY', 'accesskey'), key('OBJECTSTORECONFIG_SECRETACCESSKEY', 'secretkey'),
  ];
  return [{
    patch: {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'ml-pipeline', namespace: NAMESPACE },
      spec: { template: { spec: { containers: [{ name: 'ml-pipeline-api-server', env }] } } },
    },
  }];
}

function databaseSettings(database: DatabaseSpec): { readonly [key: string]: string } {
  if (database.kind === 'in-cluster') {
    return {};
  }
  const [host, port] = database.kind === 'mysql' ? [database.host, String(database.port)] : [DATABASE_PROXY_NAME, '3306'];
  // Both generations of names: the API server reads the second pair, metadata and cache the first.
  return { dbHost: host, dbPort: port, mysqlHost: host, mysqlPort: port };
}

/** Without the database in the cluster, and without the Secret of its published, empty password: the program's users bring `mysql-secret`. */
function withoutMysql(): PatchSpec[] {
  const remove = (apiVersion: string, kind: string, name: string): PatchSpec => (
    { patch: { $patch: 'delete', apiVersion, kind, metadata: { name, namespace: NAMESPACE } } });
  return [remove('apps/v1', 'Deployment', 'mysql'), remove('v1', 'Service', 'mysql'), remove('v1', 'PersistentVolumeClaim', 'mysql-pv-claim'), remove('v1', 'Secret', 'mysql-secret')];
}

/**
 * Values for the store. What Pipelines brings is for Pipelines alone: MLflow then keeps files on its own disk.
 *
 * MLflow's artifacts in the platform's store.
 * @see https://github.com/community-charts/helm-charts/blob/main/charts/mlflow/values.yaml
 */
export function wireMlflow({ artifactStore }: PlatformSpec): ComponentWiring {
  if (artifactStore.kind === 'in-cluster') {
    return {};
  }
  const { kind, bucket, prefix } = artifactStore;
  const path = [prefix, 'mlflow'].filter((each) => each !== undefined).join('/');
  if (kind === 'gcs') {
    return { mlflow: { values: { artifactRoot: { gcs: { enabled: true, bucket, path } } } } };
  }
  const endpoint = kind === 'minio' ? { MLFLOW_S3_ENDPOINT_URL: `${artifactStore.tls ? 'https' : 'http'}://${artifactStore.endpoint}` } : { AWS_DEFAULT_REGION: artifactStore.region };
  return {
    mlflow: {
      values: {
        artifactRoot: { s3: { enabled: true, bucket, path } },
        extraEnvVars: endpoint,
        ...(artifactStore.secretName !== undefined && { extraSecretNamesForEnvFrom: [artifactStore.secretName] }),
      },
    },
  };
}

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
