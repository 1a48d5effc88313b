import { makeJob, type JobBuilder } from '../../support/builders';
import { PlannedJob } from '../../support/planned-job';
import { condition } from '../../../kueue/support';
import { POD_SETS_HASH_ANNOTATION, podSetsHash } from '../../../../../src/manifests/kueue/workload';
import { resolveTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import type { Workload } from '../../../../../src/operator/kueue/workload';
import type { Action } from '../../../../../src/operator/training/plan/types';

/** A queued job, and what its Workload says. */
class QueuedJob {
  public readonly job: PlannedJob;

  public constructor(builder: JobBuilder) {
    this.job = new PlannedJob(builder.spec({ scheduling: { queueName: 'team' } }));
  }

  /** Passes with a Workload of these conditions, or without one. */
  public see(conditions: readonly string[] | undefined, more: { position?: number; state?: 'Ready' | 'NotInstalled' | 'NotRead' } = {}): PlannedJob {
    const { name, spec } = this.job.job;
    const workload: Workload | undefined = conditions && {
      metadata: { name: 'w', uid: 'w-1', resourceVersion: '1', annotations: { [POD_SETS_HASH_ANNOTATION]: podSetsHash(resolveTrainingJob(name, spec)) } },
      spec: { queueName: 'team', podSets: [] },
      status: { conditions: conditions.map(condition), ...(conditions.some((text) => text.startsWith('Admitted=True')) && { admission: { clusterQueue: 'all' } }) },
    };
    this.job.observed = { ...this.job.observed, queue: { state: 'Ready', workloadName: 'w', workload, ...more } };
    this.job.pass();
    return this.job;
  }
}

const ADMITTED = ['QuotaReserved=True/QuotaReserved', 'Admitted=True/Admitted'];
const steps = (actions: readonly Action[]) => actions.flatMap((action) => (action.type === 'queue' ? [action.step.type] : []));

test('a queued job asks for a Workload, and has neither pods nor a start before it is admitted', () => {
  const queued = new QueuedJob(makeJob().jax(2));
  const job = queued.see(undefined);
  expect(steps(job.actions)).toEqual(['create']);
  expect(job.created).toEqual([]);
  expect(job.status).toMatchObject({ phase: 'Pending', queue: { name: 'team', workload: 'w', admitted: false } });
  queued.see(['QuotaReserved=False/WaitingForQuota'], { position: 4 });
  expect(job.condition('Admitted')).toMatchObject({ status: 'False', reason: 'WaitingForQuota', message: 'QuotaReserved is False (4 ahead of it in the queue)' });
  expect(job.status.queue).toMatchObject({ position: 4 });
  expect(job.status.startTime).toBeUndefined();
  expect(job.requeueAfterMs).toBeDefined();
  queued.see(ADMITTED);
  expect(job.created).toEqual(['train-worker-0', 'train-worker-1']);
  expect(job.status).toMatchObject({ startTime: '2026-03-01T12:00:00Z', queue: { admitted: true, clusterQueue: 'all' } });
  expect(job.status.queue?.position).toBeUndefined();
  expect(job.events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Queued', 'Admitted']));
});

test('the time in the queue is not the job\'s', () => {
  const queued = new QueuedJob(makeJob().jax(1).runPolicy({ activeDeadlineSeconds: 60 }));
  queued.see(undefined);
  queued.job.now += 3_600_000;
  queued.see(['QuotaReserved=False/Pending']);
  expect(queued.job.status.phase).toBe('Pending');
  queued.see(ADMITTED);
  queued.job.now += 59_000;
  queued.see(ADMITTED);
  expect(queued.job.status.phase).not.toBe('Failed');
  queued.job.now += 1_000;
  queued.see(ADMITTED);
  expect(queued.job.status).toMatchObject({ phase: 'Failed' });
  expect(steps(queued.see(ADMITTED).actions)).toEqual(['patchStatus']);
});

test('an eviction takes the pod of a replica that has succeeded and whose sidecar goes on, and the replica stays succeeded', () => {
  const queued = new QueuedJob(makeJob().framework('plain').roles({ actor: 2 }));
  const { job } = queued.see(ADMITTED) && queued;
  const [first, second] = [...job.pods.keys()];
  job.pods.set(first, { ...job.pods.get(first)!, state: 'Succeeded', node: 'n', lingering: true });
  job.lose(second);
  queued.see([...ADMITTED, 'Evicted=True/Preempted']);
  expect(job.status).toMatchObject({ phase: 'Pending', disruptions: 1, queue: { admitted: false, evictions: 1 } });
  expect(job.deleted).toEqual([first]);
  job.lose(first);
  expect(steps(queued.see([...ADMITTED, 'Evicted=True/Preempted']).actions)).toEqual(['patchStatus']);
  queued.see(ADMITTED);
  expect(job.created).toEqual([second]);
});

test('an eviction ends the attempt as a disruption, and its pods go before the quota', () => {
  const queued = new QueuedJob(makeJob().jax(2).backoffLimit(0));
  queued.see(ADMITTED);
  const { job } = queued;
  job.pods.forEach((pod) => job.pods.set(pod.name, { ...pod, state: 'Running', node: 'n' }));
  queued.see(ADMITTED);
  expect(job.status.phase).toBe('Running');
  queued.see([...ADMITTED, 'Evicted=True/Preempted']);
  expect(job.status).toMatchObject({ phase: 'Pending', attempt: 1, restarts: 0, disruptions: 1, queue: { admitted: false, evictions: 1 } });
  expect(job.condition('Admitted')).toMatchObject({ status: 'False', reason: 'Preempted' });
  expect(job.deleted).toHaveLength(2);
  expect(steps(job.actions)).toEqual([]);
  expect(job.events).toContainEqual(expect.objectContaining({ reason: 'QuotaLost', type: 'Warning' }));
  job.pods.clear();
  queued.see([...ADMITTED, 'Evicted=True/Preempted']);
  expect(job.created).toEqual([]);
  expect(steps(job.actions)).toEqual(['patchStatus']);
  queued.see([...ADMITTED, 'Evicted=False/QuotaReserved']);
  expect(job.created).toHaveLength(2);
  expect(job.status.queue?.evictions).toBe(1);
});

test('a budget of disruptions counts evictions', () => {
  const queued = new QueuedJob(makeJob().jax(1).runPolicy({ disruptionLimit: 0 }));
  queued.see(ADMITTED);
  queued.see([...ADMITTED, 'Evicted=True/Preempted']);
  expect(queued.job.condition('Failed')).toMatchObject({ reason: 'DisruptionLimitExceeded', message: expect.stringContaining('Kueue has reclaimed the quota') });
});

test('a Workload that somebody deletes takes the admission with it', () => {
  const queued = new QueuedJob(makeJob().jax(1));
  queued.see(ADMITTED);
  queued.see(undefined);
  expect(queued.job.status).toMatchObject({ attempt: 1, disruptions: 1 });
  expect(steps(queued.job.actions)).toEqual([]);
  queued.job.pods.clear();
  expect(steps(queued.see(undefined).actions)).toEqual(['create']);
});

test('nothing is decided before the Workloads are read, and a cluster without Kueue is told of', () => {
  const queued = new QueuedJob(makeJob().jax(1));
  queued.see(ADMITTED);
  expect(queued.see(undefined, { state: 'NotRead' }).status).toMatchObject({ attempt: 0 });
  expect(queued.job.pods.size).toBe(1);
  const other = new QueuedJob(makeJob().jax(1)).see(undefined, { state: 'NotInstalled' });
  expect(other.condition('Admitted')).toMatchObject({ status: 'False', reason: 'KueueMissing' });
  expect(other.created).toEqual([]);
  expect(steps(other.actions)).toEqual([]);
  expect(other.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'Queued' }));
});

test('a suspended job leaves the queue when its pods are gone, and spec.suspend is not touched', () => {
  const queued = new QueuedJob(makeJob().jax(1));
  queued.see(ADMITTED);
  queued.job.job = { ...queued.job.job, spec: { ...queued.job.job.spec, suspend: true } };
  queued.see(ADMITTED);
  expect(queued.job.status.phase).toBe('Suspended');
  expect(queued.job.status.disruptions ?? 0).toBe(0);
  expect(steps(queued.job.actions)).toEqual([]);
  queued.job.pods.clear();
  expect(steps(queued.see(ADMITTED).actions)).toEqual(['delete']);
  expect(queued.job.condition('Admitted')).toMatchObject({ status: 'True' });
});

test('independent replicas that are done give their share of the quota back', () => {
  const queued = new QueuedJob(makeJob().plain(3));
  queued.see(ADMITTED);
  const [first] = [...queued.job.pods.values()];
  queued.job.pods.set(first.name, { ...first, state: 'Succeeded' });
  const { actions } = queued.see(ADMITTED);
  expect(actions).toContainEqual({ type: 'queue', step: expect.objectContaining({ status: { reclaimablePods: [{ name: 'worker', count: 1 }] } }) });
});

test('a runner that asks no queue runs a queued job at once', () => {
  const job = new PlannedJob(makeJob().jax(1).spec({ scheduling: { queueName: 'team' } }));
  job.pass();
  expect(job.created).toEqual(['train-worker-0']);
  expect(job.condition('Admitted')).toBeUndefined();
});

describe('lost time of a queued job', () => {
  /** All pods run. */
  const run = (queued: QueuedJob) => {
    queued.see(ADMITTED);
    queued.job.setAll((pod) => pod.running());
    return queued.see(ADMITTED);
  };
  const evict = (queued: QueuedJob) => queued.see([...ADMITTED, 'Evicted=True/Preempted']);

  test('is the work since the last checkpoint when its quota is taken back, and not the time in the queue', () => {
    const queued = new QueuedJob(makeJob().jax(2));
    run(queued).after(40);
    const { job } = queued;
    evict(queued);
    expect(job.status).toMatchObject({ lostSeconds: 40, lastRestart: { cause: 'Disruption', reason: 'QuotaLost', lostSeconds: 40 } });
    expect(job.status.lostSince).toBeUndefined();

    job.pods.clear();
    job.after(3_600);
    run(queued);
    expect(job.status).toMatchObject({ phase: 'Running', lostSeconds: 40 });
  });

  test('ends where the queue begins, when a job that starts again loses its quota before it runs', () => {
    const queued = new QueuedJob(makeJob().jax(2).restartPolicy('OnFailure'));
    run(queued).after(10).set((pod) => pod.failed(1), 'train-worker-0');
    const { job } = queued;
    queued.see(ADMITTED);
    expect(job.status).toMatchObject({ phase: 'Restarting', restarts: 1 });
    job.after(5);
    evict(queued);
    expect(job.status).toMatchObject({ lostSeconds: 15 });
    job.pods.clear();
    job.after(3_600);
    run(queued);
    expect(job.status).toMatchObject({ phase: 'Running', lostSeconds: 15 });
  });

  test('does not go on while pods of a group are held back by Kueue', () => {
    const job = new PlannedJob(makeJob().jax(2).restartPolicy('OnFailure').spec({ scheduling: { queueName: 'team', queueMode: 'PodGroup' } })).run();
    job.after(10).set((pod) => pod.evicted(), 'train-worker-0').settle();
    job.setAll((pod) => pod.waiting('SchedulingGated: Scheduling is blocked due to non-empty scheduling gates')).pass();
    expect(job.status).toMatchObject({ lostSeconds: 10 });

    job.after(3_600).setAll((pod) => pod.running()).pass();
    expect(job.status).toMatchObject({ phase: 'Running', lostSeconds: 10 });
  });
});

test('an operator that restarts changes nothing of a queued job before it has read the Workloads', () => {
  const queued = new QueuedJob(makeJob().jax(1).runPolicy({ activeDeadlineSeconds: 60 }));
  queued.see(ADMITTED);
  queued.job.setAll((pod) => pod.running());
  const { status } = queued.see(ADMITTED);
  queued.job.after(30);
  expect(queued.see(undefined, { state: 'NotRead' }).status).toEqual(status);
  queued.see(ADMITTED);
  expect(queued.job.events.filter(({ reason }) => reason === 'Admitted')).toHaveLength(1);
  // Its deadline is what it was.
  queued.job.after(30);
  expect(queued.see(ADMITTED).status.phase).toBe('Failed');
});
