import { makeJob, makePod, type JobBuilder } from '../support/builders';
import { PlannedJob, START } from '../support/planned-job';
import { timeText } from '../../../../src/operator/training/plan/timestamps';

const checked = (): JobBuilder => makeJob().pytorch(3).spec({ preflight: { timeoutSeconds: 60 } });

/** All pods are on nodes of their own and their checks have begun. */
function checking(builder = checked()): PlannedJob {
  return onNodes(new PlannedJob(builder).settle());
}

function onNodes(job: PlannedJob): PlannedJob {
  for (const name of job.pods.keys()) {
    job.set((pod) => pod.checking({ startedAt: job.now }).node(`node-of-${name}`), name);
  }
  return job.pass();
}

const fails = (job: PlannedJob, pod: string, blames?: number[], message = 'sees 7 of 8 devices') => job
  .set((builder) => builder.checking({ startedAt: START, exitCode: 1, message, ...(blames && { blames }) }).node(`node-of-${pod}`), pod).pass();

describe('a replica whose checks fail', () => {
  test('starts all again without being counted, and its node is avoided from then on', () => {
    const job = fails(checking(), 'train-worker-0', [1]);
    expect(job.status).toMatchObject({
      attempt: 1, restarts: 0, disruptions: 0, preflight: { failures: 1 }, lastRestart: { cause: 'Preflight' },
      lastFailure: { pod: 'train-worker-0', reason: 'PreflightFailed', message: 'sees 7 of 8 devices', node: 'node-of-train-worker-0', attempt: 0 },
      suspectNodes: [{ node: 'node-of-train-worker-0', reason: 'PreflightFailed', avoided: true }],
    });
    expect(job.condition('Restarting')).toMatchObject({ status: 'True', reason: 'PreflightFailed' });
    expect(job.deleted).toHaveLength(3);
    expect(job.status.nextRetryTime).toBe(timeText(START + 10_000));
  });

  test('names the peer whose node is avoided instead of its own', () => {
    expect(fails(checking(), 'train-master', [2], 'rank 0 does not reach rank 2').status.suspectNodes).toMatchObject([{ node: 'node-of-train-worker-1' }]);
  });

  test('blames no node when the checks themselves could not be run', () => {
    expect(fails(checking(), 'train-master', undefined, 'no python3').status.suspectNodes).toBeUndefined();
  });

  test('fails the job when it happens too often in a row', () => {
    const job = checking();
    for (let failure = 1; failure <= 3; failure++) {
      fails(job, 'train-worker-1', [2]);
      expect(job.status).toMatchObject({ attempt: failure, preflight: { failures: failure } });
      onNodes(job.after(1000).settle().settle());
    }
    fails(job, 'train-worker-1', [2]);
    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 0, disruptions: 0 });
    expect(job.condition('Failed')).toMatchObject({ reason: 'PreflightFailed', message: expect.stringContaining('4 times in a row') as string });
  });

  test('is forgotten once all replicas run', () => {
    const job = fails(checking(), 'train-worker-0', [1]).after(100).run();
    expect(job.status).toMatchObject({ phase: 'Running', restarts: 0 });
    expect(job.status.preflight).toBeUndefined();
  });

  test('is a disruption when the cluster takes a peer away', () => {
    const job = checking().set((pod) => pod.evicted(), 'train-worker-1');
    fails(job, 'train-master', [2]);
    expect(job.status).toMatchObject({ attempt: 1, restarts: 0, disruptions: 1 });
    expect(job.status.preflight).toBeUndefined();
  });

  test('is not late when a peer that was taken away is what it waits for', () => {
    const job = checking().after(61).set((pod) => pod.evicted(), 'train-worker-1').pass();
    expect(job.status).toMatchObject({ attempt: 1, disruptions: 1, lastRestart: { cause: 'Disruption' } });
    expect(job.status.preflight).toBeUndefined();
  });

  test('is replaced by itself where replicas do not depend on each other', () => {
    const job = checking(makeJob().plain(3).spec({ preflight: {} }));
    fails(job, 'train-worker-1', [1]);
    expect(job.status).toMatchObject({ attempt: 0, preflight: { failures: 1 }, replacing: [{ pod: 'train-worker-1' }] });
    expect(job.deleted).toEqual(['train-worker-1']);
  });

  test('does not mark nodes where the job avoids none', () => {
    const job = checking(checked().runPolicy({ nodeAvoidance: { afterFailures: 0 } }));
    expect(fails(job, 'train-worker-0', [1]).status.suspectNodes).toBeUndefined();
  });
});

describe('a peer that never comes', () => {
  test('is waited for without a limit while its own checks have not begun', () => {
    const job = new PlannedJob(checked()).settle().set((pod) => pod.checking({ startedAt: START }), 'train-master', 'train-worker-0');
    expect(job.after(100_000).pass().status).toMatchObject({ phase: 'Pending', attempt: 0 });
  });

  test('ends the attempt when the checks of all have begun and the time is over', () => {
    const job = checking().after(60).pass();
    expect(job.status.attempt).toBe(0);
    job.after(1).pass();
    expect(job.status).toMatchObject({
      attempt: 1, restarts: 0, disruptions: 0, preflight: { failures: 1, unexplained: true },
      lastFailure: { reason: 'PreflightFailed', message: 'the network check did not end within 60 s after all replicas started it' },
    });
  });

  test('is waited for no longer once every check has passed', () => {
    const job = checking().setAll((pod) => pod.checking({ startedAt: START, exitCode: 0 }));
    expect(job.after(1000).pass().status.attempt).toBe(0);
  });

  test('is named by rank 0 as it leaves, and its node is avoided before the next pods are made', () => {
    const job = checking().after(61);
    const gone = (name: string, blames: number[], message: string) => makePod(name).checking({ startedAt: START, exitCode: 143, message, blames }).node(`node-of-${name}`);
    job.pass();
    job.observed = { departed: [
      gone('train-master', [2], 'rank 0 waited for rank 2, which did not come'),
      gone('train-worker-0', [], 'rank 1 waited for rank 0 to report that all replicas are connected'),
      gone('train-worker-1', [], ''),
    ].map((pod) => pod.build()) };
    const explained = job.plan();
    expect(explained).toMatchObject({ decided: true, actions: [] });
    expect(explained.status).toMatchObject({
      preflight: { failures: 1 },
      suspectNodes: [{ node: 'node-of-train-worker-1', avoided: true }],
      lastFailure: { message: expect.stringMatching(/after all replicas started it; rank 0 waited for rank 2, which did not come$/) as string },
    });
    expect(explained.status.preflight).not.toHaveProperty('unexplained');
    expect(job.pass().after(20).pass().created).toHaveLength(3);
  });
});
