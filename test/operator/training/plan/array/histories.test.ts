/** Whole arrays, with crashes at every point, caches that are behind, and copies that do what they want. */
import { ArrayWorld } from './world';
import type { Planner } from '../simulation/parent-world';
import { Random } from '../simulation/random';
import type { ArraySpec } from '../../../../../src/model/training-job/array';
import type { ArrayStatus, TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { parseIndexes } from '../../../../../src/operator/training/plan/index-set';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation } from '../../../../../src/operator/training/plan/types';

function randomArray(random: Random): ArraySpec {
  const count = random.between(1, 20);
  return {
    count,
    ...(random.chance(0.8) && { parallelism: random.between(1, 6) }),
    ...(random.chance(0.5) && { maxFailedIndexes: random.between(0, 6) }),
    ...(random.chance(0.7) && { keepJobs: random.between(0, 6) }),
  };
}

const setsOf = ({ activeIndexes, completedIndexes, failedIndexes, unseenIndexes }: Partial<ArrayStatus> = {}) => ({
  active: parseIndexes(activeIndexes),
  completed: parseIndexes(completedIndexes),
  failed: parseIndexes(failedIndexes),
  unseen: parseIndexes(unseenIndexes),
});

/** Plays one history and returns what is wrong with it. */
function play(seed: number, planner: Planner = plan): { readonly world: ArrayWorld; readonly array: ArraySpec } {
  const random = new Random(seed);
  const array = randomArray(random);
  const world = new ArrayWorld(random, array, random.pick([0, 0.02, 0.1]), planner);
  const { count, parallelism = count } = array;
  let before = setsOf();
  const check = () => {
    const complain = (holds: boolean, what: string) => {
      if (!holds) {
        world.broken.push(what);
      }
    };
    const { array: status } = world.status;
    const sets = setsOf(status);
    const { active, completed, failed, unseen } = sets;
    complain([...before.completed].every((index) => completed.has(index)), 'a copy that had succeeded is not counted any more');
    complain([...before.failed].every((index) => failed.has(index)), 'a copy that had failed is not counted any more');
    complain([...completed].every((index) => !failed.has(index) && !active.has(index)), 'a copy is in two sets');
    complain([...failed].every((index) => !active.has(index)), 'a copy that failed is under way');
    complain([...unseen].every((index) => active.has(index)), 'a copy is awaited that is not under way');
    complain([...completed].every((index) => world.succeeded.has(index)), 'a copy counts as succeeded that has not');
    complain(active.size <= parallelism, `${active.size} copies are under way, and ${parallelism} may be`);
    complain((status?.active ?? 0) === active.size && (status?.succeeded ?? 0) === completed.size && (status?.failed ?? 0) === failed.size,
      'counts and indexes do not agree');
    complain([...world.begun].every((index) => active.has(index) || completed.has(index) || failed.has(index) || world.ended), 'a copy runs that was never decided on');
    complain([...active, ...completed, ...failed].every((index) => index < count), 'there are too many copies');
    complain(world.alive <= parallelism, `${world.alive} copies run at a time, and ${parallelism} may`);
    before = sets;
  };
  for (let steps = 0; steps < 150 && !world.ended; steps++) {
    world.now += 1000 * random.between(0, 10);
    random.pickWeighted<[number, () => void][1]>([
      [5, () => world.live()],
      [5, () => world.refresh()],
      [8, () => world.reconcile()],
      [0.2, () => world.deleteCopy()],
      [0.3, () => { world.spec.suspend = !world.spec.suspend; }],
    ])();
    check();
  }
  world.spec.suspend = false;
  for (let steps = 0; steps < 300 && !world.ended; steps++) {
    world.live();
    world.refresh();
    world.reconcile();
    check();
  }
  if (!world.ended) {
    world.broken.push('the array does not end');
  }
  for (let passes = 0; passes < 20; passes++) {
    world.refresh();
    world.reconcile();
  }
  return { world, array };
}

/** What has to hold when all is over. */
function verdict({ world, array }: ReturnType<typeof play>): string[] {
  const { phase } = world.status;
  const { completed, failed } = setsOf(world.status.array);
  const broken = [...world.broken];
  const require = (holds: boolean, what: string) => {
    if (!holds) {
      broken.push(what);
    }
  };
  const isCutShort = array.maxFailedIndexes !== undefined && failed.size > array.maxFailedIndexes;
  require(isCutShort || completed.size + failed.size === array.count, 'ended before all copies had');
  require((phase === 'Completed') === (failed.size === 0), `${phase} with ${failed.size} failed copies`);
  require(world.alive === 0, `${world.alive} copies outlive their array`);
  require(world.children.size <= (array.keepJobs ?? 100), `${world.children.size} jobs of copies are kept, and ${array.keepJobs} may`);
  return broken;
}

test('no copy twice, never too many, nothing lost, and an end: 1,000 histories with crashes', () => {
  const outcomes = { crashes: 0, Completed: 0, Failed: 0, failed: 0, cutShort: 0 };
  for (let seed = 1; seed <= 1000; seed++) {
    const history = play(seed);
    const broken = verdict(history);
    if (broken.length > 0) {
      throw new Error(`seed ${seed} (${JSON.stringify(history.array)}): ${broken.slice(0, 5).join('; ')}`);
    }
    const { crashes, status } = history.world;
    outcomes.crashes += crashes;
    outcomes[status.phase as 'Completed' | 'Failed']++;
    outcomes.failed += status.array!.failed;
    outcomes.cutShort += Number(status.array!.succeeded + status.array!.failed < history.array.count);
  }
  // Histories in which nothing happens would prove nothing.
  expect(outcomes.crashes).toBeGreaterThan(500);
  expect(outcomes.Completed).toBeGreaterThan(100);
  expect(outcomes.Failed).toBeGreaterThan(300);
  expect(outcomes.failed).toBeGreaterThan(1000);
  expect(outcomes.cutShort).toBeGreaterThan(100);
});

/** Planners with a mistake each; the histories have to find every one of them. */
const MUTANTS: { readonly [mistake: string]: Planner } = {
  'makes a copy again that was deleted': (observation) => plan(withStatus(observation, (array) => ({ ...array, unseenIndexes: array.activeIndexes }))),
  'runs one copy too many at a time': (observation) => plan(withArray(observation, ({ count, parallelism = count }) => ({ parallelism: parallelism + 1 }))),
  'runs one copy too many': (observation) => plan(withArray(observation, ({ count }) => ({ count: count + 1 }))),
  'leaves copies behind': (observation) => ({ ...plan(observation), actions: plan(observation).actions.filter(({ type }) => type !== 'deleteCopy') }),
  'forgets failures': (observation) => {
    const planned = plan(observation);
    const { array } = planned.status;
    return { ...planned, status: array ? { ...planned.status, array: { ...array, failed: 0, failedIndexes: undefined } } : planned.status };
  },
  'creates what was not decided': (observation) => {
    const planned = plan(observation);
    return planned.decided ? planned : { ...planned, actions: [...planned.actions, { type: 'createCopy', index: 0 }] };
  },
};

function withArray(observation: Observation, change: (array: ArraySpec) => Partial<ArraySpec>): Observation {
  const { job } = observation;
  return { ...observation, job: { ...job, spec: { ...job.spec, array: { ...job.spec.array!, ...change(job.spec.array!) } } } };
}

function withStatus(observation: Observation, change: (array: ArrayStatus) => ArrayStatus): Observation {
  const { job } = observation;
  const status: TrainingJobStatus = job.status.array ? { ...job.status, array: change(job.status.array) } : job.status;
  return { ...observation, job: { ...job, status } };
}

test.each(Object.entries(MUTANTS))('a planner that %s is found out', (_mistake, planner) => {
  const seeds = Array.from({ length: 30 }, (_entry, index) => index + 1);
  expect(seeds.find((seed) => verdict(play(seed, planner)).length > 0)).toBeDefined();
});
