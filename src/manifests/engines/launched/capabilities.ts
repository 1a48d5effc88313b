/**
 * What engines have in common whose driver starts the programs, in members that are there already: nodes of Ray, executors of Spark.
 *
 * Why the programs of a job cannot be started by an engine's driver, in words for its author.
 */
import { PLAN_MAX_BYTES, type PlannedTemplate } from './plan';
import { each, no, partly, type EngineCapabilities, type Support } from '../capabilities';
import { COMMON_FIELDS, noHooks } from '../indexed/capabilities';
import type { ResolvedTrainingJob } from '../../../model/frameworks/contract';
import type { FieldPath } from '../../../model/training-job/fields/field-paths';
import type { Violation } from '../../../model/violations';
import { planText } from './driver-files';

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
    ...noHooks(`starts the pods of its driver and its ${name} together, and no pod before or after them`),
    ...each(
      true,
      'roles[].command', 'roles[].args', 'runPolicy.backoff.initialSeconds', 'runPolicy.backoff.maxSeconds',
      'runPolicy.backoff.resetAfterSeconds', 'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry',
      'runPolicy.disruptionLimit', 'runPolicy.successPolicy', 'scheduling.gang.queue',
    ),
    ...each(NO_ALWAYS, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
    'runPolicy.restartInPlace': partly('always', (value) => (value === false ? `restarts programs in the same ${places}` : undefined)),
    'init': partly('false only', (value) => (value === true ? 'starts programs as children of its own process, and sends SIGTERM to each' : undefined)),
    'scheduling.gang.scheduleTimeoutSeconds': no('sets no time limit on gangs'),
    'preflight': no(`does not know the addresses of its ${name} before they run, and the checks between them come before that`),
  } satisfies { readonly [P in FieldPath]?: Support };
}

/** Whose driver it is. */
interface LaunchingEngine {
  readonly title: string;
  /** What its containers run instead of the job's program. */
  readonly runs: string;
}

export function launchedViolations(
  { spec, shortForm }: ResolvedTrainingJob, { groups, differences }: PlannedTemplate, { title, runs }: LaunchingEngine,
): Violation[] {
  return [
    ...groups.filter(({ role }) => (role.command ?? []).length === 0).map(({ role }) => {
      const index = (spec.roles ?? []).findIndex(({ name }) => name === role.name);
      return {
        path: role.helper !== undefined ? `spec.helpers['${role.name}'].command` : index < 0 ? 'spec.command' : `spec.roles[${index}].command`,
        value: undefined,
        message: `is required on ${title}: the containers run ${runs}, and the image's entry point is not known. Set the command.`,
      };
    }).filter((violation, position, all) => all.findIndex(({ path }) => path === violation.path) === position),
    ...differences.map(({ what, roles: [one, other] }) => ({
      path: shortForm ? 'spec.framework' : 'spec.roles',
      value: shortForm ? spec.framework : spec.roles?.map(({ name }) => name),
      message: `${title} makes all replicas alike, but role ${one} and role ${other} differ in ${what}. Make them the same, or choose the Trainyard operator.`,
    })),
  ];
}

/** A plan has to fit into a ConfigMap. */
export function sizeViolations(job: ResolvedTrainingJob, templates: readonly PlannedTemplate[]): Violation[] {
  const bytes = new TextEncoder().encode(planText(job, templates)).length;
  return bytes <= PLAN_MAX_BYTES ? [] : [{
    path: job.shortForm ? 'spec.replicas' : 'spec.roles',
    value: job.replicas.length,
    message: `are too many for one driver: their variables would take ${bytes} bytes in its ConfigMap, which has room for ${PLAN_MAX_BYTES}. `
      + 'Use fewer replicas, or choose the Trainyard operator.',
  }];
}
