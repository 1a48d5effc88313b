/** What a platform is refused with: the words, and that they come from synth. */
import { App, Chart, Duration, YamlOutputType } from 'cdk8s';
import { COMPANY, DELIVERIES, IAP, REPOSITORY, folderApp } from './support/platforms';
import {
  ArtifactStore, ComponentName, Delivery, DexConnector, IdentityProvider, KubeflowPlatform, MetadataDatabase, PlatformComponent, PlatformEnvironment,
  PlatformPreset, PlatformTls, type KubeflowPlatformProps, type KueueComponentOptions,
} from '../../../src/constructs/platform';
import { HUGGING_FACE_TOKEN } from '../../model/secrets/sample-tokens';
import { errorsOf } from '../../support/synth-errors';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const LOCAL: KubeflowPlatformProps = {
  environment: PlatformEnvironment.KIND, preset: PlatformPreset.LOCAL, delivery: DELIVERIES['Argo CD, Applications'],
};

const errors = (props: Partial<KubeflowPlatformProps>, app = new App(), id = 'Platform') => {
  new KubeflowPlatform(app, id, { ...LOCAL, ...props });
  return errorsOf(app);
};

describe('a platform is refused with', () => {
  test.each<readonly [string, Partial<KubeflowPlatformProps>, RegExp]>([
    ['a component that is missing', { without: [ComponentName.JOBSET] }, /KubeflowPlatform 'platform': components\.trainer: "jobset": is needed but missing\. Add 'jobset'\.$/],
    ['a component that is left out of nothing', { without: [ComponentName.KUEUE] }, /without: "kueue": is not in preset 'local'\.$/],
    ['a component that is left out and added', { without: [ComponentName.KATIB], components: [PlatformComponent.of(ComponentName.KATIB)] }, /is both left out and added/],
    ['a component twice', { components: [PlatformComponent.of(ComponentName.LWS), PlatformComponent.of(ComponentName.LWS)] }, /components\.lws: "lws": is listed twice/],
    ['nothing at all', { preset: undefined }, /components: \[\]: must be at least one component, or a preset\.$/],
    ['an autoscaler of nothing', { preset: undefined, environment: PlatformEnvironment.OTHER, components: [PlatformComponent.clusterAutoscaler()] }, /components\.cluster-autoscaler: has no node groups, and its chart would install nothing\. Set clusterName/],
    ['monitors without Prometheus', { components: [PlatformComponent.trainingOperator({ monitoring: true })] }, /components\.training-operator: "kube-prometheus-stack": is needed for its metrics, alerts and dashboard but missing/],
    ['an old Kubernetes', { kubernetesVersion: '1.30' }, /components\.istio: "1\.30": it needs Kubernetes 1\.34 or later/],
    ['the published user for everybody', { environment: PlatformEnvironment.OTHER }, /identity\.connectors: \[\]: is empty, and Dex would have a single user with Kubeflow's public default password/],
    ['the published cookie secret for everybody', { environment: PlatformEnvironment.OTHER }, /identity\.secretName: is required except on kind/],
    ['two connectors of one id', { identity: IdentityProvider.dex({ connectors: ['a', 'a'].map((id) => DexConnector.of('github', id, { config: {} })) }) }, /identity\.connectors\[1\]\.id: "a": is also the id of an earlier/],
    ['a secret that nobody reads', { identity: IdentityProvider.dex({ connectors: [DexConnector.of('github', 'hub', { config: {}, secrets: { KEY: { secretName: 's', key: 'k' } } })] }) },
      /identity\.connectors\[0\]\.secrets: "KEY": is not used: no value of config is \$KEY\.$/],
    ['a dollar sign that Dex would take for a variable', { identity: IdentityProvider.dex({ connectors: [DexConnector.of('ldap', 'ldap', { config: { groups: [{ filter: 'a$b' }] } })] }) },
      /identity\.connectors\[0\]\.config: "\$b": is expanded by Dex as a variable, and is not one of secrets\./],
    ['a sign-in elsewhere without a way back', { identity: COMPANY }, /domain: is required with connectors that redirect to a provider/],
    ['another way back', { domain: { host: 'ml.example.com', tls: PlatformTls.selfSigned() }, identity: IdentityProvider.dex({
      connectors: [DexConnector.of('google', 'google', { config: { redirectURI: 'https://ml.example.com/callback' } })],
    }) }, /identity\.connectors\[0\]\.config\.redirectURI: "https:\/\/ml\.example\.com\/callback": must be https:\/\/ml\.example\.com\/dex\/callback/],
    ['IAP on kind', { identity: IAP, domain: { host: 'ml.example.com', tls: PlatformTls.certificateMap('ml') } }, /components\.iap: "kind": it is for gke/],
    ['IAP without a host', { environment: PlatformEnvironment.GKE, identity: IAP }, /domain: is required with IAP/],
    ['IAP for any audience', { environment: PlatformEnvironment.GKE, identity: IdentityProvider.iap({ audience: 'kubeflow' }) }, /identity\.audience: "kubeflow": must be \/projects\/NUMBER/],
    ['TLS that ends twice', { environment: PlatformEnvironment.GKE, identity: IAP, domain: { host: 'ml.example.com', tls: PlatformTls.secret('ml') } }, /domain\.tls: "secret": must be a certificate map/],
    ['a certificate map without IAP', { domain: { host: 'ml.localhost', tls: PlatformTls.certificateMap('ml') } }, /domain\.tls: "ml": a certificate map belongs to Google's load balancer/],
    ['passwords in the clear', { environment: PlatformEnvironment.OTHER, identity: COMPANY, domain: { host: 'ml.example.com', tls: PlatformTls.none() } }, /domain\.tls: "none": is for kind/],
    ['a URL for a host', { domain: { host: 'https://ml.example.com', tls: PlatformTls.selfSigned() } }, /domain\.host: "https:\/\/ml\.example\.com": must be a host name/],
    ['a URL for a bucket', { artifactStore: ArtifactStore.gcs('gs://artifacts') }, /artifactStore\.bucket: "gs:\/\/artifacts": must be a bucket name/],
    ['slashes around a prefix', { artifactStore: ArtifactStore.gcs('artifacts', { prefix: '/kfp/' }) }, /artifactStore\.prefix: "\/kfp\/": must be a path within the bucket/],
    ['a place that is not a region', { artifactStore: ArtifactStore.s3('artifacts', { region: 'Frankfurt' }) }, /artifactStore\.region: "Frankfurt": must be a region/],
    ['a URL for an endpoint', { artifactStore: ArtifactStore.minio('artifacts', { endpoint: 'http://minio:9000', secretName: 's' }) }, /artifactStore\.endpoint: "http:\/\/minio:9000": must be HOST:PORT/],
    ['the Secret of the store in the cluster', { artifactStore: ArtifactStore.minio('artifacts', { endpoint: 'minio:9000', secretName: 'mlpipeline-minio-artifact' }) }, /artifactStore\.secretName: "mlpipeline-minio-artifact": is the Secret of/],
    ['a short name of an instance', { database: MetadataDatabase.cloudSql('kfp') }, /database\.instance: "kfp": must be the connection name of an instance, PROJECT:REGION:INSTANCE\.$/],
    ['a name for an e-mail', { database: MetadataDatabase.cloudSql('p-1:europe-west4:kfp', { googleServiceAccount: 'sql' }) }, /database\.googleServiceAccount: "sql": must be the e-mail/],
    ['a port within a host', { database: MetadataDatabase.mysql('db:3306') }, /database\.host: "db:3306": must be a host name or an address, without a port/],
    ['a port that is none', { database: MetadataDatabase.mysql('db', { port: 0 }) }, /database\.port: 0: must be a whole number from 1 to 65535/],
    ['a store that nobody uses', { preset: PlatformPreset.TRAINING, artifactStore: ArtifactStore.gcs('artifacts') }, /artifactStore: is not used by any component of this platform\. Add 'pipelines' or 'mlflow'/],
    ['a sign-in to nothing', { preset: PlatformPreset.TRAINING, identity: COMPANY }, /identity: is not used by any component/],
    ['a domain of nothing', { preset: PlatformPreset.SERVING, domain: { host: 'ml.localhost', tls: PlatformTls.none() } }, /domain: is not used by any component of this platform\. Add 'kubeflow-gateway'/],
    ['values for a kustomization', { components: [PlatformComponent.of(ComponentName.KATIB, { values: { a: 1 } })] }, /components\.katib\.values: "katib": are Helm chart values, and this component consists of kustomizations\. Use patches\.$/],
    ['patches for a chart', { components: [PlatformComponent.of(ComponentName.JOBSET, { patches: [{ patch: {} }] })] }, /components\.jobset\.patches\[0\]: is for kustomizations, and this component consists of Helm charts\. Use values\.$/],
    ['a patch of one of several', { components: [PlatformComponent.of(ComponentName.NOTEBOOKS, { patches: [{ patch: {} }] })] }, /components\.notebooks\.patches\[0\]\.part: must be one of controller, jupyter-web-app/],
    ['a patch of none', { components: [PlatformComponent.of(ComponentName.NOTEBOOKS, { patches: [{ part: 'controler', patch: {} }] })] }, /Did you mean 'controller'\?$/],
    ['no repository', { delivery: Delivery.argoCd({ repository: 'platform' }) }, /delivery\.repository: "platform": must be the URL of a Git repository/],
    ['a folder outside of it', { delivery: Delivery.argoCd({ repository: REPOSITORY, path: '../dist' }) }, /delivery\.path: "\.\.\/dist": must be a folder of the repository/],
    ['half a retry', { delivery: Delivery.argoCd({ repository: REPOSITORY, retryLimit: 0.5 }) }, /delivery\.retryLimit: 0\.5: must be a whole number, 0 or more/],
    ['parts of a second', { delivery: Delivery.flux({ repository: REPOSITORY, interval: Duration.millis(1500) }) }, /delivery\.interval: "1\.5s": must be whole seconds/],
    ['a name that is too long', { name: 'p'.repeat(41) }, /name: "p{41}": must be at most 40 lower-case letters/],
  ])('%s', (_what, props, message) => {
    expect(errors(props)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });

  test('files that Flux could not tell apart', () => {
    expect(errors({ delivery: DELIVERIES.Flux })).toEqual([expect.stringMatching(/delivery: Flux applies folders, but this app writes FILE_PER_CHART\. Use/)]);
    expect(errors({ delivery: DELIVERIES.Flux }, folderApp())).toEqual([]);
  });

  test('one file of everything', () => {
    expect(errors({}, new App({ yamlOutputType: YamlOutputType.FILE_PER_APP }))).toEqual([expect.stringMatching(/components are separate files or folders, but this app writes FILE_PER_APP/)]);
  });

  test('numbers before the names of its files', () => {
    const app = new App();
    const [first, second] = [new Chart(app, 'first'), new Chart(app, 'second')];
    second.addDependency(first);
    expect(errors({}, app)).toEqual([expect.stringMatching(/chart 'second' depends on 'first', and then cdk8s prefixes all file names with numbers/)]);
  });
});

describe('options of components are refused with', () => {
  test.each<readonly [string, () => unknown, string]>([
    ['no frameworks', () => PlatformComponent.kueue({ frameworks: [] }), 'PlatformComponent.kueue: frameworks is [] and must be at least one kind.'],
    ['parts of a second', () => PlatformComponent.kueue({ waitForPodsReady: Duration.millis(10) }), 'waitForPodsReady is 10 ms and must be whole seconds, 1 or more.'],
    ['parts of an hour', () => PlatformComponent.kubePrometheusStack({ retention: Duration.minutes(90) }), 'retention is 1.5 h and must be whole hours.'],
    ['another strategy', () => PlatformComponent.gpuOperator({ migStrategy: 'double' }), 'migStrategy is \'double\' and must be none, single or mixed.'],
    ['half a scan', () => PlatformComponent.trivyOperator({ concurrentScans: 0.5 }), 'concurrentScans is 0.5 and must be a whole number, 1 or more.'],
    ['no time at all', () => PlatformComponent.clusterAutoscaler({ maxNodeProvisionTime: Duration.seconds(0) }), 'maxNodeProvisionTime is 0 ms and must be whole seconds'],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

test.each<readonly [string, KueueComponentOptions, RegExp]>([
  ['no integration', { frameworks: ['batch/job', 'batch/jobs'] }, /frameworks\[1\]: "batch\/jobs": must be an integration of Kueue, or Kueue does not start: .* Did you mean 'batch\/job'\?$/],
  ['one twice', { frameworks: ['pod', 'pod'] }, /frameworks\[1\]: "pod": is listed twice/],
  ['a gate that an integration needs', { featureGates: { SparkApplicationIntegration: false } }, /featureGates\.SparkApplicationIntegration: false: must be true for sparkoperator\.k8s\.io\/sparkapplication/],
  ['gates in two places', { values: { controllerManager: { featureGates: [{ name: 'MultiKueue', enabled: false }] } } }, /Kueue does not start with both\. Use PlatformComponent\.kueue/],
])('what Kueue would not start with is refused: %s', (_what, options, message) => {
  expect(errors({ components: [PlatformComponent.kueue(options)] })).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
});

test('feature gates in the values of the chart are taken where the configuration has none', () => {
  const values = { controllerManager: { featureGates: [{ name: 'MultiKueue', enabled: false }] } };
  expect(errors({ components: [PlatformComponent.kueue({ values, frameworks: ['batch/job'] })] })).toEqual([]);
  const alone = { preset: undefined, components: [PlatformComponent.kueue({ values }), PlatformComponent.of(ComponentName.CERT_MANAGER)] };
  expect(errors(alone)).toEqual([]);
});

describe('a token that is written out is refused in a platform', () => {
  const values = { grafana: { adminToken: HUGGING_FACE_TOKEN } };
  const patch = { kind: 'Deployment', metadata: { name: 'katib-controller' }, spec: { template: { metadata: { annotations: { note: HUGGING_FACE_TOKEN } } } } };
  const components = (component: PlatformComponent): Partial<KubeflowPlatformProps> => ({ components: [component] });

  test.each<readonly [string, Partial<KubeflowPlatformProps>, string]>([
    ['the values of a chart', components(PlatformComponent.of(ComponentName.KUEUE, { values })), 'components.kueue.values.grafana.adminToken'],
    ['a patch', components(PlatformComponent.of(ComponentName.KATIB, { patches: [{ patch }] })), 'components.katib.patches[0].patch.spec.template.metadata.annotations.note'],
    ['a connector', { identity: IdentityProvider.dex({ connectors: [DexConnector.of('github', 'hub', { config: { clientSecret: HUGGING_FACE_TOKEN } })] }) }, 'identity.connectors[0].config.clientSecret'],
    ['a repository', { delivery: Delivery.flux({ repository: 'https://oauth2:hunter2hunter2@git.example/platform.git' }) }, 'delivery.repository'],
  ])('in %s', (_what, props, where) => {
    const lines = errors(props).filter((line) => line.includes('looks like a'));
    expect(lines.map((line) => line.split(': ')[1])).toEqual([where]);
    // There is no object whose annotation could declare it.
    expect(lines[0]).toMatch(/if it was committed, rotate it\.$/);
    expect(lines[0]).not.toMatch(new RegExp(`${HUGGING_FACE_TOKEN}|hunter2`));
  });
});
