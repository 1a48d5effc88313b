import { mergeValues } from '../../../src/manifests/platform/plan';
import { wireDex, wireIap, wireOauth2Proxy } from '../../../src/manifests/platform/wiring/identity';
import { wireMlflow, wirePipelines } from '../../../src/manifests/platform/wiring/state';
import { wiringOf } from '../../../src/manifests/platform/wiring/wiring';
import type { ArtifactStoreSpec, DomainSpec, PlatformSpec } from '../../../src/model/platform/spec';

const SPEC: PlatformSpec = {
  environment: 'other', components: [], existing: [], artifactStore: { kind: 'in-cluster' }, database: { kind: 'in-cluster' }, identity: { kind: 'dex', connectors: [] },
};
// Patches are objects of all kinds.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyPatch = any;
const patches = (spec: Partial<PlatformSpec>): AnyPatch[] => (wirePipelines({ ...SPEC, ...spec }).pipelines.patches ?? []).map(({ patch }) => patch);

describe('values', () => {
  test('are merged as Helm merges files of values', () => {
    const merged = mergeValues({ a: { b: 1, c: [1, 2] }, d: 1 }, undefined, { a: { c: [3], e: null }, f: false });
    expect(merged).toEqual({ a: { b: 1, c: [3], e: null }, d: 1, f: false });
  });

  test('that say nothing change nothing', () => {
    expect(mergeValues({ a: { b: 1 } }, { a: { b: undefined, c: undefined } })).toEqual({ a: { b: 1 } });
  });

  test('replace a map by what is none, and the other way round', () => {
    expect(mergeValues({ a: { b: 1 }, c: 1 }, { a: 'x', c: { d: 1 } })).toEqual({ a: 'x', c: { d: 1 } });
  });
});

describe('pipelines keep files in', () => {
  test.each<readonly [string, ArtifactStoreSpec, string, object, readonly (readonly [string, unknown])[]]>([
    ['GCS, and their records too, with an HMAC key', { kind: 'gcs', bucket: 'b', hmacSecretName: 'hmac' }, 'gs://b/v2/artifacts', { gcs: { bucket: 'b' } },
      [['OBJECTSTORECONFIG_HOST', 'storage.googleapis.com'], ['OBJECTSTORECONFIG_SECURE', 'true'], ['OBJECTSTORECONFIG_ACCESSKEY', { secretKeyRef: { name: 'hmac', key: 'accesskey' } }]]],
    ['S3, by the pods\' own identity', { kind: 's3', bucket: 'b', region: 'eu-central-1' }, 's3://b/v2/artifacts?region=eu-central-1',
      { s3: { bucket: 'b', endpoint: 's3.eu-central-1.amazonaws.com', region: 'eu-central-1', useSDKCreds: true } },
      [['OBJECTSTORECONFIG_HOST', 's3.eu-central-1.amazonaws.com'], ['OBJECTSTORECONFIG_REGION', 'eu-central-1'],
        ['OBJECTSTORECONFIG_SECRETACCESSKEY', '']]],
    ['S3, by a Secret', { kind: 's3', bucket: 'b', region: 'eu-central-1', secretName: 's3' }, 's3://b/v2/artifacts?region=eu-central-1',
      { s3: { accessKeySecret: { name: 's3', key: 'accesskey' }, secretKeySecret: { name: 's3', key: 'secretkey' } } },
      [['OBJECTSTORECONFIG_ACCESSKEY', { secretKeyRef: { name: 's3', key: 'accesskey' } }]]],
    ['MinIO', { kind: 'minio', bucket: 'b', prefix: 'p', endpoint: 'minio.storage:9000', tls: false, secretName: 'minio' },
      's3://b/p/v2/artifacts?endpoint=minio.storage:9000&disableSSL=true&s3ForcePathStyle=true&region=us-east-1', { s3: { endpoint: 'minio.storage:9000', insecure: true } },
      [['OBJECTSTORECONFIG_HOST', 'minio.storage'], ['OBJECTSTORECONFIG_PORT', '9000'], ['OBJECTSTORECONFIG_SECURE', 'false']]],
  ])('%s', (_what, artifactStore, root, repository, variables) => {
    const [settings, workflows, server] = patches({ artifactStore });
    expect(settings.data).toEqual({ bucketName: 'b', defaultPipelineRoot: root });
    expect(JSON.parse(workflows.data.artifactRepository)).toMatchObject({ archiveLogs: true, ...repository });
    const env: { name: string; value?: string; valueFrom?: object }[] = server.spec.template.spec.containers[0].env;
    for (const [name, value] of variables) {
      const found = env.find((each) => each.name === name);
      expect(found?.value ?? found?.valueFrom).toEqual(value);
    }
  });

  test.each<readonly [string, ArtifactStoreSpec, string, object | undefined, object]>([
    ['GCS', { kind: 'gcs', bucket: 'b', prefix: 'p' }, 'gs://b/p/private-artifacts/<namespace>/v2/artifacts', undefined, { gcs: { bucket: 'b' } }],
    ['S3, by the pods\' own identity', { kind: 's3', bucket: 'b', region: 'eu-central-1' }, 's3://b/private-artifacts/<namespace>/v2/artifacts?region=eu-central-1', undefined,
      { s3: { useSDKCreds: true } }],
    ['S3, by a Secret', { kind: 's3', bucket: 'b', region: 'eu-central-1', secretName: 'keys' }, 's3://b/private-artifacts/<namespace>/v2/artifacts',
      { s3: { default: { endpoint: 's3.amazonaws.com', region: 'eu-central-1', disableSSL: false, credentials: { fromEnv: false, secretRef: { secretName: 'keys' } } } } },
      { s3: { accessKeySecret: { name: 'keys' } } }],
    ['MinIO', { kind: 'minio', bucket: 'b', endpoint: 'minio.storage:9000', tls: false, secretName: 'keys' }, 'minio://b/private-artifacts/<namespace>/v2/artifacts',
      { minio: { default: { endpoint: 'minio.storage:9000', disableSSL: true, credentials: { secretRef: { secretName: 'keys', accessKeyKey: 'accesskey', secretKeyKey: 'secretkey' } } } } },
      { s3: { endpoint: 'minio.storage:9000' } }],
  ])('%s, in profiles too', (_what, artifactStore, root, providers, repository) => {
    const { metadata, spec } = patches({ artifactStore }).at(-1);
    expect(metadata.name).toBe('kubeflow-pipelines-profile-controller');
    const [{ command, env }] = spec.template.spec.containers;
    expect(command).toEqual(['python', '-c', expect.stringContaining('TRAINYARD_PROFILE_DATA')]);
    const { 'kfp-launcher': launcher, 'artifact-repositories': repositories } = JSON.parse(env[0].value);
    expect(launcher.defaultPipelineRoot).toBe(root);
    expect({ providers: launcher.providers && JSON.parse(launcher.providers) }).toMatchObject({ providers });
    expect(JSON.parse(repositories['default-namespaced'])).toMatchObject({ archiveLogs: true, ...repository });
    expect(repositories['default-namespaced']).toContain('private-artifacts/<namespace>/{{workflow.name}}/');
  });

  test('the cluster, without a change', () => {
    expect(patches({})).toEqual([]);
    expect(wirePipelines(SPEC)['database-proxy'].objects).toEqual([]);
  });
});

test('a MySQL server of one\'s own takes the place of that in the cluster, without a proxy', () => {
  const [settings, ...removed] = patches({ database: { kind: 'mysql', host: 'db.example.com', port: 3307 } });
  expect(settings.data).toEqual({ dbHost: 'db.example.com', dbPort: '3307', mysqlHost: 'db.example.com', mysqlPort: '3307' });
  expect(removed.map(({ $patch }) => $patch)).toEqual(['delete', 'delete', 'delete', 'delete']);
  expect(wirePipelines({ ...SPEC, database: { kind: 'mysql', host: 'db', port: 3306 } })['database-proxy'].objects).toEqual([]);
});

test('the proxy to Cloud SQL acts as whom it is told, and keeps the restricted standard', () => {
  const { objects } = wirePipelines({
    ...SPEC, database: { kind: 'cloud-sql', instance: 'p:europe-west4:i', privateIp: false, googleServiceAccount: 'sql-client@my-project.iam.gserviceaccount.com' },
  })['database-proxy'];
  expect(objects!.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Deployment', 'Service', 'PodDisruptionBudget']);
  expect(objects![0].metadata.annotations).toEqual({ 'iam.gke.io/gcp-service-account': 'sql-client@my-project.iam.gserviceaccount.com' });
  const { spec } = (objects![1] as AnyPatch).spec.template;
  expect(spec.containers[0].args).not.toContain('--private-ip');
  expect(spec).toMatchObject({ securityContext: { runAsNonRoot: true }, containers: [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }] });
});

describe('MLflow keeps artifacts in', () => {
  test.each<readonly [string, ArtifactStoreSpec, object]>([
    ['GCS', { kind: 'gcs', bucket: 'b', prefix: 'p' }, { artifactRoot: { gcs: { enabled: true, bucket: 'b', path: 'p/mlflow' } } }],
    ['S3', { kind: 's3', bucket: 'b', region: 'eu-central-1' }, { artifactRoot: { s3: { enabled: true, bucket: 'b', path: 'mlflow' } }, extraEnvVars: { AWS_DEFAULT_REGION: 'eu-central-1' } }],
    ['MinIO', { kind: 'minio', bucket: 'b', endpoint: 'm:9000', tls: true, secretName: 's' },
      { artifactRoot: { s3: { enabled: true } }, extraEnvVars: { MLFLOW_S3_ENDPOINT_URL: 'https://m:9000' }, extraSecretNamesForEnvFrom: ['s'] }],
  ])('%s', (_what, artifactStore, values) => {
    expect(wireMlflow({ ...SPEC, artifactStore }).mlflow.values).toMatchObject(values);
  });

  test('nothing of the platform where the store is that of Pipelines', () => {
    expect(wireMlflow(SPEC)).toEqual({});
  });
});

describe('sign-in', () => {
  const identity = {
    kind: 'dex' as const, secretName: 'oidc',
    connectors: [{ type: 'github', id: 'hub', name: 'GitHub', config: { clientID: 'x', clientSecret: '$HUB' }, secrets: { HUB: { secretName: 'hub', key: 'secret' } } }],
  };

  test('asks those whom the program names, and nobody else', () => {
    const [configMap, deployment] = wireDex({ ...SPEC, identity }).dex.patches!.map(({ patch }) => patch as AnyPatch);
    expect(JSON.parse(configMap.data['config.yaml'])).toMatchObject({
      enablePasswordDB: false, connectors: [{ type: 'github', id: 'hub', name: 'GitHub', config: { clientID: 'x', clientSecret: '$HUB' } }],
    });
    expect(deployment.spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name)).toEqual(['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'HUB']);
  });

  test('has no secret in its configuration', () => {
    expect(JSON.stringify(wireDex({ ...SPEC, identity }))).not.toContain('cookie');
    expect(JSON.stringify(wireOauth2Proxy({ ...SPEC, identity }))).toContain('"secretKeyRef":{"name":"oidc","key":"cookie-secret"}');
  });

  test('of IAP checks issuer, audience and signature', () => {
    const domain: DomainSpec = { host: 'ml.example.com', tls: { kind: 'certificate-map', name: 'ml' } };
    const { objects } = wireIap({ ...SPEC, environment: 'gke', domain, identity: { kind: 'iap', audience: '/projects/1/global/backendServices/2' } }).iap;
    const [authentication, policy, gateway, route, backend, health] = objects as AnyPatch[];
    expect(authentication.spec.jwtRules[0]).toMatchObject({
      issuer: 'https://cloud.google.com/iap', audiences: ['/projects/1/global/backendServices/2'], jwksUri: 'https://www.gstatic.com/iap/verify/public_key-jwk',
      fromHeaders: [{ name: 'x-goog-iap-jwt-assertion' }], outputClaimToHeaders: [{ header: 'kubeflow-userid', claim: 'email' }],
    });
    expect(policy.spec).toMatchObject({ action: 'DENY', rules: [{ from: [{ source: { notRequestPrincipals: ['*'] } }] }] });
    expect(gateway).toMatchObject({ metadata: { annotations: { 'networking.gke.io/certmap': 'ml' } }, spec: { listeners: [{ hostname: 'ml.example.com', port: 443 }] } });
    expect(route.spec).toMatchObject({ hostnames: ['ml.example.com'], rules: [{ backendRefs: [{ name: 'istio-ingressgateway' }] }] });
    // Kinds of GKE, whose definitions no test has.
    const target = { group: '', kind: 'Service', name: 'istio-ingressgateway' };
    expect(backend).toMatchObject({ apiVersion: 'networking.gke.io/v1', kind: 'GCPBackendPolicy', spec: { default: { iap: { enabled: true } }, targetRef: target } });
    expect(health).toMatchObject({
      apiVersion: 'networking.gke.io/v1', kind: 'HealthCheckPolicy',
      spec: { default: { config: { type: 'HTTP', httpHealthCheck: { port: 15021, requestPath: '/healthz/ready' } } }, targetRef: target },
    });
  });
});

describe('KServe', () => {
  const kserve = (features: string[], domain?: DomainSpec): AnyPatch => (
    (wiringOf('kserve', { ...SPEC, domain, components: [{ name: 'kserve', features }] }).kserve.values as AnyPatch).kserve.controller.gateway);

  test('has Istio\'s objects in Knative\'s mode only', () => {
    expect(kserve(['knative'])).toEqual({ disableIstioVirtualHost: false });
    expect(kserve([])).toEqual({});
  });

  test('writes routes where somebody answers them, below the platform\'s domain', () => {
    expect(kserve(['gatewayApi'], { host: 'ml.example.com', tls: { kind: 'none' } })).toEqual({ domain: 'ml.example.com', ingressGateway: { enableGatewayApi: true } });
  });
});

test('components that share nothing are wired to nothing', () => {
  expect(wiringOf('jobset', SPEC)).toEqual({});
});
