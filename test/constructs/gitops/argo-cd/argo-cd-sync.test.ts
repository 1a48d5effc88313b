import path from 'node:path';
import { ApiObject, App, Chart, Duration, JsonPatch, Lazy, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Engine, Framework, JobGroup, TrainingJob, type TrainingJobProps } from '../../../../src';
import { ArgoCdHookDeletePolicy, ArgoCdHookPhase, ArgoCdJobs, ArgoCdSync } from '../../../../src/constructs/gitops';
import { Pipeline, PipelineFile } from '../../../../src/constructs/pipelines';
import { RayJob } from '../../../../src/constructs/ray';
import { SparkApplication, SparkProgram } from '../../../../src/constructs/spark';
import { errorsOf } from '../../../support/synth-errors';

interface Written {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: { readonly [name: string]: string } };
}

function program(props: Partial<TrainingJobProps> = {}) {
  const app = new App();
  const chart = new Chart(app, 'jobs');
  const job = new TrainingJob(chart, 'Train', { metadata: { name: 'resnet' }, framework: Framework.pytorch(), image: 'registry.example/train:1', command: ['python3', 'train.py'], replicas: 2, ...props });
  return { app, chart, job };
}

const objects = (chart: Chart) => Testing.synth(chart) as Written[];
const annotations = (chart: Chart) => Object.fromEntries(objects(chart).map(({ kind, metadata }) => [kind, metadata.annotations]));

/** Engines, with the kind that they make. */
const ENGINES: readonly (readonly [string, Engine, Partial<TrainingJobProps>])[] = [
  ['MLTrainingJob', Engine.operator(), {}], ['TrainJob', Engine.trainer(), {}], ['PyTorchJob', Engine.trainingOperatorV1(), {}],
  ['JobSet', Engine.jobSet(), {}], ['Job', Engine.job(), {}], ['Job', Engine.volcano(), {}], ['RayJob', Engine.ray(), {}],
];

describe('a job in a wave', () => {
  test('has it on all of its objects', () => {
    const { chart, job } = program({ engine: Engine.job() });
    ArgoCdSync.wave(job, 3);
    expect(objects(chart).length).toBeGreaterThan(1);
    objects(chart).forEach(({ metadata }) => expect(metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-wave': '3' }));
  });

  test('of Trainer comes after its runtime, without which Trainer refuses it', () => {
    const { chart, job } = program({ engine: Engine.trainer() });
    ArgoCdSync.wave(job, 3);
    expect(annotations(chart)).toMatchObject({ TrainingRuntime: { 'argocd.argoproj.io/sync-wave': '2' }, TrainJob: { 'argocd.argoproj.io/sync-wave': '3' } });
  });

  test('and a version of a pipeline comes after its pipeline, without which the webhook refuses it', () => {
    const chart = new Chart(Testing.app(), 'pipelines', { namespace: 'ml' });
    const pipeline = new Pipeline(chart, 'Nightly');
    ArgoCdSync.wave(pipeline, 3);
    expect(annotations(chart)).toEqual({ Pipeline: { 'argocd.argoproj.io/sync-wave': '3' } });
    pipeline.addVersion('v1', PipelineFile.fromFile(path.join(__dirname, '..', '..', '..', '..', 'examples', 'pipelines', 'hello.yaml')));
    ArgoCdSync.wave(chart, 3);
    expect(annotations(chart)).toEqual({ Pipeline: { 'argocd.argoproj.io/sync-wave': '2' }, PipelineVersion: { 'argocd.argoproj.io/sync-wave': '3' } });
  });

  test('is in a whole one', () => {
    expect(() => ArgoCdSync.wave(program().job, 1.5)).toThrow('ArgoCdSync.wave at \'jobs/Train\': wave: 1.5: must be a whole number.');
    expect(() => ArgoCdSync.replace(program().job, { wave: NaN })).toThrow('ArgoCdSync.replace at \'jobs/Train\': wave: NaN: must be a whole number.');
  });
});

describe.each(ENGINES)('%s', (kind, engine, props) => {
  test('as a hook runs with each sync, what it needs a wave before', () => {
    const { app, chart, job } = program({ engine, ...props });
    ArgoCdSync.hook(job);
    const { [kind]: ofJob, ...others } = annotations(chart);
    expect(ofJob).toEqual({
      'argocd.argoproj.io/hook': 'Sync', 'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation', 'argocd.argoproj.io/sync-wave': '0',
    });
    Object.values(others).forEach((each) => expect(each).toEqual({ 'argocd.argoproj.io/sync-wave': '-1' }));
    expect(errorsOf(app)).toEqual([]);
  });

  test('is replaced behind everything else', () => {
    const { app, chart, job } = program({ engine, ...props });
    ArgoCdSync.replace(job);
    expect(annotations(chart)[kind]).toEqual({ 'argocd.argoproj.io/sync-options': 'Replace=true,Force=true', 'argocd.argoproj.io/sync-wave': '1000' });
    expect(errorsOf(app)).toEqual([]);
  });
});

test('what comes afterwards is an error', () => {
  const { app, chart, job } = program();
  ArgoCdSync.hook(chart);
  new kplus.ConfigMap(job, 'Late', { metadata: { name: 'late' } });
  expect(errorsOf(app)).toEqual([expect.stringContaining('ArgoCdSync.hook: ConfigMap \'late\' was added afterwards, and Argo CD would sync it with everything else. Call it last.')]);
});

describe('a hook', () => {
  test('has a phase, a policy and a wave', () => {
    const { chart, job } = program();
    ArgoCdSync.hook(job, { phase: ArgoCdHookPhase.POST_SYNC, deletePolicy: ArgoCdHookDeletePolicy.HOOK_SUCCEEDED, wave: 5 });
    expect(annotations(chart).MLTrainingJob).toEqual({
      'argocd.argoproj.io/hook': 'PostSync', 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded', 'argocd.argoproj.io/sync-wave': '5',
    });
  });

  test('before the sync needs nothing that comes with it', () => {
    const { chart, job } = program();
    ArgoCdSync.hook(job, { phase: ArgoCdHookPhase.PRE_SYNC });
    expect(annotations(chart).MLTrainingJob).toMatchObject({ 'argocd.argoproj.io/hook': 'PreSync' });
    expect(() => ArgoCdSync.hook(program({ engine: Engine.job() }).job, { phase: ArgoCdHookPhase.PRE_SYNC }))
      .toThrow(/^ArgoCdSync\.hook at 'jobs\/Train': runs in phase PreSync, and needs Service \S+.*, which is applied after it\. Use ArgoCdHookPhase\.SYNC with a wave\.$/);
  });

  test('may delete itself', () => {
    const { app, job } = program({ runPolicy: { ttlAfterFinished: Duration.hours(1) } });
    ArgoCdSync.hook(job);
    expect(errorsOf(app)).toEqual([]);
  });

  test('is a group of programs', () => {
    const app = new App();
    const chart = new Chart(app, 'jobs');
    const group = new JobGroup(chart, 'Group', {
      metadata: { name: 'rl' }, primary: { framework: Framework.pytorch(), image: 'registry.example/rl:1', replicas: 2 },
      helpers: [{ name: 'actor', replicas: 2, image: 'registry.example/rl:1' }],
    });
    ArgoCdSync.hook(group);
    expect(annotations(chart).MLTrainingJob).toMatchObject({ 'argocd.argoproj.io/hook': 'Sync' });
  });

  test('is a chart\'s jobs, and nothing without jobs', () => {
    const chart = new Chart(new App(), 'web');
    new kplus.ConfigMap(chart, 'Settings');
    expect(() => ArgoCdSync.hook(chart)).toThrow('ArgoCdSync.hook at \'web\': creates ConfigMap, but no job that runs to completion. Services and similar objects only need ArgoCdSync.wave.');
    expect(() => ArgoCdSync.replace(new Chart(new App(), 'empty'))).toThrow('ArgoCdSync.replace at \'empty\': creates nothing, but no job');
  });
});

describe('a name by content', () => {
  test('is the same for the same job, another for a changed one, and none of Argo CD\'s matter', () => {
    const named = (props: Partial<TrainingJobProps> = {}, wave?: number) => {
      const { app, chart, job } = program(props);
      const name = ArgoCdSync.nameByContent(job, { wave });
      expect(errorsOf(app)).toEqual([]);
      expect(objects(chart)[0].metadata.name).toBe(name);
      return name;
    };
    expect(named()).toMatch(/^resnet-[0-9a-f]{8}$/);
    expect(named()).toBe(named());
    expect(named({}, 7)).toBe(named());
    expect(named({ image: 'registry.example/train:2' })).not.toBe(named());
  });

  test('leaves room for what controllers put behind it', () => {
    const name = ArgoCdSync.nameByContent(program({ metadata: { name: `resnet-${'x'.repeat(40)}` } }).job);
    expect(name).toMatch(/^resnet-x{30}-[0-9a-f]{8}$/);
    expect(name.length).toBe(46);
  });

  test('is that of a finished job: a change afterwards is an error', () => {
    const { app, job } = program();
    ArgoCdSync.nameByContent(job);
    job.addEnv('LATE', kplus.EnvValue.fromValue('yes'));
    expect(errorsOf(app)).toEqual([expect.stringContaining('ArgoCdSync.nameByContent of MLTrainingJob \'resnet\': the job was changed afterwards, so its name does not match its content. Call it last.')]);
  });

  test.each(ENGINES)('of %s says whether something else has the old one in it', (kind, engine) => {
    const { app, chart, job } = program({ engine });
    const name = ArgoCdSync.nameByContent(job);
    const errors = errorsOf(app);
    if (errors.length === 0) {
      expect(objects(chart).find((object) => object.kind === kind)!.metadata.name).toBe(name);
      expect(JSON.stringify(objects(chart).find((object) => object.kind === kind))).not.toMatch(/"resnet[".]/);
    } else {
      expect(errors).toEqual([expect.stringMatching(/ArgoCdSync\.nameByContent of \w+ 'resnet': the name is used in \S+.*, but the object would no longer have it\. Create the job with the name that ArgoCdSync\.contentName returns, or use ArgoCdSync\.replace\.$/)]);
    }
  });

  test.each(ENGINES)('of %s can be given from a draft, on every engine', (kind, engine) => {
    const name = ArgoCdSync.contentName(program({ engine }).job);
    expect(name).toMatch(/^resnet-[0-9a-f]{8}$/);
    expect(ArgoCdSync.contentName(program({ engine }).job)).toBe(name);
    expect(ArgoCdSync.contentName(program({ engine, image: 'registry.example/train:2' }).job)).not.toBe(name);
    const { app, chart, job } = program({ engine, metadata: { name } });
    ArgoCdSync.wave(job, 1000);
    expect(errorsOf(app)).toEqual([]);
    expect(objects(chart).find((object) => object.kind === kind)!.metadata.name).toBe(name);
  });

  test('needs a job', () => {
    expect(() => ArgoCdSync.contentName(new Chart(new App(), 'empty'))).toThrow('ArgoCdSync.contentName at \'empty\': creates nothing, but no job');
  });

  test('does not mind paths that have the name in them', () => {
    const { app, job } = program({ args: ['--output=/checkpoints/resnet', 's3://models/resnet'] });
    ArgoCdSync.nameByContent(job);
    expect(errorsOf(app)).toEqual([]);
  });

  test('stays the name of a job that cannot be written', () => {
    const fail = () => {
      throw new Error('not yet');
    };
    const object = new ApiObject(new Chart(new App(), 'jobs'), 'Job', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: Lazy.any({ produce: fail }) });
    expect(ArgoCdSync.nameByContent(object)).toBe('a');
  });

  test('comes behind everything else', () => {
    const { chart, job } = program();
    ArgoCdSync.nameByContent(job);
    expect(annotations(chart).MLTrainingJob).toEqual({ 'argocd.argoproj.io/sync-wave': '1000' });
  });
});

/** Any job, with fields of its own. */
function jobOf(apiVersion: string, kind: string, spec: object, metadata: object = {}) {
  const app = new App();
  const chart = new Chart(app, 'jobs');
  const object = new ApiObject(chart, 'Job', { apiVersion, kind, metadata: { name: 'a', ...metadata } });
  object.addJsonPatch(JsonPatch.add('/spec', spec));
  return { app, chart, object };
}

const AGAIN = 'and Argo CD recreates what is missing: it would run again, forever';

describe('jobs that Argo CD keeps', () => {
  const TTL: readonly (readonly [string, string, object, string])[] = [
    ['ml.collabnix.io/v1alpha1', 'MLTrainingJob', { runPolicy: { ttlSecondsAfterFinished: 60 } }, 'spec.runPolicy.ttlSecondsAfterFinished: 60'],
    ['kubeflow.org/v1', 'PyTorchJob', { runPolicy: { ttlSecondsAfterFinished: 0 } }, 'spec.runPolicy.ttlSecondsAfterFinished: 0'],
    ['kubeflow.org/v2beta1', 'MPIJob', { runPolicy: { ttlSecondsAfterFinished: 60 } }, 'spec.runPolicy.ttlSecondsAfterFinished: 60'],
    ['jobset.x-k8s.io/v1alpha2', 'JobSet', { ttlSecondsAfterFinished: 60 }, 'spec.ttlSecondsAfterFinished: 60'],
    ['batch/v1', 'Job', { ttlSecondsAfterFinished: 60 }, 'spec.ttlSecondsAfterFinished: 60'],
    ['batch.volcano.sh/v1alpha1', 'Job', { ttlSecondsAfterFinished: 60 }, 'spec.ttlSecondsAfterFinished: 60'],
    ['sparkoperator.k8s.io/v1beta2', 'SparkApplication', { timeToLiveSeconds: 60 }, 'spec.timeToLiveSeconds: 60'],
    ['ray.io/v1', 'RayJob', { deletionStrategy: { deletionRules: [{ policy: 'DeleteWorkers' }, { policy: 'DeleteSelf' }] } }, 'spec.deletionStrategy.deletionRules[1].policy: "DeleteSelf"'],
  ];

  test.each(TTL)('%s %s that deletes itself is an error', (apiVersion, kind, spec, where) => {
    const { app, chart, object } = jobOf(apiVersion, kind, spec);
    const checks = new ArgoCdJobs(chart, 'Checks');
    expect(checks.report()).toEqual([expect.stringMatching(new RegExp(`^${kind} 'a' \\(jobs/Job\\) under Argo CD: .*`))]);
    expect(checks.report()[0]).toContain(where);
    expect(checks.report()[0]).toContain(AGAIN);
    expect(errorsOf(app)).toHaveLength(1);
    ArgoCdSync.hook(object);
    expect(errorsOf(app)).toEqual([]);
  });

  test.each([
    ['batch/v1', 'Job', {}], ['ray.io/v1', 'RayJob', { ttlSecondsAfterFinished: 60, shutdownAfterJobFinishes: true }],
    ['ray.io/v1', 'RayJob', { deletionStrategy: { deletionRules: [{ policy: 'DeleteCluster' }, null] } }], ['v1', 'Pod', { ttlSecondsAfterFinished: 1 }],
    ['example.com/v1', 'Job', { ttlSecondsAfterFinished: 1 }],
  ])('%s %s with %j stays', (apiVersion, kind, spec) => {
    const { app, chart } = jobOf(apiVersion, kind, spec);
    new ArgoCdJobs(chart, 'Checks');
    expect(errorsOf(app)).toEqual([]);
  });

  test.each([['replace', ArgoCdSync.replace], ['nameByContent', ArgoCdSync.nameByContent]])('ArgoCdSync.%s refuses a job that deletes itself', (_name, keep) => {
    const { app, job } = program({ runPolicy: { ttlAfterFinished: Duration.hours(1) } });
    keep.call(ArgoCdSync, job);
    expect(errorsOf(app)).toEqual([expect.stringContaining(`MLTrainingJob 'resnet' under Argo CD: spec.runPolicy.ttlSecondsAfterFinished: 3600: deletes the MLTrainingJob when it has ended, ${AGAIN}`)]);
  });

  test('whose suspension Kueue and Git would both write are an error', () => {
    const labels = { 'kueue.x-k8s.io/queue-name': 'team-a' };
    const { app, chart } = jobOf('kubeflow.org/v1', 'TFJob', { runPolicy: { suspend: false } }, { labels });
    new ArgoCdJobs(chart, 'Checks');
    expect(errorsOf(app)).toEqual([expect.stringContaining('spec.runPolicy.suspend: false: belongs to Kueue for objects with the label kueue.x-k8s.io/queue-name ("team-a"): Argo CD would write it back. Remove it.')]);
  });

  test.each(ENGINES.filter(([kind, engine]) => kind !== 'MLTrainingJob' && engine._definition.title !== 'Volcano'))('%s in a queue has no suspend in it', (_kind, engine) => {
    const { app, chart } = program({ engine, scheduling: { queueName: 'team-a' } });
    new ArgoCdJobs(chart, 'Checks');
    expect(errorsOf(app)).toEqual([]);
    expect(JSON.stringify(objects(chart))).not.toContain('"suspend"');
  });

  test('are looked at where one says, and only told where that is wanted', () => {
    const { app, chart } = jobOf('batch/v1', 'Job', { ttlSecondsAfterFinished: 60 });
    const other = new Chart(app, 'other');
    expect(new ArgoCdJobs(other, 'Over', { over: other }).report()).toEqual([]);
    expect(new ArgoCdJobs(chart, 'Told', { failsSynth: false }).report()).toHaveLength(1);
    expect(errorsOf(app)).toEqual([]);
  });
});

test('jobs of Ray and Spark, and all jobs of a chart, are jobs', () => {
  const chart = new Chart(new App(), 'jobs');
  new RayJob(chart, 'Ray', { entrypoint: 'python train.py', cluster: { image: 'rayproject/ray:2.54.0', workerGroups: [] } });
  new SparkApplication(chart, 'Spark', {
    metadata: { namespace: 'ml' },
    image: 'docker.io/library/spark:4.0.1-python3', program: SparkProgram.python('local:///opt/app/features.py'), executor: { instances: 1 },
  });
  new kplus.ConfigMap(chart, 'Settings');
  ArgoCdSync.hook(chart, { wave: 2 });
  const { RayJob: ofRay, SparkApplication: ofSpark, ConfigMap: ofSettings } = annotations(chart);
  for (const each of [ofRay, ofSpark]) {
    expect(each).toMatchObject({ 'argocd.argoproj.io/hook': 'Sync', 'argocd.argoproj.io/sync-wave': '2' });
  }
  expect(ofSettings).toEqual({ 'argocd.argoproj.io/sync-wave': '1' });
});
