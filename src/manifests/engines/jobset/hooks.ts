/**
 * Hooks of a job as replicated jobs of one pod in addition to its roles: the roles start when the Job of `before` is complete, and `after` starts
 * when those of the roles are.
 *
 * A restart creates all Jobs of a JobSet again, but must not repeat `before`. It happens only after `before` has succeeded, because a failed hook
 * ends the JobSet. So in later attempts a shell exits before the hook's command.
 * @see https://jobset.sigs.k8s.io/docs/concepts/#dependson
 */
import { no, partly, type Partly, type Unsupported } from '../capabilities';
import { jobLabels } from '../indexed/companions';
import { withLiveVariables, type EnginePods } from '../indexed/engine-pods';
import { successRule } from '../indexed/outcome';
import { withPrelude } from '../indexed/prelude';
import { constructHookTemplate } from '../../pod/hook-pod';
import { canonicalPodSpec } from '../../pod/typed-pod';
import { MANAGED_BY_ENGINES } from '../../../model/labels';
import { ATTEMPT_VARIABLE } from '../../../model/training-job/environment/environment';
import { HOOK_CONTAINER, hookSuffix, hookTimeoutSeconds } from '../../../model/training-job/hooks';
import { hasHelpers } from '../../../model/training-job/replicas/helpers';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** Hooks that a JobSet can run. */
export type JobSetHook = 'before' | 'after';

/** Most replicated jobs on which one can depend. */
const DEPENDENCIES_MAX = 5;

/** Exits if the JobSet has been restarted; otherwise executes the hook's command. */
const FIRST_ATTEMPT_ONLY = `if [ "$${ATTEMPT_VARIABLE}" != 0 ]; then exit 0; fi\nexec "$@"\n`;

/** Names of the replicated jobs. */
export const HOOK_JOBS: { readonly [hook in JobSetHook]: string } = { before: hookSuffix('before'), after: hookSuffix('after') };

/** Support of a JobSet for `before`. */
export const BEFORE_HOOK: Partly = partly('not in a queue', (_value, spec) => queueProblem(spec));

/** Support of a JobSet for `after`. */
export const AFTER_HOOK: Partly = partly('not in a queue; if success requires all replicas', (_value, spec) => queueProblem(spec) ?? successProblem(spec));

/** Support of a JobSet for `onExit`. */
export const ON_EXIT_HOOK: Unsupported = no('creates no more pods when it has failed or succeeded');

/** The hooks of a job that a JobSet can run, in order. */
export function jobSetHooks({ spec: { hooks } }: ResolvedTrainingJob): JobSetHook[] {
  return (['before', 'after'] as const).filter((hook) => hooks?.[hook] !== undefined);
}

/** Dependencies of a role that waits for no other role. */
export function beforeDependency(job: ResolvedTrainingJob): readonly object[] {
  return jobSetHooks(job).includes('before') ? [{ name: HOOK_JOBS.before, status: 'Complete' }] : [];
}

/** Entry of `replicatedJobs` for a hook. */
export interface HookJob {
  readonly hook: JobSetHook;
  /** Names of the replicated jobs that must be complete. @default - none */
  readonly after?: readonly string[];
  /** Whether the JobSet can be restarted. */
  readonly restarts: boolean;
}

/** The replicated job of one of the job's hooks. */
export function constructHookJob({ job, ownership, live }: EnginePods, { hook, after, restarts }: HookJob): object {
  const { backoffLimit = 0, ...written } = job.spec.hooks![hook]!;
  const { metadata, spec } = constructHookTemplate({ job, hook, status: {}, namespace: '', managedBy: MANAGED_BY_ENGINES });
  const variables = { ...live, TRAINYARD_JOB_NAMESPACE: 'metadata.namespace' };
  const isOnce = hook === 'before' && restarts;
  const containers = withLiveVariables(spec.containers, variables).map((container) => (container.name === HOOK_CONTAINER && isOnce
    ? { ...container, command: withPrelude(container.command ?? [], FIRST_ATTEMPT_ONLY) } : container));
  return {
    name: HOOK_JOBS[hook],
    replicas: 1,
    dependsOn: after?.map((name) => ({ name, status: 'Complete' })),
    template: {
      metadata: { labels: { ...ownership.labels, ...jobLabels(job.name) } },
      spec: {
        completionMode: 'Indexed',
        completions: 1,
        parallelism: 1,
        backoffLimit,
        // Disrupted pods are replaced and not counted.
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
        podReplacementPolicy: 'Failed',
        activeDeadlineSeconds: hookTimeoutSeconds(written),
        template: {
          metadata,
          spec: canonicalPodSpec({
            ...spec, containers, ...(spec.initContainers && { initContainers: withLiveVariables(spec.initContainers, variables) }),
          }),
        },
      },
    },
  };
}

/** Whether `after` can wait for all replicated jobs of the roles. */
export function hookViolations(job: ResolvedTrainingJob, names: readonly string[], title: string): Violation[] {
  return !jobSetHooks(job).includes('after') || names.length <= DEPENDENCIES_MAX ? [] : [{
    path: 'spec.hooks.after',
    value: names,
    message: `waits for ${names.length} replicated jobs, and ${title} allows ${DEPENDENCIES_MAX}. `
      + 'Use fewer roles, run this step as a job in a pipeline, or choose the Trainyard operator.',
  }];
}

/** Kueue admits all pods of a JobSet together. */
function queueProblem({ scheduling }: TrainingJobSpec): string | undefined {
  return scheduling?.queueName === undefined ? undefined
    : 'is admitted to its queue with all of its pods, so the quota of the replicas would be reserved while a hook runs';
}

/** A replica that still runs during `after` could fail and restart the job. */
function successProblem(spec: TrainingJobSpec): string | undefined {
  const job = resolveTrainingJob('job', spec);
  const { replicas, one } = successRule(job);
  if (replicas.length === job.replicas.length && (!one || replicas.length === 1)) {
    return undefined;
  }
  if (hasHelpers(job)) {
    return 'does not stop helpers before it ends, so the hook would run at the same time';
  }
  const fix = job.replicas.every(({ rank }) => rank !== undefined) ? '; with successPolicy AllWorkers it waits for all' : '';
  return `does not stop the other replicas when those that decide have succeeded (runPolicy.successPolicy), so the hook would run at the same time${fix}`;
}
