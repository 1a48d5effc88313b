/** Schemas of `spec.array` and `status.array`. */
import { integer, object, time, type JsonSchema, type ValidationRule } from './json-schema';
import { ARRAY_DEFAULTS, MAX_ARRAY_COUNT, type ArraySpec } from '../array';
import type { ArrayStatus, FailedIndex } from '../status/array-status';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const count = (description: string) => integer(description, { minimum: 0 });

/** Schema of ArraySpec. How many copies there are is part of what they were told; the rest may change. */
export function arraySchema(): JsonSchema {
  return object<ArraySpec>('Copies of the job, each with its index in TRAINYARD_ARRAY_INDEX.', {
    count: integer('How many copies there are; their indexes are 0 to count - 1.', {
      minimum: 1,
      maximum: MAX_ARRAY_COUNT,
      rules: [{ rule: 'self == oldSelf', message: 'cannot change while the job exists. Delete the job and create it again (kubectl replace --force -f FILE)', reason: 'FieldValueForbidden' }],
    }),
    parallelism: integer('Maximum number of copies at a time. All by default.', { minimum: 1, maximum: MAX_ARRAY_COUNT }),
    maxFailedIndexes: integer('If more copies fail, the array fails and its running copies are stopped. By default all copies run to completion.', {
      minimum: 0, maximum: MAX_ARRAY_COUNT,
    }),
    keepJobs: integer('Jobs of ended copies that are kept: failed ones first, then those with the highest indexes.', {
      minimum: 0, maximum: MAX_ARRAY_COUNT, default: ARRAY_DEFAULTS.keepJobs,
    }),
  }, { required: ['count'] });
}

/** Rules at `spec` on what an array goes together with. */
export function arrayRules(): ValidationRule[] {
  return [
    {
      rule: '!has(self.array) || !has(self.elastic)',
      message: 'cannot be combined with elastic: autoscalers would change the replicas of an array, which has no replicas of its own. Remove one of the two',
      fieldPath: '.array',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.array) || !has(self.autoTuning) || !self.autoTuning.enabled',
      message: 'cannot be combined with autoTuning, whose trials are copies of the job already. Remove one of the two',
      fieldPath: '.array',
      reason: 'FieldValueForbidden',
    },
  ];
}

/** Schema of ArrayStatus. */
export function arrayStatusSchema(): JsonSchema {
  return object<ArrayStatus>('Status of the copies of an array.', {
    active: count('Running copies.'),
    succeeded: count('Copies that have succeeded.'),
    failed: count('Copies that have failed.'),
    activeIndexes: text('Running indexes, as intervals such as 4-7.'),
    unseenIndexes: text('Running indexes whose job was not seen yet.'),
    completedIndexes: text('Indexes that have succeeded, as intervals such as 0-3,7.'),
    failedIndexes: text('Indexes that have failed, as intervals.'),
    lastFailedIndex: object<FailedIndex>('Why the last failed copy failed.', {
      index: count('Its index.'),
      reason: text('Machine-readable reason.'),
      message: text('Human-readable message.'),
      time: time('When this was seen.'),
    }, { required: ['index', 'reason', 'message', 'time'] }),
  }, { required: ['active', 'succeeded', 'failed'] });
}
