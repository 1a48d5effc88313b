import { PodAddressBook } from '../../../../src/model/frameworks/address-book';
import { replicaEnvironment, replicaHelpers, reservedVariables } from '../../../../src/model/training-job/environment/environment';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { asObject, environmentOf, longForm, replicaNamed, resolved, shortForm } from '../../jobs';

const contextOf = (spec: TrainingJobSpec, pod: string) => {
  const job = resolved(spec);
  return { job, replica: replicaNamed(job, pod), addresses: new PodAddressBook('net') };
};

describe('what every replica is told', () => {
  test('is the attempt that it belongs to', () => {
    const context = contextOf(shortForm('jax', 2), 'net-worker-1');
    expect(asObject(replicaEnvironment(context, 0)).TRAINYARD_ATTEMPT).toBe('0');
    expect(asObject(replicaEnvironment(context, 7)).TRAINYARD_ATTEMPT).toBe('7');
  });

  test('differs from attempt to attempt in nothing else', () => {
    const context = contextOf(shortForm('tensorflow', 3, { hyperparameters: { LR: '1' } }), 'net-worker-1');
    const [first, third] = [0, 2].map((attempt) => replicaEnvironment(context, attempt));
    expect(third.filter((entry) => entry.name !== 'TRAINYARD_ATTEMPT')).toEqual(first.filter((entry) => entry.name !== 'TRAINYARD_ATTEMPT'));
  });

  test('is its index in the role, beside its rank in the job', () => {
    expect(environmentOf(shortForm('pytorch', 3), 'net-worker-1')).toMatchObject({ TRAINYARD_REPLICA_INDEX: '1', RANK: '2' });
  });

  test('is where checkpoints go and which one to start from, when the job says so', () => {
    const spec = shortForm('jax', 1, { checkpointPath: '/ckpt', checkpoint: { resumeFrom: 's3://old/step-9' } });
    expect(environmentOf(spec, 'net-worker-0')).toMatchObject({ CHECKPOINT_PATH: '/ckpt', RESUME_FROM: 's3://old/step-9' });
    const silent = environmentOf(shortForm('jax', 1), 'net-worker-0');
    expect(silent).not.toHaveProperty('CHECKPOINT_PATH');
    expect(silent).not.toHaveProperty('RESUME_FROM');
    expect(silent).not.toHaveProperty('TRAINYARD_HYPERPARAMETERS');
  });

  test('is a checkpoint path as it was written, also with what looks like a reference', () => {
    const spec = shortForm('jax', 1, { checkpointPath: '/ckpt/$(RUN)' });
    expect(environmentOf(spec, 'net-worker-0').CHECKPOINT_PATH).toBe('/ckpt/$$(RUN)');
  });
});

describe('what the user adds', () => {
  test('goes to every role, and a role\'s own value takes the place of the job\'s', () => {
    const spec = longForm('pytorch', { master: 1, worker: { replicas: 1, env: [{ name: 'LEVEL', value: 'debug' }] } }, {
      env: [{ name: 'LEVEL', value: 'info' }, { name: 'TEAM', value: 'a' }],
    });
    expect(environmentOf(spec, 'net-master')).toMatchObject({ LEVEL: 'info', TEAM: 'a' });
    expect(environmentOf(spec, 'net-worker-0')).toMatchObject({ LEVEL: 'debug', TEAM: 'a' });
  });

  test('keeps its references and its sources', () => {
    const secret = { secretKeyRef: { name: 'token', key: 'value' } };
    const spec = shortForm('jax', 1, { env: [{ name: 'OUT', value: '/out/$(TRAINYARD_JOB_NAME)' }, { name: 'TOKEN', valueFrom: secret }] });
    const variables = replicaEnvironment(contextOf(spec, 'net-worker-0'), 0);
    expect(variables).toContainEqual({ name: 'OUT', value: '/out/$(TRAINYARD_JOB_NAME)' });
    expect(variables).toContainEqual({ name: 'TOKEN', valueFrom: secret });
  });

  test('comes after the contract\'s variables, so that it can refer to them', () => {
    const names = replicaEnvironment(contextOf(shortForm('jax', 1, { env: [{ name: 'OUT', value: '$(RANK)' }] }), 'net-worker-0'), 0).map((entry) => entry.name);
    expect(names.indexOf('OUT')).toBeGreaterThan(names.indexOf('RANK'));
  });

  test('may change whether Python buffers its output, and that once', () => {
    const spec = shortForm('jax', 1, { env: [{ name: 'PYTHONUNBUFFERED', value: '' }] });
    const values = replicaEnvironment(contextOf(spec, 'net-worker-0'), 0).filter((entry) => entry.name === 'PYTHONUNBUFFERED');
    expect(values).toEqual([{ name: 'PYTHONUNBUFFERED', value: '' }]);
  });
});

describe('hyperparameters', () => {
  test('are in the order of their names, whatever order they were written in', () => {
    const names = (hyperparameters: { [name: string]: string }) =>
      replicaEnvironment(contextOf(shortForm('jax', 1, { hyperparameters }), 'net-worker-0'), 0).map((entry) => `${entry.name}=${entry.value}`);
    expect(names({ B: '2', A: '1', C: '3' })).toEqual(names({ C: '3', A: '1', B: '2' }));
  });

  test('go to helper containers too', () => {
    const [scheduler] = replicaHelpers(contextOf(shortForm('mxnet', 1, { hyperparameters: { LR: '1' } }), 'net-master'), 0);
    expect(asObject(scheduler.env)).toMatchObject({ LR: '1', TRAINYARD_HYPERPARAMETERS: '{"LR":"1"}' });
  });
});

describe('reserved variables', () => {
  test('are those of the contract and not the defaults that a user may change', () => {
    const reserved = reservedVariables(contextOf(shortForm('pytorch', 2), 'net-worker-0'));
    expect([...reserved].sort()).toEqual([
      'CHECKPOINT_KEEP_LAST', 'KUBEFLOW_TRAINER_SERVER_CA_CERT', 'KUBEFLOW_TRAINER_SERVER_TOKEN', 'KUBEFLOW_TRAINER_SERVER_URL', 'MASTER_ADDR', 'MASTER_PORT', 'PET_MASTER_ADDR', 'PET_MASTER_PORT', 'PET_NNODES', 'PET_NODE_RANK', 'PET_NPROC_PER_NODE',
      'RANK', 'ROLE', 'TRAINYARD_ATTEMPT', 'TRAINYARD_JOB_NAME', 'TRAINYARD_PROGRESS_CA_FILE', 'TRAINYARD_PROGRESS_TOKEN_FILE', 'TRAINYARD_PROGRESS_URL',
      'TRAINYARD_REPLICA_INDEX', 'WORLD_SIZE',
    ]);
  });

  test('include what a field of the job sets, only when it does', () => {
    expect(reservedVariables(contextOf(shortForm('jax'), 'net-worker-0')).has('CHECKPOINT_PATH')).toBe(false);
    const spec = shortForm('jax', 1, { checkpointPath: '/c', hyperparameters: { LR: '1' } });
    const reserved = reservedVariables(contextOf(spec, 'net-worker-0'));
    expect(reserved.has('CHECKPOINT_PATH')).toBe(true);
    expect(reserved.has('TRAINYARD_HYPERPARAMETERS')).toBe(true);
    expect(reserved.has('LR')).toBe(false);
  });
});
