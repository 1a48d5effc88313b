import type { Condition, TrainingJobStatus } from '../../../../src/model/training-job/status/status';
import { Store } from '../../../../src/operator/runtime/watch/store';
import type { TrainingJobObject } from '../../../../src/operator/training/resources';
import { JobSpans, spanIdOf, traceIdOf, type SpanRecord } from '../../../../src/operator/training/tracing/job-spans';
import { FakeClock } from '../../runtime/support/fake-clock';

/** Spans of jobs, and what has been emitted. */
function setUp() {
  const emitted: SpanRecord[] = [];
  const clock = new FakeClock();
  const begun = clock.now();
  const spans = new JobSpans({ emit: (span) => emitted.push(span) }, clock);
  const job: TrainingJobObject = {
    metadata: { name: 'net', namespace: 'team', uid: 'uid-1', resourceVersion: '1', creationTimestamp: new Date(begun).toISOString() },
    spec: { framework: 'jax', image: 'image', replicas: 2 },
  };
  return {
    clock, spans, emitted, job,
    write: (before: TrainingJobObject, status: TrainingJobStatus): TrainingJobObject => {
      const after = { ...before, status };
      spans.statusWritten(before, after);
      return after;
    },
    /** Name, parent's part and seconds since the beginning of what was emitted. */
    told: () => emitted.map(({ name, start, end }) => [name, (start - begun) / 1000, (end - begun) / 1000]),
  };
}

const condition = (type: Condition['type'], reason: string, since: string, message = ''): Condition =>
  ({ type, status: 'True', reason, message, lastTransitionTime: since });

describe('the trace of a job', () => {
  test('has a span for the job, each attempt and each stay in a phase, that follow each other without a gap', async () => {
    const { clock, write, job, told } = setUp();
    await clock.advance(1_000);
    let now = write(job, { phase: 'Pending', attempt: 0 });
    await clock.advance(5_000);
    now = write(now, { phase: 'Running', attempt: 0 });
    await clock.advance(100_000);
    now = write(now, { phase: 'Restarting', attempt: 1, restarts: 1 });
    await clock.advance(10_000);
    now = write(now, { phase: 'Running', attempt: 1, restarts: 1 });
    await clock.advance(50_000);
    write(now, { phase: 'Completed', attempt: 1, restarts: 1 });
    expect(told()).toEqual([
      ['pending', 1, 6],
      ['running', 6, 106],
      ['attempt 0', 1, 106],
      ['restarting', 106, 116],
      ['running', 116, 166],
      ['attempt 1', 106, 166],
      ['training job', 0, 166],
    ]);
  });

  test('is one trace whose spans hang together, with ids that follow from the job', async () => {
    const { clock, write, job, emitted } = setUp();
    const running = write(write(job, { phase: 'Pending', attempt: 0 }), { phase: 'Running', attempt: 0 });
    await clock.advance(1_000);
    write(running, { phase: 'Completed', attempt: 0 });
    expect(new Set(emitted.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf('uid-1')]));
    const root = emitted.find(({ parentId }) => parentId === undefined)!;
    expect(root.name).toBe('training job');
    const ids = new Set(emitted.map(({ spanId }) => spanId));
    expect(ids.size).toBe(emitted.length);
    expect(emitted.filter(({ parentId }) => parentId !== undefined && !ids.has(parentId))).toEqual([]);
    expect(emitted.every(({ traceId, spanId }) => /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanId))).toBe(true);
  });

  test('says how the job ended, and which replica an attempt failed by', () => {
    const { write, job, emitted } = setUp();
    const running = write(write(job, { phase: 'Pending', attempt: 0 }), { phase: 'Running', attempt: 0, replicas: 2 });
    const lastFailure = { role: 'worker', index: 1, pod: 'net-worker-1', node: 'node-7', exitCode: 137, reason: 'OOMKilled', attempt: 0, time: '2026-01-01T00:00:00Z' };
    write(running, {
      phase: 'Failed', attempt: 0, replicas: 2, restarts: 3, lastFailure,
      conditions: [condition('Failed', 'BackoffLimitExceeded', '2026-01-01T00:00:00Z', 'net-worker-1 was killed')],
    });
    const of = (name: string) => emitted.find((span) => span.name === name)!;
    expect(of('attempt 0')).toMatchObject({
      error: 'net-worker-1: OOMKilled',
      attributes: { 'trainyard.failure.pod': 'net-worker-1', 'trainyard.failure.node': 'node-7', 'trainyard.failure.exit_code': 137 },
    });
    expect(of('training job')).toMatchObject({
      error: 'net-worker-1 was killed',
      attributes: {
        'k8s.namespace.name': 'team', 'trainyard.job.name': 'net', 'trainyard.framework': 'jax', 'trainyard.outcome': 'failed',
        'trainyard.reason': 'BackoffLimitExceeded', 'trainyard.restarts': 3,
      },
    });
    expect(of('running').error).toBeUndefined();
  });

  test('of a job that is over at once is the span of the job', () => {
    const { write, job, told } = setUp();
    write(job, { phase: 'Failed', conditions: [condition('Failed', 'InvalidSpec', '2026-01-01T00:00:00Z')] });
    expect(told()).toEqual([['training job', 0, 0]]);
  });

  test('goes on under a new leader, which takes from the status when things began', async () => {
    const { clock, spans, job, emitted } = setUp();
    await clock.advance(1_000_000);
    const at = (ago: number) => new Date(clock.now() - ago).toISOString();
    const running: TrainingJobObject = { ...job, status: {
      phase: 'Running', attempt: 1, startTime: at(900_000), conditions: [condition('Running', 'AllReplicasRunning', at(60_000)), condition('Restarting', 'x', at(80_000))],
    } };
    spans.statusWritten(running, { ...running, status: { ...running.status, phase: 'Completed' } });
    expect(emitted.map(({ name, start, end }) => [name, end - start])).toEqual([['running', 60_000], ['attempt 1', 80_000], ['training job', 1_000_000]]);
    expect(emitted[1].spanId).toBe(spanIdOf('uid-1', 'attempt 1'));
  });

  test('ends when the job is deleted before its end, and only then', () => {
    const { spans, write, job, emitted, told } = setUp();
    const store = new Store<TrainingJobObject>();
    store.applyWritten(job);
    spans.lead([store]);
    const pending = { ...write(job, { phase: 'Pending', attempt: 0 }), metadata: { ...job.metadata, resourceVersion: '2' } };
    store.applyWritten(pending);
    expect(told()).toEqual([]);
    store.markDeleted({ namespace: 'team', name: 'net', uid: 'uid-1' });
    expect(emitted.map(({ name }) => name)).toEqual(['pending', 'attempt 0', 'training job']);
    expect(emitted[2].attributes['trainyard.outcome']).toBe('deleted');
  });

  test('is ended by whoever holds the job when it is deleted', () => {
    const { spans, write, job, emitted } = setUp();
    const store = new Store<TrainingJobObject>();
    spans.lead([store], () => false);
    store.applyWritten(write(job, { phase: 'Pending', attempt: 0 }));
    spans.handOver(store.list());
    store.markDeleted({ namespace: 'team', name: 'net', uid: 'uid-1' });
    expect(emitted).toEqual([]);
  });
});

test('a pass is a trace of its own', () => {
  const { spans, emitted, clock } = setUp();
  spans.reconciled({ controller: 'training-job', key: 'team/net', outcome: 'success', conflict: false, seconds: 2 });
  spans.reconciled({ controller: 'training-job', key: 'team/net', outcome: 'error', conflict: false, seconds: 0 });
  expect(emitted[0]).toMatchObject({ name: 'reconcile', start: clock.now() - 2_000, end: clock.now(), attributes: { 'trainyard.job': 'team/net' }, error: undefined });
  expect(emitted[1].error).toBe('the pass failed');
  expect(emitted[0].traceId).not.toBe(emitted[1].traceId);
});
