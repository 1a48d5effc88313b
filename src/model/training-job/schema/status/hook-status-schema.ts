/** Schema of `status.hooks`. */
import { integer, object, time, type JsonSchema } from '../json-schema';
import type { HooksStatus, HookStatus } from '../../status/hook-status';

const text = (description: string): JsonSchema => ({ type: 'string', description });

const hook = (description: string) => object<HookStatus>(description, {
  phase: { type: 'string', description: 'Phase of the hook. Succeeded and Failed are final.', enum: ['Pending', 'Running', 'Succeeded', 'Failed'] },
  pod: text('Pod of the current try, or of the last one.'),
  failures: integer('Tries that have failed.', { minimum: 0 }),
  startTime: time('Since when the time limit counts; absent while the job is suspended.'),
  completionTime: time('When it ended.'),
  nextRetryTime: time('Earliest time of the next try.'),
  message: text('Why it failed, or what it waits for.'),
}, { required: ['phase', 'pod', 'failures'] });

/** Schema of HooksStatus. */
export function hooksStatusSchema(): JsonSchema {
  return object<HooksStatus>('Hooks that have begun.', {
    before: hook('The hook before the replicas.'),
    after: hook('The hook after the replicas.'),
    onExit: hook('The hook after the end of the job.'),
  });
}
