import { environmentOf, longForm, loopback, resolved, shortForm, withoutCommon } from '../jobs';

/** Variables of every framework for a worker of a job without master. */
function common(replicas: number, rank: number) {
  return { ROLE: 'worker', RANK: String(rank), WORLD_SIZE: String(replicas), MASTER_ADDR: 'net-worker-0.net', MASTER_PORT: '29500' };
}

describe('collective training with PaddlePaddle', () => {
  test('makes the first replica the rendezvous server under its own address', () => {
    expect(withoutCommon(environmentOf(shortForm('paddle', 2), 'net-worker-0'))).toEqual({
      ...common(2, 0), PADDLE_JOB_ID: 'net', PADDLE_NNODES: '2', PADDLE_RANK: '0', POD_IP_DUMMY: '<status.podIP>', PADDLE_MASTER: '$(POD_IP_DUMMY):29500',
    });
  });

  test('points the others at the first replica by its name', () => {
    expect(withoutCommon(environmentOf(shortForm('paddle', 3), 'net-worker-2'))).toEqual({
      ...common(3, 2), PADDLE_JOB_ID: 'net', PADDLE_NNODES: '3', PADDLE_RANK: '2', PADDLE_MASTER: 'net-worker-0.net:29500',
    });
  });

  test('is the same for one replica alone', () => {
    expect(environmentOf(shortForm('paddle', 1), 'net-worker-0')).toMatchObject({ PADDLE_NNODES: '1', PADDLE_RANK: '0', PADDLE_MASTER: '$(POD_IP_DUMMY):29500' });
  });

  test('defines the address before the variable that refers to it, because the kubelet expands in order', () => {
    const names = Object.keys(environmentOf(shortForm('paddle', 2), 'net-worker-0'));
    expect(names.indexOf('POD_IP_DUMMY')).toBeLessThan(names.indexOf('PADDLE_MASTER'));
  });

  test('is the same in long form', () => {
    for (const pod of ['net-worker-0', 'net-worker-1']) {
      expect(environmentOf(longForm('paddle', { worker: 2 }), pod)).toEqual(environmentOf(shortForm('paddle', 2), pod));
    }
  });

  test('succeeds when all workers have', () => {
    expect(resolved(shortForm('paddle', 2)).successPolicy).toBe('AllWorkers');
  });

  test('uses the port of the first process on one machine', () => {
    expect(environmentOf(shortForm('paddle', 2), 'net-worker-0', loopback()).PADDLE_MASTER).toBe('$(POD_IP_DUMMY):41000');
    expect(environmentOf(shortForm('paddle', 2), 'net-worker-1', loopback()).PADDLE_MASTER).toBe('127.0.0.1:41000');
  });
});

describe('parameter-server training with PaddlePaddle', () => {
  const spec = longForm('paddle', { worker: 2, master: 1 });
  const shared = { WORLD_SIZE: '3', MASTER_ADDR: 'net-master', MASTER_PORT: '29500', PADDLE_JOB_ID: 'net', PADDLE_NNODES: '3' };

  test('gives the master one server', () => {
    expect(withoutCommon(environmentOf(spec, 'net-master'))).toEqual({
      ...shared, ROLE: 'master', RANK: '0', PADDLE_RANK: '0', POD_IP_DUMMY: '<status.podIP>', PADDLE_MASTER: '$(POD_IP_DUMMY):29500', PADDLE_SERVER_NUM: '1',
    });
  });

  test('gives each worker one trainer', () => {
    expect(withoutCommon(environmentOf(spec, 'net-worker-1'))).toEqual({
      ...shared, ROLE: 'worker', RANK: '2', PADDLE_RANK: '2', PADDLE_MASTER: 'net-master:29500', PADDLE_TRAINER_NUM: '1',
    });
  });

  test('succeeds with its master', () => {
    expect(resolved(spec).successPolicy).toBe('Coordinator');
  });
});
