/**
 * `status.tuning`: how a search stands. Bounded, whatever the number of trials: counts, the best one, those under way (64 at most) and what the
 * next choice needs to know of earlier ones (110 at most). A point is a short text from which the values of all parameters follow.
 */
import { MAX_PARALLEL_TRIALS } from '../fields/features';
import { boolean, count, listByKey, map, number, object, text, time, type Typed, type ValueOf } from '../schema/status-fields';

/** The number and point of a trial are written before its job is created. */
const activeTrial = () => object('A trial.', {
  trial: count('Its number.'),
  point: text('Its values, as the search space counts them.'),
  budget: count('Its budget, with hyperband.'),
  continues: count('The first trial of this point, with hyperband.'),
  // From then on a missing job is a deleted one.
  seen: boolean('Whether its job was seen.'),
}, ['trial', 'point']);

const rememberedTrial = () => object('A trial.', {
  trial: count('Its number.'),
  point: text('Its values, as the search space counts them.'),
  value: number('Its objective; absent when it failed.'),
  budget: count('Its budget, with hyperband.'),
  continues: count('The first trial of this point, with hyperband.'),
}, ['trial', 'point']);

/** Schema of `status.tuning`. */
export function tuningStatusSchema() {
  return object('Status of the autoTuning search.', {
    trials: count('Started trials.'),
    running: count('Running trials.'),
    succeeded: count('Trials that reported a value.'),
    failed: count('Trials that failed.'),
    stopped: count('Trials that were stopped early.'),
    best: object('The best trial so far.', {
      trial: count('Its number.'),
      value: number('Its objective.'),
      parameters: map('Its values.', text('A value.'), 64),
    }, ['trial', 'value', 'parameters']),
    lastFailedTrial: object('Why the last failed trial failed.', {
      trial: count('Its number.'),
      reason: text('Machine-readable reason.'),
      message: text('Human-readable message.'),
      time: time('When this was seen.'),
    }, ['trial', 'reason', 'message', 'time']),
    active: listByKey('Running trials.', 'trial', activeTrial(), MAX_PARALLEL_TRIALS),
    remembered: listByKey('Trials that the next choice is based on.', 'trial', rememberedTrial(), 256),
    // Averages of the objective at 10, 20 ... 90 % of a trial, joined by commas.
    curves: {
      type: 'array', description: 'How the latest trials went, for the median rule.', maxItems: 64, items: text('Averages at 10, 20 ... 90 %.'),
    } as Typed<readonly string[]>,
  }, ['trials', 'running', 'succeeded', 'failed', 'stopped']);
}

export type ActiveTrial = ValueOf<typeof activeTrial>;

/** A trial that has ended, as far as the search has to remember it. */
export type RememberedTrial = ValueOf<typeof rememberedTrial>;

export type TuningStatus = ValueOf<typeof tuningStatusSchema>;
