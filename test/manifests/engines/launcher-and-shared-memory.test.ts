/** What pods of every engine have in common without being told: a small launcher, and `/dev/shm` for those with whole GPUs. */
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import { engines } from '../../../src/manifests/engines/registry';
import { rayEngine } from '../../../src/manifests/engines/ray';
import { trainerEngine } from '../../../src/manifests/engines/trainer';
import { trainingOperatorV1Engine } from '../../../src/manifests/engines/training-operator-v1';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import { volcanoEngine } from '../../../src/manifests/engines/volcano';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

interface Container {
  readonly name: string;
  readonly resources?: { readonly limits?: { readonly [name: string]: string } };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string; readonly emptyDir?: object }[];
}

/** Specs of all pods that an engine's objects say; of the operator's jobs the pods themselves. */
function podSpecs(engine: EngineDefinition, spec: TrainingJobSpec): PodSpec[] {
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  if (engine.name === 'operator') {
    const job = resolveTrainingJob('net', spec);
    return job.replicas.map((replica) => constructReplicaPod({ job, replica, namespace: 'team', attempt: 0 }).spec as PodSpec);
  }
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', spec });
  const found: PodSpec[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray((value as PodSpec).containers)) {
        found.push(value as PodSpec);
      }
      Object.values(value).forEach(walk);
    }
  };
  [job, ...companions].forEach(walk);
  return found;
}

function sharedMemory({ containers, volumes = [] }: PodSpec): object[] {
  const names = containers.flatMap(({ volumeMounts = [] }) => volumeMounts.filter(({ mountPath }) => mountPath === '/dev/shm').map(({ name }) => name));
  return volumes.filter(({ name }) => names.includes(name)).map(({ emptyDir }) => emptyDir!);
}

const GPUS: TrainingJobSpec = {
  framework: 'jax', image: 'image', replicas: 2, command: ['train'], resources: { gpu: 8, cpu: '8', memory: '500Gi' }, runPolicy: { restartPolicy: 'Never' },
};
const MPI: TrainingJobSpec = { ...GPUS, framework: 'mpi' };

describe.each(engines().map((engine) => [engine.name, engine] as const))('a job with GPUs on %s', (name, engine) => {
  const spec: TrainingJobSpec = name === 'training-operator-v1' ? { ...GPUS, framework: 'pytorch' } : GPUS;

  // KubeRay mounts /dev/shm as large as the memory.
  const isOwn = name === 'ray';

  test('has /dev/shm in every pod that trains, 8 GiB for each GPU', () => {
    const sizes = podSpecs(engine, spec).flatMap(sharedMemory);
    expect(new Set(sizes.map((size) => JSON.stringify(size)))).toEqual(new Set(isOwn ? [] : ['{"medium":"Memory","sizeLimit":"64Gi"}']));
  });

  test('has the size that it asks for', () => {
    const sizes = podSpecs(engine, { ...spec, resources: { ...spec.resources, sharedMemory: '2Gi' } }).flatMap(sharedMemory);
    expect(new Set(sizes.map((size) => JSON.stringify(size)))).toEqual(new Set(['{"medium":"Memory","sizeLimit":"2Gi"}']));
  });

  test('has none with 0', () => {
    const without = { ...spec, resources: { ...spec.resources, sharedMemory: '0' } };
    if (isOwn) {
      expect(validateForEngine(engine, 'net', without)).toMatchObject([{ path: 'spec.resources.sharedMemory' }]);
    } else {
      expect(podSpecs(engine, without).flatMap(sharedMemory)).toEqual([]);
    }
  });

  test('has what its template mounts there, and nothing else', () => {
    const template = { spec: {
      containers: [{ name: 'training', volumeMounts: [{ name: 'own', mountPath: '/dev/shm' }] }],
      volumes: [{ name: 'own', emptyDir: { medium: 'Memory', sizeLimit: '3Gi' } }],
    } };
    const pods = podSpecs(engine, { ...spec, template });
    expect(new Set(pods.flatMap(sharedMemory).map((size) => JSON.stringify(size)))).toEqual(new Set(['{"medium":"Memory","sizeLimit":"3Gi"}']));
    expect(JSON.stringify(pods)).not.toContain('trainyard-shared-memory');
  });
});

test('Flux mounts /dev/shm itself', () => {
  expect(podSpecs(trainerEngine({ flux: true }), { ...GPUS, framework: 'plain', replicas: 2, nprocPerNode: '1' }).flatMap(sharedMemory)).toEqual([]);
});

describe.each([
  ['operator', engines()[0]],
  ['Trainer', trainerEngine()],
  ['training-operator v1', trainingOperatorV1Engine()],
  ['JobSet', jobSetEngine({ sshSecretName: 'keys' })],
  ['Volcano', volcanoEngine()],
] as const)('the launcher of MPI on %s', (_title, engine) => {
  const launchers = (spec: TrainingJobSpec) => podSpecs(engine, spec).filter(({ containers }) => (
    containers.some(({ resources }) => resources?.limits?.['nvidia.com/gpu'] === undefined && resources?.limits?.memory !== undefined)));

  test('is small, whatever its workers ask for, and has no /dev/shm', () => {
    expect(launchers(MPI).map(({ containers }) => containers[0].resources)).toEqual([
      { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '1', memory: '2Gi' } },
    ]);
    expect(launchers(MPI).flatMap(sharedMemory)).toEqual([]);
  });

  test('has the resources of its role where it has some', () => {
    const { replicas: _replicas, ...rest } = MPI;
    const roles = [{ name: 'launcher', resources: { cpu: '4', memory: '8Gi' } }, { name: 'worker', replicas: 2 }];
    expect(launchers({ ...rest, roles }).map(({ containers }) => containers[0].resources?.limits)).toEqual([{ cpu: '4', memory: '8Gi' }]);
  });
});

test('Ray takes a size that is asked for, and refuses to have none', () => {
  const { replicas: _replicas, ...rest } = GPUS;
  const roles = [{ name: 'worker', replicas: 2, resources: { gpu: 1, sharedMemory: '0Ki' } }];
  expect(validateForEngine(rayEngine(), 'net', { ...rest, roles })).toMatchObject([{ path: 'spec.roles[0].resources.sharedMemory', value: '0Ki' }]);
});
