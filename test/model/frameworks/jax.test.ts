import { environmentOf, longForm, loopback, resolved, shortForm, withoutCommon } from '../jobs';

/** Both generations of variables of a process among so many. */
function bothGenerations(processes: number, id: number) {
  return {
    ROLE: 'worker',
    RANK: String(id),
    WORLD_SIZE: String(processes),
    MASTER_ADDR: 'net-worker-0.net',
    MASTER_PORT: '29500',
    JAX_COORDINATOR_ADDRESS: 'net-worker-0.net:29500',
    JAX_NUM_PROCESSES: String(processes),
    JAX_PROCESS_ID: String(id),
    COORDINATOR_ADDRESS: 'net-worker-0.net',
    COORDINATOR_PORT: '29500',
    NUM_PROCESSES: String(processes),
    PROCESS_ID: String(id),
  };
}

test.each([[1, 0], [2, 0], [2, 1], [3, 2], [256, 255]])('of %i JAX processes, process %i finds the names of both upstream operators', (processes, id) => {
  const short = environmentOf(shortForm('jax', processes), `net-worker-${id}`);
  expect(withoutCommon(short)).toEqual(bothGenerations(processes, id));
  expect(environmentOf(longForm('jax', { worker: processes }), `net-worker-${id}`)).toEqual(short);
});

test('the port that a JAX job names is in both generations', () => {
  expect(environmentOf(shortForm('jax', 2, { port: 6666 }), 'net-worker-1')).toMatchObject({
    JAX_COORDINATOR_ADDRESS: 'net-worker-0.net:6666', COORDINATOR_PORT: '6666', MASTER_PORT: '6666',
  });
});

test('on one machine the JAX coordinator is process 0 on the loopback address', () => {
  expect(environmentOf(shortForm('jax', 2), 'net-worker-1', loopback())).toMatchObject({
    JAX_COORDINATOR_ADDRESS: '127.0.0.1:41000', COORDINATOR_ADDRESS: '127.0.0.1', COORDINATOR_PORT: '41000',
  });
});

test('a JAX job succeeds when all of its workers have', () => {
  expect(resolved(shortForm('jax', 2)).successPolicy).toBe('AllWorkers');
});
