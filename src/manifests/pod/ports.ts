/** Ports of a job's replicas in pods and services. */
import { COORDINATOR_PORT_NAME } from '../../model/frameworks/address-book';
import { hasHelpers } from '../../model/training-job/replicas/helpers';
import { GROUP_PORT, GROUP_PORT_NAME } from '../../model/training-job/replicas/role-specs';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

export interface NamedPort {
  readonly name: string;
  readonly port: number;
}

/**
 * Ports on which replicas of a role listen: the job's own, then those of the framework. In pods and headless services they open nothing, but people,
 * meshes and network policies use them. Each number occurs once, as a service requires.
 * @param role name of the role; undefined for the ports of all roles together
 */
export function replicaPorts(job: ResolvedTrainingJob, role?: string): NamedPort[] {
  const helper = job.roles.find(({ name }) => name === role)?.helper;
  if (helper !== undefined) {
    return [{ name: GROUP_PORT_NAME, port: helper.port }];
  }
  const ports: NamedPort[] = [{ name: COORDINATOR_PORT_NAME, port: job.port }];
  const group = hasHelpers(job) ? [{ name: GROUP_PORT_NAME, port: GROUP_PORT, roles: undefined }] : [];
  for (const { name, port, roles } of [...job.framework.ports, ...group]) {
    const listens = role === undefined || roles === undefined || roles.includes(role);
    if (listens && !ports.some((known) => known.port === port)) {
      ports.push({ name, port });
    }
  }
  return ports;
}
