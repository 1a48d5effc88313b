import { App } from 'cdk8s';
import { DELIVERIES, folderApp, REPOSITORY, type AnyObject } from './support/platforms';
import { Framework, TrainingJob } from '../../../src';
import {
  ArgoCdLayout, ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment, type KubeflowPlatformProps,
} from '../../../src/constructs/platform';
import { errorsOf } from '../../support/synth-errors';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const PROPS: KubeflowPlatformProps = {
  environment: PlatformEnvironment.OTHER,
  components: [PlatformComponent.trainingOperator(), PlatformComponent.of(ComponentName.JOBSET)],
  charts: ['team', 'jobs'],
  delivery: Delivery.argoCd({ repository: REPOSITORY }),
};

function program(props: Partial<KubeflowPlatformProps> = {}, app = new App()): KubeflowPlatform {
  const platform = new KubeflowPlatform(app, 'ml', { ...PROPS, ...props });
  new TrainingJob(platform.chart('jobs'), 'Train', { metadata: { name: 'train', namespace: 'vision' }, framework: Framework.pytorch(), image: 'train:1', replicas: 1 });
  return platform;
}

const written = (platform: KubeflowPlatform, chart: string): AnyObject[] => (
  App.of(platform).charts.find(({ node }) => node.id === `ml-${chart}`)!.toJson());

test('charts of the program are Applications in waves behind the components', () => {
  const applications = written(program(), 'applications');
  expect(applications.map(({ metadata: { name, annotations } }) => [name, annotations!['argocd.argoproj.io/sync-wave']])).toEqual([
    ['ml-jobset', '0'], ['ml-training-operator', '0'], ['ml-team', '1'], ['ml-jobs', '2'],
  ]);
  expect(applications[3].spec.sources).toEqual([{ repoURL: REPOSITORY, path: 'manifests', targetRevision: 'main', directory: { include: 'ml-jobs.k8s.yaml' } }]);
});

test('what is in a chart by the end says where it may write, and which fields of its jobs others write', () => {
  const platform = program();
  const [project] = written(platform, 'platform');
  expect(project.spec.destinations.map(({ namespace }: AnyObject) => namespace)).toContain('vision');
  const [team, jobs] = written(platform, 'applications').slice(2);
  expect(team.spec.ignoreDifferences).toBeUndefined();
  expect(jobs.spec.ignoreDifferences).toEqual([
    expect.objectContaining({ group: 'ml.collabnix.io', kind: 'MLTrainingJob', jsonPointers: ['/spec/suspend'] }),
  ]);
  expect(jobs.spec.syncPolicy.syncOptions).toContain('RespectIgnoreDifferences=true');
});

test('an ApplicationSet has a step for each chart', () => {
  const objects = written(program({ delivery: Delivery.argoCd({ repository: REPOSITORY, layout: ArgoCdLayout.APPLICATION_SET }) }), 'platform');
  const { spec } = objects.find(({ kind }) => kind === 'ApplicationSet')!;
  expect(spec.generators[0].list.elements.map(({ component, wave }: AnyObject) => [component, wave])).toEqual([
    ['jobset', '0'], ['training-operator', '0'], ['team', '1'], ['jobs', '2'],
  ]);
  expect(spec.strategy.rollingSync.steps).toHaveLength(3);
  expect(spec.generators[0].list.elements[3].spec.ignoreDifferences).toHaveLength(1);
});

test('Flux waits for the components, and for the chart before', () => {
  const objects = written(program({ delivery: DELIVERIES.Flux }, folderApp()), 'platform');
  const waitsFor = (name: string) => objects.find(({ kind, metadata }) => kind === 'Kustomization' && metadata.name === name)!.spec.dependsOn;
  expect(waitsFor('ml-team')).toEqual([{ name: 'ml-jobset' }, { name: 'ml-training-operator' }]);
  expect(waitsFor('ml-jobs')).toEqual([{ name: 'ml-team' }]);
});

test('folders for kustomize have them behind the components', () => {
  const files = program({ delivery: Delivery.kustomization() }).kustomizationFiles();
  expect(Object.keys(files).filter((file) => file.endsWith('kustomization.yaml'))).toEqual([
    '00-jobset/kustomization.yaml', '00-training-operator/kustomization.yaml', '01-team/kustomization.yaml', '02-jobs/kustomization.yaml',
  ]);
  expect(files['02-jobs/objects.yaml']).toContain('kind: MLTrainingJob');
});

test.each<[string, string[], RegExp]>([
  ['too long', ['jobs', 'x'.repeat(23)], /charts\[1\]: "x+": must be at most 22 lower-case letters/],
  ['with a capital letter', ['Jobs', 'jobs'], /charts\[0\]: "Jobs": must be at most 22 lower-case letters, digits and dashes, beginning with a letter/],
  ['of a component', ['kueue', 'jobs'], /charts\[0\]: "kueue": is the name of a chart that the platform creates itself\. Choose another one/],
  ['of what delivers', ['applications', 'jobs'], /charts\[0\]: "applications": is the name of a chart that the platform creates itself/],
  ['that is listed twice', ['jobs', 'jobs'], /charts\[1\]: "jobs": is listed twice. Remove one\./],
])('the name of a chart %s is refused', (_what, charts, message) => {
  expect(errorsOf(program({ charts }).node.root as App)).toEqual([expect.stringMatching(message)]);
});

test('a chart that is not in the list is an error that shows the list', () => {
  expect(() => program().chart('job')).toThrow("KubeflowPlatform 'ml': charts has no 'job'; there are 'team', 'jobs'. Add it to 'charts', in its place in the order.");
  expect(() => new KubeflowPlatform(new App(), 'ml', { ...PROPS, charts: undefined }).chart('jobs')).toThrow("charts has no 'jobs'; there are none.");
});
