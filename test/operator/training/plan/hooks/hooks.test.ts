import { makeJob, type JobBuilder } from '../../support/builders';
import { PlannedJob, START } from '../../support/planned-job';
import type { HookSpec, HooksSpec } from '../../../../../src/model/training-job/hooks';
import type { ObservedQueue } from '../../../../../src/operator/training/plan/observe/observed-queue';
import type { LeaseState } from '../../../../../src/operator/training/plan/types';

const HOOK: HookSpec = { command: ['run'] };

function jobWith(hooks: HooksSpec, change: (job: JobBuilder) => JobBuilder = (job) => job): PlannedJob {
  return new PlannedJob(change(makeJob().pytorch(2).spec({ hooks })));
}

function reasons({ events }: PlannedJob): string[] {
  return events.map(({ reason }) => reason);
}

describe('the hook before the replicas', () => {
  it('runs alone, and the replicas start when it has succeeded', () => {
    const job = jobWith({ before: HOOK }).settle();

    expect([...job.hookPods.keys()]).toEqual(['train-hook-before-0']);
    expect(job.pods.size).toBe(0);
    expect(job.status.phase).toBe('Pending');
    expect(job.condition('Running')).toMatchObject({ status: 'False', reason: 'BeforeHookPending' });

    job.setHook((pod) => pod.running(), 'train-hook-before-0').pass();
    expect(job.status.hooks?.before).toMatchObject({ phase: 'Running', failures: 0 });

    job.setHook((pod) => pod.succeeded(), 'train-hook-before-0').settle();
    expect([...job.pods.keys()]).toEqual(['train-master', 'train-worker-0']);
    expect(reasons(job)).toEqual(['HookStarted', 'HookSucceeded']);
  });

  it('does not make the job look for objects of its gang scheduler', () => {
    const job = jobWith({ before: HOOK }).pass();

    expect(job.actions.find(({ type }) => type === 'ensureObjects')).toEqual({ type: 'ensureObjects', gang: false });
  });

  it('is not repeated when its pod is gone, nor when the replicas start again', () => {
    const job = jobWith({ before: HOOK }, (builder) => builder.restartPolicy('OnFailure').backoffLimit(3)).settle();
    job.setHook((pod) => pod.succeeded(), 'train-hook-before-0').settle();
    job.lose('train-hook-before-0').run();

    job.set((pod) => pod.failed(1), 'train-master').pass().after(60).settle();

    expect(job.status.attempt).toBe(1);
    expect(job.hookPods.size).toBe(0);
    expect(job.pods.size).toBe(2);
  });

  it('fails the job with its own reason when it has failed more often than it may', () => {
    const job = jobWith({ before: { ...HOOK, backoffLimit: 1 } }, (builder) => builder.backoff({ initialSeconds: 10 })).settle();

    job.setHook((pod) => pod.failed(3, { logTail: 'no bucket' }), 'train-hook-before-0').settle();
    expect([...job.hookPods.keys()]).toEqual(['train-hook-before-0']);
    expect(job.status.phase).toBe('Pending');
    job.after(10).settle();
    expect([...job.hookPods.keys()]).toEqual(['train-hook-before-0', 'train-hook-before-1']);
    job.setHook((pod) => pod.failed(3, { logTail: 'no bucket' }), 'train-hook-before-1').settle();

    expect(job.status.phase).toBe('Failed');
    expect(job.condition('Failed')).toMatchObject({
      reason: 'BeforeHookFailed', message: 'spec.hooks.before failed: train-hook-before-1 failed with exit code 3: no bucket',
    });
    expect(job.status.hooks?.before).toMatchObject({ phase: 'Failed', failures: 2 });
    expect(reasons(job)).toEqual(['HookStarted', 'HookRetried', 'BeforeHookFailed']);
    expect(job.pods.size).toBe(0);
  });

  it('does not count a pod that the cluster removes, and replaces it', () => {
    const job = jobWith({ before: HOOK }).settle();
    const [{ uid }] = job.hookPods.values();

    job.setHook((pod) => pod.evicted(), 'train-hook-before-0').pass();
    expect(job.deleted).toEqual(['train-hook-before-0']);
    job.settle();

    expect(job.hookPods.get('train-hook-before-0')?.uid).not.toBe(uid);
    expect(job.status.hooks?.before?.failures).toBe(0);
    expect(job.status.disruptions).toBe(0);
  });

  it('is run again when its node is lost, and a pod that hangs there is deleted by force', () => {
    const job = jobWith({ before: HOOK }).settle();
    const [{ uid }] = job.hookPods.values();

    job.setHook((pod) => pod.running().nodeIs({ health: 'Gone' }), 'train-hook-before-0').pass();
    expect(job.actions).toContainEqual(expect.objectContaining({ type: 'deletePod', name: 'train-hook-before-0', reason: 'its node is lost' }));
    job.settle().setHook((pod) => pod.running().nodeIs({ health: 'Gone' }).deleting(), 'train-hook-before-0').pass();
    expect(job.actions).toContainEqual(expect.objectContaining({ type: 'deletePod', name: 'train-hook-before-0', force: true }));
    job.settle();
    expect(job.hookPods.get('train-hook-before-0')?.uid).not.toBe(uid);
    expect(job.status.hooks?.before?.failures).toBe(0);
  });

  it('waits for a node that may come back, and looks again when it has been away for too long', () => {
    const job = jobWith({ before: HOOK }, (builder) => builder.runPolicy({ nodeLoss: { graceSeconds: 40 } })).settle();

    job.setHook((pod) => pod.running().nodeIs({ health: 'NotReady', since: job.now }), 'train-hook-before-0').pass();
    expect(job.deleted).toEqual([]);
    expect(job.requeueAfterMs).toBe(40_000);
    job.after(41).pass();
    expect(job.deleted).toEqual(['train-hook-before-0']);
  });

  it('fails at its time limit, whatever its pod waits for, and the pod goes', () => {
    const job = jobWith({ before: { ...HOOK, timeoutSeconds: 60 } }, (builder) => builder.cleanPodPolicy('None')).settle();
    job.setHook((pod) => pod.waiting('Unschedulable: no nodes'), 'train-hook-before-0').pass();
    expect(job.requeueAfterMs).toBe(60_000);

    job.after(62).settle();

    expect(job.condition('Failed')?.message).toBe('spec.hooks.before failed: it did not end within spec.hooks.before.timeoutSeconds (60); train-hook-before-0 waits: Unschedulable: no nodes');
    expect(job.condition('Failed')?.reason).toBe('BeforeHookFailed');
    expect(job.hookPods.size).toBe(0);
  });

  it('ends with a command that is not there, without another try', () => {
    const job = jobWith({ before: { ...HOOK, backoffLimit: 5 } }).settle();

    job.setHook((pod) => pod.failed(127, { permanent: true }), 'train-hook-before-0').settle();

    expect(job.condition('Failed')?.reason).toBe('BeforeHookFailed');
  });

  it('has its time limit from now when its start lies ahead, because the clock was set back', () => {
    const job = jobWith({ before: { ...HOOK, timeoutSeconds: 60 } }).settle();
    job.after(-3_600).pass();
    job.after(59).pass();
    expect(job.status.hooks?.before?.phase).not.toBe('Failed');
    job.after(2).settle();
    expect(job.status).toMatchObject({ phase: 'Failed', hooks: { before: { phase: 'Failed' } } });
  });

  it('is stopped while the job is suspended, starts again, and its time limit with it', () => {
    const job = jobWith({ before: { ...HOOK, timeoutSeconds: 60 } }).settle();
    job.setHook((pod) => pod.running(), 'train-hook-before-0').after(30).edit({ suspend: true }).settle();
    expect(job.hookPods.size).toBe(0);
    expect(job.status.phase).toBe('Suspended');

    job.after(1000).edit({ suspend: false }).settle();
    expect([...job.hookPods.keys()]).toEqual(['train-hook-before-0']);
    job.after(50).settle();
    expect(job.status.phase).toBe('Pending');
    job.after(12).settle();
    expect(job.status.phase).toBe('Failed');
  });

  it('has its whole time limit on resume, also when the operator died right after the decision to suspend', () => {
    const job = jobWith({ before: { ...HOOK, timeoutSeconds: 60 } }).settle();
    job.setHook((pod) => pod.running(), 'train-hook-before-0').pass().edit({ suspend: true });
    const planned = job.plan();
    expect(planned.decided).toBe(true);
    job.job = { ...job.job, status: planned.status };

    job.after(1000).edit({ suspend: false }).settle();

    expect(job.status.phase).toBe('Pending');
    expect(job.status.hooks?.before).toMatchObject({ phase: 'Running', failures: 0 });
  });

  it('leaves no pod of a try that has failed, while the next one waits for its time', () => {
    const job = jobWith({ before: { ...HOOK, backoffLimit: 1 } }).settle();

    job.setHook((pod) => pod.failed(1).lingering(), 'train-hook-before-0').settle();

    expect(job.status.hooks?.before?.nextRetryTime).toBeDefined();
    expect(job.hookPods.size).toBe(0);
  });

  it('does not count a pod that was killed while its node went down', () => {
    const job = jobWith({ before: HOOK }).settle();
    const [{ uid }] = job.hookPods.values();

    job.setHook((pod) => pod.failed(137).nodeIs({ health: 'NotReady', since: job.now }), 'train-hook-before-0').settle();

    expect(job.hookPods.get('train-hook-before-0')?.uid).not.toBe(uid);
    expect(job.status.hooks?.before?.failures).toBe(0);
  });

  it('looks at the Lease of the node when its pod does not go, and deletes it by force when the node is silent', () => {
    const job = jobWith({ before: HOOK }).settle();
    const leaving = (lease?: LeaseState) => job.setHook((pod) => pod.running().deadline(START + 30_000).nodeIs({ health: 'Ready', lease }), 'train-hook-before-0').pass();

    leaving();
    expect(job.actions).toEqual([]);
    expect(job.requeueAfterMs).toBe(30_001);
    job.after(31);
    leaving();
    expect(job.actions).toEqual([{ type: 'lookAtNode', node: 'gpu-7' }]);
    expect(job.requeueAfterMs).toBe(3_000);
    job.after(20);
    leaving({ exists: true, silentSince: START + 31_000, lookedAt: START + 51_000 });
    expect(job.actions).toEqual([expect.objectContaining({ type: 'deletePod', name: 'train-hook-before-0', force: true })]);
  });

  it('does not begin in a job that is created suspended', () => {
    const job = jobWith({ before: HOOK }, (builder) => builder.suspended()).settle();

    expect(job.hookPods.size).toBe(0);
    expect(job.status.hooks).toBeUndefined();
  });

  it('is not counted as waiting for replicas', () => {
    const job = jobWith({ before: HOOK }, (builder) => builder.runPolicy({ preRunningDeadlineSeconds: 30 })).settle();
    job.after(1000).settle();
    expect(job.status.phase).toBe('Pending');

    job.setHook((pod) => pod.succeeded(), 'train-hook-before-0').settle();
    expect(job.status.phase).toBe('Pending');
    job.after(31).settle();
    expect(job.condition('Failed')?.reason).toBe('PreRunningDeadlineExceeded');
  });

  it('keeps the job out of its queue until it has succeeded', () => {
    const queue: ObservedQueue = { state: 'Ready', workloadName: 'mltj-train' };
    const job = jobWith({ before: HOOK }, (builder) => builder.spec({ scheduling: { queueName: 'team' } }));
    job.observed = { queue };

    job.settle();
    expect(job.actions).toEqual([]);
    expect(job.condition('Admitted')).toMatchObject({ status: 'False', reason: 'BeforeHookPending' });

    job.setHook((pod) => pod.succeeded(), 'train-hook-before-0').pass();
    expect(job.actions.map(({ type }) => type)).toEqual(['queue']);
    expect(job.pods.size).toBe(0);
  });

  it('waits for a newer status when there is a pod of a later try', () => {
    const job = jobWith({ before: { ...HOOK, backoffLimit: 2 } }).settle();
    job.setHook((pod) => pod.failed(1), 'train-hook-before-0').settle().after(60).settle();
    job.job = { ...job.job, status: { ...job.status, hooks: { before: { ...job.status.hooks!.before!, failures: 0, pod: 'train-hook-before-0' } } } };
    job.lose('train-hook-before-0').pass();

    expect(job.actions).toEqual([]);
    expect(job.requeueAfterMs).toBe(500);
  });
});

describe('the hook after the replicas', () => {
  const succeeded = (job: PlannedJob) => job.run().setAll((pod) => pod.succeeded());

  it('runs when the replicas have succeeded, and the job is complete when it has', () => {
    const job = succeeded(jobWith({ after: HOOK })).settle();

    expect([...job.hookPods.keys()]).toEqual(['train-hook-after-0']);
    expect(job.status.phase).toBe('Running');
    expect(job.condition('Running')).toMatchObject({ status: 'True', reason: 'AfterHookPending' });

    job.setHook((pod) => pod.succeeded(), 'train-hook-after-0').settle();
    expect(job.status.phase).toBe('Completed');
    expect(job.condition('Succeeded')).toMatchObject({ status: 'True', reason: 'JobSucceeded' });
    expect(job.status.workerStatuses?.every((role) => role.succeeded === role.replicas)).toBe(true);
  });

  it('does not start the replicas again when their pods go', () => {
    const job = succeeded(jobWith({ after: HOOK })).settle();

    job.lose(...job.pods.keys()).settle();

    expect(job.pods.size).toBe(0);
    job.setHook((pod) => pod.succeeded(), 'train-hook-after-0').settle();
    expect(job.status.phase).toBe('Completed');
  });

  it('fails the job when it fails', () => {
    const job = succeeded(jobWith({ after: HOOK })).settle();

    job.setHook((pod) => pod.failed(1, { message: 'refused' }), 'train-hook-after-0').settle();

    expect(job.condition('Failed')).toMatchObject({
      reason: 'AfterHookFailed', message: 'The replicas have succeeded, but spec.hooks.after failed: train-hook-after-0 failed with exit code 1: refused',
    });
  });

  it('does not run when the replicas fail', () => {
    const job = jobWith({ after: HOOK }).run().set((pod) => pod.failed(1), 'train-master').settle();

    expect(job.status.phase).toBe('Failed');
    expect(job.hookPods.size).toBe(0);
  });

  it('is stopped while the job is suspended, without the replicas starting again on resume', () => {
    const job = succeeded(jobWith({ after: HOOK }, (builder) => builder.cleanPodPolicy('All'))).settle();
    job.edit({ suspend: true }).settle();
    expect(job.hookPods.size).toBe(0);
    expect(job.status.phase).toBe('Suspended');

    job.edit({ suspend: false }).settle();
    expect([...job.hookPods.keys()]).toEqual(['train-hook-after-0']);
    expect(job.pods.size).toBe(0);
    expect(job.status.phase).toBe('Running');
  });

  it('starts again with its whole time limit, also when the operator died right after the decision to suspend', () => {
    const job = succeeded(jobWith({ after: { ...HOOK, timeoutSeconds: 60 } })).settle().edit({ suspend: true });
    const planned = job.plan();
    expect(planned.status.phase).toBe('Suspended');
    job.job = { ...job.job, status: planned.status };

    job.after(1000).edit({ suspend: false }).settle();

    expect(job.status).toMatchObject({ phase: 'Running', hooks: { after: { phase: 'Pending', failures: 0 } } });
  });

  it.each([true, false])('waits when pods that were created late succeed in a suspended job; resumed by then: %s', (resumed) => {
    const late = new Map(jobWith({ after: HOOK }).settle().pods);
    const job = jobWith({ after: HOOK }, (builder) => builder.suspended()).settle();
    late.forEach((pod, name) => job.pods.set(name, pod));
    job.edit({ suspend: !resumed }).set((pod) => pod.succeeded(), ...late.keys());

    const { phase, conditions, hooks } = job.plan().status;

    expect(hooks?.after).toMatchObject({ phase: 'Pending', failures: 0 });
    expect(phase).toBe(resumed ? 'Running' : 'Suspended');
    const status = (type: string) => conditions?.find((condition) => condition.type === type)?.status;
    expect([status('Running'), status('Suspended')]).toEqual(resumed ? ['True', 'False'] : ['False', 'True']);
  });

  it('leaves no replica running while the job is suspended, although the job keeps its pods', () => {
    const job = jobWith({ after: HOOK }, (builder) => builder.successPolicy('AnyWorker').cleanPodPolicy('None')).run();
    job.set((pod) => pod.succeeded(), 'train-master').settle();
    expect([...job.pods.keys()]).toEqual(['train-master', 'train-worker-0']);

    job.edit({ suspend: true }).settle();

    expect([...job.pods.keys()]).toEqual(['train-master']);
  });

  it('runs without a pod of the hook before the replicas, which was created late', () => {
    const job = jobWith({ before: HOOK, after: HOOK }).settle();
    const late = job.hookPods.get('train-hook-before-0')!;
    succeeded(job.setHook((pod) => pod.succeeded(), late.name).settle()).settle();

    job.hookPods.set(late.name, { ...late, state: 'Running' });
    job.settle();

    expect([...job.hookPods.keys()]).toEqual(['train-hook-after-0']);
  });

  it('is within the deadline of the job', () => {
    const job = succeeded(jobWith({ after: HOOK, onExit: HOOK }, (builder) => builder.deadline(100))).settle();
    job.setHook((pod) => pod.running(), 'train-hook-after-0').after(101).settle();

    expect(job.condition('Failed')?.reason).toBe('DeadlineExceeded');
    expect([...job.hookPods.keys()]).toEqual(['train-hook-on-exit-0']);
  });

  it('has failed when the job ends by something else, and its pod goes although the job keeps its pods', () => {
    const job = succeeded(jobWith({ after: HOOK }, (builder) => builder.deadline(100).cleanPodPolicy('None'))).settle();
    job.setHook((pod) => pod.running(), 'train-hook-after-0').after(101).settle();

    expect(job.condition('Failed')?.reason).toBe('DeadlineExceeded');
    expect(job.status.hooks?.after).toMatchObject({ phase: 'Failed', message: expect.stringContaining('the job has ended: ') });
    expect(job.hookPods.size).toBe(0);
    expect(job.pods.size).toBe(2);
  });

  it('runs one try at a time: a pod of an earlier one, which was created late, goes', () => {
    const job = succeeded(jobWith({ after: { ...HOOK, backoffLimit: 1 } })).settle();
    job.setHook((pod) => pod.failed(1), 'train-hook-after-0').settle();
    job.after(60).settle();
    job.setHook((pod) => pod.running(), 'train-hook-after-0').setHook((pod) => pod.running(), 'train-hook-after-1').settle();

    expect([...job.hookPods.keys()]).toEqual(['train-hook-after-1']);
  });

  it('leaves other replicas to the clean-up as the end of the job does', () => {
    const job = jobWith({ after: HOOK }, (builder) => builder.successPolicy('AnyWorker')).run();
    job.set((pod) => pod.succeeded(), 'train-master').settle();

    expect([...job.pods.keys()]).toEqual(['train-master']);
    expect(job.status.phase).toBe('Running');
  });
});

describe('the hook at the end of the job', () => {
  it('runs when the job has succeeded, and when it has failed', () => {
    const succeeded = jobWith({ onExit: HOOK }).run().setAll((pod) => pod.succeeded()).settle();
    const failed = jobWith({ onExit: HOOK }).run().set((pod) => pod.failed(1), 'train-master').settle();

    expect(succeeded.status.phase).toBe('Completed');
    expect([...succeeded.hookPods.keys()]).toEqual(['train-hook-on-exit-0']);
    expect(failed.status.phase).toBe('Failed');
    expect([...failed.hookPods.keys()]).toEqual(['train-hook-on-exit-0']);
  });

  it('runs when the hook before the replicas has failed', () => {
    const job = jobWith({ before: HOOK, onExit: HOOK }).settle();
    job.setHook((pod) => pod.failed(1), 'train-hook-before-0').settle();

    expect(job.hookPods.has('train-hook-on-exit-0')).toBe(true);
  });

  it('changes nothing of the outcome when it fails: a condition and a warning say so', () => {
    const job = jobWith({ onExit: HOOK }).run().setAll((pod) => pod.succeeded()).settle();
    job.setHook((pod) => pod.failed(2), 'train-hook-on-exit-0').settle();

    expect(job.status.phase).toBe('Completed');
    expect(job.condition('HookFailed')).toMatchObject({ status: 'True', reason: 'OnExitHookFailed' });
    expect(job.condition('Failed')).toBeUndefined();
    expect(job.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'OnExitHookFailed', message: 'spec.hooks.onExit failed; the job stays succeeded: train-hook-on-exit-0 failed with exit code 2' });
  });

  it('is waited for by the TTL of the job', () => {
    const job = jobWith({ onExit: HOOK }, (builder) => builder.ttl(10)).run().setAll((pod) => pod.succeeded()).settle();
    job.setHook((pod) => pod.running(), 'train-hook-on-exit-0').after(60).settle();
    expect(job.isDeleted).toBe(false);

    job.setHook((pod) => pod.succeeded(), 'train-hook-on-exit-0').pass();
    expect(job.isDeleted).toBe(true);
  });

  it('keeps its pod until it has ended, whatever cleanPodPolicy says, and its pod then goes as others do', () => {
    const job = jobWith({ before: HOOK, onExit: HOOK }, (builder) => builder.cleanPodPolicy('All')).settle();
    job.setHook((pod) => pod.succeeded(), 'train-hook-before-0').run().setAll((pod) => pod.succeeded()).settle();
    expect([...job.hookPods.keys()]).toEqual(['train-hook-on-exit-0']);

    job.setHook((pod) => pod.succeeded(), 'train-hook-on-exit-0').settle();
    expect(job.hookPods.size).toBe(0);
  });

  it('fails when the API server rejects its pod', () => {
    const job = jobWith({ onExit: HOOK }).run().setAll((pod) => pod.succeeded()).settle();
    job.lose('train-hook-on-exit-0').pass([{ reason: 'InvalidPod', message: 'no', permanent: true }]);

    expect(job.status.hooks?.onExit).toMatchObject({ phase: 'Failed', message: 'no' });
    expect(job.status.phase).toBe('Completed');
  });

  it('does not run for a job whose spec cannot be resolved', () => {
    const job = jobWith({ onExit: HOOK }, (builder) => builder.spec({ replicas: undefined })).settle();

    expect(job.condition('Failed')?.reason).toBe('InvalidSpec');
    expect(job.hookPods.size).toBe(0);
  });
});
