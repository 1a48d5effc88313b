import { makeJob, makePod } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

const gang = () => makeJob().pytorch(2);

describe('suspending a job', () => {
  it('removes its pods and says so', () => {
    const job = new PlannedJob(gang()).run().edit({ suspend: true }).pass();

    expect(job.status).toMatchObject({ phase: 'Suspended', observedGeneration: 2, attempt: 1, attemptStarted: false });
    expect(job.condition('Suspended')).toMatchObject({ status: 'True', reason: 'JobSuspended', observedGeneration: 2 });
    expect(job.condition('Running')).toMatchObject({ status: 'False' });
    expect(job.deleted).toEqual(['train-master', 'train-worker-0']);
    expect(job.events).toEqual([expect.objectContaining({ type: 'Normal', reason: 'JobSuspended' })]);
    expect(job.pass().actions).toEqual([]);
    expect(job.status).toMatchObject({ phase: 'Suspended', ready: '0/2' });
  });

  it('is not a disruption, and no failure', () => {
    const job = new PlannedJob(gang()).run().edit({ suspend: true }).settle().edit({ suspend: false }).run();

    expect(job.status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 0 });
    expect(job.status.lastFailure).toBeUndefined();
  });

  it('from the beginning creates nothing, and starts with attempt 0 later', () => {
    const job = new PlannedJob(gang().suspended()).settle();
    expect(job.status).toMatchObject({ phase: 'Suspended', attempt: 0 });
    expect(job.pods.size).toBe(0);

    job.edit({ suspend: false }).pass();

    expect(job.created).toEqual(['train-master', 'train-worker-0']);
    expect(job.status).toMatchObject({ phase: 'Pending', attempt: 0 });
  });

  it('ends the wait for whether a failure ends the job, also before anything else was written of it', () => {
    const job = new PlannedJob(gang().suspended());
    const provisionalFailure = { attempt: 0, time: '2026-03-01T12:00:00Z', pod: 'train-master', node: 'n', reason: 'Error', puts: 'End' } as const;
    job.job = { ...job.job, status: { provisionalFailure } };
    job.settle();
    expect(job.status).toMatchObject({ phase: 'Suspended', attempt: 1 });
    expect(job.status.provisionalFailure).toBeUndefined();
    expect(job.requeueAfterMs).toBeUndefined();
  });

  it('ends a pause, and the deadline does not run meanwhile', () => {
    const job = new PlannedJob(gang().restartPolicy('OnFailure').deadline(300)).run().set((pod) => pod.failed(1), 'train-master').pass();
    expect(job.status.nextRetryTime).toBeDefined();

    job.edit({ suspend: true }).settle();

    expect(job.status.nextRetryTime).toBeUndefined();
    expect(job.requeueAfterMs).toBeUndefined();
    expect(job.condition('Restarting')?.status).toBe('False');
    job.after(10_000).edit({ suspend: false }).settle();
    expect(job.status.phase).toBe('Pending');
    expect(job.requeueAfterMs).toBe(300_000);
  });

  it('removes also a pod that is seen only afterwards, because its creation was on its way', () => {
    const job = new PlannedJob(gang().suspended()).settle();
    job.pods.set('train-worker-0', makePod('train-worker-0').running().build());

    job.pass();

    expect(job.deleted).toEqual(['train-worker-0']);
    expect(job.status).toMatchObject({ phase: 'Suspended', attempt: 1 });
  });

  it('starts a gang again as a whole', () => {
    const job = new PlannedJob(makeJob().jax(3)).run().set((pod) => pod.succeeded(), 'train-worker-1').pass().edit({ suspend: true }).settle();

    job.edit({ suspend: false }).settle();

    expect([...job.pods.keys()]).toEqual(['train-worker-0', 'train-worker-1', 'train-worker-2']);
  });

  it('keeps what independent replicas have achieved', () => {
    const job = new PlannedJob(makeJob().plain(3)).run().set((pod) => pod.succeeded(), 'train-worker-1').edit({ suspend: true }).settle();
    expect(job.status.workerStatuses).toMatchObject([{ succeeded: 1, succeededIndexes: '1' }]);

    job.edit({ suspend: false }).settle();
    expect([...job.pods.keys()]).toEqual(['train-worker-0', 'train-worker-2']);
    job.setAll((pod) => pod.succeeded()).pass();

    expect(job.status.phase).toBe('Completed');
  });
});

describe('resuming a job', () => {
  it('says so, starts its clock anew, and waits for the pods of the last attempt', () => {
    const job = new PlannedJob(gang()).run().edit({ suspend: true });
    job.pass();
    job.pods.set('train-master', makePod('train-master').running().deleting().build());

    job.after(100).edit({ suspend: false }).pass();

    expect(job.status).toMatchObject({ phase: 'Pending', startTime: '2026-03-01T12:01:40Z', observedGeneration: 3, attempt: 1 });
    expect(job.condition('Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed', lastTransitionTime: '2026-03-01T12:01:40Z' });
    expect(job.created).toEqual([]);
    expect(job.lose('train-master').pass().created).toEqual(['train-master', 'train-worker-0']);
    expect(job.events.map((event) => event.reason)).toEqual(['JobSuspended', 'JobResumed']);
  });

  it.each([
    ['success', () => new PlannedJob(makeJob().plain(1)).run().edit({ suspend: true })],
    ['refusal', () => new PlannedJob(gang().suspended()).settle().edit({ image: '' })],
  ])('is not needed for the end of a job: after %s it counts as suspended no more', (end, bring) => {
    const job = bring();
    job.pods.forEach((pod) => job.set((builder) => builder.succeeded(), pod.name));

    job.pass();

    expect(job.status.phase).toBe(end === 'success' ? 'Completed' : 'Failed');
    expect(job.condition('Suspended')?.status).not.toBe('True');
  });
});
