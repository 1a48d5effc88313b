/** What `spec.code` adds to pods, on every engine. */
import { engines } from '../../../src/manifests/engines/registry';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import { constructJobObjects } from '../../../src/manifests/job/job-objects';
import type { Container, PodSpec } from '../../../src/manifests/kubernetes';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import type { CodeSpec } from '../../../src/model/training-job/code';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { trainerEngine } from '../../../src/manifests/engines/trainer';

const digest = `sha256:${'a'.repeat(64)}`;
const stored: CodeSpec = { digest, configMap: 'trainyard-code-aaaaaaaaaaaa' };
const split: CodeSpec = { digest, configMaps: ['code-0', 'code-1'] };
const elsewhere: CodeSpec = { digest, url: 's3://bucket/code.tar.gz', mountPath: '/src', secretName: 'minio', fetchImage: 'python:3.12-alpine' };

const specOf = (code: CodeSpec, more: Partial<TrainingJobSpec> = {}): TrainingJobSpec => ({
  framework: 'pytorch', image: 'img', command: ['python3', 'train.py'], replicas: 2, code, ...more,
});

function podOf(spec: TrainingJobSpec): PodSpec {
  const job = resolveTrainingJob('net', spec);
  return constructReplicaPod({ job, replica: job.replicas[0], namespace: 'ns', attempt: 0 }).spec!;
}

/** Pods beside those that train: Ray's head and Spark's driver, which only start the others, and who submits to the head. */
const HELPING = ['ray-head', 'ray-job-submitter', 'spark-kubernetes-driver'];

/** Every pod spec that stands somewhere in objects and trains. */
function podSpecsIn(value: unknown): PodSpec[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const isPod = Array.isArray((value as PodSpec).containers) && ('volumes' in value || 'initContainers' in value);
  return isPod ? [value as PodSpec].filter(({ containers: [first] }) => !HELPING.includes(first.name)) : Object.values(value).flatMap(podSpecsIn);
}

const named = <T extends { readonly name: string }>(list: readonly T[] | undefined, name: string) => list?.find((entry) => entry.name === name);
const init = (pod: PodSpec) => named(pod.initContainers, 'trainyard-code')!;

test('a ConfigMap\'s archive is unpacked by the training image into a folder that training works in', () => {
  const pod = podOf(specOf(stored));
  expect(init(pod)).toEqual({
    name: 'trainyard-code',
    image: 'img',
    command: ['/bin/sh', '/etc/trainyard/tools/code.sh', '/etc/trainyard/code/code.tar.gz', digest, '/workspace/code'],
    volumeMounts: [
      { name: 'trainyard-code', mountPath: '/workspace/code' },
      { name: 'trainyard-tools', mountPath: '/etc/trainyard/tools', readOnly: true },
      { name: 'trainyard-code-archive', mountPath: '/etc/trainyard/code', readOnly: true },
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
  });
  const training = named(pod.containers, 'training')!;
  expect(training.workingDir).toBe('/workspace/code');
  expect(training.volumeMounts).toContainEqual({ name: 'trainyard-code', mountPath: '/workspace/code' });
  expect(pod.volumes).toEqual([
    { name: 'trainyard-code', emptyDir: {} },
    { name: 'trainyard-code-archive', configMap: { name: 'trainyard-code-aaaaaaaaaaaa' } },
    { name: 'trainyard-tools', configMap: { name: 'net-tools', defaultMode: 0o444 } },
  ]);
});

test('the parts of an archive in several ConfigMaps are in one folder, and unpacked by the same command', () => {
  const [pod, whole] = [podOf(specOf(split)), podOf(specOf(stored))];
  expect(pod.volumes).toContainEqual({
    name: 'trainyard-code-archive', projected: { sources: [{ configMap: { name: 'code-0' } }, { configMap: { name: 'code-1' } }] },
  });
  expect({ ...pod, volumes: [] }).toEqual({ ...whole, volumes: [] });
});

test('an archive elsewhere is fetched by the image that the job names, with credentials that training does not see', () => {
  const pod = podOf(specOf(elsewhere, { workingDir: '/src/pkg' }));
  const { image, command, volumeMounts } = init(pod);
  expect(image).toBe('python:3.12-alpine');
  expect(command!.slice(-5)).toEqual(['/etc/trainyard/tools/code.py', 's3://bucket/code.tar.gz', digest, '/src', '/etc/trainyard/code-credentials']);
  expect(volumeMounts).toContainEqual({ name: 'trainyard-code-credentials', mountPath: '/etc/trainyard/code-credentials', readOnly: true });
  const training = named(pod.containers, 'training')!;
  expect(training.workingDir).toBe('/src/pkg');
  expect(JSON.stringify(training)).not.toContain('credentials');
  expect(pod.volumes).toContainEqual({ name: 'trainyard-code-credentials', secret: { secretName: 'minio' } });
});

test('the init container asks for as much as training and for no device, so that the pod keeps its quality of service', () => {
  expect(init(podOf(specOf(stored, { resources: { cpu: '4', memory: '16Gi', gpu: 8 } }))).resources).toEqual({
    requests: { cpu: '4', memory: '16Gi' }, limits: { cpu: '4', memory: '16Gi' },
  });
  expect(init(podOf(specOf(stored, { resources: { gpu: 8 } }))).resources).toBeUndefined();
});

test('files are unpacked before anything else is done, as the user that training runs as, and where others can mount them', () => {
  const pod = podOf(specOf(stored, {
    preflight: {}, security: { restricted: true, runAsUser: 1000 },
    template: {
      spec: {
        containers: [
          { name: 'training', securityContext: { runAsGroup: 7 }, imagePullPolicy: 'Always' },
          { name: 'board', image: 'tensorboard', volumeMounts: [{ name: 'trainyard-code', mountPath: '/src', readOnly: true }] },
        ],
        initContainers: [{ name: 'data', image: 'rclone' }, { name: 'trainyard-code', env: [{ name: 'AWS_REGION', value: 'eu-west-1' }] }],
      },
    },
  }));
  expect(pod.initContainers!.map(({ name }) => name)).toEqual(['trainyard-code', 'trainyard-preflight', 'data']);
  expect(init(pod)).toMatchObject({
    imagePullPolicy: 'Always', securityContext: { runAsGroup: 7, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }, env: [{ name: 'AWS_REGION', value: 'eu-west-1' }],
  });
  expect(named(pod.containers, 'board')!.volumeMounts).toEqual([{ name: 'trainyard-code', mountPath: '/src', readOnly: true }]);
});

test('the operator brings the script that is needed, and no other one', () => {
  const filesOf = (code?: CodeSpec) => constructJobObjects({ job: resolveTrainingJob('net', specOf(code as CodeSpec)), namespace: 'ns' }).configMaps.flatMap(({ data }) => Object.keys(data ?? {}));
  expect([filesOf(stored), filesOf(split), filesOf(elsewhere), filesOf(undefined)]).toEqual([['code.sh', 'unpack.py'], ['code.sh', 'unpack.py'], ['code.py'], []]);
});

test('a job without code has pods without any of it', () => {
  expect(JSON.stringify(podOf(specOf(undefined as never)))).not.toContain('code');
});

/** Jobs that between them have every way in which engines write pods. */
const JOBS: (readonly [string, Partial<TrainingJobSpec>])[] = [
  ['PyTorch', {}], ['MPI', { framework: 'mpi' }], ['plain roles', { framework: 'plain', replicas: undefined, roles: [{ name: 'actor', replicas: 2 }, { name: 'learner' }] }],
  ['MXNet with its helpers', { framework: 'mxnet' }],
];

const supported = (engine: EngineDefinition, spec: TrainingJobSpec) => validateForEngine(engine, 'net', spec).length === 0;

// The operator makes its pods itself.
const others = engines().filter(({ name, capabilities }) => name !== 'operator' && capabilities.fields.code === true);

test.each(others.map((engine) => [engine.name, engine] as const))('every pod of %s unpacks the files first, and has what it needs for it', (_name, engine) => {
  let pods = 0;
  for (const [, more] of JOBS) {
    for (const code of [stored, split, elsewhere]) {
      // Spark does not start an executor without a limit of its memory.
      const spec = specOf(code, { resources: { cpu: '2', memory: '4Gi' }, ...more });
      if (!supported(engine, spec)) {
        continue;
      }
      const { job, companions } = engine.render({ name: 'net', namespace: 'ns', spec });
      const tools = companions.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'net-tools') as { readonly data: object } | undefined;
      expect(Object.keys(tools!.data)).toEqual(code === elsewhere ? ['code.py'] : ['code.sh', 'unpack.py']);
      for (const pod of podSpecsIn([job, ...companions])) {
        pods++;
        expect(pod.initContainers![0].name).toBe('trainyard-code');
        expectMounted(pod, init(pod));
        const training = pod.containers[0];
        expect(training.workingDir).toBe(code.mountPath ?? '/workspace/code');
        expectMounted(pod, training);
        expect(training.volumeMounts).toContainEqual({ name: 'trainyard-code', mountPath: code.mountPath ?? '/workspace/code' });
      }
    }
  }
  expect(pods).toBeGreaterThan(2);
});

/** A pod with a mount of a volume that it does not have is refused. */
function expectMounted(pod: PodSpec, container: Container): void {
  const volumes = pod.volumes!.map(({ name }) => name);
  expect(volumes).toEqual(expect.arrayContaining(container.volumeMounts!.map(({ name }) => name).filter((name) => name.startsWith('trainyard-'))));
}

test('a runtime of Kubeflow Trainer that exists has no room for it, and says who has', () => {
  expect(validateForEngine(trainerEngine({ runtime: 'torch-distributed' }), 'net', specOf(stored))).toEqual([
    { path: 'spec.code', value: stored, message: expect.stringMatching(/^Kubeflow Trainer uses the setting of the runtime torch-distributed\. Remove it, or choose the Trainyard operator or /) },
  ]);
});
