import { makeJob } from '../../support/builders';
import { PlannedJob, START } from '../../support/planned-job';

const job = () => new PlannedJob(makeJob().pytorch(2).restartPolicy('OnFailure').backoff({ initialSeconds: 10 })).run();
const fail = (planned: PlannedJob) => planned.set((pod) => pod.failed(1), 'train-worker-0').pass();
const back = (planned: PlannedJob, seconds: number) => planned.after(seconds).settle().setAll((pod) => pod.running()).pass();
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

/** The script has saved its state. */
function saved(planned: PlannedJob, seconds: number): PlannedJob {
  planned.job = { ...planned.job, status: { ...planned.status, checkpoint: { path: '/c', time: at(seconds) } } };
  return planned;
}

describe('lost time', () => {
  it('is that since the last checkpoint, and until all replicas run again', () => {
    const planned = fail(saved(job(), 100).after(130));
    expect(planned.status).toMatchObject({ lostSince: at(100), lastRestart: { time: at(130), cause: 'Failure', reason: 'Error' } });

    back(planned, 20);
    expect(planned.status).toMatchObject({ lostSeconds: 50, lastRestart: { lostSeconds: 50 } });
    expect(planned.status.lostSince).toBeUndefined();
  });

  it('begins with the attempt when nothing was saved in it', () => {
    expect(back(fail(job().after(200)), 10).status.lostSeconds).toBe(210);
    const resumed = back(fail(saved(job(), 10).after(20)), 15);
    expect(resumed.status.lostSeconds).toBe(25);
    // The checkpoint is older than the attempt that lost its work now.
    expect(back(fail(resumed.after(30)), 30).status.lostSeconds).toBe(25 + 60);
  });

  it('is that since the attempt began when a script reports progress and no checkpoint', () => {
    const planned = job().after(100);
    planned.job = { ...planned.job, status: { ...planned.status, lastProgressTime: at(90) } };

    expect(fail(planned).status.lostSince).toBe(at(0));
  });

  it('of restarts that follow each other counts once', () => {
    const planned = fail(saved(job(), 100).after(110)).after(10).settle().setAll((pod) => pod.failed(1)).pass();

    expect(back(planned, 30).status).toMatchObject({ restarts: 2, lostSeconds: 50 });
  });

  it('tells disruptions from failures', () => {
    const planned = job().set((pod) => pod.evicted(), 'train-worker-0').pass();

    expect(planned.status.lastRestart).toMatchObject({ cause: 'Disruption', reason: 'Evicted' });
  });

  it('ends when the job is suspended or has failed', () => {
    expect(fail(job().after(5)).after(5).edit({ suspend: true }).pass().status).toMatchObject({ lostSeconds: 10 });
    const failed = fail(job().after(5)).after(5);
    failed.edit({ runPolicy: { ...failed.job.spec.runPolicy, activeDeadlineSeconds: 1 } });
    expect(failed.pass().status).toMatchObject({ phase: 'Failed', lostSeconds: 10 });
  });

  it.each([-3600, 3600])('is never negative when the clock jumps by %i s', (jump) => {
    const evict = (planned: PlannedJob) => planned.set((pod) => pod.evicted(), 'train-worker-0').pass();

    expect(back(evict(saved(job(), 100).after(130)), jump).status.lostSeconds).toBe(Math.max(0, 30 + jump));
    expect(back(evict(saved(job(), 100).after(130).after(jump)), 20).status.lostSeconds).toBe(jump < 0 ? 20 : 50 + jump);
  });
});

describe('lost time of an elastic job that goes on without a replica', () => {
  const elastic = (framework: 'pytorch' | 'horovod') => new PlannedJob(
    makeJob().framework(framework, 4).restartPolicy('OnFailure').spec({ elastic: { minReplicas: 2, maxReplicas: 4 } })).run();
  const lose = (planned: PlannedJob) => planned.lose('train-worker-1').pass();

  it('is the work since the last checkpoint, from which torchrun starts all again, and not the wait for the replacement', () => {
    const planned = lose(saved(elastic('pytorch'), 100).after(130));
    expect(planned.status).toMatchObject({ phase: 'Running', lostSeconds: 30, lastRestart: { time: at(130), cause: 'Disruption', reason: 'PodLost', lostSeconds: 30 } });
    expect(planned.status.lostSince).toBeUndefined();

    planned.after(600).set((pod) => pod.running(), 'train-worker-1').pass();
    expect(planned.status).toMatchObject({ lostSeconds: 30 });
  });

  it('is not lost a second time with the next replica', () => {
    const planned = lose(elastic('pytorch').after(100)).set((pod) => pod.running(), 'train-worker-1').pass();
    expect(planned.status.lostSeconds).toBe(100);

    expect(lose(planned.after(20)).status).toMatchObject({ lostSeconds: 120, lastRestart: { lostSeconds: 20 } });
  });

  it('is none with Horovod, whose workers go on from what they have in memory', () => {
    const planned = lose(saved(elastic('horovod'), 100).after(130));

    expect(planned.status).toMatchObject({ phase: 'Running', disruptions: 1, lastRestart: { cause: 'Disruption', lostSeconds: 0 } });
    expect(planned.status.lostSeconds ?? 0).toBe(0);
  });
});
