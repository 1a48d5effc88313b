import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';
import { FakeClock } from '../runtime/support/fake-clock';
import type { PatchOptions } from '../../../src/operator/runtime/http/call-options';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../../src/operator/runtime/kube-object';
import type { ResourceRef } from '../../../src/operator/runtime/resource-kind';
import { Store } from '../../../src/operator/runtime/watch/store';
import type { TrainingJobObject } from '../../../src/operator/training/resources';
import {
  COUNTS_INTERVAL_MS, COUNTS_SPACING_MS, FIRST_STATUS_PATIENCE_MS, LONGEST_COUNTS_INTERVAL_MS, StatusWriter,
} from '../../../src/operator/training/status-writer';

const CONDITION = { type: 'Created', status: 'True', reason: 'JobCreated', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;

/** How long numbers wait for those that move with them. */
const PATIENCE_MS = COUNTS_INTERVAL_MS / 5;

/** A patch as it was sent. */
interface Sent {
  readonly name: string;
  readonly patch: { readonly metadata: KubeObject['metadata']; readonly status: TrainingJobStatus };
  readonly options: PatchOptions;
}

/** A writer, what it sent, and a job as it was read. The server answers with metadata. */
function setUp(status: TrainingJobStatus = {}) {
  const sent: Sent[] = [];
  const client = {
    patch: async (_kind: unknown, { namespace, name }: ResourceRef, patch: Sent['patch'], options: PatchOptions) => {
      sent.push({ name, patch, options });
      return { kind: 'PartialObjectMetadata', metadata: { namespace, name, uid: `uid-of-${name}`, resourceVersion: String(10 + sent.length) } };
    },
  } as unknown as KubeClient;
  const clock = new FakeClock();
  const jobs = new Store<TrainingJobObject>();
  const job: TrainingJobObject = {
    metadata: { name: 'net', namespace: 'ns', uid: 'u', resourceVersion: '10' }, spec: { framework: 'jax', image: 'i', replicas: 2 }, status,
  };
  const load = { isBusy: false };
  return { writer: new StatusWriter(client, jobs, clock, undefined, () => load.isBusy), sent, clock, jobs, job, load };
}

describe('writing a status', () => {
  test('goes to the status subresource with the version that it was planned from, and into the cache', async () => {
    const { writer, sent, jobs, job } = setUp();
    await writer.write(job, { phase: 'Running' });
    expect(sent).toHaveLength(1);
    expect(sent[0].options).toMatchObject({ subresource: 'status' });
    expect([sent[0].name, sent[0].patch.metadata]).toEqual(['net', { resourceVersion: '10' }]);
    expect(jobs.get('ns/net')?.status).toEqual({ phase: 'Running' });
  });

  test('sends no spec and asks for none, and the cache has the spec that was read', async () => {
    const { writer, sent, jobs, job } = setUp();
    const written = await writer.write(job, { phase: 'Running' });
    expect(Object.keys(sent[0].patch)).toEqual(['metadata', 'status']);
    expect(sent[0].options.metadataOnly).toBe(true);
    expect(written).toMatchObject({ kind: 'MLTrainingJob', metadata: { resourceVersion: '11' }, status: { phase: 'Running' } });
    expect(written.spec).toBe(job.spec);
    expect(jobs.get('ns/net')?.spec).toBe(job.spec);
  });

  test('takes away what is no longer said', async () => {
    const { writer, sent, jobs, job } = setUp({ phase: 'Restarting', nextRetryTime: 'then', idle: { since: 'x', percent: 1 } as TrainingJobStatus['idle'] });
    await writer.write(job, { phase: 'Running', nextRetryTime: undefined, idle: { since: 'x' } as TrainingJobStatus['idle'] });
    expect(sent[0].patch.status).toEqual({ phase: 'Running', nextRetryTime: null, idle: { since: 'x', percent: null } });
    expect(jobs.get('ns/net')?.status).toEqual({ phase: 'Running', idle: { since: 'x' } });
  });

  test('takes in the whole object where the server sends it', async () => {
    const { jobs, job, clock } = setUp();
    const client = { patch: async () => ({ ...job, metadata: { ...job.metadata, resourceVersion: '11' }, status: { phase: 'Failed' } }) } as unknown as KubeClient;
    const written = await new StatusWriter(client, jobs, clock).write(job, { phase: 'Running' });
    expect([written.status, jobs.get('ns/net')?.status]).toEqual([{ phase: 'Failed' }, { phase: 'Failed' }]);
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

  test('waits a little for those that move with it when nothing was written lately', async () => {
    const { writer, sent, clock, job } = setUp(before);
    expect((await writer.writeWhenDue(job, counted)).dueInMs).toBeGreaterThan(0);
    await clock.advance(PATIENCE_MS);
    expect((await writer.writeWhenDue(job, counted)).dueInMs).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('waits longest while those of many other jobs wait, and no longer than usual once these are told', async () => {
    const { writer, clock, job } = setUp();
    const many = Array.from({ length: 16 }, (_, index) => ({ ...job, metadata: { ...job.metadata, name: `net-${index}` } }));
    const written = await Promise.all(many.map(async (one) => writer.write(one, before)));
    for (const one of written) {
      await writer.writeWhenDue(one, counted);
    }
    await clock.advance(COUNTS_INTERVAL_MS);
    expect((await writer.writeWhenDue(written[0], counted)).dueInMs).toBeGreaterThan(0);
    await clock.advance(LONGEST_COUNTS_INTERVAL_MS - COUNTS_INTERVAL_MS);
    expect((await writer.writeWhenDue(written[0], counted)).dueInMs).toBeUndefined();
    expect((await writer.writeWhenDue(written[1], counted)).dueInMs ?? 0).toBeLessThanOrEqual(COUNTS_SPACING_MS);
  });

  test('goes on waiting as one of a crowd until nearly all of it are told', async () => {
    const { writer, clock, job } = setUp();
    const many = Array.from({ length: 16 }, (_, index) => ({ ...job, metadata: { ...job.metadata, name: `net-${index}` } }));
    const written = await Promise.all(many.map(async (one) => writer.write(one, before)));
    for (const one of written) {
      await writer.writeWhenDue(one, counted);
    }
    const run = async (indexes: readonly number[]) => Promise.all(indexes.map(async (index) => writer.write(written[index], { ...counted, phase: 'Running' })));
    await clock.advance(COUNTS_INTERVAL_MS);
    await run([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect((await writer.writeWhenDue(written[15], counted)).dueInMs).toBeGreaterThan(COUNTS_SPACING_MS);
    await run([12]);
    expect((await writer.writeWhenDue(written[15], counted)).dueInMs).toBeUndefined();
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

  test('waits twice as long after each, up to a limit, until there is news', async () => {
    const { writer, clock, job } = setUp();
    let written = await writer.write(job, before);
    const waits: number[] = [];
    const count = async (ready: string): Promise<void> => {
      let answer = await writer.writeWhenDue(written, { ...written.status, ready });
      const begun = clock.monotonic();
      while (answer.dueInMs !== undefined) {
        await clock.advance(answer.dueInMs);
        answer = await writer.writeWhenDue(written, { ...written.status, ready });
      }
      waits.push(clock.monotonic() - begun);
      written = answer.job;
    };
    for (let ready = 1; ready <= 6; ready++) {
      await count(`${ready}/9`);
    }
    written = await writer.write(written, { ...written.status, phase: 'Running' });
    await count('7/9');
    expect(waits).toEqual([10_000, 20_000, 40_000, LONGEST_COUNTS_INTERVAL_MS, LONGEST_COUNTS_INTERVAL_MS, LONGEST_COUNTS_INTERVAL_MS, 10_000]);
  });

  test('waits as long as it may while many jobs wait for more urgent things, and no longer than that lasts', async () => {
    const { writer, sent, clock, job, load } = setUp();
    const written = await writer.write(job, before);
    load.isBusy = true;
    await clock.advance(2 * COUNTS_INTERVAL_MS);
    expect((await writer.writeWhenDue(written, counted)).dueInMs).toBeLessThanOrEqual(1_000);
    expect(sent).toHaveLength(1);
    load.isBusy = false;
    await clock.advance(PATIENCE_MS);
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

  test('does not wait for the last write of another job of its name, which was forgotten', async () => {
    const { writer, sent, clock, job } = setUp();
    const written = await writer.write(job, before);
    writer.forget('ns/net');
    await writer.writeWhenDue(written, counted);
    await clock.advance(PATIENCE_MS);
    await writer.writeWhenDue(written, counted);
    expect(sent).toHaveLength(2);
  });
});

describe('numbers of many jobs', () => {
  test('are written one job after the other, each in the turn that it was given', async () => {
    const { writer, sent, clock, job } = setUp({ phase: 'Pending', ready: '0/2' });
    const other = { ...job, metadata: { ...job.metadata, name: 'other', uid: 'o' } };
    const third = { ...job, metadata: { ...job.metadata, name: 'third', uid: 't' } };
    const counted: TrainingJobStatus = { phase: 'Pending', ready: '1/2' };
    for (const one of [job, other, third]) {
      await writer.writeWhenDue(one, counted);
    }
    await clock.advance(PATIENCE_MS);
    expect((await writer.writeWhenDue(job, counted)).dueInMs).toBeUndefined();
    expect((await writer.writeWhenDue(other, counted)).dueInMs).toBe(COUNTS_SPACING_MS);
    expect((await writer.writeWhenDue(third, counted)).dueInMs).toBe(2 * COUNTS_SPACING_MS);
    await clock.advance(COUNTS_SPACING_MS);
    expect((await writer.writeWhenDue(third, counted)).dueInMs).toBe(COUNTS_SPACING_MS);
    expect((await writer.writeWhenDue(other, counted)).dueInMs).toBeUndefined();
    expect(sent.map(({ name }) => name)).toEqual(['net', 'other']);
  });
});

describe('the first status of a job', () => {
  const first: TrainingJobStatus = { phase: 'Pending', ready: '0/2', conditions: [CONDITION] };

  test('is written at once while there is little to do', async () => {
    const { writer, sent, job } = setUp();
    await writer.writeWhenDue(job, first);
    expect(sent).toHaveLength(1);
  });

  test('waits while many jobs wait for more urgent things, but not for ever', async () => {
    const { writer, sent, clock, job, load } = setUp();
    load.isBusy = true;
    for (let waitedMs = 0; waitedMs < FIRST_STATUS_PATIENCE_MS;) {
      const { dueInMs = 0 } = await writer.writeWhenDue(job, first);
      expect(sent).toEqual([]);
      expect(dueInMs).toBeGreaterThan(0);
      waitedMs += dueInMs;
      await clock.advance(dueInMs);
    }
    await writer.writeWhenDue(job, first);
    expect(sent).toHaveLength(1);
  });

  test('waits while a large job starts', async () => {
    const { writer, sent, job } = setUp();
    await writer.writeWhenDue({ ...job, spec: { framework: 'jax', image: 'i', replicas: 1_000 } }, first);
    await writer.writeWhenDue({ ...job, spec: { framework: 'jax', image: 'i', roles: [{ name: 'worker', replicas: 1_000 }] } }, first);
    expect(sent).toEqual([]);
  });

  test('does not wait when it has more to say than that the job was seen', async () => {
    const { writer, sent, job, load } = setUp();
    load.isBusy = true;
    await writer.writeWhenDue(job, { ...first, phase: 'Running' });
    await writer.writeWhenDue(job, { ...first, conditions: [{ ...CONDITION, status: 'False', reason: 'Forbidden' }] });
    expect(sent).toHaveLength(2);
  });
});

describe('who is told of what was written', () => {
  /** A writer whose next answer is lost, and what it has told. */
  function setUpLossy() {
    const told: [TrainingJobObject, TrainingJobObject][] = [];
    const lost: string[] = [];
    let version = 10;
    const client = {
      patch: async (_kind: unknown, { namespace, name }: ResourceRef) => {
        version++;
        const loss = lost.shift();
        if (loss !== undefined) {
          throw new Error(loss);
        }
        return { metadata: { namespace, name, uid: `uid-of-${name}`, resourceVersion: String(version) } };
      },
    } as unknown as KubeClient;
    const jobs = new Store<TrainingJobObject>();
    const writer = new StatusWriter(client, jobs, new FakeClock(), (before, after) => told.push([before, after]));
    const job: TrainingJobObject = {
      metadata: { name: 'net', namespace: 'ns', uid: 'u', resourceVersion: '10' }, spec: { framework: 'jax', image: 'i', replicas: 2 },
    };
    const changed = (status: TrainingJobStatus, uid = 'u'): TrainingJobObject =>
      ({ ...job, metadata: { ...job.metadata, uid, resourceVersion: '12' }, status });
    return { told, lost, writer, job, changed };
  }

  test('hears of each written status once, with the one before it', async () => {
    const { told, writer, job } = setUpLossy();
    const written = await writer.write(job, { phase: 'Pending' });
    await writer.write(written, { phase: 'Pending' });
    expect(told.map(([before, after]) => [before.status?.phase, after.status?.phase])).toEqual([[undefined, 'Pending']]);
  });

  test('hears later of a write whose answer was lost, when the job turns out to have that status', async () => {
    const { told, lost, writer, job, changed } = setUpLossy();
    lost.push('connection reset');
    await expect(writer.write(job, { phase: 'Completed', completionTime: undefined })).rejects.toThrow('connection reset');
    expect(told).toEqual([]);
    const read = changed({ phase: 'Completed' });
    await writer.writeWhenDue(read, { phase: 'Completed' });
    await writer.writeWhenDue(read, { phase: 'Completed' });
    expect(told).toEqual([[job, read]]);
  });

  test('hears nothing of a write that was not carried out, nor of another job of the same name', async () => {
    const { told, lost, writer, job, changed } = setUpLossy();
    lost.push('refused', 'refused');
    await expect(writer.write(job, { phase: 'Completed' })).rejects.toThrow('refused');
    await writer.writeWhenDue(job, {});
    await expect(writer.write(job, { phase: 'Completed' })).rejects.toThrow('refused');
    await writer.writeWhenDue(changed({ phase: 'Completed' }, 'another'), { phase: 'Completed' });
    expect(told).toEqual([]);
  });
});
