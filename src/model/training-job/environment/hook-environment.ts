/** Environment of the container of a hook. */
import { ATTEMPT_VARIABLE, hyperparameterEnvironment, layered } from './environment';
import { variable } from '../../frameworks/contract';
import { literal } from '../../variable-references';
import type { HookName } from '../hooks';
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { runFactsOf } from '../run-facts';
import type { EnvVarSpec } from '../spec';
import type { TrainingJobStatus } from '../status/status';

/** Variables that the operator sets in every hook. The `env` of the job and of the hook cannot override them. */
export const HOOK_VARIABLES = [
  'TRAINYARD_HOOK', 'TRAINYARD_JOB_NAME', 'TRAINYARD_JOB_NAMESPACE', 'TRAINYARD_JOB_OUTCOME', 'TRAINYARD_JOB_REASON', ATTEMPT_VARIABLE, 'CHECKPOINT_PATH', 'RESUME_FROM',
] as const;

export interface HookContext {
  readonly job: ResolvedTrainingJob;
  readonly hook: HookName;
  readonly namespace: string;
  readonly status: TrainingJobStatus;
  /** Variables that the job's template gives to its training container. */
  readonly ofTemplate: readonly EnvVarSpec[];
}

export function hookEnvironment({ job, hook, namespace, status, ofTemplate }: HookContext): EnvVarSpec[] {
  const { spec } = job;
  const resumeFrom = runFactsOf(status).resumeFrom ?? spec.checkpoint?.resumeFrom;
  return layered(
    spec.env ?? [],
    ofTemplate,
    spec.hooks?.[hook]?.env ?? [],
    hyperparameterEnvironment(job),
    [
      variable('PYTHONUNBUFFERED', 1),
      variable('TRAINYARD_HOOK', hook),
      variable('TRAINYARD_JOB_NAME', job.name),
      variable('TRAINYARD_JOB_NAMESPACE', namespace),
      ...outcomeOf(hook, status),
      variable(ATTEMPT_VARIABLE, status.attempt ?? 0),
      ...(spec.checkpointPath === undefined ? [] : [literal('CHECKPOINT_PATH', spec.checkpointPath)]),
      ...(resumeFrom === undefined ? [] : [literal('RESUME_FROM', resumeFrom)]),
    ],
  );
}

/** How the job has ended, or its replicas. */
function outcomeOf(hook: HookName, { phase, conditions = [] }: TrainingJobStatus): EnvVarSpec[] {
  if (hook === 'before') {
    return [];
  }
  const outcome = hook === 'after' || phase === 'Completed' ? 'Succeeded' : 'Failed';
  const reason = conditions.find(({ type, status }) => type === outcome && status === 'True')?.reason;
  return [variable('TRAINYARD_JOB_OUTCOME', outcome), ...(reason === undefined ? [] : [variable('TRAINYARD_JOB_REASON', reason)])];
}
