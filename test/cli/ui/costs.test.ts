/** What the page of costs shows. */
import { COMMAND_KINDS } from '../../../src/cli/jobs/kinds';
import type { Reader } from '../../../src/cli/jobs/reader';
import { readCosts } from '../../../src/cli/ui/costs';
import { NO_PRICES, type PriceTable } from '../../../src/model/cost/prices';

const NOW = Date.parse('2026-01-01T10:00:00Z');
const PRICES: PriceTable = { ...NO_PRICES, date: '2026-01-01', currency: 'USD', region: 'here', accelerators: { 'nvidia-h100-80gb': { onDemand: 10 } } };

const job = (namespace: string, name: string, status: object, spec: object = {}) => ({
  metadata: { namespace, name, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { framework: 'plain', image: 'registry.example/train:1', replicas: 2, resources: { gpu: 4 }, scheduling: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' } }, ...spec }, status,
});

const read = async (jobs: readonly object[], prices?: PriceTable) => readCosts(
  { list: async ({ plural }: { readonly plural: string }) => (plural === 'mltrainingjobs' ? jobs : []), unread: [] } as unknown as Reader,
  undefined, COMMAND_KINDS, prices, NOW,
);

const JOBS = [
  job('team-a', 'runs', { phase: 'Running', startTime: '2026-01-01T08:00:00Z' }),
  job('team-a', 'ended', { phase: 'Completed', startTime: '2026-01-01T01:00:00Z', completionTime: '2026-01-01T02:30:00Z' }),
  job('team-b', 'waits', { phase: 'Pending' }),
];

test('device hours are those of the time that jobs ran, by team and by job', async () => {
  const { teams, jobs, isPriced, missing } = await read(JOBS);
  expect({ isPriced, missing }).toEqual({ isPriced: false, missing: [] });
  expect(teams).toMatchObject([
    { namespace: 'team-a', running: 1, jobs: 2, devices: '8 nvidia-h100-80gb', deviceHours: '28' }, { namespace: 'team-b', running: 0, jobs: 1, devices: '-', deviceHours: '0' },
  ]);
  expect(jobs.map(({ name, hours, deviceHours }) => [name, hours, deviceHours])).toEqual([['runs', '2', '16'], ['ended', '1.5', '12'], ['waits', '0', '0']]);
});

test('a search counts the trials that run at a time, and what has no price is named', async () => {
  const autoTuning = { objective: 'loss', parameters: { LR: { type: 'float', min: 0.1, max: 1 } }, maxTrials: 20, parallelTrials: 3 };
  const search = job('team-a', 'search', { phase: 'Running', startTime: '2026-01-01T09:00:00Z' }, { autoTuning });
  const { jobs, assumptions, missing } = await read([search], PRICES);
  expect(jobs).toMatchObject([{ name: 'search', deviceHours: '24', perHour: '240.00', soFar: '240.00' }]);
  expect(assumptions).toEqual(expect.arrayContaining(['Prices in USD, of here, of 2026-01-01.', 'A team is a namespace.']));
  expect(missing).toEqual([]);
  expect((await read(JOBS, { ...PRICES, accelerators: {} })).missing.length).toBeGreaterThan(0);
});
