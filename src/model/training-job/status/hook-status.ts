/** `status.hooks`: how far the hooks of a job are. */
import { count, object, text, time, word, type ValueOf } from '../schema/status-fields';

const hook = (description: string) => object(description, {
  phase: word('Phase of the hook. Succeeded and Failed are final.', ['Pending', 'Running', 'Succeeded', 'Failed']),
  pod: text('Pod of the current try, or of the last one.'),
  failures: count('Tries that have failed.'),
  startTime: time('Since when the time limit counts; absent while the job is suspended.'),
  completionTime: time('When it ended.'),
  nextRetryTime: time('Earliest time of the next try.'),
  message: text('Why it failed, or what it waits for.'),
}, ['phase', 'pod', 'failures']);

/** Schema of `status.hooks`. */
export function hooksStatusSchema() {
  return object('Hooks that have begun.', {
    before: hook('The hook before the replicas.'),
    after: hook('The hook after the replicas.'),
    onExit: hook('The hook after the end of the job.'),
  });
}

/** One hook. */
export type HookStatus = ValueOf<ReturnType<typeof hook>>;

/** Those that have begun. */
export type HooksStatus = ValueOf<typeof hooksStatusSchema>;
