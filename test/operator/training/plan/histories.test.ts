/**
 * The planner lives through random histories: see simulation/history.ts for what happens in them, and simulation/invariants.ts for what has
 * to hold. `TRAINYARD_HISTORIES` says how many, `TRAINYARD_SEED` where they begin.
 */
import { runHistories, runHistory, type HistoryFailure } from './simulation/history';
import { MUTANTS, type Mutant } from './simulation/mutants';
import { HEALTH_MUTANTS } from './simulation/health-mutants';
import { HOOK_MUTANTS } from './simulation/hook-mutants';
import { QUEUE_MUTANTS } from './simulation/queue-mutants';
import { RECOVERY_MUTANTS } from './simulation/recovery-mutants';
import type { HistoryOptions } from './simulation/world';

const COUNT = Math.max(1_000, Number(process.env.TRAINYARD_HISTORIES ?? 1_000));
const FIRST_SEED = Number(process.env.TRAINYARD_SEED ?? 1);

/** Histories of the operator's own code, which makes whole pods and is slower. */
const CODE_COUNT = Math.ceil(COUNT / 10);

/** Tests that they are spread over, so that a report shows how far it came. */
const PORTIONS = Math.ceil(COUNT / 5_000);

/** Ends that have to be among a thousand histories. */
const ENDS = [
  'Completed: JobSucceeded', 'Failed: ReplicaFailed', 'Failed: BackoffLimitExceeded', 'Failed: DisruptionLimitExceeded', 'Failed: ImagePullFailed',
  'Failed: BeforeHookFailed', 'Failed: AfterHookFailed', 'Deleted',
];

/** Histories after which a mistake counts as overlooked. */
const PATIENCE = 6_000;

/** Where the search for mistakes begins that few histories show: those before take seconds and show nothing. Others are looked for from seed 1. */
const SHOWN_FROM: { readonly [mistake: string]: number } = {
  'overwrites a status that has changed since it was read': 291,
  'deletes pods by name, whatever uid they have': 87,
  'plans on after a write whose outcome is unknown, from what it knew before': 229,
  'does not try again what was answered with TooManyRequests': 47,
  'does not try again what was answered with InternalError': 42,
  'watches on after a watch has broken, without a list of what it has missed': 34,
  'lets a list undo what it has written while the list was under way': 64,
  'goes on by its own idea of the time after the wall clock was set back': 64,
  'takes it for a long time that the wall clock was set forward, and so does not keep a deadline any more': 27,
  'becomes the leader with the caches of a standby that has heard nothing for a while': 81,
  'takes pods of a later attempt than its status knows for its own': 416,
  'takes it for a success that a pod left with 0 when it was asked to go': 1078,
  'keeps the pods of a suspended job': 33,
  'gives the place of an elastic replica out again while its last pod is leaving': 764,
  'starts an elastic job again as a whole when it loses any of its workers': 458,
  'counts a restart in place each time that it looks': 526,
  'does not count restarts in place': 1023,
  'takes a container that the kubelet starts again for a failed pod': 526,
  'deletes pods by force although it is told to wait': 160,
  'deletes pods by force on the word of a cache that may be old': 378,
  'waits for ever for pods on dead nodes': 459,
  'does not hear of lost nodes': 462,
  'waits for ever for an image that does not come': 473,
  'forgets the lost time of earlier restarts': 51,
  'takes a clock that jumps for a gang that waits': 1544,
  'makes checks that fail again and again': 274,
  'keeps its pods when the quota is taken back': 36,
  'gives the quota back while pods are leaving': 155,
  'counts the time in the queue as lost': 155,
  'takes a hook for done whose pod left with 0 when it was asked to go': 120,
  'counts the time of a suspension as that of the hook': 237,
  'keeps the pods of hooks of a suspended job': 234,
  'leaves the pod of an earlier try that was created late': 226,
  'runs a hook again while its last pod ends': 2657,
  'takes a place in a queue while the hook before the replicas runs': 239,
};

const ALL_MUTANTS = [...MUTANTS, ...RECOVERY_MUTANTS, ...HEALTH_MUTANTS, ...QUEUE_MUTANTS, ...HOOK_MUTANTS];

describe('random histories', () => {
  const portion = Math.ceil(COUNT / PORTIONS);

  it.each(Array.from({ length: PORTIONS }, (_, index) => FIRST_SEED + index * portion))(`${portion} of them keep every invariant and end well, from seed %i`, async (seed) => {
    const { outcomes, restarts, disruptions, pods } = await runHistories(seed, portion);

    const shares = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    process.stdout.write(`${portion} histories from seed ${seed}: ${pods} pods, ${restarts} restarts, ${disruptions} disruptions; ${shares}\n`);
    // A simulation in which nothing happens proves nothing.
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(ENDS));
    expect(restarts).toBeGreaterThan(portion / 20);
    expect(disruptions).toBeGreaterThan(portion / 50);
    expect(pods).toBeGreaterThan(portion);
  });

  it(`${CODE_COUNT} of them with the operator's own reconciler, executor and status writer keep every invariant and end well`, async () => {
    const { outcomes } = await runHistories(FIRST_SEED, CODE_COUNT, { operator: 'code' });

    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(CODE_COUNT);
  });

  it('the same seed gives the same history', async () => {
    const run = (seed: number) => Promise.all(Array.from({ length: 20 }, (_, offset) => runHistory({ seed: seed + offset })));

    expect(await run(42)).toEqual(await run(42));
    expect(await run(42)).not.toEqual(await run(142));
  });
});

describe('the invariants notice an operator that', () => {
  it.each(ALL_MUTANTS.map((mutant) => [mutant.mistake, mutant] as const))('%s', async (_, mutant) => {
    expect(mutant.caughtBy).toContain(await firstCatch(mutant));
  });

  it('makes one of the mistakes that are looked for', () => {
    expect(ALL_MUTANTS.map(({ mistake }) => mistake)).toEqual(expect.arrayContaining(Object.keys(SHOWN_FROM)));
  });
});

/** The invariant that catches the mistake first, of those that should. */
async function firstCatch({ mistake, operator, faults, wildness, only, baseline, caughtBy }: Mutant): Promise<string | undefined> {
  const first = SHOWN_FROM[mistake] ?? 1;
  for (let seed = first; seed < first + PATIENCE; seed++) {
    const broken = await brokenInvariant({ seed, operator, faults, wildness, only });
    const isCaught = broken !== undefined && caughtBy.includes(broken);
    if (isCaught && (baseline === undefined || await brokenInvariant({ seed, operator: baseline, faults, wildness, only }) === undefined)) {
      return broken;
    }
  }
  return undefined;
}

async function brokenInvariant(options: HistoryOptions): Promise<string | undefined> {
  try {
    await runHistory(options);
    return undefined;
  } catch (error) {
    return (error as HistoryFailure).invariant;
  }
}
