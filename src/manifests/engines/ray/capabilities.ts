/** What KubeRay can do with a job: Ray gives nodes, and the driver that comes with the job does what the operator does with pods. */
import { gangProblem } from './gang';
import type { RayEngineSettings } from './settings';
import { no, partly, type EngineCapabilities } from '../capabilities';
import { COMMON_FIELDS, KUEUE_FIELDS, NO_ARRAYS } from '../indexed/capabilities';
import { OPERATOR_NAME } from '../../../model/labels';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

const MULTIKUEUE = 'kueue.x-k8s.io/multikueue';

const NO_HOSTFILE = no('tells nobody the addresses of its nodes before they run, and a launcher\'s hostfile is written before that');

const NO_ALWAYS = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never starts again what has ended well' : undefined));

const NO_TIMEOUT = no('sets no time limit on gangs');

/** The answers for an installation. */
export function rayCapabilities(settings: RayEngineSettings): EngineCapabilities {
  return {
    frameworks: {
      pytorch: true,
      tensorflow: true,
      mxnet: partly('with the roles scheduler, server and worker', (_value, { roles }) => (roles === undefined || roles.some(({ name }) => name === 'master')
        ? 'starts one program on each of its nodes, and a master of MXNet is three' : undefined)),
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
      ...KUEUE_FIELDS,
      'helpers': true,
      'roles[].image': true,
      'roles[].command': true,
      'roles[].args': true,
      'roles[].resources': true,
      'roles[].template': true,
      'roles[].restartPolicy': NO_ALWAYS,
      'runPolicy.restartPolicy': NO_ALWAYS,
      'runPolicy.backoff.initialSeconds': true,
      'runPolicy.backoff.maxSeconds': true,
      'runPolicy.backoff.resetAfterSeconds': true,
      'runPolicy.exitCodes.recover': true,
      'runPolicy.exitCodes.retry': true,
      'runPolicy.restartInPlace': partly('always', (value) => (value === false ? 'starts programs again in the pods that they had' : undefined)),
      'runPolicy.disruptionLimit': true,
      'runPolicy.activeDeadlineSeconds': true,
      'runPolicy.ttlSecondsAfterFinished': partly('not in a queue, nor with suspend', ttl),
      'runPolicy.cleanPodPolicy': partly('None not in a queue, nor with suspend', cleanPodPolicy),
      'runPolicy.successPolicy': true,
      'scheduling.gang.scheduler': partly('that of KubeRay\'s flag --batch-scheduler', (value) => gangProblem(value as GangScheduler, settings)),
      'scheduling.gang.queue': true,
      'scheduling.gang.minAvailable': no('places the head and all workers together, and no part of them'),
      'scheduling.gang.scheduleTimeoutSeconds': NO_TIMEOUT,
      'preflight': no('knows no addresses before its nodes run, and the checks between them come before that'),
      'array': NO_ARRAYS,
      'managedBy': partly(MULTIKUEUE, (value) => (value === MULTIKUEUE || value === OPERATOR_NAME ? undefined : `is managed by itself or by ${MULTIKUEUE}`)),
    },
  };
}

/** A RayJob that is suspended has to shut its cluster down when it ends, and rules for what is deleted then exclude that. */
function ttl(_value: unknown, { scheduling, suspend }: TrainingJobSpec): string | undefined {
  if (scheduling?.queueName !== undefined) {
    return 'is queued by Kueue only where its cluster is shut down at its end, and KubeRay then deletes no job after a time';
  }
  return suspend ? 'suspends jobs only whose cluster is shut down at their end, and then deletes no job after a time' : undefined;
}

function cleanPodPolicy(value: unknown, { scheduling, suspend }: TrainingJobSpec): string | undefined {
  if (value !== 'None') {
    return undefined;
  }
  if (scheduling?.queueName !== undefined) {
    return 'is queued by Kueue only where its pods go at the end of the job';
  }
  return suspend ? 'suspends jobs only whose pods go at their end' : undefined;
}
