/** Between `status.array` and the sets that the planner works with, and the bookkeeping of copies that have ended. */
import type { ObservedCopy } from './types';
import { conditionOf } from '../conditions';
import { formatIndexes, parseIndexes } from '../index-set';
import { timeText } from '../timestamps';
import type { PlannedEvent } from '../types';
import type { ArrayStatus, FailedIndex } from '../../../../model/training-job/status/status';

/** Longest message of a failed copy, in characters. */
const MESSAGE_MAX_LENGTH = 1024;

/** How the copies stand. Copies start in the order of their indexes, so that those below {@link begun} and no others were begun. */
export interface Copies {
  readonly active: ReadonlySet<number>;
  readonly unseen: ReadonlySet<number>;
  readonly completed: ReadonlySet<number>;
  readonly failed: ReadonlySet<number>;
  readonly lastFailedIndex?: FailedIndex;
}

/** What a status says; all sets are empty in an array that has not begun. */
export function copiesOf(status: ArrayStatus | undefined): Copies {
  return {
    active: parseIndexes(status?.activeIndexes),
    unseen: parseIndexes(status?.unseenIndexes),
    completed: parseIndexes(status?.completedIndexes),
    failed: parseIndexes(status?.failedIndexes),
    lastFailedIndex: status?.lastFailedIndex,
  };
}

/** The same as a status. */
export function arrayStatus({ active, unseen, completed, failed, lastFailedIndex }: Copies): ArrayStatus {
  return {
    active: active.size,
    succeeded: completed.size,
    failed: failed.size,
    activeIndexes: formatIndexes(active),
    unseenIndexes: formatIndexes(unseen),
    completedIndexes: formatIndexes(completed),
    failedIndexes: formatIndexes(failed),
    lastFailedIndex,
  };
}

/** Copies that have ended. */
export function ended({ completed, failed }: Copies): number {
  return completed.size + failed.size;
}

/** Copies that were begun: the indexes below this number. */
function begun(copies: Copies): number {
  return ended(copies) + copies.active.size;
}

/** The copies after those that have ended were counted, and what to tell of them; undefined when none has. */
export function settle(
  before: Copies, observed: ReadonlyMap<number, ObservedCopy>, now: number,
): { readonly copies: Copies; readonly events: readonly PlannedEvent[] } | undefined {
  const [active, completed, failed] = [new Set(before.active), new Set(before.completed), new Set(before.failed)];
  let { lastFailedIndex } = before;
  const events: PlannedEvent[] = [];
  for (const index of before.active) {
    const copy = observed.get(index);
    const failure = copy === undefined ? vanished(before, index) : failureOf(copy);
    if (failure !== undefined) {
      failed.add(index);
      lastFailedIndex = { index, ...failure, message: failure.message.slice(0, MESSAGE_MAX_LENGTH), time: timeText(now) };
      events.push({ type: 'Warning', reason: 'CopyFailed', message: `Copy ${index} failed: ${failure.reason}: ${failure.message}`.slice(0, MESSAGE_MAX_LENGTH) });
    } else if (copy?.status.phase === 'Completed') {
      completed.add(index);
    } else {
      continue;
    }
    active.delete(index);
  }
  return active.size === before.active.size ? undefined : {
    copies: { active, completed, failed, lastFailedIndex, unseen: new Set([...before.unseen].filter((index) => active.has(index))) }, events,
  };
}

/** Begins copies until there are enough of them. Undefined when there is nothing to begin. */
export function beginCopies(before: Copies, count: number, parallelism: number): Copies | undefined {
  const next = begun(before);
  const room = Math.min(count - next, parallelism - before.active.size);
  if (room <= 0) {
    return undefined;
  }
  const fresh = Array.from({ length: room }, (_, offset) => next + offset);
  return { ...before, active: new Set([...before.active, ...fresh]), unseen: new Set([...before.unseen, ...fresh]) };
}

/** No copy is under way any more. */
export function withoutActive(copies: Copies): Copies {
  return { ...copies, active: new Set(), unseen: new Set() };
}

function vanished({ unseen }: Copies, index: number): Pick<FailedIndex, 'reason' | 'message'> | undefined {
  return unseen.has(index) ? undefined : { reason: 'CopyDeleted', message: 'The job of the copy was deleted before it ended' };
}

function failureOf({ status }: ObservedCopy): Pick<FailedIndex, 'reason' | 'message'> | undefined {
  if (status.phase !== 'Failed') {
    return undefined;
  }
  const condition = conditionOf(status, 'Failed');
  return { reason: condition?.reason ?? 'CopyFailed', message: condition?.message ?? 'The job of the copy failed' };
}
