import type { Condition, TrainingJobStatus } from '../../../../src/model/training-job/status/status';
import { jobTransition } from '../../../../src/operator/training/metrics/job-transitions';

const NOW = Date.parse('2026-01-01T01:00:00Z');

const condition = (type: Condition['type'], reason: string, status: Condition['status'] = 'True', since = '2026-01-01T00:00:00Z'): Condition =>
  ({ type, status, reason, message: '', lastTransitionTime: since });

const RUNNING: TrainingJobStatus = {
  phase: 'Running', attempt: 0, replicas: 4, restarts: 0, disruptions: 0, conditions: [condition('Running', 'AllReplicasRunning')],
};

/** The gang starts again after a failure. */
const RESTARTING: TrainingJobStatus = {
  ...RUNNING, phase: 'Restarting', attempt: 1, restarts: 1, conditions: [condition('Running', 'JobRestarting', 'False'), condition('Restarting', 'JobRestarting')],
};

const compare = (before: TrainingJobStatus, after: TrainingJobStatus) => jobTransition(before, after, NOW);

const NOTHING = {
  created: false, succeeded: false, failed: undefined, restarted: undefined, disruptions: 0, rework: undefined, lostSeconds: 0, running: false,
};

describe('two statuses of a job', () => {
  test('that are alike say that nothing happened, whatever they are', () => {
    for (const status of [{}, RUNNING, RESTARTING, { phase: 'Completed' }, { phase: 'Failed' }] as TrainingJobStatus[]) {
      expect(compare(status, status)).toEqual(NOTHING);
    }
  });

  test('tell of a job that was taken up, also when it fails at once', () => {
    expect(compare({}, { phase: 'Pending' })).toEqual({ ...NOTHING, created: true });
    const invalid: TrainingJobStatus = { phase: 'Failed', conditions: [condition('Failed', 'InvalidSpec')] };
    expect(compare({}, invalid)).toEqual({ ...NOTHING, created: true, failed: 'InvalidSpec' });
  });

  test('tell of the end, and of a failure its reason', () => {
    expect(compare(RUNNING, { ...RUNNING, phase: 'Completed' }).succeeded).toBe(true);
    const failed: TrainingJobStatus = { ...RUNNING, phase: 'Failed', conditions: [condition('Failed', 'DeadlineExceeded')] };
    expect(compare(RUNNING, failed)).toMatchObject({ failed: 'DeadlineExceeded', succeeded: false, restarted: undefined });
  });

  test('tell of all replicas running, once', () => {
    expect(compare({ phase: 'Pending' }, RUNNING).running).toBe(true);
    expect(compare(RUNNING, { ...RUNNING, ready: '4/4' }).running).toBe(false);
  });
});

describe('a restart', () => {
  test('has the cause that the status names', () => {
    const because = (cause: 'Stall' | 'Preflight'): TrainingJobStatus => ({ ...RESTARTING, lastRestart: { time: '2026-01-01T01:00:00Z', cause } });
    expect(compare(RUNNING, because('Stall')).restarted).toBe('stall');
    expect(compare(RUNNING, because('Preflight')).restarted).toBe('preflight');
  });

  test('without a named cause is a disruption when one was counted, else a failure', () => {
    expect(compare(RUNNING, RESTARTING)).toMatchObject({ restarted: 'failure', disruptions: 0 });
    expect(compare(RUNNING, { ...RESTARTING, restarts: 0, disruptions: 2 })).toMatchObject({ restarted: 'disruption', disruptions: 2 });
  });

  test('keeps the cause of an earlier one to itself', () => {
    const lastRestart = { time: '2026-01-01T00:30:00Z', cause: 'Stall' } as const;
    const before: TrainingJobStatus = { ...RUNNING, lastRestart };
    expect(compare(before, { ...RESTARTING, restarts: 0, disruptions: 1, lastRestart }).restarted).toBe('disruption');
    expect(compare(before, { ...RESTARTING, restarts: 0, lastRestart }).restarted).toBe('other');
  });

  test('of single replicas is one restart for all that were decided on together, and none for those that are still under way', () => {
    const one: TrainingJobStatus = { ...RUNNING, phase: 'Restarting', restarts: 1, replacing: [{ pod: 'a', uid: '1' }] };
    const three: TrainingJobStatus = { ...one, restarts: 3, replacing: [...one.replacing!, { pod: 'b', uid: '2' }, { pod: 'c', uid: '3' }] };
    expect(compare(RUNNING, one)).toMatchObject({ restarted: 'failure', rework: { seconds: 3_600, replicas: 1 } });
    expect(compare(one, three).restarted).toBe('failure');
    expect(compare(three, one).restarted).toBeUndefined();
  });

  test('is none when a pod is replaced to get another node, or when the job is scaled', () => {
    expect(compare(RUNNING, { ...RUNNING, replacing: [{ pod: 'a', uid: '1' }] }).restarted).toBeUndefined();
    expect(compare(RUNNING, { ...RUNNING, replicas: 8 }).restarted).toBeUndefined();
  });

  test('of an elastic job throws the survivors back to the last checkpoint too', () => {
    const elastic: TrainingJobStatus = { ...RUNNING, elastic: { replicas: 4 }, worldSize: { replicas: 3 } };
    expect(compare(elastic, { ...elastic, disruptions: 1, replacing: [{ pod: 'a', uid: '1' }] }).rework?.replicas).toBe(3);
  });

  test('of an elastic job whose workers have all succeeded is one of all of them', () => {
    const elastic: TrainingJobStatus = { ...RUNNING, elastic: { replicas: 4 }, worldSize: { replicas: 0 } };
    expect(compare(elastic, { ...elastic, disruptions: 1, attempt: 1 }).rework?.replicas).toBe(4);
  });

  test('in place, where the pod stays, is one too', () => {
    expect(compare(RUNNING, { ...RUNNING, restarts: 2 }).restarted).toBe('failure');
  });

  test('that is over tells what it has cost in all', () => {
    expect(compare({ ...RESTARTING, lostSeconds: 10 }, { ...RUNNING, lostSeconds: 75 }).lostSeconds).toBe(65);
  });
});

describe('work that has to be done again', () => {
  test('counts from the start of the attempt where there is no checkpoint', () => {
    expect(compare(RUNNING, RESTARTING).rework).toEqual({ cause: 'failure', seconds: 3_600, replicas: 4 });
  });

  test('counts from the last checkpoint, if that is younger', () => {
    const saved = (time: string): TrainingJobStatus => ({ ...RUNNING, checkpoint: { path: '/checkpoints/7', time } });
    expect(compare(saved('2026-01-01T00:50:00Z'), RESTARTING).rework?.seconds).toBe(600);
    expect(compare(saved('2025-12-31T00:00:00Z'), RESTARTING).rework?.seconds).toBe(3_600);
    expect(compare(saved('2026-01-01T02:00:00Z'), RESTARTING).rework?.seconds).toBe(0);
  });

  test('ends when the replica failed, not when the operator came to see it', () => {
    const cause = { role: 'worker', index: 0, pod: 'a', reason: 'Error', attempt: 0, time: '2026-01-01T00:30:00Z' };
    expect(compare(RUNNING, { ...RESTARTING, lastFailure: cause }).rework?.seconds).toBe(1_800);
  });

  test('is none where not all replicas ran', () => {
    expect(compare(RESTARTING, { ...RESTARTING, attempt: 2, restarts: 2 }).rework).toBeUndefined();
  });

  test('is also what a suspension throws away, which is no restart', () => {
    const suspended: TrainingJobStatus = { ...RUNNING, phase: 'Suspended', attempt: 1 };
    expect(compare(RUNNING, suspended)).toMatchObject({ restarted: undefined, rework: { cause: 'suspension', seconds: 3_600, replicas: 4 } });
  });
});
