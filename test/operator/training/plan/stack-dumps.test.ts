import { makeJob, makePod } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

const WAITS = 'process 7: python3 train.py --rank 0\nmain thread:\n  File "train.py", line 3 in all_reduce';
const READS = 'process 9: python3 train.py --rank 5\nmain thread:\n  File "train.py", line 8 in load_batch';

/** A gang whose program was silent for too long. */
function stalled(replicas: number, action: 'Restart' | 'Fail' = 'Restart'): PlannedJob {
  return new PlannedJob(makeJob().jax(replicas).spec({ debug: {} }).runPolicy({ stall: { timeoutSeconds: 60, action }, restartPolicy: 'OnFailure' })).run().after(61);
}

const gone = (index: number, stacks: string, attempt = 0) => makePod(`train-worker-${index}`).attempt(attempt).withStacks(stacks).build();

describe('stacks of pods that were taken away', () => {
  test('stand with the failure, those that are the same once', () => {
    const job = stalled(4).pass();
    job.observed = { departed: [0, 1, 3].map((index) => gone(index, WAITS.replace('process 7', `process ${index}`))).concat(gone(2, READS)) };
    expect(job.pass().status.lastFailure).toMatchObject({
      reason: 'Stalled',
      stackDumps: [
        { role: 'worker', indexes: '0-1,3', pod: 'train-worker-0', stacks: WAITS.replace('process 7', 'process 0') },
        { role: 'worker', indexes: '2', pod: 'train-worker-2', stacks: READS },
      ],
    });
    const once = job.status;
    expect(job.pass().status).toEqual(once);
  });

  test('are read while the pods are still there', () => {
    const job = stalled(2).pass();
    job.pods.set('train-worker-1', { ...gone(1, READS), deleting: true });
    expect(job.pass().status.lastFailure!.stackDumps).toMatchObject([{ indexes: '1' }]);
  });

  test('of another attempt than the failure say nothing about it', () => {
    const job = stalled(2).pass();
    job.observed = { departed: [gone(0, WAITS, 1)] };
    expect(job.pass().status.lastFailure!.stackDumps).toBeUndefined();
  });

  test('are added to a job that has failed, and nothing else is', () => {
    const job = stalled(2, 'Fail').pass();
    const failed = job.status;
    job.observed = { departed: [gone(0, WAITS)] };
    type Dumped = typeof failed & { lastFailure: object & { stackDumps: unknown } };
    const { lastFailure: { stackDumps, ...failure }, ...rest } = job.pass().status as Dumped;
    expect(stackDumps).toMatchObject([{ indexes: '0', stacks: WAITS }]);
    expect({ ...rest, lastFailure: failure }).toEqual(failed);
  });

  test('stay within bounds, however many replicas there are and whatever they show', () => {
    const job = stalled(2000).pass();
    job.observed = { departed: Array.from({ length: 1000 }, (_, index) => gone(2 * index, `${index % 7}${'x'.repeat(5000)}`)) };
    const { stackDumps } = job.pass().status.lastFailure!;
    expect(stackDumps).toHaveLength(4);
    expect(stackDumps![0].indexes).toMatch(/,\.\.\.$/);
    expect(JSON.stringify(stackDumps).length).toBeLessThan(10_000);
    expect(job.pass().status.lastFailure!.stackDumps).toEqual(stackDumps);
  });
});
