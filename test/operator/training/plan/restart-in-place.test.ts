import { makeJob, type JobBuilder } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

const singles = () => makeJob().plain(3).restartPolicy('OnFailure').backoffLimit(3);
const running = (builder: JobBuilder) => new PlannedJob(builder).run();

describe('a container that the kubelet starts again', () => {
  it('counts as a restart, names its failure, and leaves pods and pauses to the kubelet', () => {
    const job = running(singles()).set((pod) => pod.node('gpu-7').waiting('CrashLoopBackOff').restarted(1, 3, { logTail: 'nan' }), 'train-worker-1').pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', restarts: 1, containerRestarts: 1, attempt: 0, lastFailure: { pod: 'train-worker-1', exitCode: 3, logTail: 'nan' } });
    expect(job.status.nextRetryTime).toBeUndefined();
    expect(job.actions).toEqual([]);
    expect(job.condition('Restarting')).toMatchObject({ status: 'True', reason: 'JobRestarting' });
    expect(job.condition('Restarting')?.message).toContain('the kubelet starts its container again');
    expect(job.set((pod) => pod.running().restarted(1, 3), 'train-worker-1').pass().status).toMatchObject({ phase: 'Running', restarts: 1 });
  });

  it('is counted once, however often the planner looks and whoever plans next', () => {
    const job = running(singles()).set((pod) => pod.running().restarted(2, 1), 'train-worker-1').pass();
    expect(job.status.restarts).toBe(2);

    expect(job.pass().pass().status.restarts).toBe(2);
    const successor = new PlannedJob(singles().status(job.status));
    job.pods.forEach((pod, name) => successor.pods.set(name, pod));
    expect(successor.pass().status.restarts).toBe(2);
  });

  it('is counted when several pods fail at the same time, and after a pod with failures has gone', () => {
    const job = running(singles().backoffLimit(100)).set((pod) => pod.running().restarted(2, 1), 'train-worker-1', 'train-worker-2').pass();
    expect(job.status).toMatchObject({ restarts: 4, containerRestarts: 4 });

    job.lose('train-worker-2').settle();
    expect(job.status).toMatchObject({ restarts: 4, disruptions: 1, containerRestarts: 2 });
    job.set((pod) => pod.running().restarted(3, 1), 'train-worker-1').pass();
    expect(job.status).toMatchObject({ restarts: 5, containerRestarts: 3 });
  });

  it('is forgotten with the attempt, and its count is not', () => {
    const job = running(singles()).set((pod) => pod.running().restarted(2, 1), 'train-worker-1').pass().edit({ suspend: true }).pass();

    expect(job.status).toMatchObject({ phase: 'Suspended', restarts: 2 });
    expect(job.status.containerRestarts).toBeUndefined();
  });

  it('fails the job when it failed once more than the limit allows', () => {
    const job = running(singles());
    expect(job.set((pod) => pod.running().restarted(3, 1), 'train-worker-1').pass().status).toMatchObject({ phase: 'Running', restarts: 3 });

    job.set((pod) => pod.waiting('CrashLoopBackOff').restarted(4, 9), 'train-worker-1').pass();
    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 3, lastFailure: { exitCode: 9 } });
    expect(job.condition('Failed')?.reason).toBe('BackoffLimitExceeded');
  });

  it('fails the job at once when its command does not exist', () => {
    const job = running(singles()).set((pod) => pod.waiting('CrashLoopBackOff').restarted(1, 128, { reason: 'StartError', permanent: true }), 'train-worker-1').pass();

    expect(job.condition('Failed')?.reason).toBe('ContainerStartFailed');
  });

  it('is a disruption when the kubelet had lost it, and none of both when it only ended', () => {
    const lost = running(singles()).set((pod) => pod.running().restarted(1, 255, { disruption: true, reason: 'Unknown' }), 'train-worker-1').pass();
    expect(lost.status).toMatchObject({ restarts: 0, disruptions: 1 });

    const ended = running(makeJob().spec({ framework: 'plain' }).successPolicy('Coordinator').roles({ lead: 1, actor: { replicas: 2, restartPolicy: 'Always' } }))
      .set((pod) => pod.running().restarted(1, 0), 'train-actor-1').pass();
    expect(ended.status).toMatchObject({ restarts: 0, disruptions: 0, containerRestarts: 1 });
  });

  it('takes its count with it when its pod is replaced, so that those of the others are not lost', () => {
    const job = running(singles().backoffLimit(100)).set((pod) => pod.running().restarted(2, 1), 'train-worker-0', 'train-worker-1').pass();

    job.set((pod) => pod.evicted().restarted(2, 1), 'train-worker-1').pass();
    expect(job.status).toMatchObject({ restarts: 4, disruptions: 1, containerRestarts: 2 });
  });
});
