/** A search as wide as the schema lets it be, with all that it can remember: deciding on its trials in one pass took longer than the lease. */
import { describeAttacks } from './support/attack-suite';
import { eventually } from '../cluster/support/cluster';
import { REMEMBERED_TRIALS } from '../../src/model/tuning/memory';
import { Random } from '../../src/model/tuning/random';
import { encodePoint } from '../../src/model/tuning/search-space';
import type { TuningParameterSpec } from '../../src/model/training-job/fields/features';

const WIDTH = 64;

/** A limit for a search that never gets there. Deciding on all takes a machine about 20 s, in short passes; there is time for others between them. */
const PATIENCE_MS = 120_000;

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
  const active = await eventually('all trials to be under way', async () => {
    const trials = (await jobs.get('wide')).status?.tuning?.active;
    return trials?.length === WIDTH && trials;
  }, PATIENCE_MS);
  // It has taken in what it remembers, which is what made it slow.
  expect(active.filter(({ trial }) => trial <= REMEMBERED_TRIALS)).toEqual([]);
});
