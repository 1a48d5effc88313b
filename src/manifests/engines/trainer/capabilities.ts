/** What Kubeflow Trainer v2.3 supports, and within which limits. */
import type { TrainerOptions } from './options';
import { isMpi, planTrainJob } from './plan';
import { TRAINER_PORT } from './plugins';
import { each, no, partly, type EngineCapabilities, type Partly, type Support } from '../capabilities';
import { AFTER_HOOK, BEFORE_HOOK, ON_EXIT_HOOK } from '../jobset/hooks';
import {
  COMMON_FIELDS, DISRUPTION_LIMIT, GANG_FIELDS, HELPERS_WITHOUT_IGNORE, KUEUE_FIELDS, MULTI_KUEUE_FIELD, NEVER_ALWAYS, NO_BACKOFF, ROLE_FIELDS,
} from '../indexed/capabilities';
import { frameworkContract } from '../../../model/frameworks/registry';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../../model/training-job/spec';

export function trainerCapabilities(options: TrainerOptions): EngineCapabilities {
  const own = (support: Support) => (options.runtime === undefined ? support : no(`uses the setting of the runtime ${options.runtime}`));
  return {
    frameworks: frameworks(options),
    fields: {
      ...COMMON_FIELDS,
      ...KUEUE_FIELDS,
      ...ROLE_FIELDS,
      ...NO_BACKOFF,
      ...each(own(NEVER_ALWAYS), 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
      ...each(
        own(true),
        'code', 'workingDir', 'runPolicy.backoffLimit', 'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry', 'runPolicy.exitCodes.fail',
        'runPolicy.successPolicy', 'scheduling.priorityClassName', 'scheduling.schedulerName', 'scheduling.gang.queue',
      ),
      'port': options.runtime === undefined ? true : partly(String(TRAINER_PORT), (value) => (
        value === TRAINER_PORT ? undefined : `uses port ${TRAINER_PORT} for the rendezvous if a plugin configures it`)),
      'runPolicy.activeDeadlineSeconds': true,
      'runPolicy.disruptionLimit': own(DISRUPTION_LIMIT),
      'runPolicy.ttlSecondsAfterFinished': no('would restart a failed job after its TTL: it recreates the JobSet that is deleted then'),
      'scheduling.gang.scheduler': own(GANG_FIELDS['scheduling.gang.scheduler']),
      'scheduling.gang.minAvailable': own(partly('all replicas if a plugin is used', (value, spec) => minAvailable(value, spec, options))),
      'scheduling.gang.scheduleTimeoutSeconds': own(GANG_FIELDS['scheduling.gang.scheduleTimeoutSeconds']),
      ...each(no('has no elastic jobs yet (kubeflow/trainer issue 2903)'), 'elastic.minReplicas', 'elastic.maxReplicas', 'elastic.maxRestarts'),
      'preflight': own(COMMON_FIELDS.preflight),
      'debug': own(COMMON_FIELDS.debug),
      'init': options.flux ? partly('false only', (value) => (value === true ? 'passes the command to a shell as one string under Flux' : undefined)) : true,
      'security.restricted': options.flux ? no('adds the init container flux-installer, which does not comply with the restrictions') : true,
      'helpers': inOwnRuntime(HELPERS_WITHOUT_IGNORE, options),
      'hooks.before': inOwnRuntime(BEFORE_HOOK, options),
      'hooks.after': inOwnRuntime(AFTER_HOOK, options),
      'hooks.onExit': ON_EXIT_HOOK,
      'managedBy': MULTI_KUEUE_FIELD,
    },
  };
}

/** Support for what needs its own replicated jobs. */
function inOwnRuntime({ partly: limit, unless }: Partly, options: TrainerOptions): Partly {
  return partly(`without runtime and flux, not for MPI; ${limit}`, (value, spec) => furtherJobsProblem(spec, options) ?? unless(value, spec));
}

/** Only the job's own runtime can have replicated jobs that no plugin knows. */
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

/** With a plugin, the controller creates the group, of all pods. Otherwise Trainyard creates it, with any number. */
function minAvailable(value: unknown, spec: TrainingJobSpec, options: TrainerOptions): string | undefined {
  const { shape, job } = planTrainJob('job', spec, options);
  return value === job.replicas.length || shape === 'roles' ? undefined : 'creates gangs of all pods of a job';
}
