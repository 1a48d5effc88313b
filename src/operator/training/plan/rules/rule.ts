/**
 * A policy of the planner, one a file. `plan.ts` asks its rules in order; a rule that has nothing to say about a job says nothing. A new
 * feature is a new rule and not a new branch in the planner.
 */
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import type { JobView } from '../observe/replicas-view';
import type { Action, Observation, Plan, PlannedEvent } from '../types';

/** All parts are pure and optional. */
export interface Rule {
  /** A decision that has to be durable before anything else happens, or none. Asked rule by rule; the first decision is the plan. */
  decide?(observation: Observation, view: JobView): Plan | undefined;

  /** Whether no pod may be created now. The rule that holds them back also says when to look again ({@link wakeAfterMs}) or is woken by a watch. */
  holdsBackPods?(observation: Observation, view: JobView): boolean;

  /** What is to be done in addition to creating and deleting the pods of replicas. */
  actions?(observation: Observation, view: JobView): readonly Action[];

  /** What the rule has to tell in the status; `status` holds what earlier rules have told. */
  observe?(observation: Observation, view: JobView, status: TrainingJobStatus): TrainingJobStatus;

  /** What users should hear of although nothing was decided. */
  events?(before: TrainingJobStatus, after: TrainingJobStatus): readonly PlannedEvent[];

  /** Milliseconds from now after which the rule may have something to say although nothing else happens. */
  wakeAfterMs?(observation: Observation, view: JobView, status: TrainingJobStatus): number | undefined;
}
