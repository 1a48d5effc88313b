import { EXIT_CODES } from '../simulation/nodes';
import { RESTART_POLICIES, type RestartPolicy } from '../../../../../src/model/training-job/run-policy';
import { MAX_REPLACING } from '../../../../../src/operator/training/plan/failures/failures';
import { makeJob, type JobBuilder } from '../../support/builders';
import { PlannedJob, START } from '../../support/planned-job';

/** PyTorch is a gang, plain replicas are independent. */
const gang = () => makeJob().pytorch(3);
const singles = () => makeJob().plain(3);
const GANG = ['train-master', 'train-worker-0', 'train-worker-1'];
const SINGLES = ['train-worker-0', 'train-worker-1', 'train-worker-2'];

const running = (builder: JobBuilder) => new PlannedJob(builder).run();
const seconds = (text: string | undefined) => (Date.parse(text!) - START) / 1000;

describe('a failure that ends the job', () => {
  it('names rank, pod, node, exit code, signal, reason and the last lines of the log', () => {
    const job = running(gang());

    job.set((pod) => pod.node('gpu-7').failed(139, { reason: 'Error', logTail: 'loss nan\nSegmentation fault', time: '2026-03-01T12:00:05Z' }), 'train-worker-1').pass();

    expect(job.status).toMatchObject({ phase: 'Failed', completionTime: '2026-03-01T12:00:00Z', restarts: 0 });
    expect(job.status.lastFailure).toMatchObject({
      role: 'worker', index: 1, rank: 2, pod: 'train-worker-1', node: 'gpu-7', container: 'training', exitCode: 139, signal: 'SIGSEGV', reason: 'Error',
      logTail: 'loss nan\nSegmentation fault', attempt: 0, time: '2026-03-01T12:00:05Z',
    });
    expect(job.condition('Failed')).toMatchObject({
      status: 'True', reason: 'ReplicaFailed', message: 'train-worker-1 (rank 2, worker) on node gpu-7 exited with code 139 (SIGSEGV): Error',
    });
    expect(job.condition('Running')?.status).toBe('False');
    expect(job.events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'ReplicaFailed' })]);
  });

  it('of several failures names the earliest, because the others are most often its echo', () => {
    const job = running(gang());

    job.set((pod) => pod.failed(1, { time: '2026-03-01T12:00:09Z' }), 'train-master', 'train-worker-1')
      .set((pod) => pod.failed(2, { time: '2026-03-01T12:00:08Z' }), 'train-worker-0').pass();

    expect(job.status.lastFailure).toMatchObject({ pod: 'train-worker-0', exitCode: 2 });
  });

  it('of failures in the same second names the lowest rank', () => {
    const job = running(gang()).setAll((pod) => pod.failed(1, { time: '2026-03-01T12:00:09Z' })).pass();

    expect(job.status.lastFailure?.pod).toBe('train-master');
  });

  it('of a replica without a rank says so by leaving it out', () => {
    const job = running(makeJob().mpi(1)).set((pod) => pod.failed(1), 'train-launcher').pass();

    expect(job.status.lastFailure).not.toHaveProperty('rank', expect.anything());
    expect(job.condition('Failed')?.message).toBe('train-launcher (launcher) exited with code 1: Error');
  });

  it('before all replicas ran is a failure too', () => {
    const job = new PlannedJob(gang()).pass().set((pod) => pod.failed(1), 'train-master').pass();

    expect(job.status.phase).toBe('Failed');
  });
});

describe('restart policies', () => {
  const isRetried = (policy: RestartPolicy, code: number) => policy === 'OnFailure' || policy === 'Always' || (policy === 'ExitCode' && code >= 128);
  const cases = RESTART_POLICIES.flatMap((policy) => EXIT_CODES.map((code) => [policy, code, isRetried(policy, code)] as const));

  it.each(cases)('gang, %s, exit code %i: retried is %s', (policy, code, retried) => {
    // The master decides success, so that it cannot be Always.
    const job = running(makeJob().spec({ framework: 'pytorch' }).roles({ master: 1, worker: { replicas: 2, restartPolicy: policy } }));

    job.set((pod) => pod.failed(code), 'train-worker-1').pass();

    expect(job.status.phase).toBe(retried ? 'Restarting' : 'Failed');
    expect(job.status.restarts).toBe(retried ? 1 : 0);
    expect(job.status.attempt).toBe(retried ? 1 : 0);
    // Of a failed job only what still runs is removed.
    expect([...job.deleted].sort()).toEqual(retried ? GANG : ['train-master', 'train-worker-0']);
  });

  it.each(cases)('independent replicas, %s, exit code %i: retried is %s', (policy, code, retried) => {
    const job = running(makeJob().spec({ framework: 'plain' }).successPolicy('Coordinator').roles({ lead: 1, actor: { replicas: 2, restartPolicy: policy } }));

    job.set((pod) => pod.failed(code), 'train-actor-1').pass();

    expect(job.status.phase).toBe(retried ? 'Restarting' : 'Failed');
    expect(job.status.restarts).toBe(retried ? 1 : 0);
    expect(job.status.attempt).toBe(0);
    expect(job.deleted).toEqual(retried ? ['train-actor-1'] : ['train-lead-0', 'train-actor-0']);
  });

  it('a role that is always restarted is restarted after success too, alone and uncounted', () => {
    const job = running(makeJob().spec({ framework: 'pytorch' }).roles({ master: 1, worker: { replicas: 2, restartPolicy: 'Always' } }));

    job.set((pod) => pod.succeeded(), 'train-worker-0').settle();

    expect(job.pods.get('train-worker-0')?.state).toBe('Waiting');
    expect(job.status).toMatchObject({ attempt: 0, restarts: 0, disruptions: 0 });
    expect(job.status.lastFailure).toBeUndefined();
    expect(job.events).toContainEqual({ type: 'Warning', reason: 'JobRestarting', message: 'train-worker-0 (rank 1, worker) exited with code 0: Completed; the replica is replaced' });
  });

  it('a failure beside the mere end of such a replica is the cause of a restart', () => {
    const job = running(makeJob().spec({ framework: 'pytorch' })
      .roles({ master: { restartPolicy: 'OnFailure' }, worker: { replicas: 2, restartPolicy: 'Always' } }));

    job.set((pod) => pod.succeeded(), 'train-worker-0').set((pod) => pod.failed(3), 'train-worker-1').pass();

    expect(job.status.lastFailure).toMatchObject({ pod: 'train-worker-1', exitCode: 3 });
    expect(job.status).toMatchObject({ attempt: 1, restarts: 1 });
  });
});

describe('exit codes with a meaning of their own', () => {
  const codes = { recover: [85], retry: [2], fail: [137] };

  it.each([['gang', gang, 'train-worker-0'], ['independent replicas', singles, 'train-worker-0']] as const)('%s', (_, builder, name) => {
    const after = (code: number) => running(builder().restartPolicy('ExitCode').exitCodes(codes)).set((pod) => pod.failed(code), name).pass().status;

    expect(after(85)).toMatchObject({ phase: 'Restarting', restarts: 0, disruptions: 0 });
    expect(after(85).nextRetryTime).toBeUndefined();
    expect(after(85).lastFailure).toMatchObject({ exitCode: 85 });
    expect(after(2)).toMatchObject({ phase: 'Restarting', restarts: 1 });
    expect(after(137)).toMatchObject({ phase: 'Failed', restarts: 0 });
    expect(after(143)).toMatchObject({ phase: 'Restarting', restarts: 1 });
    expect(after(3)).toMatchObject({ phase: 'Failed' });
  });
});

describe('a gang that restarts', () => {
  it('waits until every pod of the last attempt is gone', () => {
    const job = running(gang().restartPolicy('OnFailure').backoff({ initialSeconds: 1 })).set((pod) => pod.failed(1), 'train-worker-1').pass();
    expect(job.pods.size).toBe(0);
    // One pod takes its time to go.
    job.pods.set('train-master', { name: 'train-master', uid: 'old', attempt: 0, state: 'Running', deleting: true, lingering: false });

    expect(job.after(60).pass().actions).toEqual([]);
    expect(job.lose('train-master').pass().created).toEqual(GANG);
    expect([...job.pods.values()].map((pod) => pod.attempt)).toEqual([1, 1, 1]);
  });

  it('counts nothing that pods of the last attempt do while they leave', () => {
    const job = running(gang().restartPolicy('OnFailure')).set((pod) => pod.failed(1), 'train-worker-1').pass();
    for (const name of GANG) {
      job.pods.set(name, { name, uid: `old-${name}`, attempt: 0, state: 'Failed', deleting: true, lingering: false, failure: { disruption: false, exitCode: 143, reason: 'Error' } });
    }

    job.pass().lose(...GANG).pass();

    expect(job.status).toMatchObject({ restarts: 1, disruptions: 0, attempt: 1 });
  });

  it('says so, and says when it runs again', () => {
    const job = running(gang().restartPolicy('OnFailure')).set((pod) => pod.failed(1), 'train-worker-1').pass();
    expect(job.condition('Restarting')).toMatchObject({ status: 'True', reason: 'JobRestarting' });
    expect(job.condition('Restarting')?.message).toBe('train-worker-1 (rank 2, worker) exited with code 1: Error; all 3 replicas start again as attempt 1');

    job.after(10).run();

    expect(job.status.phase).toBe('Running');
    expect(job.condition('Restarting')).toMatchObject({ status: 'False', reason: 'Restarted' });
    expect(job.events.map((event) => event.reason)).toEqual(['JobRestarting', 'JobRunning']);
  });

  it('starts replicas again that had succeeded', () => {
    const job = running(makeJob().jax(3).restartPolicy('OnFailure'));

    job.set((pod) => pod.succeeded(), 'train-worker-0').pass().set((pod) => pod.failed(1), 'train-worker-1').pass();

    expect(job.status.workerStatuses?.[0].succeededIndexes).toBeUndefined();
    expect(job.after(10).pass().created).toEqual(SINGLES);
  });
});

describe('independent replicas that fail', () => {
  it('are replaced while the others go on', () => {
    const job = running(singles().restartPolicy('OnFailure')).set((pod) => pod.failed(1), 'train-worker-1').pass();

    expect(job.deleted).toEqual(['train-worker-1']);
    expect(job.status.replacing).toEqual([{ pod: 'train-worker-1', uid: 'uid-2' }]);
    job.after(10).settle();
    expect(job.pods.get('train-worker-1')).toMatchObject({ uid: 'uid-4', attempt: 0, state: 'Waiting' });
    expect(job.pods.get('train-worker-0')).toMatchObject({ uid: 'uid-1', state: 'Running' });
    expect(job.status.replacing).toBeUndefined();
  });

  it('keep their successes while others are replaced', () => {
    const job = running(singles().restartPolicy('OnFailure')).set((pod) => pod.succeeded(), 'train-worker-0').pass();

    job.lose('train-worker-0').set((pod) => pod.failed(1), 'train-worker-1').pass().after(10).settle();

    expect(job.pods.has('train-worker-0')).toBe(false);
    expect(job.status.workerStatuses?.[0]).toMatchObject({ succeeded: 1, succeededIndexes: '0' });
  });

  it('are counted each, and each once', () => {
    const job = running(singles().restartPolicy('OnFailure')).set((pod) => pod.failed(1), 'train-worker-1', 'train-worker-2').pass();
    expect(job.status.restarts).toBe(2);

    job.pass().pass();

    expect(job.status.restarts).toBe(2);
  });

  it('are replaced in portions, so that the status stays small', () => {
    const job = running(makeJob().plain(250).restartPolicy('OnFailure').backoffLimit(1_000).backoff({ initialSeconds: 0, maxSeconds: 0 }));

    job.setAll((pod) => pod.failed(1)).pass();
    expect(job.status.replacing).toHaveLength(MAX_REPLACING);
    expect(job.status.restarts).toBe(MAX_REPLACING);
    job.settle();

    expect(job.status.restarts).toBe(250);
    expect(job.status.replacing).toBeUndefined();
    expect([...job.pods.values()].every((pod) => pod.state === 'Waiting')).toBe(true);
  });
});

describe('the pause before a restart', () => {
  it('doubles with each restart, up to its limit', () => {
    const job = running(gang().restartPolicy('OnFailure').backoffLimit(10).backoff({ initialSeconds: 10, maxSeconds: 60 }));
    const pauses = [];

    for (let failure = 0; failure < 5; failure++) {
      const failedAt = job.now;
      job.set((pod) => pod.failed(1), 'train-master').pass();
      const pause = (Date.parse(job.status.nextRetryTime!) - failedAt) / 1000;
      pauses.push(pause);
      expect(job.requeueAfterMs).toBe(pause * 1000);
      expect(job.after(pause - 1).pass().created).toEqual([]);
      expect(job.after(1).pass().created).toEqual(GANG);
      expect(job.status.nextRetryTime).toBeUndefined();
      job.run();
    }

    expect(pauses).toEqual([10, 20, 40, 60, 60]);
  });

  it('is short again after a healthy while', () => {
    const job = running(gang().restartPolicy('OnFailure').backoff({ initialSeconds: 10, maxSeconds: 600, resetAfterSeconds: 300 }));
    job.set((pod) => pod.failed(1), 'train-master').pass().after(10).run();

    job.after(299).set((pod) => pod.failed(1), 'train-master').pass();
    expect(seconds(job.status.nextRetryTime)).toBe(10 + 299 + 20);
    job.after(20).run();
    const healthySince = job.now;
    // Times in the status are whole seconds, so that up to one of them is not sure.
    job.after(301).set((pod) => pod.failed(1), 'train-master').pass();

    expect(Date.parse(job.status.nextRetryTime!) - healthySince).toBe((301 + 10) * 1000);
  });

  it.each<[string, 'heardSince' | 'clockSteadySince']>([
    ['nobody led the operator', 'heardSince'], ['the clock jumped', 'clockSteadySince'],
  ])('is not short again for time in which %s', (_, field) => {
    const job = running(gang().restartPolicy('OnFailure').backoff({ initialSeconds: 10, maxSeconds: 600, resetAfterSeconds: 300 }));
    job.set((pod) => pod.failed(1), 'train-master').pass().after(10).run();
    job.after(1_000);
    job.observed = { [field]: job.now };
    job.after(100).set((pod) => pod.failed(1), 'train-master').pass();

    expect(seconds(job.status.nextRetryTime)).toBe(10 + 1_000 + 100 + 20);
  });

  it('does not grow without bounds however often the job restarts', () => {
    const job = running(gang().restartPolicy('OnFailure').backoffLimit(5_000).status({ retryStep: 4_000 }));

    job.set((pod) => pod.failed(1), 'train-master').pass();

    expect(seconds(job.status.nextRetryTime)).toBe(360);
  });

  it('is not cut short by a disruption', () => {
    const job = running(singles().restartPolicy('OnFailure').backoff({ initialSeconds: 100 })).set((pod) => pod.failed(1), 'train-worker-0').pass();

    job.after(50).set((pod) => pod.evicted(), 'train-worker-1').pass();

    expect(seconds(job.status.nextRetryTime)).toBe(100);
  });

  it('is not kept after a disruption: nobody is to blame', () => {
    const job = running(gang()).set((pod) => pod.evicted(), 'train-worker-0').settle();

    expect(job.status.nextRetryTime).toBeUndefined();
    expect(job.created).toEqual([]);
    expect(job.pods.size).toBe(3);
  });
});

describe('the backoff limit', () => {
  it.each([['gang', gang, 'train-master'], ['independent replicas', singles, 'train-worker-0']] as const)('ends a job of a %s at the failure after it', (_, builder, name) => {
    const job = running(builder().restartPolicy('OnFailure').backoffLimit(2));
    for (let restart = 1; restart <= 2; restart++) {
      job.set((pod) => pod.failed(7), name).pass().after(100).run();
      expect(job.status).toMatchObject({ phase: 'Running', restarts: restart });
    }

    job.set((pod) => pod.failed(7), name).pass();

    expect(job.status).toMatchObject({ phase: 'Failed', restarts: 2, lastFailure: { exitCode: 7, pod: name } });
    expect(job.condition('Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
    expect(job.condition('Failed')?.message).toMatch(/^after 2 counted restarts \(spec\.runPolicy\.backoffLimit\): train-/);
  });

  it('of 0 allows no restart', () => {
    const job = running(gang().restartPolicy('OnFailure').backoffLimit(0)).set((pod) => pod.failed(1), 'train-master').pass();

    expect(job.condition('Failed')?.reason).toBe('BackoffLimitExceeded');
  });

  it('is 6 unless the job says otherwise', () => {
    const job = running(gang().restartPolicy('OnFailure').status({ restarts: 5 })).set((pod) => pod.failed(1), 'train-master').pass();
    expect(job.status).toMatchObject({ phase: 'Restarting', restarts: 6 });

    job.after(400).run().set((pod) => pod.failed(1), 'train-master').pass();

    expect(job.condition('Failed')?.reason).toBe('BackoffLimitExceeded');
  });
});

describe('disruptions', () => {
  it.each([['gang', gang, 1], ['independent replicas', singles, 0]] as const)('are restarted whatever the policy says, and counted apart: %s', (_, builder, attempt) => {
    const job = running(builder().restartPolicy('Never').backoffLimit(0)).set((pod) => pod.node('spot-3').evicted({ message: 'low on memory' }), 'train-worker-0').pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', restarts: 0, disruptions: 1, attempt });
    expect(job.status.lastFailure).toMatchObject({ reason: 'Evicted', node: 'spot-3', message: 'low on memory' });
    expect(job.condition('Restarting')).toMatchObject({ status: 'True', reason: 'JobDisrupted' });
    expect(job.events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'JobDisrupted' })]);
  });

  it('are not limited unless the job says so', () => {
    const job = running(gang().status({ disruptions: 10_000 })).set((pod) => pod.evicted(), 'train-worker-0').pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', disruptions: 10_001 });
  });

  it('end the job beyond their limit', () => {
    const job = running(gang().disruptionLimit(1)).set((pod) => pod.evicted(), 'train-worker-0').settle().run();
    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 1 });

    job.set((pod) => pod.evicted(), 'train-worker-1').pass();

    expect(job.condition('Failed')).toMatchObject({ reason: 'DisruptionLimitExceeded' });
    expect(job.condition('Failed')?.message).toBe('after 1 disruptions (spec.runPolicy.disruptionLimit): train-worker-1 (rank 2, worker): Evicted');
  });

  it('are the cause of what fails beside them: ranks of a gang fail when they lose a peer', () => {
    const job = running(gang()).set((pod) => pod.evicted({ time: '2026-03-01T12:00:09Z' }), 'train-worker-1')
      .set((pod) => pod.failed(1, { time: '2026-03-01T12:00:08Z' }), 'train-master').pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', restarts: 0, disruptions: 1, lastFailure: { pod: 'train-worker-1' } });
  });

  it('are the cause also while the pod that is taken away still lives', () => {
    const job = running(gang()).set((pod) => pod.running().deleting(), 'train-worker-1').set((pod) => pod.failed(1), 'train-master').pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', restarts: 0, disruptions: 1, lastFailure: { pod: 'train-worker-1', reason: 'PodDeleted' } });
  });

  it('are no excuse for an independent replica that fails by itself', () => {
    const job = running(singles()).set((pod) => pod.evicted(), 'train-worker-1').set((pod) => pod.failed(1), 'train-worker-0').pass();

    expect(job.condition('Failed')?.reason).toBe('ReplicaFailed');
  });
});

describe('a pod that somebody else deletes', () => {
  it.each([['gang', gang, 1], ['independent replicas', singles, 0]] as const)('while it runs is a disruption as soon as it is gone: %s', (_, builder, attempt) => {
    const job = running(builder()).set((pod) => pod.running().deleting(), 'train-worker-0').pass();
    // It may still come to a good end.
    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 0 });

    job.lose('train-worker-0').pass();

    expect(job.status).toMatchObject({ disruptions: 1, restarts: 0, attempt, lastFailure: { reason: 'PodLost', pod: 'train-worker-0' } });
    expect(job.settle().pods.size).toBe(3);
  });

  it('and that is last seen as failed is a disruption, not a failure', () => {
    const job = running(gang()).set((pod) => pod.failed(143).deleting(), 'train-worker-0').pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', disruptions: 1, restarts: 0 });
  });

  it.each([['gang', gang], ['independent replicas', singles]] as const)('and that leaves with 0 has not succeeded: it has saved its work and gone: %s', (_, builder) => {
    const job = running(builder().successPolicy('Coordinator'));
    const [coordinator] = job.pods.keys();

    job.set((pod) => pod.succeeded().deleting(), coordinator).pass();

    expect(job.status).toMatchObject({ phase: 'Restarting', disruptions: 1, restarts: 0, lastFailure: { reason: 'PodDeleted', exitCode: 0, pod: coordinator } });
  });

  it('after its success was recorded has succeeded all the same', () => {
    const job = running(makeJob().jax(2)).set((pod) => pod.succeeded().lingering(), 'train-worker-0').pass();

    job.set((pod) => pod.succeeded().lingering().deleting(), 'train-worker-0').pass().lose('train-worker-0').pass();

    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 0 });
  });

  it('before all replicas ran is simply created again', () => {
    const job = new PlannedJob(gang()).pass().set((pod) => pod.running(), 'train-master').pass().lose('train-master').pass();

    expect(job.created).toEqual(['train-master']);
    expect(job.status).toMatchObject({ disruptions: 0, attempt: 0, phase: 'Pending' });
  });

  it('is counted once, however often it is planned', () => {
    const job = running(singles()).lose('train-worker-0').pass().pass().settle();

    expect(job.status.disruptions).toBe(1);
  });
});
