import { makeJob } from '../support/builders';
import { PlannedJob, START } from '../support/planned-job';
import { timeText } from '../../../../src/operator/training/plan/timestamps';

const STALL = { timeoutSeconds: 600 };

/** A gang of three that runs. */
function running(stall: { readonly timeoutSeconds: number; readonly action?: 'Restart' | 'Fail' } = STALL): PlannedJob {
  return new PlannedJob(makeJob().pytorch(3).runPolicy({ stall, restartPolicy: 'OnFailure' })).run();
}

/** The script reports, as the endpoint writes it. */
function report(job: PlannedJob, percent: number): PlannedJob {
  const time = timeText(job.now);
  job.job = { ...job.job, status: {
    ...job.status,
    trainerStatus: { progressPercentage: percent, metrics: [{ name: 'loss', value: '0.25' }], lastUpdatedTime: time },
    lastProgressTime: time,
  } };
  return job.pass();
}

describe('a job that reports nothing', () => {
  test('is started again as the next attempt when it has run for the time of its policy', () => {
    const job = running().after(600).pass();
    expect(job.status.attempt).toBe(0);
    job.after(1).pass();
    expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 1, restarts: 1, disruptions: 0, lastRestart: { cause: 'Stall', reason: 'Stalled' } });
    expect(job.status.lastFailure).toMatchObject({ reason: 'Stalled', attempt: 0, message: 'no progress for 600 s (spec.runPolicy.stall); no progress was ever reported' });
    expect(job.status.lastFailure).not.toHaveProperty('node', expect.anything());
    expect(job.deleted).toHaveLength(3);
    expect(job.condition('Restarting')).toMatchObject({ status: 'True', reason: 'JobStalled' });
  });

  test('waits for its backoff like after any other failure, and fails when its limit is used up', () => {
    const job = new PlannedJob(makeJob().pytorch(2).runPolicy({ stall: STALL, restartPolicy: 'OnFailure', backoffLimit: 1, backoff: { initialSeconds: 30 } })).run();
    job.after(601).pass();
    expect(job.status.nextRetryTime).toBe(timeText(START + 631_000));
    job.after(31).run().after(601).pass();
    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 1, lastFailure: { reason: 'Stalled', attempt: 1 } });
    expect(job.condition('Failed')).toMatchObject({ reason: 'BackoffLimitExceeded', message: expect.stringContaining('no progress for 600 s') as string });
  });

  test('fails at once when its policy says so', () => {
    const job = running({ timeoutSeconds: 60, action: 'Fail' }).after(61).pass();
    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 0, lastFailure: { reason: 'Stalled' } });
    expect(job.condition('Failed')).toMatchObject({ reason: 'Stalled' });
  });

  test('is woken when its time is over', () => {
    const job = running();
    expect(job.after(100).pass().requeueAfterMs).toBeLessThanOrEqual(500_999);
    expect(job.requeueAfterMs).toBeGreaterThan(500_000);
  });
});

describe('silence', () => {
  test('is counted from the last report, whose values the failure names', () => {
    const job = report(running().after(500), 42).after(500).pass();
    expect(job.status.attempt).toBe(0);
    job.after(101).pass();
    expect(job.status).toMatchObject({ attempt: 1 });
    expect(job.status.lastFailure!.message).toBe(
      `no progress for 600 s (spec.runPolicy.stall); last report ${timeText(START + 500_000)}: 42 %, loss=0.25`,
    );
  });

  test('is ended by a checkpoint too', () => {
    const job = running().after(500);
    job.job = { ...job.job, status: { ...job.status, checkpoint: { path: '/c/7', step: 7, time: timeText(job.now) } } };
    expect(job.after(500).pass().status.attempt).toBe(0);
    expect(job.after(101).pass().status.lastFailure!.message).toMatch(/; last checkpoint .*Z, step 7$/);
  });

  test('does not count before all replicas run', () => {
    const job = new PlannedJob(makeJob().pytorch(3).runPolicy({ stall: STALL })).settle().set((pod) => pod.running(), 'train-master').pass();
    expect(job.after(10_000).pass().status).toMatchObject({ phase: 'Pending', attempt: 0 });
    job.setAll((pod) => pod.running()).pass();
    expect(job.after(599).pass().status.attempt).toBe(0);
  });

  test('does not count while the job is suspended', () => {
    const job = running().after(500).edit({ suspend: true }).settle().after(10_000).pass();
    expect(job.status).toMatchObject({ phase: 'Suspended', attempt: 1, restarts: 0 });
    job.edit({ suspend: false }).run().after(599).pass();
    expect(job.status).toMatchObject({ phase: 'Running', restarts: 0 });
  });

  test('counts in an elastic job that runs below its wanted number', () => {
    const job = new PlannedJob(makeJob().pytorch(3).restartPolicy('OnFailure').runPolicy({ stall: STALL }).spec({ elastic: { minReplicas: 2, maxReplicas: 3 } })).run();
    job.lose('train-worker-1').pass().set((pod) => pod.waiting('Unschedulable'), 'train-worker-1').pass();
    expect(job.after(599).pass().status).toMatchObject({ phase: 'Running', attempt: 0 });
    expect(job.after(3).pass().status).toMatchObject({ attempt: 1, lastFailure: { reason: 'Stalled' } });
  });

  test('does not count while a pod is being taken away by others', () => {
    const job = running().set((pod) => pod.running().deleting(), 'train-worker-0').after(700).pass();
    expect(job.status).toMatchObject({ attempt: 0, restarts: 0 });
  });

  test('does not count from before the clock jumped', () => {
    const job = running();
    const observation = {
      job: job.job, pods: [...job.pods.values()], services: job.services, problems: [], now: START + 7_200_000, clockSteadySince: START + 7_100_000,
    };
    expect(job.planAt(observation).decided).toBe(false);
    expect(job.planAt({ ...observation, now: START + 7_100_000 + 601_000 }).status).toMatchObject({ attempt: 1 });
    // Set back: what stands in the status lies ahead, and the time since the jump counts.
    expect(job.planAt({ ...observation, now: START - 3_000_000, clockSteadySince: START - 3_500_000 }).decided).toBe(false);
    expect(job.planAt({ ...observation, now: START - 2_800_000, clockSteadySince: START - 3_500_000 }).status).toMatchObject({ attempt: 1 });
  });

  test('does not count from before reports could arrive: an outage delays the rule, and never brings it about', () => {
    const job = running();
    job.after(3_600);
    job.observed = { heardSince: job.now - 1_000 };
    const planned = job.plan();
    expect(planned.decided).toBe(false);
    expect(planned.status).toMatchObject({ phase: 'Running', restarts: 0, attempt: 0 });
    // Times are sure to a second.
    expect(planned.requeueAfterMs).toBeGreaterThanOrEqual(599_000);
    expect(planned.requeueAfterMs).toBeLessThanOrEqual(600_000);
    job.after(600).pass();
    expect(job.status).toMatchObject({ attempt: 1, lastFailure: { reason: 'Stalled' } });
  });

  test('of a job without the policy means nothing', () => {
    const job = new PlannedJob(makeJob().pytorch(2)).run();
    expect(job.after(1_000_000).pass().status).toMatchObject({ phase: 'Running', restarts: 0 });
  });
});

test('independent replicas that have succeeded are not started again', () => {
  const job = new PlannedJob(makeJob().plain(3).runPolicy({ stall: STALL, restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 } })).run();
  job.set((pod) => pod.succeeded(), 'train-worker-1').pass().after(601).settle();
  expect(job.status).toMatchObject({ attempt: 1, workerStatuses: [{ succeededIndexes: '1' }] });
  expect([...job.pods.keys()].sort()).toEqual(['train-worker-0', 'train-worker-2']);
});
