/** Schema of `status.tuning`. */
import { boolean, integer, listByKey, map, number, object, time, type JsonSchema } from '../json-schema';
import { MAX_PARALLEL_TRIALS } from '../../fields/features';
import type { ActiveTrial, BestTrial, FailedTrial, RememberedTrial, TuningStatus } from '../../status/tuning-status';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const count = (description: string) => integer(description, { minimum: 0 });

/** Schema of TuningStatus. */
export function tuningStatusSchema(): JsonSchema {
  return object<TuningStatus>('Status of the autoTuning search.', {
    trials: count('Started trials.'),
    running: count('Running trials.'),
    succeeded: count('Trials that reported a value.'),
    failed: count('Trials that failed.'),
    stopped: count('Trials that were stopped early.'),
    best: object<BestTrial>('The best trial so far.', {
      trial: count('Its number.'),
      value: number('Its objective.'),
      parameters: map('Its values.', text('A value.'), 64),
    }, { required: ['trial', 'value', 'parameters'] }),
    lastFailedTrial: object<FailedTrial>('Why the last failed trial failed.', {
      trial: count('Its number.'),
      reason: text('Machine-readable reason.'),
      message: text('Human-readable message.'),
      time: time('When this was seen.'),
    }, { required: ['trial', 'reason', 'message', 'time'] }),
    active: listByKey('Running trials.', 'trial', object<ActiveTrial>('A trial.', {
      trial: count('Its number.'),
      point: text('Its values, as the search space counts them.'),
      budget: count('Its budget, with hyperband.'),
      continues: count('The first trial of this point, with hyperband.'),
      seen: boolean('Whether its job was seen.'),
    }, { required: ['trial', 'point'] }), MAX_PARALLEL_TRIALS),
    remembered: listByKey('Trials that the next choice is based on.', 'trial', object<RememberedTrial>('A trial.', {
      trial: count('Its number.'),
      point: text('Its values, as the search space counts them.'),
      value: number('Its objective; absent when it failed.'),
      budget: count('Its budget, with hyperband.'),
      continues: count('The first trial of this point, with hyperband.'),
    }, { required: ['trial', 'point'] }), 256),
    curves: { type: 'array', description: 'How the latest trials went, for the median rule.', maxItems: 64, items: text('Averages at 10, 20 ... 90 %.') },
  }, { required: ['trials', 'running', 'succeeded', 'failed', 'stopped'] });
}
