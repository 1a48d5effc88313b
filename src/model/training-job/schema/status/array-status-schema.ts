/** Schema of `status.array`. */
import { integer, object, time, type JsonSchema } from '../json-schema';
import type { ArrayStatus, FailedIndex } from '../../status/status';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const count = (description: string) => integer(description, { minimum: 0 });

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
