/** The planner's rules in the order in which they are asked. */
import { beforeHookRule } from './before-hook';
import { containerRestartsRule } from './container-restarts';
import { deadlineRule } from './deadline';
import { elasticRule } from './elastic';
import { failedReplicasRule } from './failed-replicas';
import { gangReleaseRule } from './gang-release';
import { idleRule } from './idle';
import { nodeAvoidanceRule } from './node-avoidance';
import { preflightRule } from './preflight';
import { queueRule } from './queue';
import { rootCauseRule } from './root-cause';
import type { Rule } from './rule';
import { stackDumpsRule } from './stack-dumps';
import { stallRule } from './stall';
import { startFailuresRule } from './start-failures';
import { stuckPodsRule } from './stuck-pods';
import { verdictRule } from './verdict';
import { successRule } from './success';
import { suspensionRule } from './suspension';

export type { Rule } from './rule';

/** All rules. */
export const RULES: readonly Rule[] = [
  // Before it has succeeded there are no replicas that anything could be said of.
  beforeHookRule,
  // Success first: a worker that fails because the coordinator has left does not undo what the job achieved.
  successRule,
  // Who began it, before it is counted and the pods that tell are gone.
  rootCauseRule,
  // What was left open about an earlier attempt, before anything new is counted.
  verdictRule,
  suspensionRule,
  deadlineRule,
  // Pods that fail because the queue takes their quota back are no failures.
  queueRule,
  // Checks before training that failed are no failures of the program.
  preflightRule,
  // What kubelets have restarted is counted before pods are replaced, and their numbers go with them.
  containerRestartsRule,
  failedReplicasRule,
  startFailuresRule,
  nodeAvoidanceRule,
  stuckPodsRule,
  gangReleaseRule,
  // A replica that failed is answered for before its place may go.
  elasticRule,
  // Silence and idleness mean something only where nothing else is wrong.
  stallRule,
  idleRule,
  stackDumpsRule,
];
