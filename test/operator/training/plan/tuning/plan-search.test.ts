/** The planner of searches, pass by pass. */
import type { AutoTuningSpec, TuningParameterSpec } from '../../../../../src/model/training-job/fields/features';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { REMEMBERED_TRIALS } from '../../../../../src/model/tuning/memory';
import { Random } from '../../../../../src/model/tuning/random';
import { encodePoint } from '../../../../../src/model/tuning/search-space';
import { conditionOf } from '../../../../../src/operator/training/plan/conditions';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { ObservedTrial } from '../../../../../src/operator/training/plan/tuning/types';
import type { Observation, Plan } from '../../../../../src/operator/training/plan/types';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SEARCH: AutoTuningSpec = {
  objective: 'accuracy', algorithm: 'random', seed: 1, maxTrials: 4, parameters: { lr: { type: 'float', min: 0.001, max: 1, scale: 'log' } },
};

const observe = (
  status: TrainingJobStatus, trials: readonly ObservedTrial[] = [], autoTuning: Partial<AutoTuningSpec> = {}, fields: Partial<TrainingJobSpec> = {},
  now = NOW,
): Observation => ({
  job: {
    name: 'net', uid: 'uid', generation: 1, status, spec: { framework: 'jax', image: 'image', replicas: 1, ...fields, autoTuning: { ...SEARCH, ...autoTuning } },
  },
  pods: [], services: [], problems: [], trials, now,
});

const trial = (number: number, status: TrainingJobStatus, more: Partial<ObservedTrial> = {}): ObservedTrial => ({
  number, name: `net-trial-${number}`, uid: `uid-${number}`, deleting: false, suspended: false, status, ...more,
});
const ended = (number: number, value: string) => trial(number, { phase: 'Completed', trainerStatus: { metrics: [{ name: 'accuracy', value }] } });
const actionsOf = ({ actions }: Plan) => actions.map((action) => ('name' in action ? `${action.type} ${action.name}` : action.type));

test('the number and the values of a trial are decided before its job is made', () => {
  const first = plan(observe({}));
  expect(first).toMatchObject({ decided: true, actions: [], status: { ready: '0/4', tuning: { trials: 1, running: 1, active: [{ trial: 1 }] } } });
  expect(first.events).toEqual([{ type: 'Normal', reason: 'TrialStarted', message: expect.stringMatching(/^Trial 1 of 4: lr=0\.\d+$/) }]);
  const second = plan(observe(first.status));
  expect(second.decided).toBe(false);
  expect(second.actions).toMatchObject([{ type: 'createTrial', trial: { number: 1 } }]);
  expect(plan(observe(second.status, [trial(1, { phase: 'Running' })]))).toMatchObject({
    actions: [], status: { phase: 'Running', tuning: { active: [{ trial: 1, seen: true }] } },
  });
});

test('one decision takes in what has ended and chooses what follows', () => {
  const { status } = plan(observe({}, [], { parallelTrials: 2 }));
  const next = plan(observe(status, [ended(1, '0.5'), ended(2, '0.7')], { parallelTrials: 2 }));
  expect(next).toMatchObject({
    decided: true, status: { ready: '2/4', trainerStatus: { progressPercentage: 50 }, tuning: { trials: 4, running: 2, succeeded: 2, best: { trial: 2, value: 0.7 } } },
  });
  expect(next.events.map(({ reason }) => reason)).toEqual(['TrialSucceeded', 'TrialSucceeded', 'TrialStarted', 'TrialStarted']);
});

test('the log of a trial that reported nothing is read, and says how the trial has ended', () => {
  const { status } = plan(observe({}));
  const silent = trial(1, { phase: 'Completed' });
  expect(actionsOf(plan(observe(status, [silent])))).toEqual(['readObjective net-trial-1']);
  expect(plan(observe(status, [{ ...silent, logged: { value: 0.5 } }])).status.tuning).toMatchObject({ succeeded: 1, best: { value: 0.5 } });
  expect(plan(observe(status, [{ ...silent, logged: { reason: 'ObjectiveMissing', message: 'none' } }])).status.tuning)
    .toMatchObject({ failed: 1, lastFailedTrial: { trial: 1, reason: 'ObjectiveMissing', message: 'none' } });
});

test('a report that may be on its way is waited for', () => {
  const { status } = plan(observe({}));
  const early = { ...ended(1, '0.5'), reportsUntil: NOW + 3000 };
  expect(plan(observe(status, [early]))).toMatchObject({ decided: false, actions: [], requeueAfterMs: 3000 });
  expect(plan(observe(status, [{ ...early, status: { phase: 'Completed' } }])).actions).toEqual([]);
  expect(plan(observe(status, [early], {}, {}, NOW + 3000)).status.tuning).toMatchObject({ succeeded: 1, best: { value: 0.5 } });
});

test.each<[string, Partial<AutoTuningSpec>, string, string]>([
  ['the target', { target: 0.9 }, '0.9', 'TargetReached'],
  ['the target from below', { target: 0.1, goal: 'minimize' }, '0.05', 'TargetReached'],
  ['the last trial', { maxTrials: 1 }, '0.1', 'SearchSucceeded'],
])('the search succeeds with %s', (_what, fields, value, reason) => {
  const { status } = plan(observe({}, [], fields));
  const done = plan(observe(status, [ended(1, value)], fields));
  expect(conditionOf(done.status, 'Succeeded')).toMatchObject({ status: 'True', reason, message: expect.stringContaining('best is trial 1') });
  expect(done.status).toMatchObject({ phase: 'Completed', tuning: { running: 0, active: [] } });
});

test('the search fails when too many trials did, and when none brought a value', () => {
  const { status } = plan(observe({}, [], { maxFailedTrials: 0 }));
  const failed = plan(observe(status, [trial(1, { phase: 'Failed' })], { maxFailedTrials: 0 }));
  expect(conditionOf(failed.status, 'Failed')).toMatchObject({ reason: 'TooManyFailedTrials' });
  const one = plan(observe({}, [], { maxTrials: 1 }));
  expect(conditionOf(plan(observe(one.status, [trial(1, { phase: 'Failed' })], { maxTrials: 1 })).status, 'Failed')).toMatchObject({ reason: 'NoTrialSucceeded' });
});

test('the deadline is the search\'s, and what was found stays', () => {
  const fields = { runPolicy: { activeDeadlineSeconds: 60 } };
  const begun = plan(observe({}, [], {}, fields));
  const second = plan(observe(begun.status, [ended(1, '0.5')], {}, fields));
  expect(plan(observe(second.status, [trial(2, { phase: 'Running' })], {}, fields, NOW + 59_000)).requeueAfterMs).toBe(1000);
  const late = plan(observe(second.status, [trial(2, { phase: 'Running' })], {}, fields, NOW + 60_000));
  expect(conditionOf(late.status, 'Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
  expect(late.status.tuning).toMatchObject({ running: 0, best: { trial: 1 } });
});

test('a trial that reached the deadline by itself has failed, and the next one begins', () => {
  const begun = plan(observe({}, [], {}));
  const late = trial(1, { phase: 'Failed', conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: '', lastTransitionTime: '' }] });
  const next = plan(observe(begun.status, [late]));
  expect(next.status.tuning).toMatchObject({ trials: 2, failed: 1, active: [{ trial: 2 }] });
});

test('trials are suspended and resumed with the search, and none begins meanwhile', () => {
  const { status } = plan(observe({}, [], { parallelTrials: 2 }));
  const suspended = plan(observe(status, [], { parallelTrials: 2 }, { suspend: true }));
  expect(suspended).toMatchObject({ decided: true, status: { phase: 'Suspended' } });
  const acted = plan(observe(suspended.status, [trial(1, { phase: 'Running' })], { parallelTrials: 2 }, { suspend: true }));
  expect(actionsOf(acted)).toEqual(['suspendTrial net-trial-1']);
  expect(plan(observe(suspended.status, [ended(1, '0.5')], { parallelTrials: 2 }, { suspend: true })).status.tuning).toMatchObject({ trials: 2, succeeded: 1 });
  const resumed = plan(observe(suspended.status, [], { parallelTrials: 2 }));
  expect(resumed).toMatchObject({ decided: true, status: { phase: 'Pending' } });
  expect(actionsOf(plan(observe(resumed.status, [trial(1, { phase: 'Suspended' }, { suspended: true })], { parallelTrials: 2 })))).toEqual([
    'suspendTrial net-trial-1', 'createTrial',
  ]);
});

describe('jobs of trials that have ended', () => {
  const tuning = { trials: 6, running: 0, succeeded: 6, failed: 0, stopped: 0, best: { trial: 1, value: 1, parameters: {} } };
  const trials = [1, 2, 3, 4, 5].map((number) => ended(number, '1'));

  test('are kept as many as keepTrials says, and the best', () => {
    const finished = observe({ phase: 'Completed', completionTime: '2026-01-01T00:00:00Z', tuning }, trials, { keepTrials: 2 });
    expect(actionsOf(plan(finished))).toEqual(['deleteTrial net-trial-3', 'deleteTrial net-trial-2']);
  });

  test('all go with cleanPodPolicy All, and those that still run in any case', () => {
    const status: TrainingJobStatus = { phase: 'Failed', completionTime: '2026-01-01T00:00:00Z', tuning };
    expect(actionsOf(plan(observe(status, trials, {}, { runPolicy: { cleanPodPolicy: 'All' } })))).toHaveLength(5);
    expect(actionsOf(plan(observe(status, [trial(6, { phase: 'Running' })])))).toEqual(['deleteTrial net-trial-6']);
  });

  test('go with the search when its time is over', () => {
    const status: TrainingJobStatus = { phase: 'Completed', completionTime: '2026-01-01T00:00:00Z', tuning };
    const fields = { runPolicy: { ttlSecondsAfterFinished: 10 } };
    expect(plan(observe(status, trials, {}, fields, NOW + 4000))).toMatchObject({ actions: [], requeueAfterMs: 6000 });
    expect(actionsOf(plan(observe(status, trials, {}, fields, NOW + 10_000)))).toEqual(['deleteJob']);
  });
});

test('a search that cannot be made is refused like any other job', () => {
  const refused = plan(observe({}, [], { algorithm: 'grid' }));
  expect(conditionOf(refused.status, 'Failed')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining('spec.autoTuning.parameters.lr') });
});

test('the status stays below 64 KiB with the largest space, the most trials at a time and the longest memory', () => {
  const parameters = Object.fromEntries(Array.from({ length: 64 }, (_entry, index): [string, TuningParameterSpec] => [
    `${'p'.repeat(60)}${index}`, { type: 'categorical', values: ['a', 'b', 'c'].map((letter) => `${letter.repeat(127)}`) },
  ]));
  const fields = { parameters, maxTrials: 100_000, parallelTrials: 64, algorithm: 'random' as const, maxFailedTrials: 1e6 };
  const bayesian = { ...fields, algorithm: 'bayesian' as const };
  let { status } = plan(observe({}, [], fields));
  for (let round = 0; round < 4; round++) {
    const trials = status.tuning!.active!.map(({ trial: number }) => ended(number, String(number * Math.PI)));
    // What is remembered is decided by the kind of the search; what is suggested costs time that this test has no use for.
    const { remembered: before = [], active = [] } = status.tuning!;
    const remembered = [...before, ...active.map((record) => ({ ...record, value: record.trial * Math.PI }))];
    status = plan(observe(status, trials, fields)).status;
    status = { ...status, tuning: { ...status.tuning!, remembered: remembered.slice(-110) } };
  }
  expect(status.tuning!.remembered).toHaveLength(110);
  expect(status.tuning!.active).toHaveLength(64);
  expect(plan(observe(status, [], bayesian)).decided).toBe(false);
  const curves = Array.from({ length: 20 }, () => Array(9).fill('0.12345678').join(','));
  const bytes = Buffer.byteLength(JSON.stringify({ ...status, tuning: { ...status.tuning, curves } }));
  expect(bytes).toBeGreaterThan(30_000);
  expect(bytes).toBeLessThan(64 * 1024);
});

describe('a wide search', () => {
  const WIDTH = 64;
  const parameters = Object.fromEntries(Array.from({ length: WIDTH }, (_entry, index): [string, TuningParameterSpec] => (
    [`p${index}`, { type: 'float', min: 0, max: 1 }])));
  const wide: Partial<AutoTuningSpec> = { algorithm: 'bayesian', parallelTrials: WIDTH, maxTrials: 100_000, parameters };
  const random = new Random(1, 'wide');
  const remembered = Array.from({ length: REMEMBERED_TRIALS }, (_entry, index) => ({
    trial: index + 1, point: encodePoint(Array.from({ length: WIDTH }, () => Math.floor(random.next() * 1000))), value: random.next(),
  }));
  const ACTIVE = 48;
  const active = remembered.slice(0, ACTIVE).map(({ point }, index) => ({ trial: REMEMBERED_TRIALS + index + 1, point }));
  const begun: TrainingJobStatus = {
    tuning: {
      trials: REMEMBERED_TRIALS + ACTIVE, running: ACTIVE, succeeded: REMEMBERED_TRIALS, failed: 0, stopped: 0, remembered, active,
      best: { trial: 1, value: 1, parameters: {} },
    },
  };

  test('decides on some trials a pass, so that no pass takes long, and passes one after the other reach all', () => {
    let status = begun;
    const times: number[] = [];
    for (let passes = ACTIVE; passes < WIDTH && status.tuning!.active!.length < WIDTH; passes++) {
      const before = process.cpuUsage();
      const planned = plan(observe(status, [], wide));
      times.push(process.cpuUsage(before).user / 1000);
      expect(planned.decided).toBe(true);
      status = planned.status;
    }
    expect(status.tuning!.active!.map((each) => each.trial)).toEqual(Array.from({ length: WIDTH }, (_entry, at) => REMEMBERED_TRIALS + at + 1));
    expect(new Set(status.tuning!.active!.slice(ACTIVE).map(({ point }) => point)).size).toBe(WIDTH - ACTIVE);
    // The median, as the first passes are compiled. All in one pass took 16 s.
    expect(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(250);
    const settled = plan(observe(status, [], wide));
    expect(settled.decided).toBe(false);
    expect(actionsOf(settled)).toHaveLength(WIDTH);
  });

  test('decides on all at once where that is little work', () => {
    const { status } = plan(observe({}, [], { ...wide, algorithm: 'random' }));
    expect(status.tuning!.active).toHaveLength(WIDTH);
  });
});
