/**
 * The planner of jobs with `array`. Such a job has no pods: its copies are jobs of their own, planned like any other, and this planner begins one
 * after the other and counts how they end.
 *
 * As with jobs, a pass either decides or acts. Which copies are under way stands in the status before their jobs are created, and that a copy has
 * ended before its job may go. Which jobs there have to be follows from the status alone, so an operator that dies at any instant leaves an array
 * that goes on with the same copies. No copy runs twice: one whose job was seen and is gone has failed.
 */
import { arrayStatus, beginCopies, copiesOf, ended, settle, withoutActive, type Copies } from './copies';
import type { ObservedCopy } from './types';
import { decision, end } from '../decisions';
import { deadlineIn, decideDeadline, decideSuspension, isOver, isRunning, observedStatus } from '../parent-job';
import { refusalNews } from '../failures/refusal-news';
import type { Action, Observation, Plan, PlannedEvent } from '../types';
import { ARRAY_DEFAULTS, type ArraySpec } from '../../../../model/training-job/array';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/** Plans one pass over an array that has not ended. Its spec is valid. */
export function planArray(observation: Observation): Plan {
  const { job } = observation;
  const array = job.spec.array!;
  const copies = copiesOf(job.status.array);
  const observed = new Map((observation.copies ?? []).map((copy) => [copy.index, copy]));
  return decideSuspension(observation, { title: 'array', children: 'its copies' })
    ?? decideCopies(observation, array, copies, observed)
    ?? decideDeadline(observation, () => ({ array: arrayStatus(withoutActive(copies)) }))
    ?? act(observation, array, copies, observed);
}

/** An array that has ended: copies that still run go, and of the others those that are too many. */
export function planFinishedCopies({ job, copies = [] }: Observation): Action[] {
  const keep = job.spec.runPolicy?.cleanPodPolicy === 'All' ? 0 : job.spec.array?.keepJobs;
  return deletions(copiesOf(job.status.array), copies, keep);
}

/** Takes in copies that have ended, ends the array if that is what follows, and begins new copies. */
function decideCopies(
  observation: Observation, array: ArraySpec, before: Copies, observed: ReadonlyMap<number, ObservedCopy>,
): Plan | undefined {
  const settled = settle(before, observed, observation.now);
  const copies = settled?.copies ?? before;
  const events = settled?.events ?? [];
  const over = endArray(observation, array, copies, events);
  if (over !== undefined) {
    return over;
  }
  const begun = observation.job.spec.suspend ? undefined : beginCopies(copies, array.count, array.parallelism ?? array.count);
  return settled === undefined && begun === undefined
    ? undefined
    : decision(observation, { array: arrayStatus(begun ?? copies), ...progressOf(array, begun ?? copies) }, [], [...events]);
}

/** The end of the array, if it is there. Reasons of failures are those of an Indexed Job. */
function endArray(
  observation: Observation, { count, maxFailedIndexes }: ArraySpec, copies: Copies, events: readonly PlannedEvent[],
): Plan | undefined {
  const { completed, failed, lastFailedIndex } = copies;
  const finish = (phase: 'Completed' | 'Failed', reason: string, message: string): Plan => {
    const last = withoutActive(copies);
    const plan = end(observation, phase, reason, message, undefined, { array: arrayStatus(last), ...progressOf(observation.job.spec.array!, last) });
    return { ...plan, events: [...events, ...plan.events] };
  };
  const last = lastFailedIndex && `The last, copy ${lastFailedIndex.index}: ${lastFailedIndex.reason}: ${lastFailedIndex.message}`;
  if (maxFailedIndexes !== undefined && failed.size > maxFailedIndexes) {
    return finish('Failed', 'MaxFailedIndexesExceeded',
      `${copiesText(failed.size)} failed, and spec.array.maxFailedIndexes is ${maxFailedIndexes}. ${last}`);
  }
  if (ended(copies) < count) {
    return undefined;
  }
  return failed.size === 0
    ? finish('Completed', 'ArraySucceeded', count === 1 ? 'The copy has succeeded' : `All ${count} copies have succeeded`)
    : finish('Failed', 'FailedIndexes', `${failed.size} of ${copiesText(count)} failed, ${completed.size} succeeded. ${last}`);
}

/** What follows from the status that stands. */
function act(observation: Observation, array: ArraySpec, copies: Copies, observed: ReadonlyMap<number, ObservedCopy>): Plan {
  const { job: { spec, status } } = observation;
  const suspend = spec.suspend === true;
  const actions: Action[] = deletions(copies, observation.copies ?? [], array.keepJobs);
  for (const index of copies.active) {
    const copy = observed.get(index);
    if (copy === undefined) {
      if (!suspend && copies.unseen.has(index)) {
        actions.push({ type: 'createCopy', index });
      }
    } else if (copy.suspended !== suspend && !isOver(copy) && !copy.deleting) {
      actions.push({ type: 'suspendCopy', name: copy.name, uid: copy.uid, suspend });
    }
  }
  const next = statusOf(observation, array, copies, observed);
  const deadline = deadlineIn(observation);
  return {
    status: next,
    decided: false,
    actions,
    events: refusalNews(status, next),
    requeueAfterMs: deadline === undefined ? undefined : Math.max(1, deadline),
  };
}

/** Jobs of copies that nobody needs any more: those that were ended, and of those that came to an end all but the ones that are kept. */
function deletions({ active, failed }: Copies, observed: readonly ObservedCopy[], keep: number = ARRAY_DEFAULTS.keepJobs): Action[] {
  const idle = observed.filter(({ index }) => !active.has(index));
  const surplus = idle.filter(isOver).sort((one, other) =>
    Number(failed.has(other.index)) - Number(failed.has(one.index)) || other.index - one.index).slice(keep);
  return [
    ...idle.filter((copy) => !isOver(copy)).map((copy) => ({ copy, reason: 'the array has ended' })),
    ...surplus.map((copy) => ({ copy, reason: `spec.array.keepJobs is ${keep}` })),
  ].filter(({ copy }) => !copy.deleting)
    .map(({ copy: { name, uid }, reason }): Action => ({ type: 'deleteCopy', name, uid, reason }));
}

/** The status as the copies say it is, no decision taken. */
function statusOf(observation: Observation, array: ArraySpec, copies: Copies, observed: ReadonlyMap<number, ObservedCopy>): TrainingJobStatus {
  const running = [...copies.active].filter((index) => isRunning(observed.get(index))).length;
  return observedStatus(observation, {
    running,
    underWay: copies.active.size,
    whenRunning: { reason: 'CopiesRunning', message: `${copiesText(running)} run${running === 1 ? 's' : ''}` },
    whenPending: { reason: 'CopiesPending', message: 'No copy is running' },
    standing: `${ended(copies)} of ${array.count} have ended${copies.failed.size > 0 ? `, ${copies.failed.size} of them failed` : ''}`,
  }, {
    ...progressOf(array, copies),
    array: arrayStatus({ ...copies, unseen: new Set([...copies.unseen].filter((index) => !observed.has(index))) }),
  });
}

/** The columns of `kubectl get`: copies that have ended, of all. */
function progressOf({ count }: ArraySpec, copies: Copies): Pick<TrainingJobStatus, 'ready' | 'trainerStatus'> {
  return { ready: `${ended(copies)}/${count}`, trainerStatus: { progressPercentage: Math.floor(ended(copies) / count * 100) } };
}

function copiesText(count: number): string {
  return count === 1 ? '1 copy' : `${count} copies`;
}
