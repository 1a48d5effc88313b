import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Chart, Duration, Size } from 'cdk8s';
import { load } from 'js-yaml';
import { COMPANY, DELIVERIES, IAP, REPOSITORY, synthesize, type AnyObject } from './support/platforms';
import {
  ArgoCdLayout, ArtifactStore, ComponentName, Delivery, DexConnector, IdentityProvider, KubeflowPlatform, MetadataDatabase, PlatformComponent,
  PlatformEnvironment, PlatformPreset, PlatformTls, ServiceMesh, type KServeComponentOptions, type KubeflowPlatformProps,
} from '../../../src/constructs/platform';
import { COMPONENT_NAMES } from '../../../src/model/catalogue/catalogue';
import { errorsOf } from '../../support/synth-errors';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const ARGO = DELIVERIES['Argo CD, Applications'];
const LOCAL: KubeflowPlatformProps = { environment: PlatformEnvironment.KIND, preset: PlatformPreset.LOCAL, delivery: ARGO };

const application = (objects: readonly AnyObject[], name: string) => objects.find(({ kind, metadata }) => kind === 'Application' && metadata.name === `platform-${name}`)!;
const valuesOf = (objects: readonly AnyObject[], name: string, release: string) => (
  application(objects, name).spec.sources.find(({ helm }: AnyObject) => helm?.releaseName === release)?.helm.valuesObject);
const patchesOf = (objects: readonly AnyObject[], name: string): AnyObject[] => (
  application(objects, name).spec.sources.flatMap(({ kustomize }: AnyObject) => kustomize?.patches ?? [])
    .map(({ patch }: { patch: string }) => load(patch)));

test('every component has a name of its own in programs', () => {
  expect(Object.values(ComponentName).sort()).toEqual([...COMPONENT_NAMES].sort());
});

test('a platform on kind is a project, an Application of Applications, and files of objects', () => {
  const { platform, files } = synthesize(LOCAL);
  expect([...files.keys()]).toEqual([
    'platform-applications.k8s.yaml', 'platform-kubeflow-base.k8s.yaml', 'platform-platform.k8s.yaml', 'platform-training-operator.k8s.yaml',
  ]);
  expect(platform.waves[0]).toEqual(['cert-manager', 'istio', 'jobset', 'training-operator']);
  expect(platform.builtIn).toEqual([]);
  expect(platform.warnings).toEqual(expect.arrayContaining([expect.stringMatching(/^components\.kserve\.version: "v0\.20\.0": no available source confirms/)]));
});

test('what a small platform writes', () => {
  const { files } = synthesize({
    environment: PlatformEnvironment.OTHER, delivery: ARGO,
    components: [
      PlatformComponent.of(ComponentName.JOBSET), PlatformComponent.trainer({ runtimes: false }), PlatformComponent.of(ComponentName.CERT_MANAGER),
      PlatformComponent.of(ComponentName.KUBEFLOW_BASE),
    ],
  });
  expect(Object.fromEntries(files)).toMatchSnapshot();
});

test('a platform may have its name from its id, in an app or in a chart', () => {
  const app = new App();
  new KubeflowPlatform(app, 'ml', LOCAL);
  new KubeflowPlatform(new Chart(app, 'more'), 'other', LOCAL);
  expect(app.charts.map(({ node }) => node.path).sort()).toEqual([
    'ml-applications', 'ml-kubeflow-base', 'ml-platform', 'ml-training-operator', 'more',
    'other-applications', 'other-kubeflow-base', 'other-platform', 'other-training-operator',
  ]);
});

test('two synths of the same program write the same', () => {
  expect([...synthesize(LOCAL).files]).toEqual([...synthesize(LOCAL).files]);
});

describe('components', () => {
  test('are added, left out, and changed', () => {
    const { platform, objects } = synthesize({
      ...LOCAL, without: [ComponentName.KATIB],
      components: [PlatformComponent.of(ComponentName.LWS), PlatformComponent.of(ComponentName.CERT_MANAGER, { version: 'v1.20.0', values: { replicaCount: 2, crds: { keep: true } } })],
    });
    const names = platform.waves.flat();
    expect(names).toContain('lws');
    expect(names).not.toContain('katib');
    expect(application(objects, 'cert-manager').spec.sources[0]).toMatchObject({
      targetRevision: 'v1.20.0', helm: { valuesObject: { replicaCount: 2, crds: { enabled: true, keep: true }, global: { leaderElection: { namespace: 'cert-manager' } } } },
    });
    // Trainer's own copy of it would be a second one.
    expect(valuesOf(objects, 'trainer', 'kubeflow-trainer')).toMatchObject({ jobset: { install: false }, dataCache: { lws: { install: false } } });
  });

  test('that the cluster has are not installed', () => {
    const { platform } = synthesize({ ...LOCAL, existing: [{ name: ComponentName.CERT_MANAGER, version: 'v1.18.0' }] });
    expect(platform.waves.flat()).not.toContain('cert-manager');
  });

  test('that the environment has are told apart', () => {
    const { platform } = synthesize({ environment: PlatformEnvironment.GKE, preset: PlatformPreset.SERVING, delivery: ARGO });
    expect(platform.builtIn).toEqual(['gateway-api']);
    expect(platform.waves.flat()).not.toContain('gateway-api');
  });

  test('have typed options', () => {
    const { objects } = synthesize({
      environment: PlatformEnvironment.OTHER, delivery: ARGO, preset: PlatformPreset.TRAINING,
      components: [
        PlatformComponent.trainer({ runtimes: false }),
        PlatformComponent.kueue({
          fairSharing: true, waitForPodsReady: Duration.minutes(5), frameworks: ['batch/job'], manageJobsWithoutQueueName: false, usageHalfLife: Duration.days(7),
          uncountedResources: ['networking.gke.io/'],
        }),
        PlatformComponent.kubeRay({ batchScheduler: 'volcano', watchNamespaces: ['team-a'] }),
        PlatformComponent.sparkOperator({ jobNamespaces: ['team-a'], batchScheduler: true }),
        PlatformComponent.gpuOperator({ driver: false, migStrategy: 'mixed' }),
        PlatformComponent.kubePrometheusStack({ retention: Duration.days(14), storage: Size.gibibytes(100), grafana: false }),
        PlatformComponent.loki({ retention: Duration.days(14) }),
        PlatformComponent.fluentBit({ namespaces: ['team-a'] }),
        PlatformComponent.clusterAutoscaler({ cloudProvider: 'azure', clusterName: 'ml', expander: 'price', maxNodeProvisionTime: Duration.minutes(45), scaleDownUnneededTime: Duration.minutes(5) }),
        PlatformComponent.trivyOperator({ exceptNamespaces: ['kube-system', 'istio-system'], concurrentScans: 4, reportLifetime: Duration.days(1), unfixed: true }),
        PlatformComponent.trainingOperator({ replicas: 3 }),
      ],
    });
    expect(valuesOf(objects, 'trainer', 'kubeflow-trainer')).toMatchObject({ runtimes: { defaultEnabled: false } });
    expect(load(valuesOf(objects, 'kueue', 'kueue').managerConfig.controllerManagerConfigYaml)).toMatchObject({
      apiVersion: 'config.kueue.x-k8s.io/v1beta2', integrations: { frameworks: ['batch/job'], externalFrameworks: ['MLTrainingJob.v1alpha1.ml.collabnix.io'] }, waitForPodsReady: { timeout: '300s' },
      manageJobsWithoutQueueName: false, admissionFairSharing: { usageHalfLifeTime: '604800s', usageSamplingInterval: '5m' }, resources: { excludeResourcePrefixes: ['networking.gke.io/'] },
      fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] },
    });
    expect(valuesOf(objects, 'kuberay', 'kuberay-operator')).toEqual({ batchScheduler: { name: 'volcano' }, watchNamespace: ['team-a'] });
    expect(valuesOf(objects, 'spark-operator', 'spark-operator')).toEqual({
      spark: { jobNamespaces: ['team-a'] }, webhook: { enable: true }, controller: { batchScheduler: { enable: true } },
    });
    expect(valuesOf(objects, 'gpu-operator', 'gpu-operator')).toMatchObject({ driver: { enabled: false }, mig: { strategy: 'mixed' }, nfd: { enabled: false } });
    expect(valuesOf(objects, 'kube-prometheus-stack', 'kube-prometheus-stack')).toMatchObject({
      grafana: { enabled: false },
      prometheus: { prometheusSpec: { retention: '336h', ruleSelectorNilUsesHelmValues: false, storageSpec: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '100Gi' } } } } } } },
    });
    expect(valuesOf(objects, 'loki', 'loki').loki).toMatchObject({ limits_config: { retention_period: '336h' } });
    expect(valuesOf(objects, 'fluent-bit', 'fluent-bit').config.outputs).toContain('Host loki-gateway.logging');
    expect(valuesOf(objects, 'trivy-operator', 'trivy-operator')).toEqual({
      excludeNamespaces: 'kube-system,istio-system', operator: { scannerReportTTL: '86400s', scanJobsConcurrentLimit: 4 }, trivy: { ignoreUnfixed: false },
    });
    expect(valuesOf(objects, 'cluster-autoscaler', 'cluster-autoscaler')).toMatchObject({ cloudProvider: 'azure', autoDiscovery: { clusterName: 'ml' } });
    expect(valuesOf(objects, 'cluster-autoscaler', 'cluster-autoscaler').extraArgs).toMatchObject({
      'expander': 'price', 'max-node-provision-time': '2700s', 'scale-down-unneeded-time': '300s', 'balance-similar-node-groups': true,
    });
    expect(objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.namespace === 'trainyard-system')!.spec.replicas).toBe(3);
  });

  test('are patched where they are kustomizations', () => {
    const { objects } = synthesize({
      ...LOCAL,
      components: [PlatformComponent.of(ComponentName.NOTEBOOKS, {
        patches: [{ part: 'controller', target: { kind: 'Deployment', name: 'notebook-controller-deployment' }, patch: [{ op: 'replace', path: '/spec/replicas', value: 2 }] }],
      })],
    });
    const sources: AnyObject[] = application(objects, 'notebooks').spec.sources;
    expect(sources.map(({ kustomize }) => kustomize?.patches.length ?? 0)).toEqual([1, 0, 0, 0]);
    expect(sources[0].kustomize.patches[0]).toEqual({
      target: { kind: 'Deployment', name: 'notebook-controller-deployment' }, patch: '- op: replace\n  path: /spec/replicas\n  value: 2\n',
    });
  });

  test('are patched by group and namespace too', () => {
    const target = { group: 'apps', namespace: 'kubeflow' };
    const { objects } = synthesize({ ...LOCAL, components: [PlatformComponent.of(ComponentName.KATIB, { patches: [{ target, patch: [{ op: 'remove', path: '/spec/replicas' }] }] })] });
    expect(application(objects, 'katib').spec.sources.flatMap(({ kustomize }: AnyObject) => kustomize?.patches ?? [])).toContainEqual({ target, patch: '- op: remove\n  path: /spec/replicas\n' });
  });

  test.each<[string, KServeComponentOptions, readonly string[]]>([
    ['of Knative', { knative: true }, ['knative-serving', 'istio']], ['of the Gateway API', { gatewayApi: true }, ['gateway-api']], ['of KEDA', { keda: true }, ['keda']],
  ])('need what KServe\'s feature %s needs', (_feature, options, needed) => {
    const app = new App();
    new KubeflowPlatform(app, 'Platform', {
      environment: PlatformEnvironment.KIND, delivery: ARGO,
      components: [PlatformComponent.kserve(options), PlatformComponent.of(ComponentName.CERT_MANAGER)],
    });
    const missing = errorsOf(app).map((line) => /components\.kserve: "([^"]*)": is needed/.exec(line)?.[1]);
    expect(missing).toEqual(expect.arrayContaining([...needed]));
  });

  test('send lines to another Loki', () => {
    const fluentBit = PlatformComponent.fluentBit({ lokiUrl: 'https://loki.example.com' });
    const { objects } = synthesize({ ...LOCAL, components: [PlatformComponent.loki({ retention: Duration.days(30) }), fluentBit] });
    expect(valuesOf(objects, 'fluent-bit', 'fluent-bit').config.outputs).toContain('Host loki.example.com');
  });

  test('get the settings of their place', () => {
    const on = (environment: PlatformEnvironment) => synthesize({
      environment, delivery: ARGO, preset: PlatformPreset.LOCAL, ...(environment !== PlatformEnvironment.KIND && { identity: COMPANY, domain: ML }),
    }).objects;
    const installs = (objects: readonly AnyObject[]) => application(objects, 'istio').spec.sources[2].path;
    expect(installs(on(PlatformEnvironment.GKE))).toBe('common/istio/istio-install/overlays/gke');
    expect(installs(on(PlatformEnvironment.KIND))).toBe('common/istio/istio-install/overlays/oauth2-proxy');
  });
});

const ML = { host: 'ml.example.com', tls: PlatformTls.secret('ml-tls') };

describe('shared options', () => {
  const platform = (more: Partial<KubeflowPlatformProps>) => synthesize({ ...LOCAL, ...more }).objects;

  test('a bucket of Google Cloud Storage is where pipelines keep files', () => {
    const patches = patchesOf(platform({ artifactStore: ArtifactStore.gcs('team-artifacts', { prefix: 'kfp' }) }), 'pipelines');
    expect(patches).toEqual([
      expect.objectContaining({ data: { bucketName: 'team-artifacts', defaultPipelineRoot: 'gs://team-artifacts/kfp/v2/artifacts' } }),
      expect.objectContaining({ kind: 'ConfigMap', metadata: { name: 'workflow-controller-configmap', namespace: 'kubeflow' } }),
      expect.objectContaining({ kind: 'Deployment', metadata: { name: 'kubeflow-pipelines-profile-controller', namespace: 'kubeflow' } }),
    ]);
    expect(JSON.parse(patches[1].data.artifactRepository)).toEqual({
      archiveLogs: true, gcs: { bucket: 'team-artifacts', keyFormat: expect.stringMatching(/^kfp\/private-artifacts\/\{\{workflow\.namespace\}\}/) },
    });
  });

  test.each<[string, ArtifactStore, string]>([
    ['keys of Google\'s for its S3', ArtifactStore.gcs('artifacts', { hmacSecretName: 'hmac-keys' }), 'hmac-keys'],
    ['keys of S3', ArtifactStore.s3('artifacts', { region: 'eu-central-1', secretName: 's3-keys' }), 's3-keys'],
  ])('%s are those of the Secret', (_what, artifactStore, name) => {
    expect(JSON.stringify(patchesOf(platform({ artifactStore }), 'pipelines'))).toContain(`"${name}"`);
  });

  test('the API server of pipelines uses its own identity for S3, and not the keys of the store in the cluster', () => {
    const patches = patchesOf(platform({ artifactStore: ArtifactStore.s3('artifacts', { region: 'eu-central-1' }) }), 'pipelines');
    const { env } = patches.find(({ metadata }) => metadata.name === 'ml-pipeline')!.spec.template.spec.containers[0];
    expect(env).toEqual(expect.arrayContaining(['OBJECTSTORECONFIG_ACCESSKEY', 'OBJECTSTORECONFIG_SECRETACCESSKEY'].map((name) => ({ name, value: '', valueFrom: null }))));
  });

  test('Cloud SQL may be reached by its public address', () => {
    const objects = platform({ database: MetadataDatabase.cloudSql('my-project:europe-west4:kfp', { privateIp: false }) });
    const proxy = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'cloud-sql-proxy')!;
    expect(proxy.spec.template.spec.containers[0].args).not.toContain('--private-ip');
  });

  test('people see the names of connectors, whose settings are the author\'s', () => {
    const objects = platform({ domain: ML, identity: IdentityProvider.dex({
      secretName: 'oidc',
      connectors: [
        DexConnector.oidc('company', {
          name: 'The Company', issuer: 'https://login.example.com', clientId: 'dex', clientSecret: { secretName: 'company', key: 'secret' },
          config: { insecureSkipEmailVerified: true },
        }),
        DexConnector.of('github', 'hub', { name: 'GitHub', config: { clientID: 'x', clientSecret: '${HUB}', teams: ['a $ b'] }, secrets: { HUB: { secretName: 'hub', key: 'secret' } } }),
        DexConnector.oidc('1st', { issuer: 'https://1st.example.com', clientId: 'dex', clientSecret: { secretName: 'first', key: 'secret' } }),
      ],
    }) });
    // Dex would read $1 as a name.
    expect(load(patchesOf(objects, 'dex')[0].data['config.yaml'])).toMatchObject({ connectors: [{}, {}, { config: { clientSecret: '$_1ST_CLIENT_SECRET' } }] });
    expect(load(patchesOf(objects, 'dex')[0].data['config.yaml'])).toMatchObject({
      issuer: 'https://ml.example.com/dex',
      connectors: [{ name: 'The Company', config: { redirectURI: 'https://ml.example.com/dex/callback', issuer: 'https://login.example.com', insecureSkipEmailVerified: true } }, { name: 'GitHub', config: { clientID: 'x' } }, {}],
    });
  });

  test('where a connector sends people away, Dex, oauth2-proxy and the gateway have the issuer that they come back to', () => {
    const patches = patchesOf(platform({ domain: ML, identity: COMPANY }), 'oauth2-proxy');
    expect(patches[0].spec.template.spec.containers[0].env).toContainEqual({ name: 'OAUTH2_PROXY_OIDC_ISSUER_URL', value: 'https://ml.example.com/dex' });
    expect(patches[1]).toEqual([
      { op: 'replace', path: '/spec/jwtRules/0/issuer', value: 'https://ml.example.com/dex' },
      { op: 'add', path: '/spec/jwtRules/0/jwksUri', value: 'http://dex.auth.svc.cluster.local:5556/dex/keys' },
    ]);
    const ofPasswords = platform({ domain: ML, identity: IdentityProvider.dex({ secretName: 'oidc', connectors: [DexConnector.of('ldap', 'ldap', { config: {} })] }) });
    expect(load(patchesOf(ofPasswords, 'dex')[0].data['config.yaml'])).toMatchObject({ issuer: 'http://dex.auth.svc.cluster.local:5556/dex' });
    expect(JSON.stringify(patchesOf(ofPasswords, 'oauth2-proxy'))).not.toContain('ISSUER');
  });

  test('Cloud SQL takes the place of MySQL in the cluster', () => {
    const objects = platform({ database: MetadataDatabase.cloudSql('my-project:europe-west4:kfp') });
    const patches = patchesOf(objects, 'pipelines');
    expect(patches[0].data).toEqual({ dbHost: 'cloud-sql-proxy', dbPort: '3306', mysqlHost: 'cloud-sql-proxy', mysqlPort: '3306' });
    expect(patches.slice(1).map(({ $patch, kind, metadata }) => [$patch, kind, metadata.name])).toEqual([
      ['delete', 'Deployment', 'mysql'], ['delete', 'Service', 'mysql'], ['delete', 'PersistentVolumeClaim', 'mysql-pv-claim'], ['delete', 'Secret', 'mysql-secret'],
    ]);
    const proxy = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'cloud-sql-proxy')!;
    expect(proxy.spec.template.spec.containers[0].args).toEqual(expect.arrayContaining(['--private-ip', 'my-project:europe-west4:kfp']));
  });

  test('a domain with a certificate is the gateway\'s', () => {
    const objects = platform({ domain: { host: 'ml.localhost', tls: PlatformTls.selfSigned() } });
    expect(patchesOf(objects, 'kubeflow-gateway')).toEqual([[expect.objectContaining({ op: 'replace', path: '/spec/servers' })]]);
    expect(objects.find(({ kind }) => kind === 'Certificate')).toMatchObject({
      metadata: { namespace: 'istio-system' }, spec: { dnsNames: ['ml.localhost'], secretName: 'kubeflow-gateway-tls', issuerRef: { name: 'kubeflow-self-signing-issuer' } },
    });
    // Cookies of a page with TLS are sent with TLS only.
    expect(JSON.stringify(patchesOf(objects, 'oauth2-proxy'))).toContain('OAUTH2_PROXY_COOKIE_SECURE');
  });

  test('without any of them upstream\'s own settings stay', () => {
    const objects = platform({});
    expect(['pipelines', 'dex', 'oauth2-proxy', 'kubeflow-gateway'].map((name) => patchesOf(objects, name))).toEqual([[], [], [], []]);
  });

  test('IAP is a load balancer, and a check of its tokens at the gateway', () => {
    const { objects } = synthesize({
      environment: PlatformEnvironment.GKE, delivery: ARGO, preset: PlatformPreset.LOCAL, identity: IAP, mesh: ServiceMesh.MANAGED,
      domain: { host: 'ml.example.com', tls: PlatformTls.certificateMap('ml') },
    });
    const kinds = ['RequestAuthentication', 'AuthorizationPolicy', 'Gateway', 'HTTPRoute', 'GCPBackendPolicy', 'HealthCheckPolicy'];
    expect(kinds.map((kind) => objects.filter((each) => each.kind === kind).length)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(objects.find(({ kind }) => kind === 'AuthorizationPolicy')!.spec.rules).toEqual([
      { from: [{ source: { notRequestPrincipals: ['*'] } }] }, { when: [{ key: 'request.auth.claims[hd]', notValues: ['example.com'] }] },
    ]);
  });
});

describe('deliveries', () => {
  test('Argo CD is told what to prune, heal and retry', () => {
    const { objects } = synthesize({
      ...LOCAL, delivery: Delivery.argoCd({
        repository: REPOSITORY, path: '/clusters/dev/', revision: 'v1', namespace: 'gitops', server: 'https://10.0.0.1', prune: false, selfHeal: false, retryLimit: 3,
      }),
    });
    const jobset = application(objects, 'jobset');
    expect(jobset).toMatchObject({
      metadata: { namespace: 'gitops' },
      spec: { destination: { server: 'https://10.0.0.1', namespace: 'jobset-system' }, syncPolicy: { automated: { prune: false, selfHeal: false }, retry: { limit: 3 } } },
    });
    expect(jobset.metadata.finalizers).toBeUndefined();
    expect(jobset.spec.syncPolicy.syncOptions).toEqual(['CreateNamespace=true', 'RespectIgnoreDifferences=true', 'SkipDryRunOnMissingResource=true', 'ServerSideApply=true']);
    expect(jobset.spec.ignoreDifferences).toContainEqual({ kind: 'Secret', name: 'jobset-webhook-server-cert', jsonPointers: ['/data'] });
    // Registries are named without their scheme.
    expect(jobset.spec.sources[0].repoURL).toBe('registry.k8s.io/jobset/charts');
    expect(application(objects, 'training-operator').spec.sources).toEqual([
      { repoURL: REPOSITORY, path: 'clusters/dev', targetRevision: 'v1', directory: { include: 'platform-training-operator.k8s.yaml' } },
    ]);
  });

  test('Argo CD reads folders where the app writes folders', () => {
    const { objects } = synthesize(LOCAL, true);
    expect(application(objects, 'training-operator').spec.sources).toEqual([{ repoURL: REPOSITORY, path: 'manifests/platform-training-operator', targetRevision: 'main' }]);
  });

  test('an ApplicationSet keeps what is there when it is told not to prune', () => {
    const delivery = Delivery.argoCd({ repository: REPOSITORY, prune: false, layout: ArgoCdLayout.APPLICATION_SET });
    const { objects } = synthesize({ ...LOCAL, delivery });
    expect(objects.find(({ kind }) => kind === 'ApplicationSet')!.spec.syncPolicy).toEqual({ preserveResourcesOnDeletion: true });
  });

  test('Flux is told how often and how long', () => {
    const { objects } = synthesize({
      ...LOCAL, delivery: Delivery.flux({ repository: REPOSITORY, interval: Duration.minutes(5), timeout: Duration.minutes(30), retries: 2, namespace: 'gitops', prune: false }),
    });
    expect(objects.find(({ kind, metadata }) => kind === 'HelmRelease' && metadata.name === 'platform-trainer-kubeflow-trainer')).toMatchObject({
      metadata: { namespace: 'gitops' },
      spec: { interval: '300s', timeout: '1800s', targetNamespace: 'kubeflow-system', install: { crds: 'CreateReplace', createNamespace: true, remediation: { retries: 2 } } },
    });
    expect(objects.find(({ kind, metadata }) => kind === 'HelmRepository' && metadata.name === 'platform-registry-k8s-io-jobset-charts')!.spec).toEqual({
      interval: '1h', type: 'oci', url: 'oci://registry.k8s.io/jobset/charts',
    });
    expect(objects.find(({ kind, metadata }) => kind === 'Kustomization' && metadata.name === 'platform-trainer')!.spec).toMatchObject({
      prune: false, dependsOn: [{ name: 'platform-jobset' }, { name: 'platform-kubeflow-base' }],
    });
  });

  test('folders for kustomize are written where they are asked for', () => {
    const outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-platform-'));
    try {
      const platform = new KubeflowPlatform(new App({ outdir }), 'Platform', { ...LOCAL, delivery: Delivery.kustomization() });
      expect(platform.writeKustomization()).toBe(path.join(outdir, 'platform'));
      expect(platform.writeKustomization(path.join(outdir, 'elsewhere'))).toBe(path.join(outdir, 'elsewhere'));
      expect(statSync(path.join(outdir, 'platform', 'apply.sh')).mode & 0o111).not.toBe(0);
      expect(readFileSync(path.join(outdir, 'elsewhere', '00-training-operator', 'objects.yaml'), 'utf8')).toContain('kind: Deployment');
      expect(existsSync(path.join(outdir, 'platform', '00-jobset', 'namespaces.yaml'))).toBe(true);
    } finally {
      rmSync(outdir, { recursive: true, force: true });
    }
  });

  test('other deliveries have no folders for kustomize', () => {
    expect(() => new KubeflowPlatform(new App(), 'Platform', LOCAL).kustomizationFiles()).toThrow('is for Delivery.kustomization()');
    const broken = new KubeflowPlatform(new App(), 'Platform', { ...LOCAL, delivery: Delivery.kustomization(), without: [ComponentName.ISTIO] });
    expect(() => broken.kustomizationFiles()).toThrow(/KubeflowPlatform 'platform' is not valid\. .*Add 'istio'/);
  });
});
