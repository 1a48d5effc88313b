/** Hooks of a job that Trainyard rendered: replicated jobs, which become `spec.hooks` again. */
import type { ReadReplicatedJob } from './job-set-spec';
import type { RoleDraft } from '../job';
import { withoutRendering } from '../own-rendering';
import { isEqual } from '../../../model/json-parts';
import { HOOK_JOBS, type JobSetHook } from '../../engines/jobset/hooks';
import { nonEmptyObject } from '../../plain-object';
import { HOOK_VARIABLES } from '../../../model/training-job/environment/hook-environment';
import { hookTimeoutSeconds, type HooksSpec } from '../../../model/training-job/hooks';
import { defined, nonEmpty } from '../../../model/lists';

/** Variables that every hook has. */
const OWN_VARIABLES: readonly string[] = [...HOOK_VARIABLES, 'PYTHONUNBUFFERED', 'TRAINYARD_HYPERPARAMETERS'];

/** Whether a JobSet succeeds with the hook that runs after all of its replicas. */
export function waitsForAll(hooks: readonly ReadReplicatedJob[]): boolean {
  return hooks.some(({ name }) => name === HOOK_JOBS.after);
}

/** `spec.hooks`; undefined without hooks. @param roles roles of the job, whose common settings hooks inherit */
export function hooksOf(jobs: readonly ReadReplicatedJob[], roles: readonly RoleDraft[]): HooksSpec | undefined {
  const hooks = Object.fromEntries((['before', 'after'] as const).flatMap((hook) => {
    const job = jobs.find(({ name }) => name === HOOK_JOBS[hook]);
    return job === undefined ? [] : [[hook, hookOf(job, roles)] as [JobSetHook, object]];
  })) as HooksSpec;
  return jobs.length === 0 ? undefined : hooks;
}

function hookOf({ name, path, pod: read, backoffLimit, runPolicy }: ReadReplicatedJob, roles: readonly RoleDraft[]): object {
  const { restartPolicy: _restart, subdomain: _subdomain, ...pod } = read;
  const { role: { image, command, args, env, resources } } = withoutRendering({ ...pod, name, replicas: 1, path });
  const own = env.filter((entry) => !OWN_VARIABLES.includes(entry.name) && !roles.every((role) => role.env.some((other) => isEqual(other, entry))));
  const { activeDeadlineSeconds } = runPolicy;
  return defined({
    image: roles.every((role) => role.image === image) ? undefined : image,
    command,
    args,
    env: nonEmpty(own),
    resources: nonEmptyObject(resources),
    timeoutSeconds: activeDeadlineSeconds === hookTimeoutSeconds({ command: [] }) ? undefined : activeDeadlineSeconds,
    backoffLimit: backoffLimit === 0 ? undefined : backoffLimit,
  });
}
