/** How `trainyard env` writes variables. */
import type { SeenReplica, SeenVariable, ValueSource } from './seen-variables';
import { CliError } from '../cli-error';
import { inColumns } from '../text';
import type { Paint } from '../../local/output/colours';
import { didYouMean } from '../../model/violations';

/** Longest value in a column. */
const COLUMN_MAX_LENGTH = 24;

/** Lines for people: what all replicas share, then what differs. @param all every replica of the job; @param chosen those to show */
export function tableLines(all: readonly SeenReplica[], chosen: readonly SeenReplica[], paint: Paint): string[] {
  const shown = exampleReplicas(chosen);
  const names = [...new Set(shown.flatMap(({ variables }) => variables.map(keyOf)))];
  const cells = new Map([...all, ...shown].map((replica) => [replica, cellsOf(replica)]));
  const cellOf = (replica: SeenReplica, key: string) => cells.get(replica)!.get(key);
  const isShared = (key: string) => all.every((replica) => cellOf(replica, key) === cellOf(shown[0], key));
  const shared = new Set(names.filter(isShared));
  const own = names.filter((name) => !shared.has(name));
  const isShort = (key: string) => shown.every((replica) => (cellOf(replica, key) ?? '').length <= COLUMN_MAX_LENGTH);
  const columns = [['', ...shown.map(replicaName)], ...own.filter(isShort).map((key) => [key, ...shown.map((replica) => cellOf(replica, key) ?? '-')])];
  const long = own.filter((key) => !isShort(key)).flatMap((key) => [
    `  ${paint(key, 'cyan')}`, ...aligned(shown.map((replica) => [`  ${replicaName(replica)}`, cellOf(replica, key) ?? '-']), paint),
  ]);
  return [
    ...(shared.size > 0 ? ['All replicas:', ...aligned([...shared].map((key) => [key, cellOf(shown[0], key)!]), paint), ''] : []),
    ...(own.length > 0 ? ['By replica:', ...aligned(columns, paint), ...long, ''] : []),
    ...(shown.length < chosen.length ? [paint(`${shown.length} of ${chosen.length} replicas are shown. Choose others with --rank or --role.`, 'grey'), ''] : []),
  ];
}

/** A file that shells and tools read, for one replica; what is not known is a comment. */
export function dotenvLines({ variables }: SeenReplica): string[] {
  return variables.map(({ name, value, from }) => (value === undefined ? `# ${name === undefined ? '' : `${name} `}${sourceText(from!)}` : `${name}=${quoted(value)}`));
}

/** The text of each variable of a replica; of several with one name, that of the first. */
function cellsOf({ variables }: SeenReplica): ReadonlyMap<string, string> {
  return new Map([...variables].reverse().map((variable) => [keyOf(variable), textOf(variable)]));
}

function keyOf({ name, from }: SeenVariable): string {
  return name ?? `(${sourceText(from!).replace(/^from /, '')})`;
}

function replicaName({ role, index, rank }: SeenReplica): string {
  return `${role}-${index}${rank === undefined ? '' : ` (rank ${rank})`}`;
}

function textOf({ name, value, from }: SeenVariable): string {
  return value ?? (name === undefined ? 'each key is a variable' : sourceText(from!));
}

/** `from Secret s3 key token`. */
function sourceText({ kind, name, key, optional }: ValueSource): string {
  const text = {
    Secret: `from Secret ${name}${key === undefined ? ', all keys' : ` key ${key}`}`,
    ConfigMap: `from ConfigMap ${name}${key === undefined ? ', all keys' : ` key ${key}`}`,
    pod: `from the pod's ${key}`,
    resource: `from the container's ${key}`,
  }[kind];
  return optional ? `${text}, if it exists` : text;
}

function aligned(rows: readonly (readonly string[])[], paint: Paint): string[] {
  return inColumns(rows).map(([first, ...cells]) => `  ${[paint(first, 'cyan'), ...cells].join('  ')}`.trimEnd());
}

/** Plain words as they are; anything else in quotes in which nothing is expanded, or, with line breaks or quotes in it, with escapes. */
function quoted(value: string): string {
  if (/^[A-Za-z0-9_./:@%+=,-]*$/.test(value)) {
    return value;
  }
  return /['\n\r]/.test(value) ? `"${value.replace(/[\\"$`]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}"` : `'${value}'`;
}

/** What the user asks for. */
export interface ReplicaChoice {
  readonly rank?: number;
  readonly role?: string;
}

/** Replicas that were asked for. @throws CliError when there are none */
export function chooseReplicas(replicas: readonly SeenReplica[], { rank, role }: ReplicaChoice): readonly SeenReplica[] {
  const roles = [...new Set(replicas.map((replica) => replica.role))];
  if (role !== undefined && !roles.includes(role)) {
    throw new CliError(`--role ${role}: the job has no such role. Roles: ${roles.join(', ')}.${didYouMean(role, roles)}`);
  }
  const ofRole = replicas.filter((replica) => role === undefined || replica.role === role);
  if (rank === undefined) {
    return ofRole;
  }
  const chosen = ofRole.filter((replica) => replica.rank === rank);
  if (chosen.length === 0) {
    const ranks = ofRole.flatMap((replica) => replica.rank ?? []);
    throw new CliError(`--rank ${rank}: ${ranks.length === 0
      ? 'these replicas have no fixed ranks: in an elastic job they change, and some roles have none. Use --role.'
      : `${role === undefined ? 'the job' : `the role ${role}`} has the ranks ${Math.min(...ranks)} to ${Math.max(...ranks)}.`}`);
  }
  return chosen;
}

/** Most replicas that are shown side by side. */
const MAX_SIDE_BY_SIDE = 4;

/** A few of many: the first two and the last of each role. */
export function exampleReplicas(replicas: readonly SeenReplica[]): readonly SeenReplica[] {
  if (replicas.length <= MAX_SIDE_BY_SIDE) {
    return replicas;
  }
  const lastOf = new Map(replicas.map((replica) => [replica.role, replica.index]));
  return replicas.filter(({ role, index }) => index <= 1 || index === lastOf.get(role));
}
