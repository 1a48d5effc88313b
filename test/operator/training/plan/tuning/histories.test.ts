/** Whole searches, with crashes at every point, caches that are behind, and trials that do what they want. */
import { TuningWorld } from './world';
import type { Planner } from '../simulation/parent-world';
import { Random } from '../simulation/random';
import type { AutoTuningSpec } from '../../../../../src/model/training-job/fields/features';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import type { TuningStatus } from '../../../../../src/model/training-job/status/tuning-status';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation } from '../../../../../src/operator/training/plan/types';

/** The model is tested by itself and costs time: few histories ask it. */
const ALGORITHMS: readonly (readonly [weight: number, search: Partial<AutoTuningSpec>])[] = [
  [4, { algorithm: 'random' }],
  [0.5, { algorithm: 'bayesian', maxTrials: 8 }],
  [4, { algorithm: 'grid', maxTrials: 16 }],
  [4, { algorithm: 'hyperband', budget: { max: 4, reductionFactor: 2 } }],
];

function randomSearch(random: Random): AutoTuningSpec {
  const grid = { a: { type: 'int', min: 1, max: 4 }, b: { type: 'categorical', values: ['x', 'y', 'z', 'w'] } } as const;
  const algorithm = random.pickWeighted(ALGORITHMS);
  return {
    objective: 'y',
    goal: random.pick(['maximize', 'minimize']),
    seed: random.between(0, 1000),
    maxTrials: random.between(1, 16),
    parallelTrials: random.between(1, 5),
    keepTrials: random.between(0, 6),
    ...(random.chance(0.3) && { target: random.between(0, 1000) }),
    ...(random.chance(0.7) && { maxFailedTrials: random.between(0, 8) }),
    ...(random.chance(0.5) && algorithm.algorithm !== 'hyperband' && { earlyStopping: { minTrials: 1 } }),
    parameters: algorithm.algorithm === 'grid' || random.chance(0.5) ? grid : { x: { type: 'float', min: 0, max: 1 } },
    ...algorithm,
  };
}

/** Plays one history and returns what is wrong with it. */
function play(seed: number, planner: Planner = plan): { readonly world: TuningWorld; readonly search: AutoTuningSpec } {
  const random = new Random(seed);
  const search = randomSearch(random);
  const world = new TuningWorld(random, search, random.pick([0, 0.02, 0.1]), planner);
  const { maxTrials = 20, parallelTrials = 1 } = search;
  let counted = 0;
  const check = () => {
    const { tuning } = world.status;
    const { succeeded = 0, failed = 0, stopped = 0, trials = 0, active = [] } = tuning ?? {};
    const ended = succeeded + failed + stopped;
    const complain = (holds: boolean, what: string) => {
      if (!holds) {
        world.broken.push(what);
      }
    };
    complain(ended >= counted, 'a trial that had ended is not counted any more');
    counted = ended;
    complain(trials <= maxTrials && world.begun.size <= maxTrials, `more than ${maxTrials} trials`);
    complain(active.length <= parallelTrials, `more than ${parallelTrials} trials in the status`);
    complain(world.ended || ended + active.length === trials, 'a trial is neither under way nor counted');
    complain([...world.begun.keys()].every((number) => number <= trials), 'a trial that was never decided on');
    complain((tuning?.remembered ?? []).every(({ trial }) => world.begun.has(trial)), 'a trial is remembered that never was');
    complain(JSON.stringify(world.status).length < 64 * 1024, 'the status is too large');
  };
  const end = () => {
    for (let steps = 0; steps < 400 && !world.ended; steps++) {
      world.live();
      world.refresh();
      world.reconcile();
      check();
    }
  };
  for (let steps = 0; steps < 150 && !world.ended; steps++) {
    world.now += 1000 * random.between(0, 10);
    random.pickWeighted<[number, () => void][1]>([
      [5, () => world.live()],
      [5, () => world.refresh()],
      [8, () => world.reconcile()],
      [0.2, () => world.deleteTrial()],
      [0.3, () => { world.spec.suspend = !world.spec.suspend; }],
    ])();
    check();
    // Trials that were ended early, and whose deletion is under way, may be there beside new ones until the next pass.
    const gone = world.status.tuning?.stopped ?? 0;
    if (world.alive > parallelTrials + gone) {
      world.broken.push(`${world.alive} trials run at a time, and ${parallelTrials} may`);
    }
  }
  world.spec.suspend = false;
  end();
  if (!world.ended) {
    world.broken.push('the search does not end');
  }
  for (let passes = 0; passes < 20; passes++) {
    world.refresh();
    world.reconcile();
  }
  return { world, search };
}

/** What has to hold when all is over. */
function verdict({ world, search }: ReturnType<typeof play>): string[] {
  const { tuning, phase } = world.status;
  const broken = [...world.broken];
  const best = tuning?.best;
  if (phase === 'Completed' && best === undefined) {
    broken.push('completed without a best trial');
  }
  if (world.alive > 0) {
    broken.push(`${world.alive} trials outlive their search`);
  }
  const kept = search.keepTrials ?? 20;
  if (world.children.size > kept + 1) {
    broken.push(`${world.children.size} jobs of trials are kept, and ${kept} and the best may`);
  }
  return broken;
}

test('no trial twice, never too many, nothing lost, and an end: 1,000 histories with crashes', () => {
  const outcomes = { crashes: 0, Completed: 0, Failed: 0, stopped: 0, failed: 0 };
  for (let seed = 1; seed <= 1000; seed++) {
    const history = play(seed);
    const broken = verdict(history);
    if (broken.length > 0) {
      throw new Error(`seed ${seed} (${JSON.stringify(history.search)}): ${broken.slice(0, 5).join('; ')}`);
    }
    outcomes.crashes += history.world.crashes;
    outcomes[history.world.status.phase as 'Completed' | 'Failed']++;
    outcomes.stopped += history.world.status.tuning?.stopped ?? 0;
    outcomes.failed += history.world.status.tuning?.failed ?? 0;
  }
  // Histories in which nothing happens would prove nothing.
  expect(outcomes.crashes).toBeGreaterThan(500);
  expect(outcomes.Completed).toBeGreaterThan(200);
  expect(outcomes.Failed).toBeGreaterThan(100);
  expect(outcomes.stopped).toBeGreaterThan(50);
  expect(outcomes.failed).toBeGreaterThan(300);
});

/** Planners with a mistake each; the histories have to find every one of them. */
const MUTANTS: { readonly [mistake: string]: Planner } = {
  'makes a trial again that was deleted': (observation) => plan({
    ...observation,
    job: { ...observation.job, status: withTuning(observation.job.status, (tuning) => ({
      ...tuning, active: tuning.active?.map(({ seen: _seen, ...active }) => active),
    })) },
  }),
  'runs one trial too many at a time': (observation) => {
    const { autoTuning } = observation.job.spec;
    return plan(withSearch(observation, { parallelTrials: 1 + (autoTuning?.parallelTrials ?? 1) }));
  },
  'runs one trial too many': (observation) => {
    const { autoTuning } = observation.job.spec;
    return plan(withSearch(observation, { maxTrials: 1 + (autoTuning?.maxTrials ?? 20) }));
  },
  'leaves trials behind': (observation) => ({ ...plan(observation), actions: plan(observation).actions.filter(({ type }) => type !== 'deleteTrial') }),
  'counts a failed trial as none': (observation) => {
    const planned = plan(observation);
    return { ...planned, status: withTuning(planned.status, (tuning) => ({ ...tuning, failed: 0 })) };
  },
};

function withSearch(observation: Observation, change: Partial<AutoTuningSpec>): Observation {
  const { job } = observation;
  return { ...observation, job: { ...job, spec: { ...job.spec, autoTuning: { ...job.spec.autoTuning!, ...change } } } };
}

function withTuning(status: TrainingJobStatus, change: (tuning: TuningStatus) => TuningStatus): TrainingJobStatus {
  return status.tuning ? { ...status, tuning: change(status.tuning) } : status;
}

test.each(Object.entries(MUTANTS))('a planner that %s is found out', (_mistake, planner) => {
  const seeds = Array.from({ length: 60 }, (_entry, index) => index + 1);
  expect(seeds.find((seed) => verdict(play(seed, planner)).length > 0)).toBeDefined();
});
