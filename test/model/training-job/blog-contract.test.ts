/** The contract of the blog's operator, word for word, and what the library adds to it. */
import { COORDINATOR_PORT_NAME, PodAddressBook } from '../../../src/model/frameworks/address-book';
import { coordinatorServiceName } from '../../../src/model/names';
import { coordinatorOf, hasMaster } from '../../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { expandReferences } from '../../../src/model/variable-references';
import { environmentOf, resolved, shortForm } from '../jobs';

/** The blog's own job, field by field. */
const BLOG: TrainingJobSpec = {
  framework: 'pytorch',
  image: 'pytorch/pytorch:2.0.0-cuda11.8-cudnn8-runtime',
  replicas: 4,
  resources: { gpu: 1, memory: '16Gi', cpu: '4' },
  hyperparameters: { BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100' },
  checkpointPath: 's3://ml-checkpoints/pytorch-training/',
};

test('the blog\'s job is valid under its name', () => {
  expect(validateTrainingJob('pytorch-distributed-training', BLOG)).toEqual([]);
});

test('its pods are named as the blog names them', () => {
  expect(resolveTrainingJob('pytorch-distributed-training', BLOG).replicas.map((replica) => replica.podName)).toEqual([
    'pytorch-distributed-training-master',
    'pytorch-distributed-training-worker-0',
    'pytorch-distributed-training-worker-1',
    'pytorch-distributed-training-worker-2',
  ]);
});

test('its master has all variables of the blog, and those that the blog left out', () => {
  expect(environmentOf(BLOG, 'net-master')).toEqual({
    ROLE: 'master',
    WORLD_SIZE: '4',
    MASTER_ADDR: 'net-master',
    MASTER_PORT: '29500',
    BATCH_SIZE: '32',
    LEARNING_RATE: '0.001',
    EPOCHS: '100',
    RANK: '0',
    CHECKPOINT_PATH: 's3://ml-checkpoints/pytorch-training/',
    TRAINYARD_HYPERPARAMETERS: '{"BATCH_SIZE":"32","EPOCHS":"100","LEARNING_RATE":"0.001"}',
    TRAINYARD_JOB_NAME: 'net',
    TRAINYARD_REPLICA_INDEX: '0',
    TRAINYARD_ATTEMPT: '0',
    PYTHONUNBUFFERED: '1',
    PET_NNODES: '4',
    PET_NODE_RANK: '0',
    PET_NPROC_PER_NODE: 'auto',
    PET_MASTER_ADDR: 'net-master',
    PET_MASTER_PORT: '29500',
  });
});

describe.each(['pytorch', 'tensorflow', 'mxnet'] as const)('a job of %s in the blog\'s short form', (framework) => {
  test.each([1, 2, 3, 100])('has one master and the other of %i replicas as workers', (replicas) => {
    const pods = resolved(shortForm(framework, replicas)).replicas.map((replica) => [replica.podName, replica.role, replica.index]);
    const workers = Array.from({ length: replicas - 1 }, (_, index) => [`net-worker-${index}`, 'worker', index]);
    expect(pods).toEqual([['net-master', 'master', 0], ...workers]);
  });

  test('has the blog\'s variables on every rank', () => {
    const spec = shortForm(framework, 3);
    resolved(spec).replicas.forEach(({ podName, role }, rank) => {
      expect(environmentOf(spec, podName)).toMatchObject({
        ROLE: role, WORLD_SIZE: '3', MASTER_ADDR: 'net-master', MASTER_PORT: '29500', RANK: String(rank),
      });
    });
  });

  test('meets at the service of its master on the blog\'s port', () => {
    const job = resolved(shortForm(framework, 2));
    expect(hasMaster(job)).toBe(true);
    expect(coordinatorServiceName('net', 'master')).toBe('net-master');
    expect(new PodAddressBook('net').port(coordinatorOf(job), COORDINATOR_PORT_NAME, job.port)).toBe(29500);
  });

  test('is never restarted unless it says so', () => {
    expect(resolved(shortForm(framework, 2)).roles.map((role) => role.restartPolicy)).toEqual(['Never', 'Never']);
  });

  test('gives each hyperparameter to every rank unchanged, under its own name and in one JSON variable', () => {
    const hyperparameters = {
      'LR': '0.001',
      'lower-case.name': 'x',
      'EMPTY': '',
      'SPACES': '  two words ',
      'QUOTES': '"double" and \'single\'',
      'LINES': 'first\nsecond',
      'REFERENCE': '$(RANK) and ${RANK} and $RANK',
      'DOLLARS': '$$ $$(X) $',
      'UNICODE': 'Größe $é 学',
      'JSON': '{"a": [1, 2]}',
    };
    const spec = shortForm(framework, 3, { hyperparameters });
    for (const { podName } of resolved(spec).replicas) {
      const environment = environmentOf(spec, podName);
      // What the container sees is what the kubelet makes of the value.
      const seen = (name: string) => expandReferences(environment[name], (other) => environment[other]);
      expect(Object.fromEntries(Object.keys(hyperparameters).map((name) => [name, seen(name)]))).toEqual(hyperparameters);
      expect(JSON.parse(seen('TRAINYARD_HYPERPARAMETERS'))).toEqual(hyperparameters);
    }
  });
});

test('hyperparameters with everyday values are written as they are', () => {
  const spec = shortForm('pytorch', 1, { hyperparameters: { LR: '1e-4', OPT: 'adam', PATH_TO: '/data/a b' } });
  expect(environmentOf(spec, 'net-master')).toMatchObject({ LR: '1e-4', OPT: 'adam', PATH_TO: '/data/a b' });
});

test('every job that the blog\'s schema allows is still valid', () => {
  for (const framework of ['pytorch', 'tensorflow', 'mxnet'] as const) {
    for (const replicas of [1, 2, 50, 100]) {
      for (const resources of [undefined, {}, { gpu: 0 }, { gpu: 8 }, { memory: '64Gi' }, { cpu: '500m' }, { gpu: 1, memory: '1.5Gi', cpu: '4' }]) {
        for (const checkpointPath of [undefined, 's3://bucket/run', 'gs://bucket/run/', '/mnt/checkpoints', 'relative/folder']) {
          expect(validateTrainingJob('a-job', { framework, image: 'i', replicas, resources, checkpointPath })).toEqual([]);
        }
      }
    }
  }
});
