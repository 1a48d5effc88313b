/** Components of the catalogue through Pulumi: charts, kustomizations and objects in their order, and Kubeflow with what it is wired to. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { WEBHOOK_BUNDLES, aggregated, scaledDeployment } from '../../src/model/catalogue/sources';
import { KubeflowOnGkeStack, PlatformDeployment, type KubeflowOnGkeStackArgs, type PlatformDeploymentArgs } from '../../src/stacks';
import { ignoreOwned, ignoredPaths, kustomizationOf } from '../../src/stacks/platform/platform-deployment';
import { late, settled, shutDown, startRecording, unknown, type Recorder } from './support/mocks';

const CHART = 'kubernetes:helm.sh/v4:Chart';
const KUSTOMIZATION = 'kubernetes:kustomize/v2:Directory';
const OPERATOR = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trainyard-system' } }];
const DEX: PlatformDeploymentArgs['identity'] = { kind: 'dex', secretName: 'sign-in', connectors: [{ id: 'company', type: 'ldap', name: 'Company', config: {}, secrets: {} }] };
const SIGN_IN = ['auth', 'oauth2-proxy'].map((namespace) => ({ name: 'sign-in', namespace, data: { 'client-id': 'kubeflow', 'client-secret': late('made-up'), 'cookie-secret': late('made-up') } }));
const FULL: PlatformDeploymentArgs = { preset: 'full', identity: DEX, charts: { 'training-operator': OPERATOR }, secrets: SIGN_IN };

// Versions that no source confirms are told; tests of the catalogue look at them.
beforeEach(() => jest.spyOn(pulumi.log, 'warn').mockResolvedValue());

afterEach(() => {
  jest.restoreAllMocks();
  shutDown();
});

const kustomization = (recorder: Recorder, name: string) => {
  const { inputs } = recorder.of(KUSTOMIZATION).find((each) => each.name === name)!;
  return JSON.parse(readFileSync(path.join(inputs.directory, 'kustomization.yaml'), 'utf8')) as { readonly resources: string[]; readonly patches?: { readonly target?: object; readonly patch: string }[] };
};

describe('PlatformDeployment', () => {
  test('charts come from their registries, in namespaces that Helm does not make', async () => {
    const recorder = await startRecording();
    new PlatformDeployment('ml', { components: ['cert-manager', 'kueue', 'jobset', { name: 'kuberay', rawValues: { 'kuberay-operator': { batchScheduler: { enabled: true } } } }] });
    await settled();
    expect(recorder.of(CHART).map(({ name, inputs }) => ({ called: name, ...inputs }))).toMatchSnapshot();
    expect(recorder.of('kubernetes:core/v1:Namespace').map(({ inputs }) => inputs.metadata.name).sort()).toEqual(['cert-manager', 'jobset-system', 'kueue-system', 'kuberay-system'].sort());
    expect(recorder.edges.get(`${CHART} ml-kueue-kueue`)!.dependencies).toEqual(expect.arrayContaining(['ml-cert-manager-cert-manager', 'ml-jobset-jobset', 'ml-kuberay-kuberay-operator']));
  });

  test('Kubeflow with everything is these parts in this order', async () => {
    const recorder = await startRecording();
    const platform = new PlatformDeployment('ml', FULL);
    await settled();
    expect([...platform.components.keys()]).toMatchSnapshot();
    const parts = [...recorder.of(CHART), ...recorder.of(KUSTOMIZATION)];
    expect(parts.length).toBeGreaterThan(40);
    const after = (name: string) => recorder.edges.get(`${KUSTOMIZATION} ${name}`)!.dependencies;
    expect(after('ml-pipelines-pipelines')).toEqual(expect.arrayContaining(['ml-kubeflow-base-namespace', 'ml-cert-manager-cert-manager', 'ml-profiles-profiles']));
    expect(after('ml-istio-install')).toContain('ml-istio-namespace');
  });

  test('a kustomization is a folder with the catalogue\'s as its resource, and the patches of the platform', async () => {
    const recorder = await startRecording();
    new PlatformDeployment('ml', {
      ...FULL, artifactStore: { kind: 'gcs', bucket: late('ml-artifacts') }, database: { kind: 'cloud-sql', instance: late('ml-test:europe-west4:kfp'), privateIp: true },
      domain: { host: 'ml.example.com', tls: { kind: 'self-signed' } },
    });
    await settled();
    expect(kustomization(recorder, 'ml-kubeflow-base-namespace')).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: ['https://github.com/kubeflow/community-distribution//common/kubeflow-namespace/base?ref=26.03'],
    });
    const { patches } = kustomization(recorder, 'ml-pipelines-pipelines');
    expect(JSON.parse(patches![0].patch)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'pipeline-install-config' }, data: { bucketName: 'ml-artifacts', dbHost: 'cloud-sql-proxy' } });
    expect(patches!.map(({ patch }) => JSON.parse(patch)).filter(({ $patch }) => $patch === 'delete').map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toContain('Deployment mysql');
    expect(kustomization(recorder, 'ml-kubeflow-gateway-resources').patches).toEqual([expect.objectContaining({ target: { group: 'networking.istio.io', kind: 'Gateway', name: 'kubeflow-gateway' } })]);
    const [proxy] = recorder.of('kubernetes:apps/v1:Deployment').filter(({ inputs }) => inputs.metadata.name === 'cloud-sql-proxy');
    expect(proxy.inputs.spec.template.spec.containers[0].args).toContain('ml-test:europe-west4:kfp');
  });

  test('folders of kustomizations are gone when the process is', async () => {
    const recorder = await startRecording();
    const exits: (() => void)[] = [];
    new PlatformDeployment('ml', { components: ['gateway-api'], environment: 'other' });
    await settled();
    const { directory } = recorder.one(KUSTOMIZATION).inputs;
    expect(existsSync(directory)).toBe(true);
    exits.push(...process.listeners('exit').filter((listener) => listener.toString().includes('rmSync')) as (() => void)[]);
    expect(exits).toHaveLength(1);
  });

  test('Secrets of a namespace come before what is only waited for with them, or with it', async () => {
    const recorder = await startRecording();
    new PlatformDeployment('ml', { ...FULL, secrets: [...SIGN_IN, { name: 'registry', namespace: 'kueue-system', data: { token: late('made-up') } }] });
    await settled();
    const secrets = recorder.of('kubernetes:core/v1:Secret').map(({ inputs }) => `${inputs.metadata.namespace}/${inputs.metadata.name}`);
    expect(secrets.sort()).toEqual(['auth/sign-in', 'kueue-system/registry', 'oauth2-proxy/sign-in']);
    // Dex brings its namespace itself, so that its pods wait for the Secret, and Pulumi does not wait for them.
    const dex = recorder.of(KUSTOMIZATION).find(({ name }) => name === 'ml-dex-dex')!;
    expect(dex.inputs.skipAwait).toBe(true);
    expect(recorder.edges.get(`${CHART} ml-kueue-kueue`)!.dependencies).toContain('ml-kueue-secret-kueue-system-registry');
  });

  test.each<[string, PlatformDeploymentArgs, string]>([
    ['preset', { preset: 'complete' as 'full' }, 'preset: "complete": must be one of training, serving, full, local.'],
    ['component', { components: ['kueu'] }, "components.kueu: \"kueu\": is not a component of the catalogue. Did you mean 'kueue'?"],
    ['component without what it needs', { components: ['trainer'] }, "components.trainer: \"jobset\": is needed but missing. Add 'jobset'."],
    ['component of the program', { components: ['training-operator'] }, 'charts.training-operator: is required: training-operator is created by the program.'],
    ['chart of nothing', { components: ['kueue'], charts: { kueue: OPERATOR } }, 'charts.kueue: "kueue": does not belong to a component that the program creates.'],
    ['namespace of a Secret', { components: ['kueue'], secrets: [{ name: 'a', namespace: 'ml', data: {} }] }, 'secrets.a: "ml": is not a namespace of a component; there are kueue-system.'],
    ['identity', { ...FULL, identity: { kind: 'dex', connectors: [] } }, 'identity.connectors'],
    ['bucket', { ...FULL, artifactStore: { kind: 'gcs', bucket: 'gs://ml' } }, 'artifactStore.bucket: "gs://ml"'],
    ['output', { preset: 'training', charts: { 'training-operator': OPERATOR }, kubernetesVersion: late('1.34') as unknown as string }, 'kubernetesVersion: is an output, but must be known'],
    ['old Kubernetes', { ...FULL, kubernetesVersion: '1.30' }, 'it needs Kubernetes 1.34 or later'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new PlatformDeployment('ml', args)).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });

  test('in a preview the folder of a kustomization waits for names that nobody knows yet', async () => {
    const recorder = await startRecording({ preview: true });
    new PlatformDeployment('ml', { ...FULL, artifactStore: { kind: 'gcs', bucket: unknown() } });
    await settled();
    const pipelines = recorder.of(KUSTOMIZATION).find(({ name }) => name === 'ml-pipelines-pipelines')!;
    expect(pipelines.inputs.directory === undefined || pulumi.isUnknown(pipelines.inputs.directory)).toBe(true);
    expect(existsSync(recorder.of(KUSTOMIZATION).find(({ name }) => name === 'ml-istio-crds')!.inputs.directory)).toBe(true);
    expect(recorder.of(CHART).find(({ name }) => name === 'ml-cert-manager-cert-manager')!.inputs).toMatchObject({ chart: 'cert-manager', namespace: 'cert-manager' });
  });
});

test.each<[string, string | undefined, string[]]>([
  ['kubernetes:admissionregistration.k8s.io/v1:MutatingWebhookConfiguration', 'any', ['webhooks[*].clientConfig.caBundle']],
  ['kubernetes:apps/v1:Deployment', 'istiod', ['spec.replicas']],
  ['kubernetes:apps/v1:Deployment', 'dex', []],
  ['kubernetes:rbac.authorization.k8s.io/v1:ClusterRole', 'kubeflow-admin', ['rules']],
  ['kubernetes:core/v1:Secret', 'certificate', ['data', 'metadata.annotations["example.com/hash"]', 'spec.list[0]']],
  ['kubernetes:core/v1:Secret', undefined, []],
])('of %s %s controllers own %p', (type, name, paths) => {
  const owned = [
    ...WEBHOOK_BUNDLES, scaledDeployment('istiod'), aggregated('kubeflow-admin'),
    { group: '', kind: 'Secret', name: 'certificate', pointers: ['/data', '/metadata/annotations/example.com~1hash', '/spec/list/0'], reason: 'test' },
  ];
  expect(ignoredPaths({ type, name }, owned)).toEqual(paths);
  const transformed = ignoreOwned(owned)({ custom: true, type, name: 'x', props: { metadata: { name } }, opts: { ignoreChanges: ['status'] } }) as pulumi.ResourceTransformResult | undefined;
  expect(transformed?.opts.ignoreChanges).toEqual(paths.length === 0 ? undefined : ['status', ...paths]);
});

test('patches of a kustomization keep their targets', () => {
  const source = { kind: 'git', repository: 'https://github.com/example/repo', path: 'base', revision: 'v1' } as const;
  expect(kustomizationOf({ kind: 'git', name: 'a', source, patches: [{ target: { kind: 'Gateway' }, patch: [{ op: 'remove', path: '/spec' }] }] })).toEqual({
    apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: ['https://github.com/example/repo//base?ref=v1'],
    patches: [{ target: { kind: 'Gateway' }, patch: '[{"op":"remove","path":"/spec"}]' }],
  });
});

describe('KubeflowOnGkeStack', () => {
  const stack = (more: Partial<KubeflowOnGkeStackArgs> = {}): KubeflowOnGkeStackArgs => ({
    project: 'ml-test', location: 'europe-west4', database: { password: pulumi.secret('made-up') },
    platform: { identity: DEX, charts: { 'training-operator': OPERATOR }, secrets: SIGN_IN }, ...more,
  });

  test('Pipelines and Katib keep state in Cloud SQL, through a proxy that alone may connect', async () => {
    const recorder = await startRecording();
    new KubeflowOnGkeStack('kf', stack({ profiles: ['team-a'] }));
    await settled();
    const grants = recorder.of('gcp:projects/iAMMember:IAMMember').filter(({ inputs }) => inputs.role === 'roles/cloudsql.client');
    expect(grants.map(({ inputs }) => inputs.member)).toEqual(['principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/ml-test.svc.id.goog/subject/ns/kubeflow/sa/cloud-sql-proxy']);
    const [secret] = recorder.of('kubernetes:core/v1:Secret').filter(({ inputs }) => inputs.metadata.name === 'mysql-secret');
    expect(secret.inputs.metadata.namespace).toBe('kubeflow');
    expect(recorder.edges.get(`${KUSTOMIZATION} kf-platform-pipelines-pipelines`)!.dependencies).toContain(secret.name);
    const katib = kustomization(recorder, 'kf-platform-katib-katib').patches!.map(({ patch }) => JSON.parse(patch));
    expect(katib[0].spec.template.spec.containers[0].env).toEqual(expect.arrayContaining([{ name: 'KATIB_MYSQL_DB_HOST', value: 'cloud-sql-proxy' }, { name: 'KATIB_MYSQL_DB_DATABASE', value: 'katib' }]));
    expect(katib.slice(1).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Deployment katib-mysql', 'Service katib-mysql', 'PersistentVolumeClaim katib-mysql']);
    const config = JSON.parse(kustomization(recorder, 'kf-platform-pipelines-pipelines').patches![0].patch);
    expect(config.data.bucketName).toBe('kf-artifacts-made');
  });

  test('accounts of Pipelines and of profiles read and write the bucket', async () => {
    const recorder = await startRecording();
    new KubeflowOnGkeStack('kf', stack({ profiles: ['team-a'] }));
    await settled();
    const accounts = recorder.of('gcp:storage/bucketIAMMember:BucketIAMMember').map(({ inputs }) => inputs.member.split('/subject/')[1]);
    expect(accounts.sort()).toEqual(['ns/kubeflow/sa/ml-pipeline', 'ns/kubeflow/sa/ml-pipeline-ui', 'ns/kubeflow/sa/pipeline-runner', 'ns/team-a/sa/default-editor']);
  });

  test('the platform comes after the pools, and charts come after the platform', async () => {
    const recorder = await startRecording();
    new KubeflowOnGkeStack('kf', stack({
      pools: { l4: { machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 }, zones: ['europe-west4-a'], size: { totalMin: 0, totalMax: 2 } } },
      charts: { team: { chart: [{ apiVersion: 'kubeflow.org/v1', kind: 'Profile', metadata: { name: 'team-a' } }] } },
    }));
    await settled();
    expect(recorder.edges.get(`${CHART} kf-platform-cert-manager-cert-manager`)!.dependencies).toContain('kf-l4');
    expect(recorder.edges.get('kubernetes:kubeflow.org/v1:Profile kf-team:Profile/team-a')!.dependencies).toContain('kf-platform-profiles-profiles');
  });

  test.each<[string, Partial<KubeflowOnGkeStackArgs>, string]>([
    ['preset without pipelines', { platform: { preset: 'training', charts: { 'training-operator': OPERATOR } } }, 'platform: "training": has no pipelines, which use the database and the bucket.'],
    ['identity', { platform: { charts: { 'training-operator': OPERATOR } } }, 'platform.identity.connectors'],
    ['component', { platform: { identity: DEX, charts: { 'training-operator': OPERATOR }, components: ['spark'] } }, 'platform.components.spark'],
    ['name of a bucket', { buckets: { artifacts: {} } }, 'buckets.artifacts: "artifacts": is the name of the pipelines bucket.'],
    ['name of the database of Katib', { database: { password: pulumi.secret('made-up'), databases: { katib: late('katib') } } }, 'database.databases.katib: is an output, but must be known'],
    ['chart', { charts: { team: { chart: [], after: ['queues'] } } }, 'charts.team.after[0]: "queues": is not a chart of this stack. Use one of: team.'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new KubeflowOnGkeStack('kf', stack(args))).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });

  test('in a preview what is known of cluster and platform is shown', async () => {
    const recorder = await startRecording({ preview: true });
    new KubeflowOnGkeStack('kf', stack({ location: unknown() }));
    await settled();
    expect(recorder.one('gcp:sql/databaseInstance:DatabaseInstance').inputs).toMatchObject({ databaseVersion: 'MYSQL_8_0' });
    expect(recorder.of(CHART).length).toBeGreaterThan(10);
  });
});
