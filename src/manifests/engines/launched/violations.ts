/** Why the programs of a job cannot be started by an engine's driver, in words for its author. */
import type { PlannedTemplate } from './plan';
import type { ResolvedTrainingJob } from '../../../model/frameworks/contract';
import type { Violation } from '../../../model/violations';

/** Whose driver it is. */
export interface LaunchingEngine {
  readonly title: string;
  /** What its containers run instead of the job's program. */
  readonly runs: string;
}

/** Checks a template. */
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
