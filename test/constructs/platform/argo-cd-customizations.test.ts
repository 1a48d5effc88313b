/** What Argo CD learns from a platform that it delivers. */
import { App, Duration } from 'cdk8s';
import { DELIVERIES, REPOSITORY, synthesize, type AnyObject } from './support/platforms';
import {
  ArgoCdLayout, ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment, type KubeflowPlatformProps,
} from '../../../src/constructs/platform';
import { Framework, TrainingJob } from '../../../src/constructs/training-job';
import { constructCustomizations } from '../../../src/manifests/argo-cd/customizations';
import { errorsOf } from '../../support/synth-errors';

const PROPS: Omit<KubeflowPlatformProps, 'delivery'> = { environment: PlatformEnvironment.KIND, components: [PlatformComponent.of(ComponentName.JOBSET)] };
const WITH_ARGO_CD = { ...PROPS, components: [...PROPS.components!, PlatformComponent.of(ComponentName.ARGO_CD)] };

const configMaps = (objects: readonly AnyObject[]) => objects.filter(({ kind }) => kind === 'ConfigMap');
const settings = (objects: readonly AnyObject[]): { readonly [key: string]: string } => (
  objects.find(({ kind, metadata }) => kind === 'Application' && metadata.name === 'platform-argo-cd')!.spec.sources[0].helm.valuesObject.configs.cm);

test.each([ArgoCdLayout.APP_OF_APPS, ArgoCdLayout.APPLICATION_SET])('%s: a part of its ConfigMap, in what is applied once by hand', (layout) => {
  const { files, objects } = synthesize({ ...PROPS, delivery: Delivery.argoCd({ repository: REPOSITORY, layout, namespace: 'gitops' }) });
  expect(configMaps(files.get('platform-platform.k8s.yaml')!)).toEqual(configMaps(objects));
  expect(configMaps(objects)).toEqual([expect.objectContaining({
    metadata: expect.objectContaining({ name: 'argocd-cm', namespace: 'gitops' }), data: constructCustomizations(),
  })]);
});

test('values, where Argo CD is a component', () => {
  const { objects } = synthesize({ ...WITH_ARGO_CD, delivery: DELIVERIES['Argo CD, Applications'] });
  expect(configMaps(objects)).toEqual([]);
  expect(settings(objects)).toEqual({ ...constructCustomizations(), 'application.resourceTrackingMethod': 'annotation', 'kustomize.buildOptions': '--enable-helm' });
});

test('values also where Flux brings Argo CD', () => {
  const { objects } = synthesize({ ...WITH_ARGO_CD, delivery: DELIVERIES.Flux });
  const release = objects.find(({ kind, metadata }) => kind === 'HelmRelease' && metadata.name.includes('argo-cd'))!;
  expect(release.spec.values.configs.cm).toMatchObject(constructCustomizations());
});

test('nothing, where that is not wanted', () => {
  const delivery = Delivery.argoCd({ repository: REPOSITORY, resourceCustomizations: false });
  expect(configMaps(synthesize({ ...PROPS, delivery }).objects)).toEqual([]);
  expect(Object.keys(settings(synthesize({ ...WITH_ARGO_CD, delivery }).objects)).filter((key) => key.startsWith('resource.'))).toEqual(['resource.customizations.health.argoproj.io_Application']);
});

test('nothing, where somebody else delivers', () => {
  expect(configMaps(synthesize({ ...PROPS, delivery: DELIVERIES.Flux }).objects)).toEqual([]);
});

test('jobs of its charts that delete themselves are an error, where Argo CD would make them again', () => {
  const errors = (delivery: Delivery) => {
    const app = new App();
    const platform = new KubeflowPlatform(app, 'Platform', { ...PROPS, charts: ['jobs'], delivery });
    new TrainingJob(platform.chart('jobs'), 'Train', {
      metadata: { name: 'resnet', namespace: 'ml' }, framework: Framework.pytorch(), image: 'registry.example/train:1', replicas: 1,
      runPolicy: { ttlAfterFinished: Duration.hours(1) },
    });
    return errorsOf(app);
  };
  expect(errors(DELIVERIES['Argo CD, Applications'])).toEqual([expect.stringMatching(/MLTrainingJob 'resnet' \(platform-jobs\/Train\/Resource\) under Argo CD: spec\.runPolicy\.ttlSecondsAfterFinished: 3600/)]);
  expect(errors(DELIVERIES.kustomize)).toEqual([]);
});
