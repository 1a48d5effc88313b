import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { environmentOf, longForm, loopback, resolved, shortForm, withoutCommon } from '../jobs';

const config = (spec: TrainingJobSpec, pod: string) => JSON.parse(environmentOf(spec, pod).TF_CONFIG);

describe('TF_CONFIG of a job in short form', () => {
  test('is not set with one replica, which trains without a cluster', () => {
    expect(withoutCommon(environmentOf(shortForm('tensorflow', 1), 'net-master'))).toEqual({
      ROLE: 'master', RANK: '0', WORLD_SIZE: '1', MASTER_ADDR: 'net-master', MASTER_PORT: '29500',
    });
  });

  test('is written with the fields in upstream\'s order', () => {
    expect(environmentOf(shortForm('tensorflow', 2), 'net-worker-0').TF_CONFIG).toBe(
      '{"cluster":{"chief":["net-master:2222"],"worker":["net-worker-0.net:2222"]},"task":{"type":"worker","index":0},"environment":"cloud"}',
    );
  });

  test('makes the blog\'s master the chief', () => {
    const cluster = { chief: ['net-master:2222'], worker: ['net-worker-0.net:2222', 'net-worker-1.net:2222'] };
    const spec = shortForm('tensorflow', 3);
    expect(config(spec, 'net-master')).toEqual({ cluster, task: { type: 'chief', index: 0 }, environment: 'cloud' });
    expect(config(spec, 'net-worker-1')).toEqual({ cluster, task: { type: 'worker', index: 1 }, environment: 'cloud' });
  });

  test('comes beside the blog\'s variables', () => {
    expect(withoutCommon(environmentOf(shortForm('tensorflow', 3), 'net-worker-1'))).toEqual({
      ROLE: 'worker', RANK: '2', WORLD_SIZE: '3', MASTER_ADDR: 'net-master', MASTER_PORT: '29500', TF_CONFIG: expect.any(String),
    });
  });

  test('lists every worker of a large job in order', () => {
    const workers = config(shortForm('tensorflow', 500), 'net-worker-498').cluster.worker;
    expect(workers).toHaveLength(499);
    expect(workers[498]).toBe('net-worker-498.net:2222');
  });
});

describe('TF_CONFIG of a job in long form', () => {
  const spec = longForm('tensorflow', { evaluator: 1, ps: 2, worker: 2, chief: 1 });
  const cluster = {
    chief: ['net-chief.net:2222'],
    worker: ['net-worker-0.net:2222', 'net-worker-1.net:2222'],
    ps: ['net-ps-0.net:2222', 'net-ps-1.net:2222'],
    evaluator: ['net-evaluator-0.net:2222'],
  };

  test.each([
    ['net-chief', 'chief', 0],
    ['net-worker-1', 'worker', 1],
    ['net-ps-1', 'ps', 1],
    ['net-evaluator-0', 'evaluator', 0],
  ])('gives %s the task %s %i', (pod, type, index) => {
    expect(config(spec, pod)).toEqual({ cluster, task: { type, index }, environment: 'cloud' });
  });

  test('has no chief when the job has workers only', () => {
    expect(config(longForm('tensorflow', { worker: 2 }), 'net-worker-0').cluster).toEqual({ worker: ['net-worker-0.net:2222', 'net-worker-1.net:2222'] });
  });

  test('is not set for a worker alone', () => {
    expect(environmentOf(longForm('tensorflow', { worker: 1 }), 'net-worker-0')).not.toHaveProperty('TF_CONFIG');
  });

  test('is set when one worker is joined by one parameter server', () => {
    expect(config(longForm('tensorflow', { worker: 1, ps: 1 }), 'net-ps-0').task).toEqual({ type: 'ps', index: 0 });
  });
});

describe('a TensorFlow job', () => {
  test('ranks chief and workers, not parameter servers and evaluators', () => {
    const job = resolved(longForm('tensorflow', { ps: 1, evaluator: 1, worker: 2, chief: 1 }));
    expect(job.replicas.map(({ podName, rank }) => [podName, rank])).toEqual([
      ['net-chief', 0], ['net-worker-0', 1], ['net-worker-1', 2], ['net-ps-0', undefined], ['net-evaluator-0', undefined],
    ]);
    expect(environmentOf(job.spec, 'net-ps-0')).toMatchObject({ ROLE: 'ps', WORLD_SIZE: '3' });
    expect(environmentOf(job.spec, 'net-ps-0')).not.toHaveProperty('RANK');
  });

  test('succeeds with its chief, or with worker 0 when it has none', () => {
    const chief = resolved(longForm('tensorflow', { ps: 1, chief: 1 }));
    expect([chief.successPolicy, chief.replicas[0].podName]).toEqual(['Coordinator', 'net-chief']);
    const workers = resolved(longForm('tensorflow', { ps: 1, worker: 2 }));
    expect([workers.successPolicy, workers.replicas[0].podName]).toEqual(['Coordinator', 'net-worker-0']);
  });

  test('leaves GPUs to those who train: parameter servers inherit cpu and memory only', () => {
    const job = resolved(longForm('tensorflow', { chief: 1, ps: 1, evaluator: 1 }, { resources: { gpu: 2, cpu: '4', memory: '8Gi' } }));
    const resources = Object.fromEntries(job.roles.map((role) => [role.name, role.resources]));
    expect(resources.chief).toEqual({ gpu: 2, cpu: '4', memory: '8Gi' });
    expect(resources.ps).toEqual({ cpu: '4', memory: '8Gi' });
    expect(resources.evaluator).toEqual({ gpu: 2, cpu: '4', memory: '8Gi' });
  });

  test('puts each process on a port of its own on one machine', () => {
    const environment = environmentOf(shortForm('tensorflow', 3), 'net-worker-1', loopback());
    expect(JSON.parse(environment.TF_CONFIG)).toEqual({
      cluster: { chief: ['127.0.0.1:41001'], worker: ['127.0.0.1:41011', '127.0.0.1:41021'] },
      task: { type: 'worker', index: 1 },
      environment: 'cloud',
    });
  });

  test('writes the cluster anew for another address book', () => {
    const spec = shortForm('tensorflow', 2);
    expect(environmentOf(spec, 'net-master').TF_CONFIG).toContain('net-master:2222');
    expect(environmentOf(spec, 'net-master', loopback()).TF_CONFIG).toContain('127.0.0.1:41001');
    expect(environmentOf(spec, 'net-master').TF_CONFIG).toContain('net-master:2222');
  });
});
