/** What engines have in common whose driver starts the programs, in members that are there already: nodes of Ray, executors of Spark. */
import { no, partly, type EngineCapabilities, type Support } from '../capabilities';
import { COMMON_FIELDS } from '../indexed/capabilities';
import type { FieldPath } from '../../../model/training-job/fields/field-paths';

/** How an engine speaks of what runs its programs. */
export interface Members {
  /** Such as `nodes`. */
  readonly name: string;
  /** Such as `on each of its nodes`. */
  readonly onEach: string;
  /** What a program is started again in: `pods`. */
  readonly places: string;
}

const NO_ALWAYS = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never restarts successful replicas' : undefined));

/** The answers for frameworks. */
export function launchedFrameworks({ name, onEach }: Members): EngineCapabilities['frameworks'] {
  const noHostfile = no(`does not expose the addresses of its ${name} before they run, and a launcher's hostfile is written before that`);
  return {
    pytorch: true,
    tensorflow: true,
    mxnet: partly('with the roles scheduler, server and worker', (_value, { roles }) => (roles === undefined || roles.some((role) => role.name === 'master')
      ? `starts one program ${onEach}, and an MXNet master needs three` : undefined)),
    jax: true,
    xgboost: true,
    lightgbm: true,
    mpi: noHostfile,
    horovod: noHostfile,
    deepspeed: noHostfile,
    paddle: true,
    plain: true,
  };
}

/** The answers for fields of which they all say the same. */
export function launchedFields({ name, places }: Members) {
  return {
    ...COMMON_FIELDS,
    'roles[].command': true,
    'roles[].args': true,
    'roles[].restartPolicy': NO_ALWAYS,
    'runPolicy.restartPolicy': NO_ALWAYS,
    'runPolicy.backoff.initialSeconds': true,
    'runPolicy.backoff.maxSeconds': true,
    'runPolicy.backoff.resetAfterSeconds': true,
    'runPolicy.exitCodes.recover': true,
    'runPolicy.exitCodes.retry': true,
    'runPolicy.restartInPlace': partly('always', (value) => (value === false ? `restarts programs in the same ${places}` : undefined)),
    'runPolicy.disruptionLimit': true,
    'runPolicy.successPolicy': true,
    'init': partly('false only', (value) => (value === true ? 'starts programs as children of its own process, and sends SIGTERM to each' : undefined)),
    'scheduling.gang.queue': true,
    'scheduling.gang.scheduleTimeoutSeconds': no('sets no time limit on gangs'),
    'preflight': no(`does not know the addresses of its ${name} before they run, and the checks between them come before that`),
  } satisfies { readonly [P in FieldPath]?: Support };
}
