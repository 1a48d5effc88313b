/**
 * Hooks of a job as replicated jobs of one pod beside its roles: the roles start when the Job of `before` is complete, and `after` starts when those
 * of the roles are.
 *
 * A restart creates all Jobs of a JobSet again, that of `before` among them, which a restart must not repeat. It comes after the success of `before`
 * only, because a failed hook ends the JobSet. So on later attempts a shell ends the hook before it begins.
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

/** Replicated jobs on which one may depend. */
const DEPENDENCIES_MAX = 5;

/** Ends the hook if the JobSet has been restarted. The words behind it are the hook's. */
const FIRST_ATTEMPT_ONLY = `if [ "$${ATTEMPT_VARIABLE}" != 0 ]; then exit 0; fi\nexec "$@"\n`;

/** Names of the replicated jobs. */
export const HOOK_JOBS: { readonly [hook in JobSetHook]: string } = { before: hookSuffix('before'), after: hookSuffix('after') };

/** What a JobSet says of `before`. */
export const BEFORE_HOOK: Partly = partly('not in a queue', (_value, spec) => queueProblem(spec));

/** What a JobSet says of `after`. */
export const AFTER_HOOK: Partly = partly('not in a queue; if success requires all replicas', (_value, spec) => queueProblem(spec) ?? successProblem(spec));

/** What a JobSet says of `onExit`. */
export const ON_EXIT_HOOK: Unsupported = no('creates no more pods when it has failed or succeeded');

/** The hooks that a job has and a JobSet can run, in their order. */
export function jobSetHooks({ spec: { hooks } }: ResolvedTrainingJob): JobSetHook[] {
  return (['before', 'after'] as const).filter((hook) => hooks?.[hook] !== undefined);
}

/** On what a role waits that waits for no other one. */
export function beforeDependency(job: ResolvedTrainingJob): readonly object[] {
  return jobSetHooks(job).includes('before') ? [{ name: HOOK_JOBS.before, status: 'Complete' }] : [];
}

/** Entry of `replicatedJobs` for a hook. */
export interface HookJob {
  readonly hook: JobSetHook;
  /** Names of the replicated jobs that have to be complete. @default - none */
  readonly after?: readonly string[];
  /** Whether the JobSet can be restarted. */
  readonly restarts: boolean;
}

/** The replicated job of a hook that the job has. */
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
        // Pods that the cluster removes are replaced and not counted.
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
    message: `waits for ${names.length} replicated jobs, and ${title} allows ${DEPENDENCIES_MAX}. Use fewer roles, run this step as a job in a pipeline, or choose the Trainyard operator.`,
  }];
}

/** Kueue admits all pods of a JobSet together. */
function queueProblem({ scheduling }: TrainingJobSpec): string | undefined {
  return scheduling?.queueName === undefined ? undefined
    : 'is admitted to its queue with all of its pods, so the quota of the replicas would be reserved while a hook runs';
}

/** A replica that still runs when `after` does could fail, and restart the job. */
function successProblem(spec: TrainingJobSpec): string | undefined {
  const job = resolveTrainingJob('job', spec);
  const { replicas, one } = successRule(job);
  if (replicas.length === job.replicas.length && (!one || replicas.length === 1)) {
    return undefined;
  }
  if (hasHelpers(job)) {
    return 'does not stop helpers before it ends, so the hook would run beside them';
  }
  const way = job.replicas.every(({ rank }) => rank !== undefined) ? '; with successPolicy AllWorkers it waits for all' : '';
  return `does not stop the other replicas when those that decide have succeeded (runPolicy.successPolicy), so the hook would run beside them${way}`;
}
