import { spawnSync } from 'node:child_process';
import type { Container, OwnerReference } from '../../../src/manifests/kubernetes';
import { constructJobObjects } from '../../../src/manifests/job/job-objects';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { constructToolsConfigMap } from '../../../src/manifests/tools/tools-config-map';
import type { PreflightSettings } from '../../../src/manifests/tools/preflight-program';
import { frameworkContract } from '../../../src/model/frameworks/registry';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';

function podOf(spec: Partial<TrainingJobSpec>, ordinal = 0, owner?: OwnerReference) {
  const job = resolveTrainingJob('net', { framework: 'pytorch', image: 'img', replicas: 2, command: ['python3', 'train.py'], ...spec });
  const pod = constructReplicaPod({ job, replica: job.replicas[ordinal], namespace: 'ns', attempt: 0, owner });
  const named = (list: readonly Container[] | undefined, name: string) => list?.find((container) => container.name === name);
  return {
    spec: pod.spec!, training: named(pod.spec!.containers, 'training')!, preflight: named(pod.spec!.initContainers, 'trainyard-preflight'),
  };
}

const settingsOf = (container: Container | undefined) => JSON.parse(
  container!.env!.find((entry) => entry.name === 'TRAINYARD_PREFLIGHT')!.value!) as PreflightSettings;
const valueOf = (container: Container, name: string) => container.env?.find((entry) => entry.name === name)?.value;
const hookOf = (container: Container) => (container.lifecycle as { preStop: { exec?: { command: string[] } } } | undefined)?.preStop;

describe('a job with neither debug nor preflight', () => {
  test('has pods and objects without any tool', () => {
    const { spec, training } = podOf({});
    expect(JSON.stringify(spec)).not.toMatch(/trainyard-(tools|stacks|preflight)/);
    expect(training.command).toEqual(['python3', 'train.py']);
    expect(constructJobObjects({ job: resolveTrainingJob('net', { framework: 'pytorch', image: 'img', replicas: 1 }), namespace: 'ns' }).configMaps).toEqual([]);
    expect(podOf({ debug: { enabled: false }, preflight: { enabled: false } })).toEqual(podOf({}));
  });
});

describe('debug', () => {
  test('starts the program behind a PYTHONPATH of ours and whatever there is', () => {
    const { command } = podOf({ debug: {} }).training;
    const run = (env: object) => spawnSync(command![0], [...command!.slice(1, 5), 'sh', '-c', 'echo "$PYTHONPATH|$0|$1"', 'zero', 'one two'], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' }).stdout;
    expect(command!.slice(-2)).toEqual(['python3', 'train.py']);
    expect(run({})).toBe('/etc/trainyard/tools|zero|one two\n');
    expect(run({ PYTHONPATH: '/image/lib' })).toBe('/etc/trainyard/tools:/image/lib|zero|one two\n');
  });

  test('leaves a container alone whose command and PYTHONPATH are the image\'s', () => {
    const { training } = podOf({ debug: {}, command: undefined });
    expect(training.command).toBeUndefined();
    expect(hookOf(training)).toBeUndefined();
    expect(valueOf(training, 'PYTHONPATH')).toBeUndefined();
  });

  test('puts its folder in front of a PYTHONPATH of the job where the command is the image\'s', () => {
    const { training } = podOf({ debug: {}, command: undefined, env: [{ name: 'PYTHONPATH', value: '/src' }] });
    expect(valueOf(training, 'PYTHONPATH')).toBe('/etc/trainyard/tools:/src');
    expect(hookOf(training)!.exec!.command).toContain('/etc/trainyard/tools/stacks.py');
  });

  test('sets the presets of the framework, and never over a value of the job or its roles', () => {
    const { training } = podOf({ debug: {}, env: [{ name: 'NCCL_DEBUG', value: 'TRACE' }] });
    expect(valueOf(training, 'NCCL_DEBUG')).toBe('TRACE');
    expect(valueOf(training, 'TORCH_DISTRIBUTED_DEBUG')).toBe('DETAIL');
    expect(valueOf(training, 'PYTHONFAULTHANDLER')).toBe('1');
    expect(valueOf(podOf({ debug: {}, framework: 'jax' }).training, 'JAX_TRACEBACK_FILTERING')).toBe('off');
    expect(validateTrainingJob('net', { framework: 'pytorch', image: 'img', replicas: 1, debug: {}, env: [{ name: 'NCCL_DEBUG', value: 'WARN' }] })).toEqual([]);
  });

  test('runs the job\'s own preStop program after the dump, and leaves another kind of hook as it is', () => {
    const withHook = (preStop: object) => hookOf(podOf({ debug: {}, template: { spec: { containers: [{ name: 'training', lifecycle: { preStop } }] } } }).training);
    expect(withHook({ exec: { command: ['save', '--now'] } })!.exec!.command.slice(-2)).toEqual(['save', '--now']);
    expect(withHook({ sleep: { seconds: 5 } })!.exec!.command.slice(-2)).toEqual(['sleep', '5']);
    expect(withHook({ httpGet: { port: 80 } })).toEqual({ httpGet: { port: 80 } });
  });

  test('does not touch helper containers of the framework, which train nothing', () => {
    const pod = podOf({ framework: 'mxnet', debug: {} });
    const helpers = pod.spec.containers.filter((container) => container.name !== 'training');
    expect(helpers.length).toBeGreaterThan(0);
    expect(helpers.filter((helper) => helper.lifecycle !== undefined)).toEqual([]);
  });
});

describe('preflight', () => {
  test('runs first, with the devices, volumes, variables and user of the training container, and asks for no more', () => {
    const { spec, training, preflight } = podOf({
      preflight: {}, resources: { gpu: 8, cpu: '4' }, env: [{ name: 'NCCL_IB_HCA', value: 'mlx5' }],
      template: { spec: { containers: [{ name: 'training', securityContext: { runAsUser: 7 } }] } },
    });
    expect(spec.initContainers![0].name).toBe('trainyard-preflight');
    expect(preflight).toMatchObject({ image: 'img', resources: training.resources, securityContext: { runAsUser: 7 } });
    expect(valueOf(preflight!, 'NCCL_IB_HCA')).toBe('mlx5');
    expect(settingsOf(preflight)).toEqual({
      rank: 0, size: 2, host: 'net-master', port: 29500, devices: 8, deviceResource: 'nvidia.com/gpu', torch: true, timeoutSeconds: 300,
    });
    expect(settingsOf(podOf({ preflight: { timeoutSeconds: 9 } }, 1).preflight)).toMatchObject({ rank: 1, size: 2, host: 'net-master', devices: 0, timeoutSeconds: 9 });
  });

  test('has the uid of the job as its key, once the job has one', () => {
    const owner = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: 'u1' };
    expect([0, 1].map((ordinal) => settingsOf(podOf({ preflight: {} }, ordinal, owner).preflight).key)).toEqual(['u1', 'u1']);
    expect(settingsOf(podOf({ preflight: {} }).preflight).key).toBeUndefined();
  });

  test('takes another image where one is given', () => {
    expect(podOf({ preflight: { image: 'python:3' } }).preflight!.image).toBe('python:3');
  });

  test('checks no network where replicas do not start together', () => {
    expect(settingsOf(podOf({ preflight: {}, framework: 'plain' }, 1).preflight)).toMatchObject({ rank: 0, size: 1 });
    expect(settingsOf(podOf({ preflight: {}, elastic: { minReplicas: 1, maxReplicas: 2 } }, 1).preflight)).toMatchObject({ size: 1 });
  });

  test('is not made for a replica that has neither a rank nor devices', () => {
    const mpi = { framework: 'mpi', preflight: {}, resources: { gpu: 1 } } as const;
    expect(podOf(mpi, 0).preflight).toBeUndefined();
    expect(settingsOf(podOf(mpi, 1).preflight)).toMatchObject({ rank: 0, size: 2, devices: 1, host: 'net-worker-0.net' });
  });

  test.each(FRAMEWORK_NAMES)('of %s meets under a name that a service of the job gives', (framework) => {
    const job = resolveTrainingJob('net', { framework, image: 'img', replicas: 3, preflight: {} });
    const services = constructJobObjects({ job, namespace: 'ns' }).services.map(({ metadata }) => metadata.name);
    const checked = job.replicas.filter((replica) => replica.rank !== undefined)
      .map((replica) => settingsOf(podOf({ framework, replicas: 3, preflight: {} }, replica.ordinal).preflight));
    if (frameworkContract(framework).restartScope === 'gang') {
      expect(checked.map(({ rank }) => rank)).toEqual(checked.map((_, index) => index));
      expect(services).toContain(checked[0].host.split('.').at(-1));
      expect(new Set(checked.map(({ host, port }) => `${host}:${port}`)).size).toBe(1);
    }
  });
});

test('the scripts of the ConfigMap are valid Python, and small', () => {
  const job = resolveTrainingJob('net', { framework: 'pytorch', image: 'img', replicas: 1, debug: {}, preflight: {} });
  const { data, metadata } = constructToolsConfigMap(job, { namespace: 'ns' });
  expect(metadata.name).toBe('net-tools');
  expect(Object.keys(data!).sort()).toEqual(['preflight.py', 'sitecustomize.py', 'stacks.py']);
  for (const source of Object.values(data!)) {
    const { status, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: source, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(source.length).toBeLessThan(20_000);
  }
});
