/** What Kubeflow Trainer v2.3 can do with a job, and within which limits. */
import type { TrainerOptions } from './options';
import { isMpi, planTrainJob } from './plan';
import { TRAINER_PORT } from './plugins';
import { each, no, partly, type EngineCapabilities, type Partly, type Support } from '../capabilities';
import { AFTER_HOOK, BEFORE_HOOK, ON_EXIT_HOOK } from '../jobset/hooks';
import { COMMON_FIELDS, GANG_FIELDS, HELPERS_THAT_COUNT, KUEUE_FIELDS } from '../indexed/capabilities';
import { OPERATOR_NAME } from '../../../model/labels';
import { frameworkContract } from '../../../model/frameworks/registry';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../../model/training-job/spec';
import { MULTI_KUEUE_CONTROLLER } from '../../../model/kueue-names';

const AT_ONCE = no('restarts immediately, without a pause');
const OF_ONE_SIZE = no('has no elastic jobs yet (kubeflow/trainer issue 2903)');
const ENDED_WELL = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never restarts successful replicas' : undefined));

export function trainerCapabilities(options: TrainerOptions): EngineCapabilities {
  const own = (support: Support) => (options.runtime === undefined ? support : no(`uses the setting of the runtime ${options.runtime}`));
  return {
    frameworks: frameworks(options),
    fields: {
      ...COMMON_FIELDS,
      ...KUEUE_FIELDS,
      ...each(true, 'roles[].image', 'roles[].command', 'roles[].args', 'roles[].resources', 'roles[].template', 'runPolicy.activeDeadlineSeconds'),
      'roles[].restartPolicy': own(ENDED_WELL),
      'code': own(true),
      'workingDir': own(true),
      'port': options.runtime === undefined ? true : partly(String(TRAINER_PORT), (value) => (
        value === TRAINER_PORT ? undefined : `uses port ${TRAINER_PORT} for the rendezvous if a plugin configures it`)),
      'runPolicy.restartPolicy': own(ENDED_WELL),
      'runPolicy.backoffLimit': own(true),
      ...each(AT_ONCE, 'runPolicy.backoff.initialSeconds', 'runPolicy.backoff.maxSeconds', 'runPolicy.backoff.resetAfterSeconds'),
      'runPolicy.exitCodes.recover': own(true),
      'runPolicy.exitCodes.retry': own(true),
      'runPolicy.exitCodes.fail': own(true),
      'runPolicy.disruptionLimit': own(partly('0 only', (value) => (value === 0 ? undefined : 'does not count disruptions: it allows them all, or with 0 none'))),
      'runPolicy.ttlSecondsAfterFinished': no('would restart a failed job after its TTL: it recreates the JobSet that is deleted then'),
      'runPolicy.successPolicy': own(true),
      'scheduling.priorityClassName': own(true),
      'scheduling.schedulerName': own(true),
      'scheduling.gang.scheduler': own(GANG_FIELDS['scheduling.gang.scheduler']),
      'scheduling.gang.queue': own(true),
      'scheduling.gang.minAvailable': own(partly('all replicas if a plugin is used', (value, spec) => minAvailable(value, spec, options))),
      'scheduling.gang.scheduleTimeoutSeconds': own(GANG_FIELDS['scheduling.gang.scheduleTimeoutSeconds']),
      ...each(OF_ONE_SIZE, 'elastic.minReplicas', 'elastic.maxReplicas', 'elastic.maxRestarts'),
      'preflight': own(COMMON_FIELDS.preflight),
      'debug': own(COMMON_FIELDS.debug),
      'init': options.flux ? partly('false only', (value) => (value === true ? 'passes the command to a shell as one string under Flux' : undefined)) : true,
      'security.restricted': options.flux ? no('adds the init container flux-installer, which does not comply with the restrictions') : true,
      'helpers': partly('without runtime and flux, not for MPI; onFailure Restart and Fail', (value, spec) => helpersProblem(value, spec, options)),
      'hooks.before': hookSupport(BEFORE_HOOK, options),
      'hooks.after': hookSupport(AFTER_HOOK, options),
      'hooks.onExit': ON_EXIT_HOOK,
      'managedBy': partly(MULTI_KUEUE_CONTROLLER, (value) => (value === MULTI_KUEUE_CONTROLLER || value === OPERATOR_NAME ? undefined : `is managed by itself or by ${MULTI_KUEUE_CONTROLLER}`)),
    },
  };
}

/** Helpers need replicated jobs of their own. */
function helpersProblem(value: unknown, spec: TrainingJobSpec, options: TrainerOptions): string | undefined {
  return furtherJobsProblem(spec, options) ?? HELPERS_THAT_COUNT.unless(value, spec);
}

/** So do hooks. */
function hookSupport({ partly: limit, unless }: Partly, options: TrainerOptions): Partly {
  return partly(`without runtime and flux, not for MPI; ${limit}`, (value, spec) => furtherJobsProblem(spec, options) ?? unless(value, spec));
}

/** Replicated jobs that no plugin knows are in a runtime of the job's own. */
function furtherJobsProblem(spec: TrainingJobSpec, { runtime, flux }: TrainerOptions): string | undefined {
  if (flux) {
    return 'runs all replicas in one Flux cluster';
  }
  if (runtime !== undefined) {
    return `takes the roles from the runtime ${runtime}`;
  }
  return isMpi(spec.framework) ? 'supports only a launcher and nodes in its MPI jobs' : undefined;
}

function frameworks({ runtime, flux }: TrainerOptions): EngineCapabilities['frameworks'] {
  return Object.fromEntries(FRAMEWORK_NAMES.map((name) => [name, frameworkSupport(name, runtime, flux)])) as EngineCapabilities['frameworks'];
}

function frameworkSupport(name: FrameworkName, runtime: string | undefined, flux = false): Support {
  const { title } = frameworkContract(name);
  if (flux) {
    return ['mpi', 'plain'].includes(name) ? true : no(`supports MPI programs and plain commands under Flux, but not ${title}`);
  }
  if (runtime === undefined || ['pytorch', 'jax', 'xgboost', 'plain'].includes(name)) {
    return true;
  }
  return isMpi(name)
    ? no('runs training on the launcher in the MPI runtimes that it ships; leave runtime out of the engine\'s options to give the job its own runtime')
    : no(`has no runtimes for ${title}; leave runtime out of the engine's options to give the job its own`);
}

/** Where a plugin is at work, the controller makes the group, of all pods. Otherwise the group stands beside the job and says how many. */
function minAvailable(value: unknown, spec: TrainingJobSpec, options: TrainerOptions): string | undefined {
  const { shape, job } = planTrainJob('job', spec, options);
  return value === job.replicas.length || shape === 'roles' ? undefined : 'creates gangs of all pods of a job';
}
