/** Jobs and clusters that use a store: on every engine, and of every kind. */
import { App, Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Accelerator, Checkpoint, Engine, Framework, Gpu, JobSecurity, RwxBackend, RwxCheckpointStore, TrainingJob, type TrainingJobProps,
} from '../../../src';
import { RayCluster } from '../../../src/constructs/ray';
import { SparkApplication, SparkProgram } from '../../../src/constructs/spark';
import { Workspace } from '../../../src/constructs/workbench';
import { errorsOf } from '../../support/synth-errors';

const ENGINES: readonly (readonly [string, Engine])[] = [
  ['operator', Engine.operator()], ['trainer', Engine.trainer()], ['training-operator v1', Engine.trainingOperatorV1()], ['job', Engine.job()], ['jobset', Engine.jobSet()],
  ['volcano', Engine.volcano()], ['ray', Engine.ray()], ['spark', Engine.spark()],
];

const BUCKET = (inline: boolean) => RwxBackend.gcsFuse('checkpoints', { inline, hierarchicalNamespace: true, cache: { size: Size.gibibytes(10) } });

interface Outcome {
  readonly text: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly job: TrainingJob;
}

type Use = (store: RwxCheckpointStore) => Checkpoint;

function train(backend: RwxBackend, props: Partial<TrainingJobProps> = {}, use: Use = (store) => store.forJob()): Outcome {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'ml' });
  const store = new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend });
  const job = new TrainingJob(chart, 'Train', {
    metadata: { name: 'train' }, framework: Framework.pytorch(), image: 'i', replicas: 2, command: ['python', 'train.py'], resources: { gpu: Gpu.nvidia(8), memory: Size.gibibytes(64) }, checkpoint: use(store), ...props,
  });
  const errors = errorsOf(app).filter((line) => line.startsWith('['));
  return { text: errors.length > 0 ? '' : app.synthYaml(), errors, warnings: store.warnings, job };
}

describe.each(ENGINES)('on the engine %s', (_name, engine) => {
  test('a job mounts a claim, in a folder of its own', () => {
    const { text, errors } = train(RwxBackend.nfs('nfs.example', '/runs'), { engine });
    expect(errors).toEqual([]);
    expect(text).toMatch(/claimName: runs/);
    expect(text).toMatch(/subPath: train\n/);
    expect(text).toMatch(/\/checkpoints/);
  });

  test.each([true, false])('a job mounts a bucket, with what its pods have to say (in the pods themselves: %s)', (inline) => {
    const { text, errors, warnings } = train(BUCKET(inline), { engine });
    expect(errors).toEqual([]);
    expect(text).toMatch(/gke-gcsfuse\/volumes: "true"/);
    expect(text).toMatch(/name: gke-gcsfuse-cache/);
    expect(text).toMatch(/subPath: train\n/);
    expect(text).toMatch(inline ? /bucketName: checkpoints/ : /claimName: runs/);
    expect(warnings).toEqual([expect.stringMatching(/^TrainingJob 'train': serviceAccount: is not set.*Grant\.bucketWriter\('checkpoints'\)/)]);
  });
});

test('the operator\'s job of a bucket in the pods themselves, with what its author says of the pods on top', () => {
  const { text } = train(BUCKET(true), {
    serviceAccount: kplus.ServiceAccount.fromServiceAccountName(Testing.chart(), 'Account', 'trainer'),
    podTemplate: { metadata: { annotations: { 'gke-gcsfuse/memory-limit': '1Gi' } }, spec: { volumes: [{ name: 'data', emptyDir: {} }] } },
  });
  expect(text.split('---\n').at(-1)).toMatchSnapshot();
});

test('a folder that is asked for, the other options of checkpoints, and the place', () => {
  const { text } = train(RwxBackend.nfs('nfs.example', '/runs'), {}, (store) => store.forJob({ path: '/data', folder: 'teams/vision', resumeFrom: '/data/step-1', keepLast: 2 }));
  expect(text).toContain('  checkpoint:\n    claimName: runs\n    keepLast: 2\n    resumeFrom: /data/step-1\n    subPath: teams/vision\n');
  expect(text).toContain('checkpointPath: /data');
});

test('an array has a folder for each copy, below that of the job', () => {
  const { text, errors } = train(RwxBackend.nfs('nfs.example', '/runs'), { array: { count: 3 }, engine: Engine.job(), replicas: 1 });
  expect(errors).toEqual([]);
  expect(text).toContain('subPathExpr: train/index-$(TRAINYARD_ARRAY_INDEX)');
});

test('a store comes before its jobs, and a job that is changed keeps it', () => {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'ml' });
  const store = new RwxCheckpointStore(chart, 'Z', { metadata: { name: 'runs' }, backend: BUCKET(true) });
  const job = new TrainingJob(chart, 'A', { metadata: { name: 'train' }, framework: Framework.jax(), image: 'i', replicas: 1, checkpoint: store.forJob() });
  job.addEnv('A', kplus.EnvValue.fromValue('b'));
  job.addVolumeMount('/more', kplus.Volume.fromEmptyDir(chart, 'More', 'more'));
  const [rendered] = Testing.synth(chart);
  expect(rendered.spec).toMatchObject({
    env: [{ name: 'A', value: 'b' }],
    template: {
      metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } },
      spec: { volumes: [{ name: 'checkpoint-store' }, { name: 'gke-gcsfuse-cache' }, { name: 'more' }], containers: [{ name: 'training', volumeMounts: [{ mountPath: '/checkpoints' }, { mountPath: '/more' }] }] },
    },
  });
});

test('a workspace of a job sees the job\'s checkpoints', () => {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'ml' });
  const store = new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend: RwxBackend.nfs('nfs.example', '/runs') });
  Workspace.of(new TrainingJob(chart, 'Train', { metadata: { name: 'train' }, framework: Framework.pytorch(), image: 'i', replicas: 1, checkpoint: store.forJob() }));
  expect(app.synthYaml().match(/subPath: .*/g)).toEqual(['subPath: train', 'subPath: train']);
});

describe('a job that cannot use its store says so:', () => {
  const security: JobSecurity = { restricted: true };

  test.each<[string, () => Outcome, string]>([
    ['a disk that is read', () => train(RwxBackend.hyperdiskMl({ disk: 'projects/p/zones/z/disks/d' })), 'is a read-only store (Hyperdisk ML)'],
    ['a bucket for a user who is not root', () => train(BUCKET(true), { security }), "leave root as the owner of the files, and the image's user cannot write them"],
    ['a claim elsewhere', () => train(RwxBackend.nfs('nfs.example', '/runs'), { metadata: { name: 'train', namespace: 'other' } }), "cannot use the claim 'runs', which is in 'ml'"],
    ['a folder above', () => train(BUCKET(true), {}, (store) => store.forJob({ folder: '../x' })), 'checkpoint.folder: "../x": must be a folder below the root'],
  ])('%s', (_what, run, words) => {
    expect(run().errors).toEqual(expect.arrayContaining([expect.stringContaining(words)]));
  });

  test('a user who is not root writes to a bucket that is mounted for them', () => {
    const app = new App();
    const chart = new Chart(app, 'chart', { namespace: 'ml' });
    const store = new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend: BUCKET(true), user: 1000 });
    new TrainingJob(chart, 'Train', { framework: Framework.pytorch(), image: 'i', replicas: 1, security: { restricted: true, runAsUser: 1000 }, checkpoint: store.forJob() });
    expect(errorsOf(app)).toEqual([]);
    expect(app.synthYaml()).toContain('mountOptions: implicit-dirs,uid=1000,gid=1000,file-mode=664,dir-mode=775');
  });
});

describe('tiers', () => {
  const TIERS = RwxBackend.multiTier('checkpoints', { ramDisk: Size.gibibytes(200), machineType: 'a3-highgpu-8g', hierarchicalNamespace: true });
  const H100 = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g');

  test.each<[string, Engine, Framework]>([['JobSet', Engine.jobSet(), Framework.jax()], ['TrainJob', Engine.trainer(), Framework.pytorch()]])('are a RAM disk in the pods of a %s, on the nodes that have one', (_name, engine, framework) => {
    const { text, errors, warnings } = train(TIERS, { engine, framework });
    expect(errors).toEqual([]);
    expect(warnings).toEqual([]);
    expect(text).toContain('kind: CheckpointConfiguration');
    expect(text).toContain('driver: multitier-checkpoint.csi.storage.gke.io');
    expect(text).toMatch(/mountPath: \/checkpoints\n(?! *subPath)/);
    expect(text).toMatch(/CHECKPOINT_PATH\n +value: \/checkpoints/);
    expect(text.match(/node\.kubernetes\.io\/instance-type: a3-highgpu-8g/g)).toHaveLength(2);
  });

  test('with an accelerator of the whole machine', () => {
    expect(train(TIERS, { engine: Engine.trainer(), resources: undefined, accelerator: H100.count(8) }).errors).toEqual([]);
  });

  test.each(ENGINES.filter(([name]) => name !== 'jobset' && name !== 'trainer'))('do not apply on the engine %s, and synth says why', (_name, engine) => {
    const why = /engine: ".*": cannot use RAM-disk tiers, which need JobSet labels.*Use Engine\.jobSet\(\) or Engine\.trainer\(\)/;
    expect(train(TIERS, { engine }).errors).toEqual([expect.stringMatching(why)]);
  });

  test.each<[string, Partial<TrainingJobProps>, string]>([
    ['PyTorch as a JobSet, which has a master beside its workers', { engine: Engine.jobSet() }, 'for PyTorch use Engine.trainer()'],
    ['half of a node', { engine: Engine.trainer(), resources: { gpu: Gpu.nvidia(4) } }, 'leaves room for another pod on a3-highgpu-8g, which has 8'],
    ['other machines', { engine: Engine.trainer(), scheduling: { nodeSelector: { 'node.kubernetes.io/instance-type': 'a3-highgpu-4g' } } }, 'has no RAM disks'],
  ])('do not apply to %s', (_what, props, words) => {
    expect(train(TIERS, props).errors).toEqual([expect.stringContaining(words)]);
  });

  test('have no pods of other constructs', () => {
    const store = new RwxCheckpointStore(Testing.chart(), 'Store', { backend: TIERS });
    expect(() => store.forPods()).toThrow('these pods do not belong to one');
    expect(store.asVolume().name).toMatch(/^test-store-/);
  });
});

test('pods may only read', () => {
  const store = new RwxCheckpointStore(new Chart(new App(), 'chart', { namespace: 'ml' }), 'Store', { metadata: { name: 'runs' }, backend: BUCKET(false) });
  expect(store.forPods({ readOnly: true }).volumeMounts).toEqual([expect.objectContaining({ path: '/checkpoints', readOnly: true })]);
  expect(store.forPods().volumeMounts[0]).not.toHaveProperty('readOnly');
});

test('a Ray cluster, a Spark application and a Deployment mount the same store', () => {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'ml' });
  const store = new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend: BUCKET(false) });
  const pods = store.forPods({ path: '/runs', folder: 'shared' });
  new RayCluster(chart, 'Ray', { image: 'rayproject/ray:2.51.0', rayVersion: '2.51.0', workerGroups: [{ name: 'workers', replicas: 1, ...pods }] });
  new SparkApplication(chart, 'Spark', { program: SparkProgram.python('local:///app.py'), image: 'spark', sparkVersion: '4.0.1', executor: { ...pods } });
  const deployment = new kplus.Deployment(chart, 'Show', { podMetadata: { annotations: store.podAnnotations }, securityContext: { ensureNonRoot: false } });
  deployment.addContainer({ image: 'i' }).mount('/runs', store, { readOnly: true });
  expect(errorsOf(app)).toEqual([]);
  const text = app.synthYaml();
  expect(text.match(/gke-gcsfuse\/volumes: "true"/g)).toHaveLength(3);
  expect(text.match(/claimName: runs/g)).toHaveLength(3);
  expect(text.match(/subPath: shared/g)).toHaveLength(2);
  expect(text.match(/name: CHECKPOINT_PATH\n +value: \/runs/g)).toHaveLength(2);
  expect(text.match(/name: gke-gcsfuse-cache/g)).toHaveLength(2);
});
