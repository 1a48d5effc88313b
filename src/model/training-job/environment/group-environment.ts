/** How the replicas of a job with helpers find each other: the addresses of every role, as lists of `HOST:PORT`. */
import { hasHelpers, primaryOf } from '../replicas/helpers';
import { GROUP_PORT, GROUP_PORT_NAME } from '../replicas/role-specs';
import { replicasOfRole, roleOf } from '../replicas/replicas';
import type { EnvVarSpec } from '../spec';
import type { AddressBook } from '../../frameworks/address-book';
import { variable, type Replica, type ReplicaContext, type ResolvedTrainingJob } from '../../frameworks/contract';

/** Port at which the others expect a replica; what it listens on, if it serves anything. */
const GROUP_PORT_VARIABLE = 'TRAINYARD_PORT';

/** Addresses of all replicas that train, the coordinator first. */
const PRIMARY_HOSTS_VARIABLE = 'TRAINYARD_PRIMARY_HOSTS';

/** Variable with the addresses of a role: `TRAINYARD_REPLAY_BUFFER_HOSTS`. */
function hostsVariable(role: string): string {
  return `TRAINYARD_${role.replaceAll('-', '_').toUpperCase()}_HOSTS`;
}

/** Built once a job and address book: for n replicas the lists are asked for n times and have n entries. */
const lists = new WeakMap<ResolvedTrainingJob, { readonly addresses: AddressBook; readonly variables: readonly EnvVarSpec[] }>();

/** Variables of a replica; none in a job without helpers. */
export function groupEnvironment({ job, replica, addresses }: Pick<ReplicaContext, 'job' | 'replica' | 'addresses'>): EnvVarSpec[] {
  return hasHelpers(job) ? [variable(GROUP_PORT_VARIABLE, portOf(job, replica, addresses)), ...hostLists(job, addresses)] : [];
}

function hostLists(job: ResolvedTrainingJob, addresses: AddressBook): readonly EnvVarSpec[] {
  const known = lists.get(job);
  if (known?.addresses === addresses) {
    return known.variables;
  }
  const list = (replicas: readonly Replica[]) => replicas.map((replica) => `${addresses.host(replica)}:${portOf(job, replica, addresses)}`).join(',');
  const variables = [
    variable(PRIMARY_HOSTS_VARIABLE, list(primaryOf(job).replicas)),
    ...job.roles.map(({ name }) => variable(hostsVariable(name), list(replicasOfRole(job, name)))),
  ];
  lists.set(job, { addresses, variables });
  return variables;
}

function portOf(job: ResolvedTrainingJob, replica: Replica, addresses: AddressBook): number {
  return addresses.port(replica, GROUP_PORT_NAME, roleOf(job, replica).helper?.port ?? GROUP_PORT);
}
