/** The planner's rules in the order in which they are asked. */
import { deadlineRule } from './deadline';
import { failedReplicasRule } from './failed-replicas';
import type { Rule } from './rule';
import { successRule } from './success';
import { suspensionRule } from './suspension';

export type { Rule } from './rule';

/** All rules. */
export const RULES: readonly Rule[] = [
  // Success first: a worker that fails because the coordinator has left does not undo what the job achieved.
  successRule,
  suspensionRule,
  deadlineRule,
  failedReplicasRule,
];
