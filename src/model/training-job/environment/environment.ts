/**
 * The whole environment of a replica's `training` container, in layers: what every framework gets (the blog's variables and what it left
 * out), what the framework's own tooling reads, hyperparameters, and what the user added.
 */
import { debugEnvironment } from './debug-environment';
import { isHelper, primaryOf, hasHelpers } from '../replicas/helpers';
import { coordinatorOf, roleOf, replicasOfRole } from '../replicas/replicas';
import type { EnvVarSpec } from '../spec';
import { TPU_VARIABLES, tpuEnvironment } from '../replicas/tpu-slices';
import { COORDINATOR_PORT_NAME, type AddressBook } from '../../frameworks/address-book';
import { variable, type HelperContainer, type ReplicaContext, type Replica, type ResolvedTrainingJob } from '../../frameworks/contract';
import { KEEP_LAST_VARIABLE, PROGRESS_VARIABLES, progressVariables } from '../../progress/contract';
import { literal } from '../../variable-references';
import { anyOf } from '../../text/expressions';
import { GROUP_PORT, GROUP_PORT_NAME } from '../replicas/role-specs';

/** All hyperparameters as one JSON object of strings. */
export const HYPERPARAMETERS_VARIABLE = 'TRAINYARD_HYPERPARAMETERS';

/** Number of the attempt, from 0, by which a script knows whether it was restarted. */
export const ATTEMPT_VARIABLE = 'TRAINYARD_ATTEMPT';

/** Defaults that a user's own `env` may change. Every other variable of the contract is refused there. */
const CHANGEABLE = new Set(['PYTHONUNBUFFERED', 'NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES', 'PET_RDZV_CONF', ...TPU_VARIABLES]);

/**
 * First words of the names that contracts set. Whether a name is taken follows from the contract of the job itself ({@link isReserved}); this only
 * shows quickly, without computing the contract, that it cannot be.
 */
const FIRST_WORDS = anyOf([
  'CHECKPOINT', 'COORDINATOR', 'DMLC', 'HOROVOD', 'JAX', 'KUBEFLOW', 'LIGHTGBM', 'MASTER', 'MEGASCALE', 'NUM', 'NVIDIA', 'OMPI', 'PADDLE', 'PDSH', 'PET', 'POD', 'PROCESS',
  'PYTHONUNBUFFERED', 'RANK', 'RESUME', 'ROLE', 'TF', 'TPU', 'TRAINYARD', 'WORKER', 'WORLD',
].map((word) => `^${word}(?:_|$)`));

/** Whether some contract may set a variable of this name. */
export function mayBeReserved(name: string): boolean {
  return FIRST_WORDS.test(name);
}

/** Environment of the replica's `training` container. */
export function replicaEnvironment(context: ReplicaContext, attempt: number): EnvVarSpec[] {
  return layered(
    debugEnvironment(context.job),
    contractEnvironment({ ...context, attempt }, attempt),
    hyperparameterEnvironment(context.job),
    roleOf(context.job, context.replica).env,
  );
}

/** Helper containers of the replica with their whole environment, which differs from `training`'s in the framework's variables only. */
export function replicaHelpers(context: ReplicaContext, attempt: number): HelperContainer[] {
  const { job, replica } = context;
  const helpers = isHelper(job, replica) ? [] : job.framework.helpers?.({ ...context, job: primaryOf(job) }) ?? [];
  return helpers.map((helper) => ({
    name: helper.name,
    env: layered(replicaEnvironment(context, attempt), helper.env),
  }));
}

/** Names that the job's contract sets and that neither hyperparameters nor `env` may use. */
export function reservedVariables(context: ReplicaContext): ReadonlySet<string> {
  const contractNames = new Set(contractEnvironment(context, 0).map(({ name }) => name));
  return new Set([...PROGRESS_VARIABLES, HYPERPARAMETERS_VARIABLE, ...contractNames]
    .filter((name) => isReserved(name, context.job, contractNames)));
}

/**
 * Whether neither hyperparameters nor `env` of a role may use a name.
 * @param contractNames of what {@link contractEnvironment} says for the role's first replica
 */
export function isReserved(name: string, { spec }: ResolvedTrainingJob, contractNames: ReadonlySet<string>): boolean {
  if (name === HYPERPARAMETERS_VARIABLE && Object.keys(spec.hyperparameters ?? {}).length > 0) {
    return true;
  }
  return PROGRESS_VARIABLES.includes(name) || (contractNames.has(name) && !CHANGEABLE.has(name));
}

/** The part of {@link replicaEnvironment} that comes from the framework's contract and ours, before anything that the user added. */
export function contractEnvironment(context: ReplicaContext, attempt: number): EnvVarSpec[] {
  const { job, replica } = context;
  return [
    ...commonEnvironment(context, attempt),
    ...(isHelper(job, replica) ? [] : job.framework.environment({ ...context, job: primaryOf(job) })),
    ...tpuEnvironment(context),
    ...groupEnvironment(context),
  ];
}

/** What every framework gets. Names without prefix are the blog's and training-operator v1's. */
function commonEnvironment({ job, replica, addresses, facts, progress }: ReplicaContext, attempt: number): EnvVarSpec[] {
  const coordinator = coordinatorOf(job);
  const variables = [variable('ROLE', replica.role)];
  // In an elastic job rank and size change while the replica runs: torchrun numbers its processes again at each rendezvous.
  // A helper that found them would take itself for a rank.
  if (!job.framework.launcherGivesRanks && !job.spec.elastic && !isHelper(job, replica)) {
    if (replica.rank !== undefined) {
      variables.push(variable('RANK', replica.rank));
    }
    variables.push(
      variable('WORLD_SIZE', worldSize(job)),
      variable('MASTER_ADDR', addresses.host(coordinator)),
      variable('MASTER_PORT', addresses.port(coordinator, COORDINATOR_PORT_NAME, job.port)),
    );
  }
  variables.push(
    variable('PYTHONUNBUFFERED', 1),
    variable('TRAINYARD_JOB_NAME', job.name),
    variable('TRAINYARD_REPLICA_INDEX', replica.index),
    variable(ATTEMPT_VARIABLE, attempt),
  );
  if (job.spec.checkpointPath !== undefined) {
    variables.push(literal('CHECKPOINT_PATH', job.spec.checkpointPath));
  }
  // What the script itself has reported is newer than the configured start.
  const resumeFrom = facts?.resumeFrom ?? job.spec.checkpoint?.resumeFrom;
  if (resumeFrom !== undefined) {
    variables.push(literal('RESUME_FROM', resumeFrom));
  }
  if (job.spec.checkpoint?.keepLast !== undefined) {
    variables.push(variable(KEEP_LAST_VARIABLE, job.spec.checkpoint.keepLast));
  }
  if (progress !== undefined) {
    variables.push(...progressVariables(progress));
  }
  return variables;
}

/** The part of {@link replicaEnvironment} that comes from hyperparameters. */
export function hyperparameterEnvironment(job: ResolvedTrainingJob): EnvVarSpec[] {
  const entries = Object.entries(job.spec.hyperparameters ?? {});
  if (entries.length === 0) {
    return [];
  }
  // Sorted, so that the same job gives the same bytes whatever order its author or the API server keeps.
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...sorted.map(([name, value]) => literal(name, value)),
    literal(HYPERPARAMETERS_VARIABLE, JSON.stringify(Object.fromEntries(sorted))),
  ];
}

/**
 * As training-operator v1 counts: replicas with a rank, times the processes of each where PyTorch's job says how many. The short form without
 * `nprocPerNode` is the blog's: one process a replica.
 */
function worldSize(job: ResolvedTrainingJob): number {
  const processes = job.framework.name === 'pytorch' ? Number(job.spec.nprocPerNode) : 1;
  return job.trainers * (Number.isInteger(processes) && processes > 0 ? processes : 1);
}

/** Joins layers; a later layer's variable takes the place of an earlier one of the same name. */
export function layered(...layers: readonly (readonly EnvVarSpec[])[]): EnvVarSpec[] {
  const byName = new Map<string, EnvVarSpec>();
  for (const entry of layers.flat()) {
    byName.set(entry.name, entry);
  }
  return [...byName.values()];
}

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

function groupEnvironment({ job, replica, addresses }: Pick<ReplicaContext, 'job' | 'replica' | 'addresses'>): EnvVarSpec[] {
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
