/** What components of a platform are told because of each other. */
import { Size } from 'cdk8s';
import { load } from 'js-yaml';
import { COMPANY, DELIVERIES, synthesize, type AnyObject } from './support/platforms';
import {
  ArtifactStore, ComponentName, MetadataDatabase, PlatformComponent, PlatformEnvironment, PlatformPreset, PlatformTls, type KubeflowPlatformProps,
} from '../../../src/constructs/platform';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const ARGO = DELIVERIES['Argo CD, Applications'];
const LOCAL: KubeflowPlatformProps = { environment: PlatformEnvironment.KIND, preset: PlatformPreset.LOCAL, delivery: ARGO };

/** Values of a chart of a component. */
function valuesOf(objects: readonly AnyObject[], name: string, release: string) {
  const application = objects.find(({ kind, metadata }) => kind === 'Application' && metadata.name === `platform-${name}`)!;
  return application.spec.sources.find(({ helm }: AnyObject) => helm?.releaseName === release)?.helm.valuesObject;
}

test('the same program is a platform on kind, on GKE and elsewhere: the environment alone decides what comes and how', () => {
  const on = (environment: PlatformEnvironment) => synthesize({
    environment, delivery: ARGO, preset: PlatformPreset.FULL, identity: COMPANY, domain: { host: 'ml.example.com', tls: PlatformTls.issuer('letsencrypt') },
    artifactStore: ArtifactStore.gcs('team-artifacts'), database: MetadataDatabase.cloudSql('my-project:europe-west4:kfp'), components: [PlatformComponent.kueue({ fairSharing: true })],
  });
  const [kind, gke, other] = [PlatformEnvironment.KIND, PlatformEnvironment.GKE, PlatformEnvironment.OTHER].map(on);
  const names = (platform: typeof kind) => platform.platform.waves.flat().sort();
  const onlyIn = (one: typeof kind, not: typeof kind) => names(one).filter((name) => !names(not).includes(name));
  expect([onlyIn(gke, kind), onlyIn(kind, gke)]).toEqual([[], ['gateway-api']]);
  expect([onlyIn(other, kind), onlyIn(kind, other)]).toEqual([['gpu-operator', 'node-feature-discovery'], []]);
  // What people chose is the same everywhere.
  for (const name of ['pipelines', 'dex', 'kubeflow-gateway', 'kueue']) {
    const sources = [kind, gke, other].map(({ objects }) => objects.find((each) => each.kind === 'Application' && each.metadata.name === `platform-${name}`)!.spec.sources);
    expect(sources).toEqual([sources[0], sources[0], sources[0]]);
  }
});

test('Kueue leaves jobs of our operator to it', () => {
  const configurationOf = (more: Partial<KubeflowPlatformProps>) => valuesOf(synthesize({ environment: PlatformEnvironment.KIND, delivery: ARGO, ...more }).objects, 'kueue', 'kueue')
    ?.managerConfig.controllerManagerConfigYaml;
  const configuration = load(configurationOf({ preset: PlatformPreset.TRAINING })) as AnyObject;
  expect(configuration.integrations.externalFrameworks).toEqual(['MLTrainingJob.v1alpha1.ml.collabnix.io']);
  expect(configuration.integrations.frameworks).toEqual(expect.arrayContaining(['batch/job', 'pod', 'trainer.kubeflow.org/trainjob']));
  const kueue = [PlatformComponent.of(ComponentName.KUEUE)];
  expect(configurationOf({ components: kueue, existing: [{ name: ComponentName.TRAINING_OPERATOR }] })).toContain('MLTrainingJob');
  // All is the chart's own then.
  expect(configurationOf({ components: kueue })).toBeUndefined();
});

test('lines go to the store that the platform has', () => {
  const outputs = (...components: PlatformComponent[]) => valuesOf(synthesize({ ...LOCAL, components }).objects, 'fluent-bit', 'fluent-bit').config.outputs;
  const fluentBit = PlatformComponent.of(ComponentName.FLUENT_BIT);
  expect(outputs(fluentBit, PlatformComponent.of(ComponentName.LOKI))).toContain('Host loki-gateway.logging');
  const full = synthesize({ environment: PlatformEnvironment.KIND, preset: PlatformPreset.FULL, delivery: ARGO }).objects;
  expect(valuesOf(full, 'fluent-bit', 'fluent-bit').config.outputs).toContain('Name loki');
  expect(valuesOf(full, 'kube-prometheus-stack', 'kube-prometheus-stack').grafana.additionalDataSources).toEqual([
    { name: 'Loki', type: 'loki', access: 'proxy', url: 'http://loki-gateway.logging' },
  ]);
});

test('lines may go to a Loki outside of the platform, which then needs no store', () => {
  const { platform, objects } = synthesize({ ...LOCAL, preset: undefined, components: [PlatformComponent.fluentBit({ lokiUrl: 'https://loki.example.com' })] });
  expect(platform.waves).toEqual([['fluent-bit']]);
  expect(valuesOf(objects, 'fluent-bit', 'fluent-bit').config.outputs).toContain('Host loki.example.com');
});

test('lines may be kept in Elasticsearch', () => {
  const { platform, objects } = synthesize({
    ...LOCAL,
    components: [
      PlatformComponent.of(ComponentName.ECK_OPERATOR), PlatformComponent.elasticStack({ nodes: 3, storage: Size.gibibytes(200) }), PlatformComponent.fluentBit({ namespaces: ['team-a'] }),
    ],
  });
  const waveOf = (name: string) => platform.waves.findIndex((wave) => wave.includes(name));
  expect([waveOf('eck-operator'), waveOf('elastic-stack'), waveOf('fluent-bit')]).toEqual([0, 1, 2]);
  const elastic = objects.find(({ kind }) => kind === 'Elasticsearch')!;
  expect(elastic).toMatchObject({ metadata: { name: 'lines', namespace: 'logging' }, spec: { nodeSets: [{ count: 3, volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '200Gi' } } } }] }] } });
  expect(objects.find(({ kind }) => kind === 'Kibana')!.spec).toMatchObject({ version: elastic.spec.version, elasticsearchRef: { name: 'lines' } });
  const values = valuesOf(objects, 'fluent-bit', 'fluent-bit');
  expect(values.config.outputs).toMatch(/Name es\n[^]*Host lines-es-http\.logging\.svc\n[^]*HTTP_Passwd \$\{ELASTIC_PASSWORD\}/);
  expect(values.config.inputs).toContain('/var/log/containers/*_team-a_*.log');
  expect(values.env).toEqual([{ name: 'ELASTIC_PASSWORD', valueFrom: { secretKeyRef: { name: 'lines-es-elastic-user', key: 'elastic' } } }]);
  expect(values.extraVolumes[0].secret.secretName).toBe('lines-es-http-certs-public');
  expect(() => PlatformComponent.elasticStack({ nodes: 0 })).toThrow('nodes is 0 and must be a whole number');
});

test('groups of nodes may grow in an order', () => {
  const { objects } = synthesize({
    environment: PlatformEnvironment.OTHER, delivery: ARGO, components: [PlatformComponent.clusterAutoscaler({ clusterName: 'ml', priorities: { 50: ['.*spot.*'], 10: ['.*'] } })],
  });
  expect(valuesOf(objects, 'cluster-autoscaler', 'cluster-autoscaler')).toMatchObject({ extraArgs: { expander: 'priority' }, expanderPriorities: { 50: ['.*spot.*'], 10: ['.*'] } });
  expect(() => PlatformComponent.clusterAutoscaler({ priorities: { first: [] } })).toThrow("priorities has 'first', but priorities must be whole numbers");
  expect(() => PlatformComponent.clusterAutoscaler({ priorities: { 1: ['.*'] }, expander: 'price' })).toThrow("expander is 'price'");
});
