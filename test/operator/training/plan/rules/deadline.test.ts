import { makeJob } from '../../support/builders';
import { PlannedJob } from '../../support/planned-job';

const waiting = () => new PlannedJob(makeJob().pytorch(2).runPolicy({ preRunningDeadlineSeconds: 600 })).pass();

describe('a job with preRunningDeadlineSeconds', () => {
  it('fails when not all of its replicas have run by then, and not before', () => {
    const job = waiting().set((pod) => pod.running(), 'train-master').pass();
    expect(job.requeueAfterMs).toBe(600_000);
    expect(job.after(599).pass().status.phase).toBe('Pending');

    job.after(1).pass();
    expect(job.status.phase).toBe('Failed');
    expect(job.condition('Failed')).toMatchObject({
      reason: 'PreRunningDeadlineExceeded', message: 'not all replicas were running within spec.runPolicy.preRunningDeadlineSeconds (600)',
    });
  });

  it('is left alone once it has run, also while it starts again', () => {
    const job = waiting().setAll((pod) => pod.running()).pass();
    expect(job.status.phase).toBe('Running');
    job.set((pod) => pod.evicted(), 'train-worker-0').pass().after(3600).pass();
    expect(job.status.phase).toBe('Restarting');
  });

  it('waits from when it was resumed', () => {
    const job = waiting().edit({ suspend: true }).pass().pass().after(3600).pass();
    expect(job.status.phase).toBe('Suspended');
    job.edit({ suspend: false }).pass().pass();
    expect(job.after(599).pass().status.phase).toBe('Pending');
    expect(job.after(1).pass().condition('Failed')?.reason).toBe('PreRunningDeadlineExceeded');
  });

  it('fails at the earlier of its deadlines', () => {
    const job = new PlannedJob(makeJob().pytorch(2).runPolicy({ preRunningDeadlineSeconds: 600, activeDeadlineSeconds: 60 })).pass();
    expect(job.requeueAfterMs).toBe(60_000);
    expect(job.after(60).pass().condition('Failed')?.reason).toBe('DeadlineExceeded');
  });
});
