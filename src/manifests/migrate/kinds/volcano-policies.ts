/**
 * `policies` of a Volcano Job and of its tasks: what happens when pods fail, are evicted or succeed. The first entry of a task that matches decides,
 * then those of the job.
 * @see https://volcano.sh/en/docs/v1-12-0/vcjob/
 */
import type { Fields } from '../fields';
import type { Notes } from '../notes';
import type { ExitCodesSpec, RestartPolicy } from '../../../model/training-job/run-policy';

/** The result of reading policies. */
export interface VolcanoPolicies {
  /** Restart policy for failures without a matching exit code; undefined if no policy sets it. */
  readonly onFailure?: RestartPolicy;
  /** Whether the job succeeds with the task, or with any task if the policy is the job's. */
  readonly completesJob: boolean;
  readonly exitCodes: { readonly [list in keyof ExitCodesSpec]?: readonly number[] };
}

const RESTARTS = ['RestartJob', 'RestartTask', 'RestartPod'];
const ENDS = ['TerminateJob', 'AbortJob'];

/** Reads the policies of a job or a task. */
export function readVolcanoPolicies(holder: Fields, notes: Notes): VolcanoPolicies {
  let onFailure: RestartPolicy | undefined;
  let completesJob = false;
  const exitCodes: { fail?: number[]; retry?: number[] } = {};
  for (const policy of holder.list('policies')) {
    const { value } = policy;
    const action = policy.text('action') ?? '';
    const exitCode = policy.count('exitCode');
    const events = [policy.text('event') ?? [], policy.texts('events') ?? []].flat();
    notes.lose(policy, 'has no equivalent: actions follow an event immediately.', 'timeout');
    const lost = () => notes.lost(policy.path, value,
      'has no equivalent. Restart policies and runPolicy.exitCodes control restarts, runPolicy.successPolicy when the job succeeds.');
    const list = RESTARTS.includes(action) ? 'retry' : ENDS.includes(action) ? 'fail' : undefined;
    if (exitCode !== undefined) {
      if (list === undefined) {
        lost();
      } else {
        exitCodes[list] = [...exitCodes[list] ?? [], exitCode];
      }
      continue;
    }
    if (action === 'AbortJob') {
      notes.differs(policy.at('action'), action, 'ends the job: there it could be resumed by a command. To continue a job later, suspend it here.');
    }
    for (const event of events) {
      if (['PodFailed', 'TaskFailed', '*'].includes(event) && list !== undefined) {
        onFailure ??= list === 'retry' ? 'OnFailure' : 'Never';
      }
      if (event === 'PodEvicted' || event === '*') {
        noteEviction(policy, action, list === 'retry', notes);
      } else if (event === 'TaskCompleted' && action === 'CompleteJob') {
        completesJob = true;
      } else if (!['PodFailed', 'TaskFailed'].includes(event) || list === undefined) {
        lost();
      }
    }
  }
  return { onFailure, completesJob, exitCodes };
}

/** Reports policies for evictions: here, evicted pods always restart. */
function noteEviction(policy: Fields, action: string, isRestarted: boolean, notes: Notes): void {
  if (isRestarted) {
    notes.changed(policy.path, policy.value, 'is left out for evictions: evicted pods are restarted here, and never counted as failures.');
  } else {
    notes.differs(policy.path, policy.value, `an eviction starts the pods again here; there it was ${action}. Set runPolicy.disruptionLimit to 0 for that.`);
  }
}
