import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiObject, App, Chart, Duration, JsonPatch, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Checkpoint, CleanPodPolicy, Engine, Framework, Gpu, ProcessesPerNode, RestartPolicy, StuckPodPolicy, SuccessPolicy, TolerationEffect, Tpu,
  TrainingJob, TuningParameter,
  type TrainingJobProps,
} from '../../src/constructs/training-job';
import { errorsOf } from '../support/synth-errors';

/** The least that a job needs. */
const LEAST = { framework: Framework.pytorch(), image: 'trainer:1', replicas: 2 };

function specOf(props: Partial<TrainingJobProps>, chart = Testing.chart()) {
  new TrainingJob(chart, 'Job', { ...LEAST, ...props });
  return Testing.synth(chart).find((object) => object.kind === 'MLTrainingJob').spec;
}

describe('a TrainingJob by default', () => {
  test('is an MLTrainingJob with what was given and nothing else', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', { ...LEAST, metadata: { name: 'mnist', namespace: 'ml' } });
    expect(Testing.synth(chart)).toEqual([{
      apiVersion: 'ml.collabnix.io/v1alpha1',
      kind: 'MLTrainingJob',
      metadata: { name: 'mnist', namespace: 'ml' },
      spec: { framework: 'pytorch', image: 'trainer:1', replicas: 2 },
    }]);
    expect(job.name).toBe('mnist');
    expect(job.kind).toBe('MLTrainingJob');
    expect(job.resourceType).toBe('mltrainingjobs');
    expect(job.framework.name).toBe('pytorch');
    expect(job.replicas).toBe(2);
    expect(job.engine.name).toBe('operator');
    expect(job.roles).toEqual([]);
  });

  test('takes namespace and labels from its chart, and its name from its path', () => {
    const chart = new Chart(Testing.app(), 'training', { namespace: 'team-a', labels: { team: 'a' } });
    const job = new TrainingJob(chart, 'Mnist', LEAST);
    const [manifest] = Testing.synth(chart);
    expect(manifest.metadata.namespace).toBe('team-a');
    expect(manifest.metadata.labels).toEqual({ team: 'a' });
    expect(manifest.metadata.name).toMatch(/^training-mnist-c[0-9a-f]{7}$/);
    expect(job.name).toBe(manifest.metadata.name);
  });

  test('follows a chart that names objects without hashes', () => {
    const chart = new Chart(Testing.app(), 'training', { disableResourceNameHashes: true });
    expect(new TrainingJob(chart, 'Mnist', LEAST).name).toBe('training-mnist');
  });

  test('gets a generated name that leaves room for the names of its pods', () => {
    const chart = new Chart(Testing.app(), 'a-chart-with-a-name-that-is-rather-long', { namespace: 'ml' });
    const job = new TrainingJob(chart, 'and-a-job-with-a-name-that-is-long-as-well', {
      framework: Framework.plain(), image: 'trainer:1', roles: [{ name: 'evaluator', replicas: 10_000 }],
    });
    expect(job.name.length).toBe(48);
    expect(errorsOf(App.of(chart) as App)).toEqual([]);
  });

  test.each<[string, Engine, Partial<TrainingJobProps>, number]>([
    ['JobSet', Engine.jobSet(), { roles: [{ name: 'evaluator', replicas: 1_001 }] }, 40],
    ['JobSet with a coordinator apart', Engine.jobSet(), { framework: Framework.paddle(), replicas: 10 }, 34],
    ['Kubeflow Trainer', Engine.trainer(), { roles: [{ name: 'learner' }, { name: 'evaluator', replicas: 1_001 }] }, 40],
    ['Kubeflow Trainer with a coordinator apart', Engine.trainer(), { framework: Framework.paddle(), replicas: 10 }, 34],
    ['training-operator v1', Engine.trainingOperatorV1(), { framework: Framework.tensorflow(), roles: [{ name: 'chief' }, { name: 'evaluator' }] }, 48],
    ['a plain Job', Engine.job(), { replicas: 1_001 }, 48],
    ['Volcano', Engine.volcano(), { roles: [{ name: 'evaluator', replicas: 1_001 }] }, 48],
    ['KubeRay', Engine.ray(), { framework: Framework.pytorch(), replicas: 10 }, 47],
    ['Spark', Engine.spark(), { framework: Framework.pytorch(), replicas: 10, resources: { memory: Size.gibibytes(1) } }, 47],
    ['an array', Engine.operator(), { replicas: 2, array: { count: 10_000 } }, 43],
    ['a search', Engine.operator(), {
      replicas: 2,
      autoTuning: { maxTrials: 9_999, objective: 'loss', parameters: { LR: TuningParameter.float({ min: 0, max: 1 }) } },
    }, 37],
  ])('gets one that leaves room for what %s makes of it', (_what, engine, props, length) => {
    const chart = new Chart(Testing.app(), 'a-chart-with-a-name-that-is-rather-long', { namespace: 'ml' });
    const job = new TrainingJob(chart, 'and-a-job-with-a-name-that-is-long-as-well', {
      framework: Framework.plain(), image: 'trainer:1', command: ['train'], engine, ...props,
    });
    // One less where a hyphen would have been the last one before the hash.
    expect([length, length - 1]).toContain(job.name.length);
    expect(errorsOf(App.of(chart) as App)).toEqual([]);
  });
});

describe('the properties of a TrainingJob', () => {
  test('are all rendered', () => {
    const chart = Testing.chart();
    const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'runs');
    const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'hub');
    const data = kplus.Volume.fromEmptyDir(chart, 'Data', 'data', { sizeLimit: Size.gibibytes(10) });
    const spec = specOf({
      framework: Framework.pytorch({ nprocPerNode: ProcessesPerNode.of(8) }),
      replicas: 4,
      command: ['torchrun'],
      args: ['train.py'],
      workingDir: '/workspace',
      env: { TOKEN: secret.envValue('token'), MODE: kplus.EnvValue.fromValue('full') },
      envFrom: [kplus.Env.fromSecret(secret)],
      resources: {
        gpu: Gpu.nvidia(8),
        cpu: kplus.Cpu.units(96),
        memory: Size.gibibytes(1000),
        ephemeralStorage: Size.gibibytes(100),
        sharedMemory: Size.gibibytes(64),
        extended: { 'rdma/hca': 8 },
      },
      hyperparameters: { LR: '0.1' },
      checkpoint: Checkpoint.onClaim(claim, {
        path: '/ckpt', folder: 'run-1', resumeFrom: '/ckpt/step-100', gracePeriod: Duration.minutes(2),
      }),
      port: 12345,
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'trainer'),
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Registry', 'registry')],
      volumeMounts: [{ path: '/data', volume: data, readOnly: true }],
      runPolicy: {
        restartPolicy: RestartPolicy.ON_FAILURE,
        backoffLimit: 3,
        backoff: { initial: Duration.seconds(5), max: Duration.minutes(1), resetAfter: Duration.hours(1) },
        exitCodes: { recover: [42], retry: [1], fail: [2] },
        startTimeout: Duration.minutes(10),
        restartInPlace: false,
        nodeLoss: {
          grace: Duration.minutes(1), leaseGrace: Duration.seconds(40), stuckPods: StuckPodPolicy.WAIT, forceDeleteAfter: Duration.seconds(5),
        },
        nodeAvoidance: { afterFailures: 3, avoidFor: Duration.hours(2) },
        disruptionLimit: 10,
        activeDeadline: Duration.days(1),
        ttlAfterFinished: Duration.hours(2),
        cleanPodPolicy: CleanPodPolicy.ALL,
        successPolicy: SuccessPolicy.ALL_WORKERS,
      },
      scheduling: {
        priorityClassName: 'high',
        schedulerName: 'bin-packing',
        nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' },
        tolerations: [
          { key: 'nvidia.com/gpu' },
          { key: 'spot', value: 'true', effect: TolerationEffect.NO_EXECUTE, evictAfter: Duration.seconds(60) },
        ],
      },
      init: true,
      suspend: true,
    }, chart);

    expect(spec).toEqual({
      framework: 'pytorch',
      nprocPerNode: 8,
      image: 'trainer:1',
      replicas: 4,
      command: ['torchrun'],
      args: ['train.py'],
      workingDir: '/workspace',
      env: [
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } },
        { name: 'MODE', value: 'full' },
      ],
      resources: {
        gpu: 8, cpu: '96', memory: '1000Gi', ephemeralStorage: '100Gi', sharedMemory: '64Gi', extended: { 'rdma/hca': '8' },
      },
      hyperparameters: { LR: '0.1' },
      checkpointPath: '/ckpt',
      checkpoint: { claimName: 'runs', subPath: 'run-1', resumeFrom: '/ckpt/step-100', gracePeriodSeconds: 120 },
      port: 12345,
      template: {
        spec: {
          serviceAccountName: 'trainer',
          imagePullSecrets: [{ name: 'registry' }],
          volumes: [{ name: 'data', emptyDir: { sizeLimit: '10240Mi' } }],
          containers: [{
            name: 'training',
            volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
            envFrom: [{ secretRef: { name: 'hub' } }],
          }],
        },
      },
      runPolicy: {
        restartPolicy: 'OnFailure',
        backoffLimit: 3,
        backoff: { initialSeconds: 5, maxSeconds: 60, resetAfterSeconds: 3600 },
        exitCodes: { recover: [42], retry: [1], fail: [2] },
        startTimeoutSeconds: 600,
        restartInPlace: false,
        nodeLoss: { graceSeconds: 60, leaseGraceSeconds: 40, stuckPods: 'Wait', forceDeleteAfterSeconds: 5 },
        nodeAvoidance: { afterFailures: 3, forSeconds: 7200 },
        disruptionLimit: 10,
        activeDeadlineSeconds: 86400,
        ttlSecondsAfterFinished: 7200,
        cleanPodPolicy: 'All',
        successPolicy: 'AllWorkers',
      },
      scheduling: {
        priorityClassName: 'high',
        schedulerName: 'bin-packing',
        nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' },
        tolerations: [
          { key: 'nvidia.com/gpu', operator: 'Exists' },
          { key: 'spot', operator: 'Equal', value: 'true', effect: 'NoExecute', tolerationSeconds: 60 },
        ],
      },
      init: true,
      suspend: true,
    });
  });

  test('include roles, each with its own program, compute and template', () => {
    const spec = specOf({
      framework: Framework.tensorflow(),
      replicas: undefined,
      roles: [
        { name: 'chief' },
        { name: 'worker', replicas: 4, resources: { gpu: Gpu.amd(2) }, restartPolicy: RestartPolicy.EXIT_CODE },
        {
          name: 'ps', replicas: 2, image: 'server:1', command: ['serve'], args: ['--cache'], env: { MODE: kplus.EnvValue.fromValue('ps') },
          podTemplate: { spec: { hostNetwork: true } },
        },
      ],
    });
    expect(spec.replicas).toBeUndefined();
    expect(spec.roles).toEqual([
      { name: 'chief', replicas: 1 },
      { name: 'worker', replicas: 4, resources: { gpu: 2, gpuResourceName: 'amd.com/gpu' }, restartPolicy: 'ExitCode' },
      {
        name: 'ps', replicas: 2, image: 'server:1', command: ['serve'], args: ['--cache'], env: [{ name: 'MODE', value: 'ps' }],
        template: { spec: { hostNetwork: true } },
      },
    ]);
  });

  test('count GPUs of any vendor, slices of them, and TPU chips', () => {
    expect(specOf({ resources: { gpu: Gpu.nvidia(4) } }).resources).toEqual({ gpu: 4 });
    expect(specOf({ resources: { gpu: Gpu.amd(4) } }).resources).toEqual({ gpu: 4, gpuResourceName: 'amd.com/gpu' });
    expect(specOf({ resources: { gpu: Gpu.mig('1g.5gb', 1) } }).resources).toEqual({ gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' });
    expect(specOf({ resources: { gpu: Gpu.ofResource('gpu.intel.com/i915', 1) } }).resources)
      .toEqual({ gpu: 1, gpuResourceName: 'gpu.intel.com/i915' });
    expect(specOf({ resources: { tpu: Tpu.chips(4) } }).resources).toEqual({ tpu: 4 });
  });

  test('say how many processes a launcher starts on each replica', () => {
    const nproc = (framework: Framework) => specOf({ framework }).nprocPerNode;
    expect(nproc(Framework.pytorch())).toBeUndefined();
    expect(nproc(Framework.pytorch({ nprocPerNode: ProcessesPerNode.auto() }))).toBe('auto');
    expect(nproc(Framework.pytorch({ nprocPerNode: ProcessesPerNode.perGpu() }))).toBe('gpu');
    expect(nproc(Framework.pytorch({ nprocPerNode: ProcessesPerNode.perCpu() }))).toBe('cpu');
    expect(nproc(Framework.mpi({ slotsPerWorker: 8 }))).toBe(8);
    expect(nproc(Framework.horovod({ slotsPerWorker: 4 }))).toBe(4);
    expect(nproc(Framework.deepspeed({ slotsPerWorker: 2 }))).toBe(2);
    expect(nproc(Framework.deepspeed())).toBeUndefined();
  });

  test.each([
    [Framework.pytorch(), 'pytorch'], [Framework.tensorflow(), 'tensorflow'], [Framework.jax(), 'jax'], [Framework.xgboost(), 'xgboost'],
    [Framework.lightgbm(), 'lightgbm'], [Framework.mpi(), 'mpi'], [Framework.horovod(), 'horovod'], [Framework.deepspeed(), 'deepspeed'],
    [Framework.paddle(), 'paddle'], [Framework.mxnet(), 'mxnet'], [Framework.plain(), 'plain'],
  ])('name each framework as the API does: %p', (framework, name) => {
    expect(specOf({ framework }).framework).toBe(name);
  });

  test('leave a checkpoint at a URL without a claim', () => {
    const spec = specOf({ checkpoint: Checkpoint.at('s3://bucket/run') });
    expect(spec.checkpointPath).toBe('s3://bucket/run');
    expect(spec.checkpoint).toBeUndefined();
    expect(specOf({ checkpoint: Checkpoint.at('s3://bucket/run', { keepLast: 5 }) }).checkpoint).toEqual({ keepLast: 5 });
  });

  test('mount a claim for checkpoints at /checkpoints, each job in a folder of its own, unless told otherwise', () => {
    const chart = Testing.chart();
    const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'runs');
    const spec = specOf({ checkpoint: Checkpoint.onClaim(claim) }, chart);
    expect(spec.checkpointPath).toBe('/checkpoints');
    expect(spec.checkpoint).toEqual({ claimName: 'runs', subPath: expect.stringMatching(/^test-job-/) });
    expect(specOf({ checkpoint: Checkpoint.onClaim(claim, { folder: 'all' }) }, Testing.chart()).checkpoint).toEqual({ claimName: 'runs', subPath: 'all' });
    expect(specOf({ checkpoint: Checkpoint.onClaim(claim, { folder: '' }) }, Testing.chart()).checkpoint).toEqual({ claimName: 'runs' });
  });
});

describe('what is added to a TrainingJob after it was made', () => {
  test('is rendered: roles, variables and mounts', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', { framework: Framework.plain(), image: 'trainer:1', env: { A: kplus.EnvValue.fromValue('1') } });
    job.addRole({ name: 'reader', replicas: 2 });
    job.addRole({ name: 'writer' });
    job.addEnv('B', kplus.EnvValue.fromValue('2'));
    job.addEnv('A', kplus.EnvValue.fromValue('3'));
    const volume = kplus.Volume.fromEmptyDir(chart, 'Scratch', 'scratch');
    job.addVolumeMount('/scratch', volume);
    job.addVolumeMount('/scratch/logs', volume, { subPath: 'logs' });

    const { spec } = Testing.synth(chart)[0];
    expect(spec.roles).toEqual([{ name: 'reader', replicas: 2 }, { name: 'writer', replicas: 1 }]);
    expect(spec.env).toEqual([{ name: 'A', value: '3' }, { name: 'B', value: '2' }]);
    expect(spec.template.spec.volumes).toEqual([{ name: 'scratch', emptyDir: {} }]);
    expect(spec.template.spec.containers[0].volumeMounts).toEqual([
      { name: 'scratch', mountPath: '/scratch' },
      { name: 'scratch', mountPath: '/scratch/logs', subPath: 'logs' },
    ]);
    expect(job.roles.map((role) => role.name)).toEqual(['reader', 'writer']);
    expect(Object.keys(job.env)).toEqual(['A', 'B']);
    expect(job.volumeMounts.map((mount) => mount.path)).toEqual(['/scratch', '/scratch/logs']);
  });

  test('cannot be changed through what getters return', () => {
    const job = new TrainingJob(Testing.chart(), 'Job', { framework: Framework.plain(), image: 'trainer:1' });
    job.roles.push({ name: 'worker' });
    job.env.A = kplus.EnvValue.fromValue('1');
    job.volumeMounts.length = 5;
    expect(job.roles).toEqual([]);
    expect(job.env).toEqual({});
    expect(job.volumeMounts).toEqual([]);
  });

  test('may be the volume of a claim', () => {
    const chart = Testing.chart();
    const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'Data', 'data');
    const job = new TrainingJob(chart, 'Job', LEAST);
    job.addVolumeMount('/data', kplus.Volume.fromPersistentVolumeClaim(chart, 'DataVolume', claim), { readOnly: true });
    const { spec } = Testing.synth(chart)[0];
    expect(spec.template.spec.volumes).toEqual([{ name: 'pvc-data', persistentVolumeClaim: { claimName: 'data', readOnly: false } }]);
    expect(spec.template.spec.containers[0].volumeMounts).toEqual([{ name: 'pvc-data', mountPath: '/data', readOnly: true }]);
  });
});

describe('the pod template of a TrainingJob', () => {
  test('is carried through as it was written', () => {
    const podTemplate = { metadata: { annotations: { a: 'b' } }, spec: { hostIPC: true } };
    expect(specOf({ podTemplate }).template).toEqual(podTemplate);
  });

  test('is joined with mounts and identity, and keeps other containers', () => {
    const chart = Testing.chart();
    const spec = specOf({
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'trainer'),
      volumeMounts: [{ path: '/new', volume: kplus.Volume.fromEmptyDir(chart, 'New', 'new') }],
      podTemplate: {
        metadata: { labels: { team: 'a' } },
        spec: {
          serviceAccountName: 'other',
          containers: [{ name: 'sidecar', image: 'sidecar:1' }, { name: 'training', volumeMounts: [{ name: 'old', mountPath: '/old' }] }],
          volumes: [{ name: 'old', emptyDir: {} }],
        },
      },
    }, chart);
    expect(spec.template).toEqual({
      metadata: { labels: { team: 'a' } },
      spec: {
        serviceAccountName: 'trainer',
        containers: [
          { name: 'sidecar', image: 'sidecar:1' },
          { name: 'training', volumeMounts: [{ name: 'old', mountPath: '/old' }, { name: 'new', mountPath: '/new' }] },
        ],
        volumes: [{ name: 'old', emptyDir: {} }, { name: 'new', emptyDir: {} }],
      },
    });
  });
});

test('a TrainingJob is a resource that people can be allowed to read', () => {
  const chart = Testing.chart();
  const job = new TrainingJob(chart, 'Job', { ...LEAST, metadata: { name: 'mnist' } });
  job.permissions.grantRead(kplus.User.fromName(chart, 'Alice', 'alice'));
  const role = Testing.synth(chart).find((object) => object.kind === 'Role');
  expect(role.rules).toEqual([
    { apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], resourceNames: ['mnist'], verbs: ['get', 'list', 'watch'] },
  ]);
});

describe('the escape hatch of a TrainingJob', () => {
  test('is its default child, which takes JSON patches', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', LEAST);
    ApiObject.of(job).addJsonPatch(JsonPatch.add('/spec/newField', 1));
    expect(job.node.defaultChild).toBe(ApiObject.of(job));
    expect(Testing.synth(chart)[0].spec.newField).toBe(1);
  });

  test('has metadata that grows', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', LEAST);
    job.metadata.addLabel('kueue.x-k8s.io/queue-name', 'gpu');
    expect(Testing.synth(chart)[0].metadata.labels).toEqual({ 'kueue.x-k8s.io/queue-name': 'gpu' });
  });
});

describe('a TrainingJob with contradicting arguments', () => {
  test('is refused when it has both forms', () => {
    expect(() => new TrainingJob(Testing.chart(), 'Job', { ...LEAST, roles: [{ name: 'worker' }] })).toThrow(
      'TrainingJob at \'test/Job\': sets both \'replicas\' (short form) and \'roles\' (long form), which have their own replicas. '
      + 'Remove one of the two.',
    );
  });

  test('takes no role in the short form', () => {
    const job = new TrainingJob(Testing.chart(), 'Job', LEAST);
    expect(() => job.addRole({ name: 'worker' })).toThrow(
      'TrainingJob at \'test/Job\': cannot add role \'worker\', because the job sets \'replicas\' (short form). '
      + 'Remove replicas and add every role.',
    );
  });

  test('mounts one volume at a path', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', LEAST);
    job.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'A', 'a'));
    expect(() => job.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'B', 'b'))).toThrow(
      'TrainingJob at \'test/Job\': cannot mount volume \'b\' at \'/data\', because volume \'a\' is already mounted there. Choose another path.',
    );
  });

  test('mounts no two volumes of one name', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', LEAST);
    job.addVolumeMount('/a', kplus.Volume.fromEmptyDir(chart, 'A', 'same'));
    expect(() => job.addVolumeMount('/b', kplus.Volume.fromEmptyDir(chart, 'B', 'same'))).toThrow(
      'TrainingJob at \'test/Job\': cannot mount a second volume named \'same\' at \'/b\', because the first, at \'/a\', is a different one. '
      + 'Mount the same Volume object twice, or rename one of them.',
    );
  });

  test('has durations in whole seconds', () => {
    expect(() => specOf({ runPolicy: { ttlAfterFinished: Duration.millis(1500) } })).toThrow(/1500 millis.* cannot be converted into a whole number of seconds/);
  });
});

describe('synth', () => {
  test('reports everything that is wrong with any job of the app, with the path of each', () => {
    const app = Testing.app();
    const a = new Chart(app, 'a');
    const b = new Chart(app, 'b');
    new TrainingJob(a, 'Empty', { framework: Framework.jax(), image: '', replicas: 0, metadata: { name: 'empty' } });
    new TrainingJob(b, 'Role', { framework: Framework.pytorch(), image: 'trainer:1', roles: [{ name: 'wroker' }], metadata: { name: 'role' } });
    new TrainingJob(b, 'Reserved', { ...LEAST, hyperparameters: { RANK: '1' }, metadata: { name: 'reserved' } });
    new TrainingJob(b, 'Fine', LEAST);
    expect(errorsOf(app)).toEqual([
      expect.stringMatching(/^\[a\/Empty\] TrainingJob 'empty': spec\.image: "": must be an image/),
      expect.stringMatching(/^\[a\/Empty\] TrainingJob 'empty': spec\.replicas: 0: must be a whole number/),
      '[b/Role] TrainingJob \'role\': spec.roles[0].name: "wroker": is not a role of PyTorch: master, worker. Did you mean \'worker\'?',
      expect.stringMatching(/^\[b\/Reserved\] TrainingJob 'reserved': spec\.hyperparameters\.RANK: "1": would overwrite RANK/),
    ]);
  });

  test('says what docs/jobs/training-job.md shows', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'docs');
    new TrainingJob(chart, 'Mnist', { framework: Framework.pytorch(), image: 'm', roles: [{ name: 'wroker' }], metadata: { name: 'mnist' } });
    new TrainingJob(chart, 'Large', {
      ...LEAST, metadata: { name: 'large' }, resources: { memory: Size.gibibytes(32), sharedMemory: Size.gibibytes(64) },
    });
    const page = readFileSync(path.join(__dirname, '..', '..', 'docs', 'jobs', 'training-job.md'), 'utf8');
    const errors = errorsOf(app);
    expect(errors).toHaveLength(2);
    errors.forEach((error) => expect(page).toContain(error));
  });

  test('is the moment of checking, so that a job can be completed until then', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', { framework: Framework.jax(), image: 'trainer:1' });
    expect(errorsOf(App.of(chart) as App)).toHaveLength(1);
    job.addRole({ name: 'worker', replicas: 2 });
    expect(errorsOf(App.of(chart) as App)).toEqual([]);
  });

  test.each<[string, Partial<TrainingJobProps>, string]>([
    ['a number of replicas that is none', { replicas: 0 }, 'spec.replicas: 0: must be a whole number from 1 to 10000.'],
    ['half a replica', { replicas: 1.5 }, 'spec.replicas: 1.5: must be a whole number from 1 to 10000.'],
    ['a port that is none', { port: 70000 }, 'spec.port: 70000: must be a port from 1 to 65535.'],
    ['GPUs beside TPUs', { resources: { gpu: Gpu.nvidia(1), tpu: Tpu.chips(4) } },
      'spec.resources.tpu: 4: cannot be combined with gpu: no node has both. Remove one of the two.'],
    ['half a GPU', { resources: { gpu: Gpu.nvidia(0.5) } }, 'spec.resources.gpu: 0.5: must be a whole number of devices'],
    ['more shared memory than memory', { resources: { memory: Size.gibibytes(1), sharedMemory: Size.gibibytes(2) } },
      'spec.resources.sharedMemory: "2Gi": counts against memory (1Gi) and cannot be more.'],
    ['a negative back-off limit', { runPolicy: { backoffLimit: -1 } }, 'spec.runPolicy.backoffLimit: -1: must be a whole number of restarts'],
    ['a restart in place of what is restarted together', { runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, restartInPlace: true } },
      'spec.runPolicy.restartInPlace: true: is not possible: replicas of'],
    ['an exit code with two meanings', { runPolicy: { exitCodes: { retry: [1], fail: [1] } } },
      'spec.runPolicy.exitCodes.fail: 1: is already in exitCodes.retry'],
    ['a variable of the contract', { env: { MASTER_PORT: kplus.EnvValue.fromValue('1') } },
      'spec.env[\'MASTER_PORT\']: "1": is set by the PyTorch contract and cannot be changed. Set spec.port.'],
    ['a name that is none', { metadata: { name: '1st' } }, 'metadata.name: "1st": must be a DNS-1035 label'],
    ['a name that is too long', { metadata: { name: 'x'.repeat(60) } }, `metadata.name: "${'x'.repeat(60)}": is too long`],
    ['a restart policy in the template', { podTemplate: { spec: { restartPolicy: 'Always' } } },
      'spec.template.spec.restartPolicy: "Always": must be Never'],
    ['a number of processes that is none', { framework: Framework.pytorch({ nprocPerNode: ProcessesPerNode.of(0) }) },
      'spec.nprocPerNode: 0: must be a number of processes from 1 to 9999'],
  ])('refuses %s', (_what, props, message) => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', { ...LEAST, ...props });
    const errors = errorsOf(App.of(chart) as App);
    expect(errors.join('\n')).toContain(`TrainingJob '${job.name}': ${message}`);
  });

  test('checks a job once, however many charts the app has', () => {
    const app = Testing.app();
    const engine = Engine.job();
    const validate = jest.spyOn(engine._definition, 'validate');
    new TrainingJob(new Chart(app, 'one'), 'Job', { ...LEAST, metadata: { name: 'mnist' }, command: ['train'], engine });
    ['two', 'three', 'four'].forEach((id) => new Chart(app, id));
    app.synthYaml();
    expect(validate).toHaveBeenCalledTimes(1);
  });

  test('checks what a job was given, and not what was made of the objects later', () => {
    const hyperparameters: { [name: string]: string } = { LR: '0.1' };
    const podTemplate = { spec: { restartPolicy: 'Never' } };
    const app = Testing.app();
    new TrainingJob(new Chart(app, 'training'), 'Job', { ...LEAST, metadata: { name: 'mnist' }, hyperparameters, podTemplate });
    const manifests = app.synthYaml();
    hyperparameters.RANK = '1';
    podTemplate.spec.restartPolicy = 'Always';
    expect(app.synthYaml()).toBe(manifests);
    new TrainingJob(new Chart(app, 'later'), 'Job', { ...LEAST, metadata: { name: 'mnist' }, hyperparameters, podTemplate });
    expect(errorsOf(app)).toEqual([
      expect.stringContaining('spec.hyperparameters.RANK'), expect.stringContaining('spec.template.spec.restartPolicy'),
    ]);
  });

  test('gives the same manifests each time', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Job', { ...LEAST, engine: Engine.operator(), hyperparameters: { B: '1', A: '2' } });
    job.addVolumeMount('/scratch', kplus.Volume.fromEmptyDir(chart, 'Scratch', 'scratch', { sizeLimit: Size.gibibytes(1) }));
    const app = App.of(chart) as App;
    expect(app.synthYaml()).toBe(app.synthYaml());
    expect(app.synthYaml()).toMatchSnapshot();
  });
});
