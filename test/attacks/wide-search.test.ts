/** A search as wide as the schema lets it be, with all that it can remember: deciding on its trials in one pass took longer than the lease. */
import { describeAttacks } from './support/attack-suite';
import { REMEMBERED_TRIALS } from '../../src/model/tuning/memory';
import { Random } from '../../src/model/tuning/random';
import { encodePoint } from '../../src/model/tuning/search-space';
import type { TuningParameterSpec } from '../../src/model/training-job/features';

const WIDTH = 64;

const suite = describeAttacks();

test('a search of 64 parameters decides on 64 trials, and nobody has to wait for it', async () => {
  const { api, jobs, namespace } = suite;
  const random = new Random(1, 'wide');
  const parameters = Object.fromEntries(Array.from({ length: WIDTH }, (_entry, index): [string, TuningParameterSpec] => (
    [`p${index}`, { type: 'float', min: 0, max: 1 }])));
  const remembered = Array.from({ length: REMEMBERED_TRIALS }, (_entry, index) => ({
    trial: index + 1, point: encodePoint(Array.from({ length: WIDTH }, () => Math.floor(random.next() * 1000))), value: random.next(),
  }));
  await jobs.create('wide', {
    replicas: 1, suspend: true, autoTuning: { objective: 'x', algorithm: 'bayesian', parallelTrials: WIDTH, maxTrials: 100_000, parameters },
  });
  await jobs.untilCondition('wide', 'Suspended');
  const best = { trial: 1, value: 1, parameters: {} };
  const tuning = { trials: REMEMBERED_TRIALS, running: 0, succeeded: REMEMBERED_TRIALS, failed: 0, stopped: 0, active: [], remembered, best };
  await api.patch('mltrainingjobs', namespace, 'wide', { status: { tuning } }, 'status');
  await api.patch('mltrainingjobs', namespace, 'wide', { spec: { suspend: false } });
  const { status } = await jobs.until('wide', 'all trials under way', ({ tuning: search }) => search?.active?.length === WIDTH);
  // It has taken in what it remembers, which is what made it slow.
  expect(status?.tuning?.active?.every(({ trial }) => trial > REMEMBERED_TRIALS)).toBe(true);
});
