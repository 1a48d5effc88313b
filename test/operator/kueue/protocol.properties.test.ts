/**
 * The protocol in random histories: Kueue, an administrator, a user and pods do what they like, in any order, and the owner of the job takes its
 * steps in between, now and then from a state that is old by then. What must hold is held at every moment; owners with one mistake each show that it
 * would be noticed.
 */
import { afterStep, condition, makeWorkload, NOW } from './support';
import { Random } from '../training/plan/simulation/random';
import { admissionOf, nextStep, type QueuedJob, type WorkloadStep } from '../../../src/operator/kueue/protocol';
import { isWorkloadConditionTrue, workloadCondition, type Workload } from '../../../src/operator/kueue/workload';

type Owner = (workload: Workload | undefined, job: QueuedJob, now: string) => WorkloadStep | undefined;

const HISTORIES = 2_000;
const MOMENTS = 60;

interface World {
  workload?: Workload;
  versions: number;
  wanted: boolean;
  hash: string;
  pods: number;
  finished?: { succeeded: boolean; message: string };
  done: number;
  log: string[];
}

class Broken extends Error {}

const hold = (what: string, holds: boolean, world: World): void => {
  if (!holds) {
    throw new Broken(`${what}\n  ${world.log.slice(-12).join('\n  ')}`);
  }
};

const jobOf = ({ wanted, hash, pods, finished, done }: World): QueuedJob => ({
  wanted, podSetsHash: hash, active: pods > 0, podsReady: pods + done >= 4, finished, reclaimable: done > 0 ? [{ name: 'worker', count: done }] : [],
});

const set = (world: World, ...changes: readonly string[]): void => {
  const names = changes.map((text) => condition(text).type);
  const kept = (world.workload!.status?.conditions ?? []).filter(({ type }) => !names.includes(type));
  write(world, { ...world.workload!, status: { ...world.workload!.status, conditions: [...kept, ...changes.map(condition)] } });
};

const write = (world: World, workload: Workload | undefined): void => {
  world.versions++;
  world.workload = workload && { ...workload, metadata: { ...workload.metadata, resourceVersion: String(world.versions) } };
};

const isTrue = (world: World, type: string) => world.workload !== undefined && isWorkloadConditionTrue(world.workload, type);

/** What others do; each may happen at any moment at which its owner could do it. */
const OTHERS: readonly { readonly name: string; readonly can: (world: World) => boolean; readonly act: (world: World) => void }[] = [
  {
    name: 'Kueue reserves',
    can: (world) => world.workload !== undefined && !isTrue(world, 'QuotaReserved') && !isTrue(world, 'Finished') && world.workload.spec?.active !== false
      && workloadCondition(world.workload, 'Requeued')?.status !== 'False',
    act: (world) => {
      set(world, 'QuotaReserved=True/QuotaReserved', 'Evicted=False/QuotaReserved');
      write(world, { ...world.workload!, status: { ...world.workload!.status, admission: { clusterQueue: 'c', podSetAssignments: [{ name: 'worker', count: 4 }] } } });
    },
  },
  { name: 'Kueue admits', can: (world) => isTrue(world, 'QuotaReserved') && !['Admitted', 'Evicted', 'Finished'].some((type) => isTrue(world, type)), act: (world) => set(world, 'Admitted=True/Admitted') },
  { name: 'Kueue preempts', can: (world) => isTrue(world, 'QuotaReserved') && !isTrue(world, 'Finished'), act: (world) => set(world, 'Evicted=True/Preempted') },
  { name: 'Kueue loses patience', can: (world) => isTrue(world, 'Admitted') && !isTrue(world, 'Finished'), act: (world) => set(world, 'Evicted=True/PodsReadyTimeout') },
  { name: 'Kueue lets it in line again', can: (world) => world.workload !== undefined && workloadCondition(world.workload, 'Requeued')?.status === 'False', act: (world) => set(world, 'Requeued=True/BackoffFinished') },
  { name: 'somebody deletes the Workload', can: (world) => world.workload !== undefined, act: (world) => write(world, undefined) },
  { name: 'the user suspends or resumes', can: (world) => world.finished === undefined, act: (world) => { world.wanted = !world.wanted; } },
  {
    name: 'all pods start',
    // The planner's part: pods are created for admitted jobs only.
    can: (world) => world.pods + world.done < 4 && world.wanted && world.finished === undefined && admissionOf(world.workload, world.hash).state === 'Admitted',
    act: (world) => { world.pods = 4 - world.done; },
  },
  { name: 'a pod leaves', can: (world) => world.pods > 0 && (!world.wanted || admissionOf(world.workload, world.hash).state !== 'Admitted'), act: (world) => { world.pods--; } },
  { name: 'a pod is lost', can: (world) => world.pods > 0, act: (world) => { world.pods--; } },
  { name: 'a pod succeeds', can: (world) => world.pods > 0, act: (world) => { world.pods--; world.done++; } },
  { name: 'the job ends', can: (world) => world.done === 4 && world.finished === undefined, act: (world) => { world.finished = { succeeded: true, message: 'done' }; world.wanted = false; } },
];

function takeStep(world: World, found: WorkloadStep | undefined): void {
  if (found === undefined) {
    return;
  }
  world.log.push(`the owner: ${JSON.stringify(found)}`);
  hold('no step of a job that has ended but to say so', world.finished === undefined || found.type === 'patchStatus', world);
  if (found.type === 'create') {
    hold('there is one Workload', world.workload === undefined, world);
    hold('only jobs that want to run are queued', world.wanted, world);
    hold('nothing runs before it is queued', world.pods === 0, world);
    write(world, makeWorkload([], { hash: world.hash }));
    return;
  }
  if (found.type === 'delete') {
    hold('a Workload is kept while pods use its quota', world.pods === 0, world);
    write(world, undefined);
    return;
  }
  const before = world.workload!;
  const after = afterStep(before, found)!;
  const gives = isWorkloadConditionTrue(before, 'QuotaReserved') && !isWorkloadConditionTrue(after, 'QuotaReserved');
  hold('quota is given back only when no pod uses it', !gives || world.pods === 0, world);
  hold('quota is given back only when Kueue asks for it', !gives || isWorkloadConditionTrue(before, 'Evicted'), world);
  hold('quota and admission go together', isWorkloadConditionTrue(after, 'QuotaReserved') || (after.status?.admission === undefined && !isWorkloadConditionTrue(after, 'Admitted')), world);
  const types = (after.status?.conditions ?? []).map(({ type }) => type);
  hold('conditions have unique types', new Set(types).size === types.length, world);
  const counts = (workload: Workload) => workload.status?.reclaimablePods?.[0]?.count ?? 0;
  hold('what is reclaimable does not shrink while quota is held', !isWorkloadConditionTrue(after, 'QuotaReserved') || counts(after) >= counts(before), world);
  hold('a step changes something', JSON.stringify(after.status) !== JSON.stringify(before.status), world);
  write(world, after);
}

/** One history. @throws Broken */
function live(seed: number, owner: Owner, locks = true): World {
  const random = new Random(seed);
  const world: World = { versions: 1, wanted: true, hash: 'h', pods: 0, done: 0, log: [] };
  let old: { workload?: Workload; job: QueuedJob } = { job: jobOf(world) };
  for (let moment = 0; moment < MOMENTS; moment++) {
    if (random.chance(0.4)) {
      const stale = random.chance(0.3);
      const seen = stale ? old : { workload: world.workload, job: jobOf(world) };
      const found = owner(seen.workload, seen.job, NOW);
      // The API server refuses what was decided from an older version.
      const isRefused = stale && locks && (found?.type !== 'patchStatus' || found.resourceVersion !== world.workload?.metadata?.resourceVersion || JSON.stringify(old.job) !== JSON.stringify(jobOf(world)));
      takeStep(world, isRefused ? undefined : found);
      old = { workload: world.workload, job: jobOf(world) };
      continue;
    }
    const other = random.pick(OTHERS.filter(({ can }) => can(world)));
    if (other !== undefined) {
      world.log.push(other.name);
      other.act(world);
    }
  }
  return world;
}

/** From any state a job that is left alone by users ends, as long as Kueue keeps admitting. */
function settle(world: World, owner: Owner): void {
  world.wanted = world.finished === undefined;
  for (let round = 0; round < 100; round++) {
    const found = owner(world.workload, jobOf(world), NOW);
    takeStep(world, found);
    const next = OTHERS.filter(({ name }) => ['Kueue lets it in line again', 'Kueue reserves', 'Kueue admits', 'a pod leaves', 'all pods start', 'a pod succeeds', 'the job ends'].includes(name))
      .find(({ name, can }) => can(world) && (name !== 'a pod succeeds' || admissionOf(world.workload, world.hash).state === 'Admitted'));
    if (found === undefined && next === undefined) {
      break;
    }
    next?.act(world);
  }
  hold('every job ends', world.finished !== undefined, world);
  hold('Kueue hears of the end', world.workload === undefined || isTrue(world, 'Finished'), world);
}

const seeds = Array.from({ length: HISTORIES }, (_, seed) => seed + 1);

test(`${HISTORIES} histories keep every rule, and every job ends`, () => {
  const steps = new Set<string>();
  const owner: Owner = (workload, job, now) => {
    const found = nextStep(workload, job, now);
    steps.add(found?.type === 'patchStatus' ? found.reason.split(' after ')[0] : found?.type ?? 'none');
    return found;
  };
  seeds.forEach((seed) => settle(live(seed, owner), owner));
  // A simulation in which nothing happens proves nothing.
  expect([...steps].sort()).toEqual(['all pods are running', 'create', 'delete', 'its pods are deleted', 'none', 'not all pods are running any more', 'pods have succeeded', 'the job has ended']);
});

const whatIf = (change: (job: QueuedJob) => Partial<QueuedJob>): Owner => (workload, job, now) => nextStep(workload, { ...job, ...change(job) }, now);

test.each<[string, Owner, string]>([
  ['does not wait for its pods', whatIf(() => ({ active: false })), 'only when no pod uses it|while pods use its quota|nothing runs before'],
  ['queues suspended jobs', whatIf(() => ({ wanted: true })), 'want to run|has ended'],
  ['forgets to tell the end', whatIf(() => ({ finished: undefined })), 'Kueue hears of the end|has ended|want to run'],
  ['reports fewer pods as done than before', (workload, job, now) => {
    const found = nextStep(workload, job, now);
    return found?.type === 'patchStatus' && found.status.reclaimablePods ? { ...found, status: { reclaimablePods: [{ name: 'worker', count: job.reclaimable[0].count - 2 }] } } : found;
  }, 'does not shrink|changes something|every job ends'],
  ['gives quota back unasked', (workload, job, now) => nextStep(workload && isWorkloadConditionTrue(workload, 'Admitted')
    ? { ...workload, status: { ...workload.status, conditions: [...(workload.status?.conditions ?? []).filter(({ type }) => type !== 'Evicted'), condition('Evicted=True/Preempted')] } }
    : workload, job, now), 'only when Kueue asks for it'],
  ['keeps the admission when it gives quota back', (workload, job, now) => {
    const found = nextStep(workload, job, now);
    return found?.type === 'patchStatus' && found.status.admission === null ? { ...found, status: { conditions: found.status.conditions } } : found;
  }, 'quota and admission go together'],
])('an owner that %s is noticed', (_, owner, expected) => {
  const noticed = seeds.some((seed) => {
    try {
      settle(live(seed, owner), owner);
      return false;
    } catch (error) {
      return error instanceof Broken && new RegExp(expected).test(error.message.split('\n')[0]);
    }
  });
  expect(noticed).toBe(true);
});
