/** Conditions of a job: one of each type, transition times kept while the status stays. */
import type { Condition, ConditionType, TrainingJobStatus } from '../../../model/training-job/status/status';
import { CONDITION_TYPES } from '../../../model/training-job/status/status';

/** Longest message of a condition, in characters; API servers answer with whole objects now and then. */
const MESSAGE_MAX_LENGTH = 4096;

/** Types that are worth saying before they have ever been true. */
const FROM_THE_START: readonly ConditionType[] = ['Created', 'Admitted', 'Running'];

/** What a condition should say. */
export interface ConditionChange {
  readonly type: ConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The condition of a type, if the job has it. */
export function conditionOf(status: TrainingJobStatus, type: ConditionType): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition stands and is true. */
export function isConditionTrue(status: TrainingJobStatus, type: ConditionType): boolean {
  return conditionOf(status, type)?.status === 'True';
}

/** The conditions with the changes applied, in the order of {@link CONDITION_TYPES}. */
export function withConditions(
  conditions: readonly Condition[] | undefined, changes: readonly ConditionChange[], nowText: string, generation: number,
): Condition[] {
  const byType = new Map((conditions ?? []).map((condition) => [condition.type, condition]));
  for (const change of changes) {
    const before = byType.get(change.type);
    if (before === undefined && change.status === 'False' && !FROM_THE_START.includes(change.type)) {
      // "Not restarting" is only worth saying once it has been.
      continue;
    }
    byType.set(change.type, {
      ...change,
      message: change.message.slice(0, MESSAGE_MAX_LENGTH),
      lastTransitionTime: before?.status === change.status ? before.lastTransitionTime : nowText,
      observedGeneration: generation,
    });
  }
  return CONDITION_TYPES.flatMap((type) => byType.get(type) ?? []);
}
