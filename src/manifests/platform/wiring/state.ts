/**
 * Data of applications in the platform's store and database.
 *
 * Only stacks use Katib with the platform's database, instead of its own pod: it needs a second database in addition to that of Pipelines, which a
 * program without Pulumi cannot create.
 */
import { secretVariable } from './identity';
import type { ComponentWiring } from './additions';
import { DATABASE_PROXY_NAME, constructCloudSqlProxy } from '../cloud-sql-proxy';
import type { ArtifactStoreSpec, DatabaseSpec, PatchSpec, PlatformComponentSpec, PlatformSpec } from '../../../model/platform/spec';
import { escapeReferences, literal } from '../../../model/variable-references';
import { programText } from '../../../programs/program-text';

/** Namespace of Kubeflow's applications. */
export const KUBEFLOW_NAMESPACE = 'kubeflow';

/** Secret with `username` and `password`, which Pipelines read by this name. */
export const DATABASE_SECRET = 'mysql-secret';

/** Names of a run's files in the bucket, as upstream. */
const keyFormat = (namespace: string) => `private-artifacts/${namespace}/{{workflow.name}}/{{workflow.creationTimestamp.Y}}/{{workflow.creationTimestamp.m}}/`
  + '{{workflow.creationTimestamp.d}}/{{pod.name}}';

/** Stands for the namespace of a profile. */
const PROFILE = '<namespace>';

type BucketStore = Exclude<ArtifactStoreSpec, { readonly kind: 'in-cluster' }>;

/**
 * Kubeflow Pipelines with the platform's store and database. The objects that configure them are the ConfigMap `pipeline-install-config` (API
 * server, metadata, runs in `kubeflow`), the ConfigMap `workflow-controller-configmap` (logs and artifacts of steps), the Deployment `ml-pipeline`
 * (the API server's own store), and the profile controller, whose program hard-codes the store in the cluster.
 * @see https://github.com/kubeflow/pipelines/tree/2.16.0/manifests/kustomize
 */
export function wirePipelines({ artifactStore, database }: PlatformSpec): ComponentWiring {
  const settings = { ...storeSettings(artifactStore), ...databaseSettings(database) };
  const patches: PatchSpec[] = Object.keys(settings).length === 0 ? [] : [configMap('pipeline-install-config', settings)];
  if (artifactStore.kind !== 'in-cluster') {
    patches.push(configMap('workflow-controller-configmap', { artifactRepository: `${JSON.stringify(artifactRepository(artifactStore, '{{workflow.namespace}}'), undefined, 2)}\n` }));
    patches.push(...apiServerStore(artifactStore), profileStore(artifactStore));
  }
  if (database.kind !== 'in-cluster') {
    patches.push(...withoutMysql());
  }
  return { 'pipelines': { patches }, 'database-proxy': { objects: database.kind === 'cloud-sql' ? constructCloudSqlProxy(KUBEFLOW_NAMESPACE, database) : [] } };
}

function configMap(name: string, data: { readonly [key: string]: string }): PatchSpec {
  return { patch: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: KUBEFLOW_NAMESPACE }, data } };
}

/** Changes a container of a Deployment; lists of variables are merged by their names. */
function ofContainer(deployment: string, name: string, fields: { readonly env: readonly object[]; readonly command?: string[] }): PatchSpec {
  return {
    patch: {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: deployment, namespace: KUBEFLOW_NAMESPACE },
      spec: { template: { spec: { containers: [{ name, ...fields }] } } },
    },
  };
}

function removal(apiVersion: string, kind: string, name: string): PatchSpec {
  return { patch: { $patch: 'delete', apiVersion, kind, metadata: { name, namespace: KUBEFLOW_NAMESPACE } } };
}

/** Default place of files of pipelines. */
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

/** Argo Workflows' repository. Without a Secret, its pods use their own identity for the bucket. */
function artifactRepository(store: BucketStore, namespace: string): object {
  const place = { bucket: store.bucket, keyFormat: inBucket(store, keyFormat(namespace)) };
  if (store.kind === 'gcs') {
    return { archiveLogs: true, gcs: place };
  }
  const endpoint = store.kind === 's3' ? { endpoint: `s3.${store.region}.amazonaws.com`, region: store.region } : { endpoint: store.endpoint, insecure: !store.tls };
  const credentials = store.secretName === undefined ? { useSDKCreds: true } : {
    accessKeySecret: { name: store.secretName, key: 'accesskey' }, secretKeySecret: { name: store.secretName, key: 'secretkey' },
  };
  return { archiveLogs: true, s3: { ...place, ...endpoint, ...credentials } };
}

function inBucket({ prefix }: BucketStore, path: string): string {
  return prefix === undefined ? path : `${prefix}/${path}`;
}

/**
 * What the profile controller writes into the ConfigMaps of profiles: `kfp-launcher` for pipelines, `artifact-repositories` for steps.
 * @see https://github.com/kubeflow/pipelines/blob/2.16.0/manifests/kustomize/base/installs/multi-user/pipelines-profile-controller/sync.py
 */
function profileStore(store: BucketStore): PatchSpec {
  const data = {
    'kfp-launcher': launcherSettings(store),
    'artifact-repositories': { 'default-namespaced': JSON.stringify(artifactRepository(store, PROFILE)) },
  };
  return ofContainer('kubeflow-pipelines-profile-controller', 'profile-controller', {
    command: ['python', '-c', escapeReferences(programText('platform/profile_store.py'))], env: [literal('TRAINYARD_PROFILE_DATA', JSON.stringify(data))],
  });
}

/**
 * Root of a profile's files, and who opens the bucket: by default the pods' own identity.
 * @see https://www.kubeflow.org/docs/components/pipelines/operator-guides/configure-object-store/
 */
function launcherSettings(store: BucketStore): { readonly [key: string]: string } {
  const path = `${store.bucket}/${inBucket(store, `private-artifacts/${PROFILE}/v2/artifacts`)}`;
  if (store.kind === 'gcs') {
    return { defaultPipelineRoot: `gs://${path}` };
  }
  if (store.kind === 's3' && store.secretName === undefined) {
    return { defaultPipelineRoot: `s3://${path}?region=${store.region}` };
  }
  const credentials = { fromEnv: false, secretRef: { secretName: store.secretName, accessKeyKey: 'accesskey', secretKeyKey: 'secretkey' } };
  const place = store.kind === 's3' ? { endpoint: 's3.amazonaws.com', region: store.region, disableSSL: false }
    : { endpoint: store.endpoint, region: 'us-east-1', disableSSL: !store.tls };
  return { defaultPipelineRoot: `${store.kind}://${path}`, providers: JSON.stringify({ [store.kind]: { default: { ...place, credentials } } }) };
}

/** The API server's own store needs S3. Google's buckets support it with HMAC keys; without one it still uses the store in the cluster. */
function apiServerStore(store: BucketStore): PatchSpec[] {
  const secretName = store.kind === 'gcs' ? store.hmacSecretName : store.secretName;
  if (store.kind === 'gcs' && secretName === undefined) {
    return [];
  }
  // Without keys it uses its own identity, but the installation gives it those of the store in the cluster.
  const keys = (['accesskey', 'secretkey'] as const).map((key) => {
    const name = key === 'accesskey' ? 'OBJECTSTORECONFIG_ACCESSKEY' : 'OBJECTSTORECONFIG_SECRETACCESSKEY';
    return secretName === undefined ? { name, value: '', valueFrom: null } : secretVariable(name, secretName, key);
  });
  const [host, port] = store.kind === 'gcs' ? ['storage.googleapis.com', '443'] : store.kind === 's3' ? [`s3.${store.region}.amazonaws.com`, '443'] : store.endpoint.split(':');
  const secure = store.kind === 'minio' ? store.tls : true;
  return [ofContainer('ml-pipeline', 'ml-pipeline-api-server', { env: [
    { name: 'OBJECTSTORECONFIG_HOST', value: host }, { name: 'OBJECTSTORECONFIG_PORT', value: port }, { name: 'OBJECTSTORECONFIG_SECURE', value: String(secure) },
    ...(store.kind === 's3' ? [{ name: 'OBJECTSTORECONFIG_REGION', value: store.region }] : []),
    ...keys,
  ] })];
}

function databaseSettings(database: DatabaseSpec): { readonly [key: string]: string } {
  if (database.kind === 'in-cluster') {
    return {};
  }
  const [host, port] = database.kind === 'mysql' ? [database.host, String(database.port)] : [DATABASE_PROXY_NAME, '3306'];
  // Old and new names: the API server reads the second pair, metadata and cache the first.
  return { dbHost: host, dbPort: port, mysqlHost: host, mysqlPort: port };
}

/** Removes the database in the cluster, and the Secret with its published, empty password. Users provide {@link DATABASE_SECRET}. */
function withoutMysql(): PatchSpec[] {
  return [
    removal('apps/v1', 'Deployment', 'mysql'), removal('v1', 'Service', 'mysql'), removal('v1', 'PersistentVolumeClaim', 'mysql-pv-claim'),
    removal('v1', 'Secret', DATABASE_SECRET),
  ];
}

/**
 * MLflow's artifacts in the platform's store. MLflow does not use the store that Pipelines installs, and then keeps files on its own disk.
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
  const endpoint = kind === 's3' ? { AWS_DEFAULT_REGION: artifactStore.region }
    : { MLFLOW_S3_ENDPOINT_URL: `${artifactStore.tls ? 'https' : 'http'}://${artifactStore.endpoint}` };
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

/**
 * Katib's settings: variables of its database manager, and no database in the cluster.
 * @param database name of Katib's database
 * @see https://github.com/kubeflow/katib/tree/v0.19.0/manifests/v1beta1/installs/katib-external-db
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/env-variables/
 */
export function katibWithDatabase(database: string): PlatformComponentSpec {
  const manager = ofContainer('katib-db-manager', 'katib-db-manager', { env: [
    { name: 'KATIB_MYSQL_DB_HOST', value: DATABASE_PROXY_NAME }, { name: 'KATIB_MYSQL_DB_PORT', value: '3306' },
    { name: 'KATIB_MYSQL_DB_DATABASE', value: database },
    secretVariable('DB_USER', DATABASE_SECRET, 'username'), secretVariable('DB_PASSWORD', DATABASE_SECRET, 'password'),
  ] });
  const mysql = (apiVersion: string, kind: string) => removal(apiVersion, kind, 'katib-mysql');
  return { name: 'katib', patches: [manager, mysql('apps/v1', 'Deployment'), mysql('v1', 'Service'), mysql('v1', 'PersistentVolumeClaim')] };
}
