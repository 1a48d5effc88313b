import { makeJob } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

const started = () => new PlannedJob(makeJob().pytorch(3).restartPolicy('OnFailure')).pass();

describe('a pod that cannot start', () => {
  it.each(['ImagePullFailed', 'ContainerConfigError', 'ContainerStartFailed'])('%s fails the job after startTimeoutSeconds, and not before', (reason) => {
    const job = started().set((pod) => pod.stuck(reason), 'train-worker-1').pass();
    expect(job.status).toMatchObject({ phase: 'Pending', stuckStart: { pod: 'train-worker-1', reason, since: '2026-03-01T12:00:00Z' } });
    expect(job.requeueAfterMs).toBe(300_000);
    expect(job.events).toEqual([expect.objectContaining({ type: 'Warning', reason })]);
    expect(job.after(300).pass().status.phase).toBe('Pending');

    job.after(1).pass();
    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 0, lastFailure: { pod: 'train-worker-1', rank: 2, reason } });
    expect(job.condition('Failed')).toMatchObject({
      reason, message: `train-worker-1 (rank 2, worker) cannot start for more than 300 s (spec.runPolicy.startTimeoutSeconds): container training: ${reason}`,
    });
  });

  it('fails the job at once when no waiting can help', () => {
    const job = started().set((pod) => pod.stuck('InvalidImageName', true), 'train-worker-1').pass();

    expect(job.condition('Failed')?.reason).toBe('InvalidImageName');
  });

  it('has the time that the job says', () => {
    const job = new PlannedJob(makeJob().pytorch(2).runPolicy({ startTimeoutSeconds: 10 })).pass().set((pod) => pod.stuck('ImagePullFailed'), 'train-master').pass();

    expect(job.after(11).pass().status.phase).toBe('Failed');
  });

  it('is forgiven when it gets on', () => {
    const job = started().set((pod) => pod.stuck('ImagePullFailed'), 'train-worker-1').pass().after(299);

    job.set((pod) => pod.running(), 'train-worker-1').pass().after(1000).pass();
    expect(job.status).toMatchObject({ phase: 'Pending' });
    expect(job.status.stuckStart).toBeUndefined();
  });

  it('is watched one at a time: the next one\'s time begins when the first has got on', () => {
    const job = started().set((pod) => pod.stuck('ImagePullFailed'), 'train-worker-0', 'train-worker-1').pass().after(200);

    job.set((pod) => pod.running(), 'train-worker-0').pass();
    expect(job.status.stuckStart).toMatchObject({ pod: 'train-worker-1', since: '2026-03-01T12:03:20Z' });
    expect(job.after(300).pass().status.phase).toBe('Pending');
    expect(job.after(1).pass().status.phase).toBe('Failed');
  });

  it('has no longer for a clock that was set back', () => {
    const job = started().set((pod) => pod.stuck('ImagePullFailed'), 'train-worker-1').pass().after(-3600).pass();

    expect(job.after(301).pass().status.phase).toBe('Failed');
  });

  it('has no less for a clock that was set forward', () => {
    const job = started().set((pod) => pod.stuck('ImagePullFailed'), 'train-worker-1').pass().after(3600);
    job.observed = { clockSteadySince: job.now };
    expect(job.pass().after(300).pass().status.phase).toBe('Pending');

    expect(job.after(1).pass().status.phase).toBe('Failed');
  });

  it('for want of a node has all the time there is', () => {
    const job = started().setAll((pod) => pod.waiting('Unschedulable: 0/8 nodes are available')).pass().after(1_000_000).pass();

    expect(job.status.phase).toBe('Pending');
    expect(job.status.stuckStart).toBeUndefined();
  });
});

describe('a program that is not there', () => {
  it('fails the job at once, whatever the restart policy says', () => {
    const job = started().set((pod) => pod.failed(128, { reason: 'StartError', permanent: true, logTail: 'exec: "trian.py": executable file not found in $PATH' }), 'train-worker-1').pass();

    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 0 });
    expect(job.condition('Failed')).toMatchObject({ reason: 'ContainerStartFailed' });
    expect(job.condition('Failed')?.message).toContain('executable file not found');
  });
});
