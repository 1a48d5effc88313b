import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { replicaHelpers } from '../../../src/model/training-job/environment/environment';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { asObject, environmentOf, longForm, loopback, replicaNamed, resolved, shortForm, withoutCommon } from '../jobs';

function helpersOf(spec: TrainingJobSpec, pod: string) {
  const job = resolved(spec);
  return replicaHelpers({ job, replica: replicaNamed(job, pod), addresses: new PodAddressBook('net') }, 0);
}

function parameterServer(workers: number, servers: number, root: string) {
  return {
    DMLC_PS_ROOT_URI: root,
    DMLC_PS_ROOT_PORT: '9091',
    DMLC_NUM_SERVER: String(servers),
    DMLC_NUM_WORKER: String(workers),
    DMLC_USE_KUBERNETES: '1',
  };
}

describe('an MXNet job in short form', () => {
  test.each([1, 2, 3, 100])('makes each of %i replicas a worker of one scheduler and server in the master\'s pod', (replicas) => {
    const spec = shortForm('mxnet', replicas);
    const shared = { WORLD_SIZE: String(replicas), MASTER_ADDR: 'net-master', MASTER_PORT: '29500', ...parameterServer(replicas, 1, 'net-master') };
    expect(withoutCommon(environmentOf(spec, 'net-master'))).toEqual({ ROLE: 'master', RANK: '0', DMLC_ROLE: 'worker', ...shared });
    if (replicas > 1) {
      expect(withoutCommon(environmentOf(spec, `net-worker-${replicas - 2}`))).toEqual({
        ROLE: 'worker', RANK: String(replicas - 1), DMLC_ROLE: 'worker', ...shared,
      });
    }
  });

  test('runs scheduler and server beside the master with its environment but for their part', () => {
    const spec = shortForm('mxnet', 2, { hyperparameters: { LR: '0.1' }, env: [{ name: 'PS_VERBOSE', value: '1' }] });
    const master = environmentOf(spec, 'net-master');
    const helpers = helpersOf(spec, 'net-master');
    expect(helpers.map((helper) => helper.name)).toEqual(['scheduler', 'server']);
    expect(asObject(helpers[0].env)).toEqual({ ...master, DMLC_ROLE: 'scheduler' });
    expect(asObject(helpers[1].env)).toEqual({ ...master, DMLC_ROLE: 'server' });
  });

  test('has no helpers beside a worker', () => {
    expect(helpersOf(shortForm('mxnet', 2), 'net-worker-0')).toEqual([]);
  });

  test('uses the master\'s ports on one machine', () => {
    expect(environmentOf(shortForm('mxnet', 2), 'net-worker-0', loopback())).toMatchObject({
      DMLC_PS_ROOT_URI: '127.0.0.1', DMLC_PS_ROOT_PORT: '41001', MASTER_PORT: '41000',
    });
  });
});

describe('an MXNet job in long form', () => {
  const spec = longForm('mxnet', { worker: 2, server: 3, scheduler: 1 });
  const shared = {
    WORLD_SIZE: '2', MASTER_ADDR: 'net-scheduler.net', MASTER_PORT: '29500', ...parameterServer(2, 3, 'net-scheduler.net'),
  };

  test.each([
    ['net-scheduler', { ROLE: 'scheduler', DMLC_ROLE: 'scheduler' }],
    ['net-worker-1', { ROLE: 'worker', DMLC_ROLE: 'worker', RANK: '1' }],
    ['net-server-2', { ROLE: 'server', DMLC_ROLE: 'server' }],
  ])('gives %s its part', (pod, own) => {
    expect(withoutCommon(environmentOf(spec, pod))).toEqual({ ...own, ...shared });
    expect(helpersOf(spec, pod)).toEqual([]);
  });

  test('succeeds when all workers have', () => {
    expect(resolved(spec).successPolicy).toBe('AllWorkers');
  });

  test('names each role that it cannot do without', () => {
    const messages = validateTrainingJob('net', longForm('mxnet', { server: 1, worker: 1 })).map(({ path, message }) => `${path} ${message}`);
    expect(messages).toEqual([expect.stringMatching(/^spec\.roles .*needs a scheduler\. Add the role, or use the short form/)]);
  });

  test('has a master or a scheduler and servers, not both', () => {
    const [violation, ...more] = validateTrainingJob('net', longForm('mxnet', { master: 1, worker: 1, server: 1 }));
    expect(violation).toMatchObject({ path: 'spec.roles', value: ['master', 'worker', 'server'], message: expect.stringContaining('a master already runs the scheduler') });
    expect(more).toEqual([]);
  });
});
