import { App, Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Checkpoint, Engine, Framework, Gpu, TrainingJob, type TrainingJobProps } from '../../../src';
import { Workspace, WorkspaceServer, type WorkspaceOptions } from '../../../src/constructs/workbench';
import { errorsOf } from '../../support/synth-errors';

const JOB: TrainingJobProps = {
  metadata: { name: 'vision', namespace: 'ml', labels: { team: 'a' } },
  framework: Framework.pytorch(), image: 'train:1', command: ['python', 'train.py'], replicas: 4,
};

/** The workspace of a job. */
function workspaceOf(
  job: Partial<TrainingJobProps> = {}, options: WorkspaceOptions = {}, change: (job: TrainingJob, chart: Chart) => void = () => undefined,
) {
  const chart = Testing.chart();
  const training = new TrainingJob(chart, 'Train', { ...JOB, ...job });
  change(training, chart);
  const workspace = Workspace.of(training, { jobName: 'box', ...options });
  const objects = Testing.synth(chart);
  return { workspace, objects, box: objects.find(({ metadata }) => metadata.name === 'box') };
}

test('a workspace is one replica of the job that starts an editor instead of the script', () => {
  const { box, workspace, objects } = workspaceOf({ resources: { gpu: Gpu.nvidia(2) }, checkpoint: Checkpoint.at('gs://runs'), hyperparameters: { EPOCHS: '3' } });
  const { command, ...spec } = box.spec;
  expect(spec).toEqual({
    framework: 'plain', image: 'train:1', replicas: 1, resources: { gpu: 2 }, checkpointPath: 'gs://runs', hyperparameters: { EPOCHS: '3' },
  });
  expect(command.slice(-6)).toEqual(['code-server', '--bind-addr', '127.0.0.1:8080', '--auth', 'none', '--disable-telemetry']);
  // It shares the job's checkpoints, and nobody is warned of that.
  expect(box.metadata).toEqual({ name: 'box', namespace: 'ml', labels: { team: 'a' }, annotations: { 'ml.collabnix.io/acknowledged': 'checkpoint-shared' } });
  expect(workspace.job.name).toBe('box');
  expect(workspace.server.port).toBe(8080);
  expect(workspace.idleTimeout.toHours()).toBe(2);
  expect(objects).toHaveLength(2);
});

test('it waits in the job\'s queue, on the job\'s nodes, without its gang', () => {
  const { box } = workspaceOf({ scheduling: { queueName: 'team', queuePriorityClassName: 'low', nodeSelector: { pool: 'gpu' }, tolerations: [{ key: 'spot' }], priorityClassName: 'p' } });
  expect(box.spec.scheduling).toMatchObject({ queueName: 'team', queuePriorityClassName: 'low', nodeSelector: { pool: 'gpu' }, priorityClassName: 'p' });
});

test('it has what was added to the job, and nothing that was added later', () => {
  const { box } = workspaceOf({}, {}, (job, chart) => {
    job.addEnv('A', kplus.EnvValue.fromValue('1'));
    job.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data'));
  });
  expect(box.spec.env).toEqual([{ name: 'A', value: '1' }]);
  expect(JSON.stringify(box.spec.template)).toContain('"mountPath":"/data"');
});

test('with every option', () => {
  const chart = Testing.chart();
  const keys = kplus.Secret.fromSecretName(chart, 'Keys', 'keys');
  const { box, workspace } = workspaceOf({ resources: { gpu: Gpu.nvidia(8) }, engine: Engine.jobSet() }, {
    server: WorkspaceServer.ssh({ authorizedKeys: keys }), idleTimeout: Duration.minutes(30), maxDuration: Duration.hours(8),
    resources: { cpu: kplus.Cpu.units(4), memory: Size.gibibytes(16) },
    volumeMounts: [{ path: '/home/me', volume: kplus.Volume.fromEmptyDir(chart, 'Home', 'home') }], engine: Engine.operator(),
  });
  expect(box.kind).toBe('MLTrainingJob');
  expect(box).toMatchSnapshot();
  expect(workspace.connectCommand).toBe('kubectl -n ml port-forward $(kubectl -n ml get pod -l job=box -o name) 2222');
});

test('accelerators of its own take the place of the job\'s', () => {
  const { box } = workspaceOf({ resources: { gpu: Gpu.nvidia(8) } }, { accelerator: Accelerator.NVIDIA_L4.count(1) });
  expect(box.spec.resources.gpu).toBe(1);
});

test('a role of the long form gives its image, compute, variables and template', () => {
  const { box } = workspaceOf({
    replicas: undefined, roles: [
      { name: 'master', replicas: 1 },
      { name: 'worker', replicas: 3, image: 'worker:1', env: { B: kplus.EnvValue.fromValue('2') }, resources: { gpu: Gpu.nvidia(1) }, podTemplate: { spec: { hostIPC: true } } },
    ],
  }, { role: 'worker' });
  expect(box.spec).toMatchObject({
    image: 'worker:1', env: [{ name: 'B', value: '2' }], roles: [{ name: 'worker', replicas: 1, resources: { gpu: 1 }, template: { spec: { hostIPC: true } } }],
  });
});

test.each<[string, WorkspaceServer, readonly string[], readonly object[] | undefined]>([
  ['JupyterLab', WorkspaceServer.jupyterLab({ folder: '/work' }),
    ['jupyter', 'lab', '--ip=127.0.0.1', '--port=8888', '--no-browser', '--allow-root', '--IdentityProvider.token=', '--notebook-dir=/work'], undefined],
  ['JupyterLab with a token', WorkspaceServer.jupyterLab({ password: { secret: kplus.Secret.fromSecretName(Testing.chart(), 'S', 'lab'), key: 'token' }, port: 9999 }),
    ['jupyter', 'lab', '--ip=0.0.0.0', '--port=9999', '--no-browser', '--allow-root'], [{ name: 'JUPYTER_TOKEN', valueFrom: { secretKeyRef: { name: 'lab', key: 'token' } } }]],
  ['code-server with a password', WorkspaceServer.codeServer({ password: { secret: kplus.Secret.fromSecretName(Testing.chart(), 'S', 'lab'), key: 'p' }, folder: '/code' }),
    ['code-server', '--bind-addr', '0.0.0.0:8080', '--auth', 'password', '--disable-telemetry', '/code'], [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'lab', key: 'p' } } }]],
  ['sshd on another port', WorkspaceServer.ssh({ authorizedKeys: kplus.Secret.fromSecretName(Testing.chart(), 'S', 'keys'), port: 2022 }), ['ssh', '2022', '/etc/trainyard/workspace-keys/authorized_keys'], undefined],
  ['another program', WorkspaceServer.command(['marimo', 'edit'], 2718), ['marimo', 'edit'], undefined],
])('%s', (_what, server, words, env) => {
  const { box } = workspaceOf({}, { server });
  expect(box.spec.command.slice(-words.length)).toEqual(words);
  expect(box.spec.env).toEqual(env);
});

test('it runs on any engine that has plain programs', () => {
  expect(workspaceOf({ engine: Engine.jobSet() }).box.kind).toBe('JobSet');
});

describe('synth tells', () => {
  function problemsOf(options: WorkspaceOptions, job: Partial<TrainingJobProps> = {}): string[] {
    const app = new App();
    Workspace.of(new TrainingJob(new Chart(app, 'chart'), 'Train', { ...JOB, ...job }), { jobName: 'box', ...options });
    return errorsOf(app);
  }

  test('what is wrong with the workspace', () => {
    expect(problemsOf({ idleTimeout: Duration.seconds(5) })).toEqual(['[chart/Train-Workspace] Workspace \'box\': idleTimeout: 5: must be 60 seconds or more, '
      + 'so that reloading the page does not count as idle. Use Duration.seconds(0) for never.']);
  });

  test('what is wrong with its job', () => {
    expect(problemsOf({}, { engine: Engine.trainingOperatorV1() })).toEqual([expect.stringContaining('TrainingJob \'box\': spec.framework: "plain": training-operator v1')]);
  });

  test('that a job has one workspace', () => {
    const job = new TrainingJob(Testing.chart(), 'Train', JOB);
    Workspace.of(job);
    expect(() => Workspace.of(job)).toThrow('There is already a Construct with name \'Train-Workspace\'');
  });
});
