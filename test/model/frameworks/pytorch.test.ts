import { environmentOf, longForm, loopback, resolved, shortForm, withoutCommon } from '../jobs';

/** Both generations of variables for one node of a job, with one process a node. */
function bothGenerations(nodes: number, rank: number, role = rank === 0 ? 'master' : 'worker') {
  return {
    ROLE: role,
    RANK: String(rank),
    WORLD_SIZE: String(nodes),
    MASTER_ADDR: 'net-master',
    MASTER_PORT: '29500',
    PET_NNODES: String(nodes),
    PET_NODE_RANK: String(rank),
    PET_NPROC_PER_NODE: '1',
    PET_MASTER_ADDR: 'net-master',
    PET_MASTER_PORT: '29500',
  };
}

describe('a PyTorch job in short form', () => {
  test('has one master and no worker with one replica', () => {
    expect(resolved(shortForm('pytorch', 1)).replicas.map((replica) => replica.podName)).toEqual(['net-master']);
    expect(withoutCommon(environmentOf(shortForm('pytorch', 1), 'net-master'))).toEqual(bothGenerations(1, 0));
  });

  test('has a master and one worker with two replicas', () => {
    const spec = shortForm('pytorch', 2);
    expect(resolved(spec).replicas.map((replica) => replica.podName)).toEqual(['net-master', 'net-worker-0']);
    expect(withoutCommon(environmentOf(spec, 'net-master'))).toEqual(bothGenerations(2, 0));
    expect(withoutCommon(environmentOf(spec, 'net-worker-0'))).toEqual(bothGenerations(2, 1));
  });

  test('numbers the second worker of three replicas as rank 2', () => {
    expect(withoutCommon(environmentOf(shortForm('pytorch', 3), 'net-worker-1'))).toEqual(bothGenerations(3, 2));
  });

  test('keeps the same variables with a thousand replicas', () => {
    expect(withoutCommon(environmentOf(shortForm('pytorch', 1000), 'net-worker-998'))).toEqual(bothGenerations(1000, 999));
  });

  test('succeeds with its master, as upstream, and restarts as a whole', () => {
    const job = resolved(shortForm('pytorch', 3));
    expect(job.successPolicy).toBe('Coordinator');
    expect(job.framework.restartScope).toBe('gang');
  });
});

describe('a PyTorch job in long form', () => {
  test('gives the same environment as the short form when its roles are the same', () => {
    for (const pod of ['net-master', 'net-worker-0', 'net-worker-1']) {
      expect(environmentOf(longForm('pytorch', { master: 1, worker: 2 }), pod)).toEqual(environmentOf(shortForm('pytorch', 3), pod));
    }
  });

  test('gives rank 0 to the master also when workers are written first', () => {
    expect(environmentOf(longForm('pytorch', { worker: 2, master: 1 }), 'net-master')).toMatchObject({ RANK: '0', PET_NODE_RANK: '0' });
  });

  test('meets at worker 0, dialled by its own name, when it has no master', () => {
    const spec = longForm('pytorch', { worker: 3 });
    expect(withoutCommon(environmentOf(spec, 'net-worker-2'))).toEqual({
      ...bothGenerations(3, 2),
      MASTER_ADDR: 'net-worker-0.net',
      PET_MASTER_ADDR: 'net-worker-0.net',
    });
    expect(resolved(spec).successPolicy).toBe('AllWorkers');
  });
});

describe('the processes of a PyTorch node', () => {
  const nproc = (fields: object, pod = 'net-master') => environmentOf(shortForm('pytorch', 2, fields), pod).PET_NPROC_PER_NODE;

  test('are counted by torchrun when there are GPUs', () => {
    expect(nproc({ resources: { gpu: 8, cpu: '4' } })).toBe('auto');
    expect(nproc({ resources: { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' } })).toBe('auto');
  });

  test('are the CPUs when there is no GPU, and one when nothing is asked for', () => {
    expect(nproc({ resources: { cpu: '4' } })).toBe('4');
    expect(nproc({ resources: { gpu: 0, cpu: '4' } })).toBe('4');
    expect(nproc({ resources: { cpu: '1500m' } })).toBe('2');
    expect(nproc({ resources: { cpu: '100m' } })).toBe('1');
    expect(nproc({})).toBe('1');
  });

  test('are what the job says', () => {
    expect(nproc({ nprocPerNode: 4, resources: { gpu: 8 } })).toBe('4');
    expect(nproc({ nprocPerNode: '4' })).toBe('4');
    expect(nproc({ nprocPerNode: 'gpu', resources: { gpu: 8 } })).toBe('gpu');
    expect(nproc({ nprocPerNode: 'auto' })).toBe('auto');
  });

  test('are the CPUs of the replica, not those of its node, when the job says cpu', () => {
    expect(nproc({ nprocPerNode: 'cpu', resources: { cpu: '6' } })).toBe('6');
    expect(nproc({ nprocPerNode: 'cpu' })).toBe('cpu');
  });

  test('follow the resources of the role', () => {
    const spec = longForm('pytorch', { master: { resources: { cpu: '2' } }, worker: { resources: { gpu: 4 } } });
    expect(environmentOf(spec, 'net-master').PET_NPROC_PER_NODE).toBe('2');
    expect(environmentOf(spec, 'net-worker-0').PET_NPROC_PER_NODE).toBe('auto');
  });

  test('multiply WORLD_SIZE when they are a number, as in training-operator v1', () => {
    const worldSize = (nprocPerNode?: string | number) => environmentOf(shortForm('pytorch', 4, { nprocPerNode }), 'net-master').WORLD_SIZE;
    expect(worldSize(8)).toBe('32');
    expect(worldSize('8')).toBe('32');
    expect(worldSize('auto')).toBe('4');
    expect(worldSize('gpu')).toBe('4');
    expect(worldSize()).toBe('4');
  });

  test('leave WORLD_SIZE at the number of replicas when only GPUs are asked for, as in the blog', () => {
    expect(environmentOf(shortForm('pytorch', 4, { resources: { gpu: 8 } }), 'net-master').WORLD_SIZE).toBe('4');
  });
});

describe('the meeting point of a PyTorch job', () => {
  test('is on the port that the job names', () => {
    expect(environmentOf(shortForm('pytorch', 2, { port: 23456 }), 'net-worker-0')).toMatchObject({ MASTER_PORT: '23456', PET_MASTER_PORT: '23456' });
  });

  test('is the loopback address and the master\'s own port on one machine', () => {
    expect(environmentOf(shortForm('pytorch', 2), 'net-worker-0', loopback())).toMatchObject({
      MASTER_ADDR: '127.0.0.1', MASTER_PORT: '41000', PET_MASTER_ADDR: '127.0.0.1', PET_MASTER_PORT: '41000',
    });
  });
});
