/** Ten thousand changes of pods in a burst, and jobs as large as the API server takes them. */
import fs from 'node:fs';
import { describeFaults } from './support/fault-suite';
import { eventually } from '../cluster/support/cluster';
import type { OperatorProcess } from '../cluster/support/operator';

const suite = describeFaults();

const isIntact = (operator: OperatorProcess) => operator.child.running && !operator.log().some(({ msg }) => msg === 'lost leadership');

/** Peak of the memory of a process, MiB, as Linux counts it. */
const peakMiB = (pid: number): number => Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

test('ten thousand changes of pods: the leader keeps its lease, and what happens meanwhile is done', async () => {
  const { api, jobs, namespace, fates } = suite;
  const PODS = 100;
  const operator = suite.start('leader');
  await suite.leads(operator);
  await jobs.create('big', { framework: 'plain', replicas: PODS });
  await jobs.untilCondition('big', 'Running');
  const pods = (await api.list('pods', namespace, 'job=big')).map(({ metadata }) => metadata.name);
  let changes = 0;
  const flood = Promise.all(pods.map(async (pod) => {
    for (let change = 0; change < 10_000 / PODS; change++) {
      await api.patch('pods', namespace, pod, { metadata: { annotations: { change: String(change) } } });
      changes++;
    }
  }));
  fates.set('meanwhile', () => ({ afterMs: 100, exitCode: 0 }));
  await eventually('the flood to be on its way', async () => changes > 500);
  await jobs.create('meanwhile');
  await jobs.untilCondition('meanwhile', 'Succeeded');
  await flood;
  expect(changes).toBe(10_000);
  await jobs.create('after');
  await jobs.untilCondition('after', 'Running');
  expect(isIntact(operator)).toBe(true);
  expect(await suite.leader()).toBe('leader');
  const { status } = await jobs.get('big');
  expect([status?.phase, status?.restarts ?? 0, status?.disruptions ?? 0, suite.recorder.podCount]).toEqual(['Running', 0, 0, PODS + 2]);
});

test('twenty jobs of a megabyte are taken in by an operator with a small heap, and others run beside them', async () => {
  const { jobs } = suite;
  const JOBS = 20;
  const env = Array.from({ length: 1000 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) }));
  // Suspended: they are only kept, as those that have ended are.
  const create = async (index: number) => jobs.create(`huge-${index}`, { env, suspend: true });
  for (let from = 0; from < JOBS; from += 10) {
    await Promise.all(Array.from({ length: 10 }, async (_, index) => create(from + index)));
  }
  const operator = suite.start('leader', undefined, { NODE_OPTIONS: '--max-old-space-size=384' });
  await suite.leads(operator);
  await jobs.create('small');
  await jobs.until('small', 'running', ({ phase }) => {
    if (!operator.child.running) {
      throw new Error(`the operator has ended: ${operator.child.lastLogLines()}`);
    }
    return phase === 'Running';
  });
  process.stdout.write(`${JOBS} jobs of 1 MB: the operator had ${Math.round(peakMiB(operator.child.pid!))} MiB at most\n`);
  expect(isIntact(operator)).toBe(true);
  expect(operator.complaints()).toEqual([]);
});
