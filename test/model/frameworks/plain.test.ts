import { environmentOf, longForm, resolved, shortForm, withoutCommon } from '../jobs';

describe('a plain job', () => {
  test('gets the variables of every framework and nothing else', () => {
    expect(environmentOf(shortForm('plain', 3), 'net-worker-2')).toEqual({
      ROLE: 'worker',
      RANK: '2',
      WORLD_SIZE: '3',
      MASTER_ADDR: 'net-worker-0.net',
      MASTER_PORT: '29500',
      PYTHONUNBUFFERED: '1',
      TRAINYARD_JOB_NAME: 'net',
      TRAINYARD_REPLICA_INDEX: '2',
      TRAINYARD_ATTEMPT: '0',
    });
  });

  test('has the roles that its author names, in the order in which they were written', () => {
    const job = resolved(longForm('plain', { actor: 2, learner: 1 }));
    expect(job.replicas.map(({ podName, rank }) => [podName, rank])).toEqual([['net-actor-0', 0], ['net-actor-1', 1], ['net-learner-0', 2]]);
    expect(withoutCommon(environmentOf(job.spec, 'net-learner-0'))).toEqual({
      ROLE: 'learner', RANK: '2', WORLD_SIZE: '3', MASTER_ADDR: 'net-actor-0.net', MASTER_PORT: '29500',
    });
  });

  test('dials the first of several masters by its own name, because no service stands for one of them', () => {
    expect(environmentOf(longForm('plain', { master: 2 }), 'net-master-1')).toMatchObject({ MASTER_ADDR: 'net-master-0.net', RANK: '1' });
  });

  test('succeeds when every replica has, and restarts replicas one by one', () => {
    const job = resolved(shortForm('plain', 2));
    expect(job.successPolicy).toBe('AllReplicas');
    expect(job.framework.restartScope).toBe('replica');
  });
});
