import { MAX_REPLICAS } from '../../../../src/model/training-job/spec';
import { makeJob } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

const MOST_BYTES = 64 * 1024;
const bytes = (job: PlannedJob) => Buffer.byteLength(JSON.stringify(job.status));

/** As long as names of jobs may be. */
const LONG_NAME = 'a'.repeat(50);
const LONG_TEXT = 'x'.repeat(100_000);

describe('the status of 10,000 replicas fits into 64 KiB', () => {
  it('when every second one has succeeded', () => {
    const job = new PlannedJob(makeJob(LONG_NAME).plain(MAX_REPLICAS)).run();

    job.set((pod) => pod.succeeded(), ...[...job.pods.keys()].filter((_, index) => index % 2 === 1)).pass();

    expect(job.status.workerStatuses?.[0].succeeded).toBe(MAX_REPLICAS / 2);
    expect(bytes(job)).toBeLessThan(MOST_BYTES);
  });

  it('when all others fail at once, each with the longest texts', () => {
    const job = new PlannedJob(makeJob(LONG_NAME).plain(MAX_REPLICAS).restartPolicy('OnFailure').backoffLimit(MAX_REPLICAS)).run();
    const names = [...job.pods.keys()];
    job.set((pod) => pod.succeeded(), ...names.filter((_, index) => index % 2 === 1)).pass();

    job.set((pod) => pod.failed(1, { message: 'm'.repeat(1024), logTail: 'l'.repeat(2048) }), ...names.filter((_, index) => index % 2 === 0)).pass();

    expect(job.status.replacing).toHaveLength(100);
    expect(bytes(job)).toBeLessThan(MOST_BYTES);
    job.after(1000).pass();
    expect(bytes(job)).toBeLessThan(MOST_BYTES);
  });

  it('when the API server answers with a whole object', () => {
    const job = new PlannedJob(makeJob(LONG_NAME).pytorch(2)).pass([{ reason: 'Forbidden', message: LONG_TEXT, permanent: false }]);
    expect(bytes(job)).toBeLessThan(MOST_BYTES);

    job.pass([{ reason: 'InvalidPod', message: LONG_TEXT, permanent: true }]);

    expect(job.status.phase).toBe('Failed');
    expect(bytes(job)).toBeLessThan(MOST_BYTES);
  });

  it('when everything in the spec is wrong', () => {
    const env = Array.from({ length: 5_000 }, () => ({ name: 'A=B' }));
    const job = new PlannedJob(makeJob(LONG_NAME).spec({ env, framework: LONG_TEXT as never, port: LONG_TEXT as never })).pass();

    expect(job.condition('Failed')?.reason).toBe('InvalidSpec');
    expect(bytes(job)).toBeLessThan(MOST_BYTES);
  });

  it('when they have as many roles as the CRD allows, and every second one of each has succeeded', () => {
    const roles = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`role-${index}`, MAX_REPLICAS / 16]));
    const job = new PlannedJob(makeJob(LONG_NAME).spec({ framework: 'plain' }).roles(roles)).run();

    job.set((pod) => pod.succeeded(), ...[...job.pods.keys()].filter((_, index) => index % 2 === 1)).pass();

    expect(job.status.workerStatuses).toHaveLength(16);
    expect(bytes(job)).toBeLessThan(MOST_BYTES);
  });
});
