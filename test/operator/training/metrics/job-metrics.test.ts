import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import type { Phase, TrainingJobStatus } from '../../../../src/model/training-job/status/status';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { MAX_NAMESPACES, OTHER_NAMESPACES } from '../../../../src/operator/training/metrics/job-groups';
import { JobMetrics } from '../../../../src/operator/training/metrics/job-metrics';
import { MetricsRegistry } from '../../../../src/operator/training/metrics/registry';
import type { TrainingJobObject } from '../../../../src/operator/training/resources';
import { FakeClock } from '../../runtime/support/fake-clock';
import { Samples } from '../support/prometheus-samples';

/** Metrics over a cache, and what tests do to them. */
function setUp({ v1Names = false, leads = true } = {}) {
  const registry = new MetricsRegistry();
  const clock = new FakeClock();
  const metrics = new JobMetrics(registry, { clock, v1Names });
  const store = new Store<TrainingJobObject>();
  let version = 0;
  if (leads) {
    metrics.lead([store]);
  }
  const put = (job: TrainingJobObject): TrainingJobObject => {
    const written = { ...job, metadata: { ...job.metadata, resourceVersion: String(++version) } };
    store.applyWritten(written);
    return written;
  };
  return {
    clock,
    metrics,
    store,
    put,
    /** Puts a new job into the cache. */
    create: (name: string, spec: Partial<TrainingJobSpec> = {}, namespace = 'team-a') => put({
      metadata: { name, namespace, uid: `uid-${namespace}-${name}`, creationTimestamp: new Date(clock.now()).toISOString() },
      spec: { framework: 'pytorch', image: 'image', replicas: 2, ...spec },
    }),
    /** As the status writer does: into the cache, and then tells. */
    write: (job: TrainingJobObject, status: TrainingJobStatus): TrainingJobObject => {
      const written = put({ ...job, status });
      metrics.statusWritten(job, written);
      return written;
    },
    remove: ({ metadata }: TrainingJobObject) => store.markDeleted({ namespace: metadata!.namespace, name: metadata!.name!, uid: metadata!.uid }),
    scrape: async () => new Samples((await registry.answer()).body),
  };
}

const PYTORCH = { job_namespace: 'team-a', framework: 'pytorch' };

const withPods = (phase: Phase, more: TrainingJobStatus = {}): TrainingJobStatus =>
  ({ phase, attempt: 0, replicas: 2, workerStatuses: [{ role: 'worker', replicas: 2, pending: 2, running: 0, succeeded: 0, failed: 0 }], ...more });

const running = (lastTransitionTime: string, more: TrainingJobStatus = {}): TrainingJobStatus => withPods('Running', {
  conditions: [{ type: 'Running', status: 'True', reason: 'AllReplicasRunning', message: '', lastTransitionTime }], ...more,
});

describe('lifecycle counters', () => {
  test('count what this process has written, and nothing that the cache replays', async () => {
    const { create, write, put, scrape } = setUp();
    const job = write(write(create('net'), { phase: 'Pending' }), { phase: 'Completed' });
    put(job);
    put(job);
    const samples = await scrape();
    expect(samples.value('trainyard_jobs_created_total', PYTORCH)).toBe(1);
    expect(samples.value('trainyard_jobs_succeeded_total', PYTORCH)).toBe(1);
  });

  test('begin at 0, so that increase() sees the first failure of a namespace', async () => {
    const { create, write, scrape } = setUp({ v1Names: true });
    write(create('net'), { phase: 'Pending' });
    const samples = await scrape();
    expect(samples.value('trainyard_jobs_failed_total', { ...PYTORCH, reason: 'BackoffLimitExceeded' })).toBe(0);
    expect(samples.value('trainyard_job_restarts_total', { ...PYTORCH, cause: 'failure' })).toBe(0);
    expect(samples.value('training_operator_jobs_failed_total', PYTORCH)).toBe(0);
  });

  test('count a failure whose reason is not in the list as Other, so that no message becomes a label', async () => {
    const { create, write, scrape } = setUp();
    const failed = (reason: string): TrainingJobStatus => ({
      phase: 'Failed', conditions: [{ type: 'Failed', status: 'True', reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    write(create('a'), failed('DeadlineExceeded'));
    write(create('b'), failed('Node-17-exploded'));
    const samples = await scrape();
    expect(samples.value('trainyard_jobs_failed_total', { ...PYTORCH, reason: 'DeadlineExceeded' })).toBe(1);
    expect(samples.value('trainyard_jobs_failed_total', { ...PYTORCH, reason: 'Other' })).toBe(1);
  });

  test('count deletions of jobs that were taken up, and of a job that another one of its name replaces', async () => {
    const { create, write, put, remove, scrape } = setUp();
    remove(create('never-taken-up'));
    remove(write(create('net'), { phase: 'Pending' }));
    const first = write(create('twice'), { phase: 'Pending' });
    put({ ...first, metadata: { ...first.metadata, uid: 'another' }, status: undefined });
    expect((await scrape()).value('trainyard_jobs_deleted_total', PYTORCH)).toBe(2);
  });

  test('do not move in a standby', async () => {
    const { create, put, remove, scrape } = setUp({ leads: false });
    remove(put({ ...create('net'), status: { phase: 'Running' } }));
    const samples = await scrape();
    expect(samples.value('trainyard_jobs_deleted_total', PYTORCH)).toBeUndefined();
    expect(samples.value('trainyard_jobs', { ...PYTORCH, phase: 'Running' })).toBeUndefined();
  });

  test('have training-operator v1\'s names too where they are asked for', async () => {
    const { create, write, remove, scrape } = setUp({ v1Names: true });
    const job = write(write(create('net'), { phase: 'Pending' }), { phase: 'Running', attempt: 1 });
    remove(write(job, { phase: 'Completed', attempt: 1 }));
    const samples = await scrape();
    const v1 = ['created', 'deleted', 'successful', 'failed', 'restarted'].map((name) => samples.value(`training_operator_jobs_${name}_total`, PYTORCH));
    expect(v1).toEqual([1, 1, 1, 0, 1]);
  });
});

describe('gauges', () => {
  test('count the jobs of the cache by phase, and forget a phase that no job is in', async () => {
    const { create, write, remove, scrape } = setUp();
    const job = write(create('net'), withPods('Pending'));
    create('new');
    const before = await scrape();
    expect(before.value('trainyard_jobs', { ...PYTORCH, phase: 'Pending' })).toBe(1);
    expect(before.value('trainyard_jobs', { ...PYTORCH, phase: 'None' })).toBe(1);
    remove(write(job, { phase: 'Completed' }));
    const after = await scrape();
    expect(after.value('trainyard_jobs', { ...PYTORCH, phase: 'Pending' })).toBeUndefined();
    expect(after.value('trainyard_jobs', { ...PYTORCH, phase: 'Completed' })).toBeUndefined();
  });

  test('tell the age of the oldest checkpoint of running jobs, not one series for each job', async () => {
    const { create, write, clock, scrape } = setUp();
    const saved = (time: number): TrainingJobStatus => withPods('Running', { checkpoint: { path: '/c', time: new Date(time).toISOString() } });
    write(create('a'), saved(clock.now() - 60_000));
    write(create('b'), saved(clock.now() - 300_000));
    write(create('done'), { ...saved(clock.now() - 900_000), phase: 'Completed' });
    expect((await scrape()).value('trainyard_job_oldest_checkpoint_age_seconds', PYTORCH)).toBe(300);
  });

  test('tell the longest wait for pods: of jobs in a queue since they were refused, of none that their author has suspended', async () => {
    const { create, write, clock, scrape } = setUp();
    const wait = async () => (await scrape()).value('trainyard_job_oldest_queue_wait_seconds', PYTORCH);
    const refusedAt = clock.now() + 40_000;
    write(create('mine'), { phase: 'Suspended' });
    expect(await wait()).toBeUndefined();
    const queued = create('queued');
    await clock.advance(100_000);
    write(queued, {
      phase: 'Suspended', queue: { name: 'team', admitted: false },
      conditions: [{ type: 'Admitted', status: 'False', reason: 'Pending', message: '', lastTransitionTime: new Date(refusedAt).toISOString() }],
    });
    expect(await wait()).toBe(60);
    const fresh = write(create('fresh'), { phase: 'Pending' });
    await clock.advance(20_000);
    expect(await wait()).toBe(80);
    write(queued, withPods('Pending'));
    expect(await wait()).toBe(20);
    write(fresh, withPods('Running'));
    expect(await wait()).toBeUndefined();
  });

  test('count the replicas that jobs which had started miss', async () => {
    const { create, write, scrape } = setUp();
    const down = async () => (await scrape()).value('trainyard_job_replicas_down', PYTORCH);
    const withRunning = (phase: Phase, count: number, succeeded = 0): TrainingJobStatus => (
      { phase, workerStatuses: [{ role: 'worker', replicas: 4, pending: 4 - count - succeeded, running: count, succeeded, failed: 0 }] });
    const job = create('net');
    write(create('starting'), withRunning('Pending', 1));
    expect(await down()).toBe(0);
    write(job, withRunning('Running', 3));
    write(create('other'), withRunning('Restarting', 1, 1));
    expect(await down()).toBe(3);
    write(job, withRunning('Completed', 0, 4));
    expect(await down()).toBe(2);
  });
});

describe('waits', () => {
  test('are measured from creation to the first pods to all of them running, once', async () => {
    const { create, write, metrics, clock, scrape } = setUp();
    const job = create('net');
    await clock.advance(7_000);
    metrics.podsCreated(job);
    const pending = write(job, withPods('Pending'));
    metrics.podsCreated(pending);
    await clock.advance(20_000);
    write(pending, running(new Date(clock.now()).toISOString()));
    const samples = await scrape();
    expect(samples.value('trainyard_job_queue_wait_seconds_sum', PYTORCH)).toBe(7);
    expect(samples.value('trainyard_job_queue_wait_seconds_count', PYTORCH)).toBe(1);
    expect(samples.value('trainyard_job_startup_seconds_sum', PYTORCH)).toBe(20);
    expect(samples.value('trainyard_job_recovery_seconds_count', PYTORCH)).toBeUndefined();
  });

  test('of a restart last from the decision to all replicas running again, however many attempts that takes', async () => {
    const { create, write, metrics, clock, scrape } = setUp();
    let job = write(create('net'), running('2026-01-01T00:00:00Z'));
    for (const attempt of [1, 2]) {
      job = write(job, { phase: 'Restarting', attempt, restarts: attempt, replicas: 2 });
      metrics.podsCreated(job);
      await clock.advance(15_000);
    }
    write(job, running('2026-01-01T00:00:30Z', { attempt: 2, restarts: 2 }));
    const samples = await scrape();
    expect(samples.value('trainyard_job_recovery_seconds_sum', PYTORCH)).toBe(30);
    expect(samples.value('trainyard_job_recovery_seconds_count', PYTORCH)).toBe(1);
    expect(samples.value('trainyard_job_queue_wait_seconds_count', PYTORCH)).toBeUndefined();
  });
});

test('trials of a search are counted by how they ended', async () => {
  const { create, write, scrape } = setUp();
  const tuning = { trials: 5, running: 2, succeeded: 2, failed: 0, stopped: 1 };
  const job = write(create('net'), { phase: 'Running', tuning });
  write(job, { phase: 'Running', tuning: { ...tuning, trials: 8, succeeded: 4, failed: 1 } });
  const samples = await scrape();
  const trials = ['succeeded', 'failed', 'stopped'].map((outcome) => samples.value('trainyard_tuning_trials_total', { ...PYTORCH, outcome }));
  expect(trials).toEqual([4, 1, 1]);
});

describe('what goodput is made of', () => {
  test('seconds times replicas and GPUs go to the state that the job was in, up to the moment of the scrape', async () => {
    const { create, write, clock, scrape } = setUp();
    let job = write(create('net', { resources: { gpu: 8 } }), { phase: 'Pending', replicas: 2 });
    await clock.advance(5_000);
    job = write(job, withPods('Pending'));
    await clock.advance(10_000);
    job = write(job, running(new Date(clock.now()).toISOString()));
    await clock.advance(100_000);
    const during = await scrape();
    const seconds = (samples: Samples, unit: string, state: string) => samples.value(`trainyard_job_${unit}_seconds_total`, { ...PYTORCH, state });
    expect(['queued', 'starting', 'running'].map((state) => seconds(during, 'replica', state))).toEqual([10, 20, 200]);
    expect(seconds(during, 'gpu', 'running')).toBe(1_600);

    await clock.advance(50_000);
    job = write(job, withPods('Restarting', { attempt: 1, restarts: 1 }));
    await clock.advance(3_000);
    write(job, { ...withPods('Completed'), attempt: 1 });
    await clock.advance(1_000_000);
    const after = await scrape();
    expect(['running', 'restarting'].map((state) => seconds(after, 'replica', state))).toEqual([300, 6]);
    // The attempt had run for 150 s on two replicas, without a checkpoint.
    expect(after.value('trainyard_job_rework_replica_seconds_total', { ...PYTORCH, cause: 'failure' })).toBe(300);
    expect(after.value('trainyard_job_rework_gpu_seconds_total', { ...PYTORCH, cause: 'failure' })).toBe(2_400);
  });

  test.each([
    ['an array', { array: { count: 4 } }],
    ['a search', { autoTuning: { objective: 'loss', parameters: { lr: { type: 'int', values: [1, 2] } } } }],
  ] as const)('%s has no replicas of its own: its copies or trials count for themselves', async (_what, fields) => {
    const { create, write, clock, scrape } = setUp();
    write(create('net', { ...fields, resources: { gpu: 8 } }), { phase: 'Running' });
    await clock.advance(100_000);
    const samples = await scrape();
    ['replica', 'gpu'].forEach((unit) => expect(samples.value(`trainyard_job_${unit}_seconds_total`, { ...PYTORCH, state: 'running' }) ?? 0).toBe(0));
  });

  test('a new leader counts from when it leads, so that no second is counted by two', async () => {
    const { put, create, metrics, store, clock, scrape } = setUp({ leads: false });
    put({ ...create('net'), status: withPods('Running') });
    await clock.advance(1_000_000);
    metrics.lead([store]);
    await scrape();
    await clock.advance(4_000);
    expect((await scrape()).value('trainyard_job_replica_seconds_total', { ...PYTORCH, state: 'running' })).toBe(8);
  });
});

describe('of several replicas that each hold a part of the jobs', () => {
  test('each counts its own, and nobody counts what is handed over twice', async () => {
    const { create, write, remove, metrics, store, clock, scrape } = setUp({ leads: false });
    let held: string[] = [];
    metrics.lead([store], (key) => held.includes(key));
    const [mine] = ['mine', 'other'].map((name) => write(create(name), withPods('Running')));
    held = ['team-a/mine'];
    await scrape();
    await clock.advance(10_000);
    const seconds = async () => (await scrape()).value('trainyard_job_replica_seconds_total', { ...PYTORCH, state: 'running' });
    expect(await seconds()).toBe(20);
    expect((await scrape()).value('trainyard_jobs', { ...PYTORCH, phase: 'Running' })).toBe(1);
    held = [];
    metrics.handOver([mine]);
    await clock.advance(1_000_000);
    expect(await seconds()).toBe(20);
    held = ['team-a/mine'];
    await scrape();
    await clock.advance(5_000);
    expect(await seconds()).toBe(30);
    store.list().forEach(remove);
    expect((await scrape()).value('trainyard_jobs_deleted_total', PYTORCH)).toBe(1);
  });
});

describe('cardinality', () => {
  test('is bounded: namespaces beyond the limit share their series', async () => {
    const { create, write, scrape } = setUp();
    for (let index = 0; index < MAX_NAMESPACES + 20; index++) {
      write(create('net', {}, `ns-${index}`), { phase: 'Pending' });
    }
    const samples = await scrape();
    expect(samples.value('trainyard_jobs_created_total', { ...PYTORCH, job_namespace: 'ns-0' })).toBe(1);
    expect(samples.value('trainyard_jobs_created_total', { ...PYTORCH, job_namespace: OTHER_NAMESPACES })).toBe(20);
  });

  test('shrinks: the series of a namespace go some time after its last job', async () => {
    const { create, write, remove, clock, metrics, scrape } = setUp({ v1Names: true });
    const job = create('net');
    metrics.podsCreated(job);
    remove(write(job, { phase: 'Completed' }));
    write(create('other', {}, 'team-b'), { phase: 'Pending' });
    await clock.advance(600_000);
    expect((await scrape()).value('trainyard_jobs_created_total', PYTORCH)).toBe(1);
    await clock.advance(3_600_000);
    const samples = await scrape();
    expect(samples.all.filter((sample) => sample.includes('team-a'))).toEqual([]);
    expect(samples.value('trainyard_jobs_created_total', { ...PYTORCH, job_namespace: 'team-b' })).toBe(1);
  });
});
