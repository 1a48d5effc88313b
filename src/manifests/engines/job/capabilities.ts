/** What a plain Job can do: one template for all replicas, and pods that are replaced one by one. */
import { each, no, partly, type EngineCapabilities, type Partly } from '../capabilities';
import { COMMON_FIELDS, GANG_FIELDS, KUEUE_FIELDS, MANAGED_BY_FIELD, isGang, noHooks, titleOf } from '../indexed/capabilities';
import { isSame } from '../indexed/fold-pods';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { ARRAY_DEFAULTS, arrayCopySpec, type ArraySpec } from '../../../model/training-job/array';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

const NO_LAUNCHER = no('creates all its pods from one template, and a launcher differs from its workers');

/** One answer for all roles. */
function sameForAll(what: string, of: (role: ResolvedRole) => unknown): Partly {
  return partly('the same for all roles', (_value, spec) => {
    const [first, ...others] = resolveTrainingJob('job', spec).roles;
    return others.every((role) => isSame(of(role), of(first))) ? undefined : `creates all its pods from one template, so roles cannot differ in their ${what}`;
  });
}

const RESTARTS_ONE_BY_ONE = 'replaces failed pods one by one';

/** What is retried has to be retried together. */
function replaceable(limit: string, isRetry: (value: unknown) => boolean): Partly {
  return partly(limit, (value, spec) => (isRetry(value) && isGang(spec)
    ? `${RESTARTS_ONE_BY_ONE}, and replicas of ${titleOf(spec.framework)} must restart together` : undefined));
}

const RESTART_POLICY = partly('Never; OnFailure and ExitCode where replicas are independent', (value, spec) => (value === 'Always'
  ? 'never restarts successful replicas'
  : replaceable('', (policy) => policy !== 'Never').unless(value, spec)));

const BACKOFF = no('pauses 10 seconds before a retry, doubled up to 10 minutes, and has no other settings');

export const JOB_CAPABILITIES: EngineCapabilities = {
  frameworks: {
    pytorch: true,
    tensorflow: true,
    mxnet: partly('with the roles scheduler, server and worker', (_value, spec) => (spec.roles === undefined || spec.roles.some(({ name }) => name === 'master')
      ? 'creates all its pods from one template, and an MXNet master has two more containers than its workers' : undefined)),
    jax: true,
    xgboost: true,
    lightgbm: true,
    mpi: NO_LAUNCHER,
    horovod: NO_LAUNCHER,
    deepspeed: NO_LAUNCHER,
    paddle: true,
    plain: true,
  },
  fields: {
    ...COMMON_FIELDS,
    ...noHooks('creates all its pods from one template and starts them together'),
    ...KUEUE_FIELDS,
    ...GANG_FIELDS,
    'roles[].image': sameForAll('image', (role) => role.image),
    'roles[].command': sameForAll('command', (role) => role.command),
    'roles[].args': sameForAll('arguments', (role) => role.args),
    'roles[].resources': sameForAll('resources', (role) => role.resources),
    'roles[].template': sameForAll('template', (role) => role.templates),
    'roles[].restartPolicy': partly('the same for all roles', (value, spec) => RESTART_POLICY.unless(value, spec)
      ?? sameForAll('restart policy', (role) => role.restartPolicy).unless(value, spec)),
    'runPolicy.restartPolicy': RESTART_POLICY,
    'runPolicy.exitCodes.recover': replaceable('where replicas are independent', isGiven),
    'runPolicy.exitCodes.retry': replaceable('where replicas are independent', isGiven),
    ...each(BACKOFF, 'runPolicy.backoff.initialSeconds', 'runPolicy.backoff.maxSeconds', 'runPolicy.backoff.resetAfterSeconds'),
    'runPolicy.disruptionLimit': partly('0 only', (value) => (value === 0 ? undefined : 'does not count disruptions: it allows them all, or with 0 none')),
    ...each(true, 'runPolicy.activeDeadlineSeconds', 'runPolicy.successPolicy'),
    'managedBy': MANAGED_BY_FIELD,
    'array': partly('copies of one replica', (value, spec) => arrayProblem(value as ArraySpec, spec)),
  },
};

/** The indexes of an Indexed Job are those of the copies, so that none are left for replicas. */
function arrayProblem({ keepJobs }: ArraySpec, spec: TrainingJobSpec): string | undefined {
  const { replicas } = resolveTrainingJob('job', arrayCopySpec(spec, 0));
  if (replicas.length > 1) {
    return `numbers the copies of an array by pod index, so each has one replica, but these have ${replicas.length}`;
  }
  if (spec.scheduling?.gang !== undefined) {
    return 'would create one gang of all copies of an array (scheduling.gang)';
  }
  return keepJobs === undefined || keepJobs === ARRAY_DEFAULTS.keepJobs ? undefined : 'keeps the pods of all copies until it is deleted (array.keepJobs)';
}

function isGiven(codes: unknown): boolean {
  return (codes as readonly unknown[]).length > 0;
}
