/** What a plain Job supports: one template for all replicas, and pods that are replaced one by one. */
import { each, no, partly, type EngineCapabilities, type Partly } from '../capabilities';
import {
  COMMON_FIELDS, DISRUPTION_LIMIT, GANG_FIELDS, KUEUE_FIELDS, MANAGED_BY_FIELD, backoffFields, isGang, mxnetWithoutMaster, noHooks, sameForAll,
} from '../indexed/capabilities';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { frameworkContract } from '../../../model/frameworks/registry';
import { ARRAY_DEFAULTS, arrayCopySpec, type ArraySpec } from '../../../model/training-job/array';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

function same(what: string, of: (role: ResolvedRole) => unknown): Partly {
  return sameForAll('all its pods', what, of);
}

/** Why failed replicas cannot be retried; undefined if they can. */
function retryProblem(spec: TrainingJobSpec): string | undefined {
  return isGang(spec) ? `replaces failed pods one by one, and replicas of ${frameworkContract(spec.framework).title} must restart together` : undefined;
}

const RESTART_POLICY = partly('Never; OnFailure and ExitCode where replicas are independent', (value, spec) => {
  switch (value) {
    case 'Always': return 'never restarts successful replicas';
    case 'Never': return undefined;
    default: return retryProblem(spec);
  }
});

const RETRIED_CODES = partly('where replicas are independent', (codes, spec) => (
  (codes as readonly unknown[]).length > 0 ? retryProblem(spec) : undefined));

export const JOB_CAPABILITIES: EngineCapabilities = {
  frameworks: {
    ...each(true, 'pytorch', 'tensorflow', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'),
    ...each(no('creates all its pods from one template, and a launcher differs from its workers'), 'mpi', 'horovod', 'deepspeed'),
    mxnet: mxnetWithoutMaster('creates all its pods from one template, and an MXNet master has two more containers than its workers'),
  },
  fields: {
    ...COMMON_FIELDS,
    ...noHooks('creates all its pods from one template and starts them together'),
    ...KUEUE_FIELDS,
    ...GANG_FIELDS,
    'roles[].image': same('image', (role) => role.image),
    'roles[].command': same('command', (role) => role.command),
    'roles[].args': same('arguments', (role) => role.args),
    'roles[].resources': same('resources', (role) => role.resources),
    'roles[].template': same('template', (role) => role.templates),
    'roles[].restartPolicy': partly('the same for all roles', (value, spec) => RESTART_POLICY.unless(value, spec)
      ?? same('restart policy', (role) => role.restartPolicy).unless(value, spec)),
    'runPolicy.restartPolicy': RESTART_POLICY,
    ...each(RETRIED_CODES, 'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry'),
    ...backoffFields(no('pauses 10 seconds before a retry, doubled up to 10 minutes, and has no other settings')),
    'runPolicy.disruptionLimit': DISRUPTION_LIMIT,
    ...each(true, 'runPolicy.activeDeadlineSeconds', 'runPolicy.successPolicy'),
    'managedBy': MANAGED_BY_FIELD,
    'array': partly('copies of one replica', (value, spec) => arrayProblem(value as ArraySpec, spec)),
  },
};

/** The indexes of an Indexed Job are those of the copies, so each copy can have only one replica. */
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
