import type { TrainingJobStatus } from '../../../src/model/training-job/status';
import { FakeClock } from '../runtime/support/fake-clock';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Store } from '../../../src/operator/runtime/store';
import type { TrainingJobObject } from '../../../src/operator/training/resources';
import { COUNTS_INTERVAL_MS, StatusWriter } from '../../../src/operator/training/status-writer';

const CONDITION = { type: 'Created', status: 'True', reason: 'JobCreated', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;

/** A writer, the bodies that it sent, and a job as it was read. */
function setUp(status: TrainingJobStatus = {}) {
  const sent: { job: TrainingJobObject; subresource?: string }[] = [];
  const client = {
    replace: async (_kind: unknown, job: TrainingJobObject, options: { subresource?: string }) => {
      sent.push({ job, subresource: options.subresource });
      return { ...job, metadata: { ...job.metadata, resourceVersion: String(10 + sent.length) } };
    },
  } as unknown as KubeClient;
  const clock = new FakeClock();
  const jobs = new Store<TrainingJobObject>();
  const job: TrainingJobObject = {
    metadata: { name: 'net', namespace: 'ns', uid: 'u', resourceVersion: '10' }, spec: { framework: 'jax', image: 'i', replicas: 2 }, status,
  };
  return { writer: new StatusWriter(client, jobs, clock), sent, clock, jobs, job };
}

describe('writing a status', () => {
  test('goes to the status subresource with the version that it was planned from, and into the cache', async () => {
    const { writer, sent, jobs, job } = setUp();
    await writer.write(job, { phase: 'Running' });
    expect(sent).toHaveLength(1);
    expect(sent[0].subresource).toBe('status');
    expect(sent[0].job.metadata).toEqual({ name: 'net', namespace: 'ns', uid: 'u', resourceVersion: '10' });
    expect(jobs.get('ns/net')?.status).toEqual({ phase: 'Running' });
  });

  test('is left out when the status stands, whatever fields are undefined', async () => {
    const { writer, sent, job } = setUp({ phase: 'Running', restarts: 0 });
    expect(await writer.write(job, { phase: 'Running', restarts: 0, nextRetryTime: undefined })).toBe(job);
    expect(await writer.writeWhenDue(job, { restarts: 0, phase: 'Running', lastFailure: undefined })).toEqual({ job });
    expect(sent).toEqual([]);
  });
});

describe('a change of mere numbers', () => {
  const before: TrainingJobStatus = { phase: 'Pending', ready: '0/2', conditions: [{ ...CONDITION, message: '0 of 2' }] };
  const counted: TrainingJobStatus = { phase: 'Pending', ready: '1/2', conditions: [{ ...CONDITION, message: '1 of 2' }] };

  test('is written at once when nothing was written lately', async () => {
    const { writer, sent, job } = setUp(before);
    expect((await writer.writeWhenDue(job, counted)).dueInMs).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('waits for the rest of the interval after a write, and then is due', async () => {
    const { writer, sent, clock, job } = setUp();
    const written = await writer.write(job, before);
    await clock.advance(1_000);
    expect(await writer.writeWhenDue(written, counted)).toEqual({ job: written, dueInMs: COUNTS_INTERVAL_MS - 1_000 });
    await clock.advance(COUNTS_INTERVAL_MS - 1_000);
    expect((await writer.writeWhenDue(written, counted)).dueInMs).toBeUndefined();
    expect(sent).toHaveLength(2);
  });

  test('does not hold news back', async () => {
    const { writer, sent, job } = setUp();
    const written = await writer.write(job, before);
    await writer.writeWhenDue(written, { ...counted, phase: 'Running' });
    await writer.writeWhenDue(written, { ...counted, conditions: [{ ...CONDITION, reason: 'Forbidden', status: 'False' }] });
    await writer.writeWhenDue(written, { ...counted, restarts: 1 });
    expect(sent).toHaveLength(4);
  });

  test('is written at once for a job of the same name that comes after one that was forgotten', async () => {
    const { writer, sent, job } = setUp();
    const written = await writer.write(job, before);
    writer.forget('ns/net');
    await writer.writeWhenDue(written, counted);
    expect(sent).toHaveLength(2);
  });
});
