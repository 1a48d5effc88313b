/**
 * Capabilities and violations of engines whose driver starts the programs in running members: nodes of Ray, executors of Spark.
 */
import { PLAN_MAX_BYTES, type PlannedTemplate } from './plan';
import { each, no, partly, type EngineCapabilities, type Support } from '../capabilities';
import { COMMON_FIELDS, NEVER_ALWAYS, backoffFields, mxnetWithoutMaster, noHooks } from '../indexed/capabilities';
import type { ResolvedTrainingJob } from '../../../model/frameworks/contract';
import type { FieldPath } from '../../../model/training-job/fields/field-paths';
import type { Violation } from '../../../model/violations';
import { planText } from './driver-files';

/** An engine's words for what runs its programs. */
export interface Members {
  /** The members, such as `nodes`. */
  readonly name: string;
  /** Where a program runs, such as `on each of its nodes`. */
  readonly onEach: string;
  /** Where a program is restarted, such as `pods`. */
  readonly places: string;
}

export function launchedFrameworks({ name, onEach }: Members): EngineCapabilities['frameworks'] {
  const noHostfile = no(`does not expose the addresses of its ${name} before they run, and a launcher's hostfile is written before that`);
  return {
    ...each(true, 'pytorch', 'tensorflow', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'),
    ...each(noHostfile, 'mpi', 'horovod', 'deepspeed'),
    mxnet: mxnetWithoutMaster(`starts one program ${onEach}, and an MXNet master needs three`),
  };
}

/** The fields with the same answer for all of these engines. */
export function launchedFields({ name, places }: Members) {
  return {
    ...COMMON_FIELDS,
    ...noHooks(`starts the pods of its driver and its ${name} together, and no pod before or after them`),
    ...each(
      true,
      'roles[].command', 'roles[].args', 'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry', 'runPolicy.disruptionLimit',
      'runPolicy.successPolicy', 'scheduling.gang.queue',
    ),
    ...backoffFields(true),
    ...each(NEVER_ALWAYS, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
    'runPolicy.restartInPlace': partly('always', (value) => (value === false ? `restarts programs in the same ${places}` : undefined)),
    'init': partly('false only', (value) => (value === true ? 'starts programs as children of its own process, and sends SIGTERM to each' : undefined)),
    'scheduling.gang.scheduleTimeoutSeconds': no('sets no time limit on gangs'),
    'preflight': no(`does not know the addresses of its ${name} before they run, and the checks between them come before that`),
  } satisfies { readonly [P in FieldPath]?: Support };
}

/** Checks the roles of a job. @param runs what the engine's containers run instead of the job's program */
export function launchedViolations(
  { spec, shortForm }: ResolvedTrainingJob, { groups, differences }: Pick<PlannedTemplate, 'groups' | 'differences'>, title: string, runs: string,
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
      message: `${title} creates all replicas alike, but role ${one} and role ${other} differ in ${what}. Make them the same, or choose the Trainyard operator.`,
    })),
  ];
}

/** The plan must fit into a ConfigMap. */
export function sizeViolations(job: ResolvedTrainingJob, templates: readonly PlannedTemplate[]): Violation[] {
  const bytes = new TextEncoder().encode(planText(job, templates)).length;
  return bytes <= PLAN_MAX_BYTES ? [] : [{
    path: job.shortForm ? 'spec.replicas' : 'spec.roles',
    value: job.replicas.length,
    message: `are too many for one driver: their variables would take ${bytes} bytes in its ConfigMap, which has room for ${PLAN_MAX_BYTES}. `
      + 'Use fewer replicas, or choose the Trainyard operator.',
  }];
}
