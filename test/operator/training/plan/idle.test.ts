import { makeJob } from '../support/builders';
import { PlannedJob, START } from '../support/planned-job';
import { timeText } from '../../../../src/operator/training/plan/timestamps';

function running(action?: 'Warn' | 'Suspend'): PlannedJob {
  return new PlannedJob(makeJob().pytorch(2).spec({ idle: { belowPercent: 10, forSeconds: 600, ...(action && { action }) } })).run();
}

function report(job: PlannedJob, value: string, name = 'accelerator_utilization'): PlannedJob {
  const time = timeText(job.now);
  job.job = { ...job.job, status: { ...job.status, trainerStatus: { metrics: [{ name, value }], lastUpdatedTime: time }, lastProgressTime: time } };
  return job.pass();
}

describe('a job that leaves its accelerators unused', () => {
  test('is warned of once it has done so for long enough, and no longer when it uses them', () => {
    const job = report(running(), '3.2');
    expect(job.status.idle).toEqual({ since: timeText(START), percent: 3 });
    report(job.after(300), '4');
    expect(job.condition('Idle')).toBeUndefined();
    report(job.after(301), '5');
    expect(job.condition('Idle')).toMatchObject({
      status: 'True', reason: 'AcceleratorsIdle', message: `The utilization of accelerators is 5 %, below 10 % since ${timeText(START)}`,
    });
    expect(job.events.filter(({ reason }) => reason === 'AcceleratorsIdle')).toHaveLength(1);
    report(job.after(60), '80');
    expect(job.condition('Idle')).toMatchObject({ status: 'False' });
    expect(job.status).toMatchObject({ phase: 'Running' });
    expect(job.status.idle).toBeUndefined();
  });

  test('is suspended when that is asked for, without a change of its spec, and counts no failure', () => {
    const job = report(report(running('Suspend'), '0').after(601), '0').settle();
    expect(job.status).toMatchObject({ phase: 'Suspended', attempt: 1, restarts: 0, disruptions: 0, idle: { suspended: { generation: 1 } } });
    expect(job.condition('Suspended')).toMatchObject({ status: 'True', reason: 'JobIdle' });
    expect(job.pods.size).toBe(0);
    expect(job.after(100_000).pass().created).toEqual([]);
    expect(job.status.phase).toBe('Suspended');
    expect(job.job.spec.suspend).toBeUndefined();
  });

  test('is not suspended for an outage in which nobody could report that it works', () => {
    const job = report(running('Suspend'), '0').after(3_600);
    job.observed = { heardSince: job.now };
    report(job, '0');
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 0 });
    report(job.after(599), '0');
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 0 });
    expect(report(job.after(3), '0').settle().status).toMatchObject({ phase: 'Suspended', attempt: 1 });
  });

  test('is still warned of when another operator takes over', () => {
    const job = report(report(running(), '0').after(601), '0').after(10);
    job.observed = { heardSince: job.now };
    report(job, '0');
    expect(job.condition('Idle')).toMatchObject({ status: 'True' });
    expect(report(job, '90').condition('Idle')).toMatchObject({ status: 'False' });
  });

  test('runs again when its spec changes', () => {
    const job = report(report(running('Suspend'), '0').after(601), '0').settle();
    job.edit({ suspend: true }).settle();
    expect(job.status.phase).toBe('Suspended');
    job.edit({ suspend: false }).after(10).run();
    expect(job.status).toMatchObject({ phase: 'Running' });
    expect(job.condition('Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed' });
    expect(job.status.idle).toBeUndefined();
  });

  test('runs again when its annotation changes, and not because of one that it had before', () => {
    const job = running('Suspend');
    job.job = { ...job.job, resume: 'monday' };
    report(report(job, '0').after(601), '0').settle();
    expect(job.status.idle!.suspended).toEqual({ generation: 1, resume: 'monday' });
    expect(job.after(1000).pass().status.phase).toBe('Suspended');
    job.job = { ...job.job, resume: 'tuesday' };
    expect(job.run().status).toMatchObject({ phase: 'Running', restarts: 0 });
  });

  test('has to show it again from the start when it runs again', () => {
    const job = report(report(running('Suspend'), '0').after(601), '0').settle();
    job.edit({ runPolicy: { backoffLimit: 7 } }).run();
    expect(report(job.after(300), '0').status.phase).toBe('Running');
    expect(report(job.after(601), '0').status.phase).toBe('Suspended');
  });
});

describe('use of accelerators', () => {
  test('is taken from a monitoring system when the script does not report it', () => {
    const job = running().after(30);
    job.observed = { utilization: { percent: 1.4, time: job.now } };
    expect(job.pass().status.idle).toMatchObject({ percent: 1 });
  });

  test('is taken from whoever measured it last', () => {
    const job = report(running(), '90');
    job.after(10);
    job.observed = { utilization: { percent: 2, time: job.now } };
    expect(job.pass().status.idle).toMatchObject({ percent: 2 });
    expect(report(job.after(10), '70', 'gpu_utilization').status.idle).toBeUndefined();
  });

  test('that nobody knows is no idleness', () => {
    expect(running().after(100_000).pass().status.idle).toBeUndefined();
    expect(report(running(), 'unknown').status.idle).toBeUndefined();
    // Reported once, and then never again.
    expect(report(running(), '1').after(5000).pass().status.idle).toBeUndefined();
  });

  test('from before a restart says nothing about the time after it', () => {
    const job = report(running(), '1').after(60);
    job.set((pod) => pod.evicted(), 'train-worker-0').pass();
    expect(job.after(10).run().status.idle).toBeUndefined();
  });
});
