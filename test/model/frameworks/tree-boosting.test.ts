import type { FrameworkName } from '../../../src/model/training-job/spec';
import { environmentOf, longForm, loopback, resolved, shortForm, withoutCommon } from '../jobs';

/** What training-operator v1's XGBoostJob sets, which served LightGBM too. */
function v1(replicas: number, rank: number) {
  return {
    ROLE: rank === 0 ? 'master' : 'worker',
    RANK: String(rank),
    WORLD_SIZE: String(replicas),
    MASTER_ADDR: 'net-master',
    MASTER_PORT: '29500',
  };
}

function tracker(workers: number, rank: number) {
  return { DMLC_TRACKER_URI: 'net-master', DMLC_TRACKER_PORT: '29500', DMLC_TASK_ID: String(rank), DMLC_NUM_WORKER: String(workers) };
}

describe('an XGBoost job', () => {
  test('has the tracker\'s variables and no workers\' addresses with one replica', () => {
    expect(withoutCommon(environmentOf(shortForm('xgboost', 1), 'net-master'))).toEqual({ ...v1(1, 0), ...tracker(1, 0) });
  });

  test('has both generations of variables with two replicas', () => {
    const workers = { WORKER_ADDRS: 'net-worker-0.net', WORKER_PORT: '29500' };
    expect(withoutCommon(environmentOf(shortForm('xgboost', 2), 'net-master'))).toEqual({ ...v1(2, 0), ...workers, ...tracker(2, 0) });
    expect(withoutCommon(environmentOf(shortForm('xgboost', 2), 'net-worker-0'))).toEqual({ ...v1(2, 1), ...workers, ...tracker(2, 1) });
  });

  test('lists the workers by index with three replicas', () => {
    expect(withoutCommon(environmentOf(longForm('xgboost', { worker: 2, master: 1 }), 'net-worker-1'))).toEqual({
      ...v1(3, 2), ...tracker(3, 2), WORKER_ADDRS: 'net-worker-0.net,net-worker-1.net', WORKER_PORT: '29500',
    });
  });

  test('lists all 999 workers of a thousand replicas', () => {
    const { WORKER_ADDRS, DMLC_NUM_WORKER } = environmentOf(shortForm('xgboost', 1000), 'net-worker-998');
    expect(WORKER_ADDRS.split(',')).toHaveLength(999);
    expect(DMLC_NUM_WORKER).toBe('1000');
  });

  test('runs one tracker worker a GPU, as Trainer v2', () => {
    expect(environmentOf(shortForm('xgboost', 3, { resources: { gpu: 4 } }), 'net-master').DMLC_NUM_WORKER).toBe('12');
    const mixed = longForm('xgboost', { master: { resources: { cpu: '2' } }, worker: { replicas: 2, resources: { gpu: 4 } } });
    expect(environmentOf(mixed, 'net-master').DMLC_NUM_WORKER).toBe('9');
  });
});

describe('a LightGBM job', () => {
  test('has the v1 names and its list of machines, and no tracker', () => {
    expect(withoutCommon(environmentOf(shortForm('lightgbm', 3), 'net-worker-0'))).toEqual({
      ...v1(3, 1),
      WORKER_ADDRS: 'net-worker-0.net,net-worker-1.net',
      WORKER_PORT: '29500',
      LIGHTGBM_MACHINES: 'net-master:29500,net-worker-0.net:29500,net-worker-1.net:29500',
      LIGHTGBM_LISTEN_PORT: '29500',
    });
  });

  test('is a list of itself with one replica', () => {
    expect(withoutCommon(environmentOf(shortForm('lightgbm', 1), 'net-master'))).toEqual({
      ...v1(1, 0), LIGHTGBM_MACHINES: 'net-master:29500', LIGHTGBM_LISTEN_PORT: '29500',
    });
  });

  test('gives each process its own port on one machine, the same in the list as for itself', () => {
    const machines = '127.0.0.1:41000,127.0.0.1:41010,127.0.0.1:41020';
    const ports = ['net-master', 'net-worker-0', 'net-worker-1'].map((pod) => {
      const environment = environmentOf(shortForm('lightgbm', 3), pod, loopback());
      expect(environment.LIGHTGBM_MACHINES).toBe(machines);
      return environment.LIGHTGBM_LISTEN_PORT;
    });
    expect(ports).toEqual(['41000', '41010', '41020']);
  });
});

describe.each<FrameworkName>(['xgboost', 'lightgbm'])('a job of %s', (framework) => {
  test('succeeds with its master and restarts as a whole', () => {
    const job = resolved(shortForm(framework, 2));
    expect(job.successPolicy).toBe('Coordinator');
    expect(job.framework.restartScope).toBe('gang');
  });

  test('gives the same environment in both forms', () => {
    for (const pod of ['net-master', 'net-worker-0', 'net-worker-1']) {
      expect(environmentOf(longForm(framework, { master: 1, worker: 2 }), pod)).toEqual(environmentOf(shortForm(framework, 3), pod));
    }
  });
});
