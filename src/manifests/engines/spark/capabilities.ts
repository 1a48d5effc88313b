/** What the Spark operator can do with a job: Spark gives executors of one kind, and the driver that comes with the job acts as our operator. */
import type { SparkEngineSettings } from './settings';
import { no, partly, type EngineCapabilities, type Partly } from '../capabilities';
import { COMMON_FIELDS, NO_ARRAYS } from '../indexed/capabilities';
import { isSame } from '../indexed/fold-pods';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { resolveTrainingJob } from '../../../model/training-job/resolve';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

const NO_HOSTFILE = no('tells nobody the addresses of its executors before they run, and a launcher\'s hostfile is written before that');

const NO_ALWAYS = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never starts again what has ended well' : undefined));

/** What Spark's `batchScheduler` calls gang schedulers. */
export const BATCH_SCHEDULERS: { readonly [scheduler in GangScheduler]?: string } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Coscheduling: 'kube-scheduler',
};

/** Executors are alike. */
function sameForAll(what: string, of: (role: ResolvedRole) => unknown): Partly {
  return partly('the same for all roles', (_value, spec) => {
    const [first, ...others] = resolveTrainingJob('job', spec).roles;
    return others.every((role) => isSame(of(role), of(first))) ? undefined : `makes its executors from one template, so that roles cannot differ in their ${what}`;
  });
}

/** The answers for an installation. */
export function sparkCapabilities(settings: SparkEngineSettings): EngineCapabilities {
  const queued = partly('where Kueue\'s alpha gate for it is on', () => (settings.kueue ? undefined
    : 'is queued by Kueue behind an alpha gate only; if yours is on, say so by kueue in the engine\'s options'));
  return {
    frameworks: {
      pytorch: true,
      tensorflow: true,
      mxnet: partly('with the roles scheduler, server and worker', (_value, { roles }) => (roles === undefined || roles.some(({ name }) => name === 'master')
        ? 'starts one program in each of its executors, and a master of MXNet is three' : undefined)),
      jax: true,
      xgboost: true,
      lightgbm: true,
      mpi: NO_HOSTFILE,
      horovod: NO_HOSTFILE,
      deepspeed: NO_HOSTFILE,
      paddle: true,
      plain: true,
    },
    fields: {
      ...COMMON_FIELDS,
      'helpers': no('makes its executors from one template, and a helper has an image and compute of its own'),
      'roles[].image': sameForAll('image', (role) => role.image),
      'roles[].command': true,
      'roles[].args': true,
      'roles[].resources': sameForAll('resources', (role) => role.resources),
      'roles[].template': sameForAll('template', (role) => role.templates),
      'roles[].restartPolicy': NO_ALWAYS,
      'runPolicy.restartPolicy': NO_ALWAYS,
      'runPolicy.backoff.initialSeconds': true,
      'runPolicy.backoff.maxSeconds': true,
      'runPolicy.backoff.resetAfterSeconds': true,
      'runPolicy.exitCodes.recover': true,
      'runPolicy.exitCodes.retry': true,
      'runPolicy.restartInPlace': partly('always', (value) => (value === false ? 'starts programs again in the executors that they had' : undefined)),
      'runPolicy.disruptionLimit': true,
      'runPolicy.activeDeadlineSeconds': partly('counted from the start of the driver', () => undefined),
      'runPolicy.cleanPodPolicy': partly('Running only', (value) => (value === 'Running' ? undefined : 'removes its executors and keeps its driver')),
      'runPolicy.successPolicy': true,
      'scheduling.queueName': queued,
      'scheduling.queuePriorityClassName': queued,
      'scheduling.queueMode': partly('Workload only', (value) => (value === 'Workload' ? undefined : 'is queued as a whole and not as a group of pods')),
      'scheduling.gang.scheduler': partly(Object.keys(BATCH_SCHEDULERS).join(', '), (value) => (BATCH_SCHEDULERS[value as GangScheduler] !== undefined
        ? undefined : `makes gangs for ${Object.keys(BATCH_SCHEDULERS).join(', ')} only`)),
      'scheduling.gang.queue': true,
      'scheduling.gang.minAvailable': no('asks for the driver and all executors together, and for no part of them'),
      'scheduling.gang.scheduleTimeoutSeconds': no('sets no time limit on gangs'),
      'preflight': no('knows no addresses before its executors run, and the checks between them come before that'),
      'security.networkPolicy.egress': partly('not Limited', (value) => (value === 'Limited'
        ? 'lets its driver make executors through the API server, whose address no policy can know' : undefined)),
      'array': NO_ARRAYS,
      'suspend': partly('not in a queue', suspend),
      'managedBy': no('is managed by the Spark operator alone'),
    },
  };
}

function suspend(value: unknown, { scheduling }: TrainingJobSpec): string | undefined {
  return value === true && scheduling?.queueName !== undefined ? 'is suspended and resumed by Kueue while it is in a queue' : undefined;
}
