/** The operator's clock is wrong, from its start: ten minutes ahead of those of the API server and the nodes, or behind them. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeFaults } from './support/fault-suite';
import type { OperatorProcess } from '../cluster/support/operator';
import type { TestJob } from '../cluster/support/training-jobs';

const suite = describeFaults();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-clock-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const MINUTE_MS = 60_000;

/** Loaded before the operator: what `Date` says is off by a constant. The monotonic clock runs as it does on such a machine. */
const SKEWED_DATE = (offsetMs: number): string => `
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) { super(...(args.length === 0 ? [RealDate.now() + ${offsetMs}] : args)); }
  static now() { return RealDate.now() + ${offsetMs}; }
};
`;

async function startSkewed(name: string, offsetMs: number): Promise<OperatorProcess> {
  const file = path.join(folder, `${name}.cjs`);
  fs.writeFileSync(file, SKEWED_DATE(offsetMs));
  const operator = suite.start(name, undefined, { NODE_OPTIONS: `--require ${file}` });
  await suite.leads(operator);
  return operator;
}

const counts = ({ status }: TestJob) => [status?.restarts ?? 0, status?.disruptions ?? 0, status?.attempt ?? 0];

/** Times of five minutes: half of what the clock is off. */
const LIMITS = {
  restartPolicy: 'OnFailure', activeDeadlineSeconds: 300, ttlSecondsAfterFinished: 300, stall: { timeoutSeconds: 300 },
  backoff: { initialSeconds: 1, maxSeconds: 1 },
} as const;

test.each([
  ['ahead', 10 * MINUTE_MS],
  ['behind', -10 * MINUTE_MS],
])('an operator whose clock is ten minutes %s ends no job before its time, and restarts none', async (which, offsetMs) => {
  const { jobs, fates } = suite;
  await startSkewed(which, offsetMs);
  fates.set('ends', () => ({ afterMs: 500, exitCode: 0 }));
  fates.set('again', ({ attempt }) => (attempt === 0 ? { afterMs: 200, exitCode: 1 } : undefined));
  await Promise.all([jobs.create('runs', { runPolicy: LIMITS }), jobs.create('ends', { runPolicy: LIMITS }), jobs.create('again', { runPolicy: LIMITS })]);
  const ended = await jobs.untilCondition('ends', 'Succeeded');
  // A retry after its pause, by whichever clock.
  const again = await jobs.until('again', 'running again', ({ attempt, phase }) => attempt === 1 && phase === 'Running');
  await jobs.untilCondition('runs', 'Running');
  // Many passes later: an operator that counted the difference would have ended or deleted them at the first.
  await jobs.create('later');
  await jobs.untilCondition('later', 'Running');
  expect([counts(await jobs.get('runs')), (await jobs.get('runs')).status?.phase]).toEqual([[0, 0, 0], 'Running']);
  expect([counts(ended), (await jobs.get('ends')).status?.phase]).toEqual([[0, 0, 0], 'Completed']);
  expect(counts(again)).toEqual([1, 0, 1]);
});

test('statuses that were written under a wrong clock count for nothing in an operator whose clock is right', async () => {
  const { jobs, fates } = suite;
  for (const [name, offsetMs] of [['ahead', 10 * MINUTE_MS], ['behind', -10 * MINUTE_MS]] as const) {
    const wrong = await startSkewed(name, offsetMs);
    fates.set(`${name}-ends`, () => ({ afterMs: 300, exitCode: 0 }));
    await Promise.all([jobs.create(`${name}-runs`, { runPolicy: { stall: LIMITS.stall } }), jobs.create(`${name}-ends`, { runPolicy: { ttlSecondsAfterFinished: 7200 } })]);
    await jobs.untilCondition(`${name}-runs`, 'Running');
    await jobs.untilCondition(`${name}-ends`, 'Succeeded');
    await wrong.stop();
  }
  const right = suite.start('right');
  await suite.leads(right);
  await jobs.create('later');
  await jobs.untilCondition('later', 'Running');
  for (const name of ['ahead-runs', 'behind-runs']) {
    const job = await jobs.get(name);
    expect({ name, counts: counts(job), phase: job.status?.phase }).toEqual({ name, counts: [0, 0, 0], phase: 'Running' });
  }
  expect([(await jobs.get('ahead-ends')).status?.phase, (await jobs.get('behind-ends')).status?.phase]).toEqual(['Completed', 'Completed']);
});
