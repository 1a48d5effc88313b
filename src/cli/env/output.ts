/** Variables as a table and as a dotenv file. */
import type { SeenReplica, SeenVariable, ValueSource } from './seen-variables';
import { CliError } from '../cli-error';
import { inColumns } from '../text';
import type { Paint } from '../../local/output/colours';
import { didYouMean } from '../../model/violations';

/** Maximum length of a value in a column. */
const COLUMN_MAX_LENGTH = 24;

/** Shared variables, then those that differ. @param all all replicas of the job @param chosen those to show */
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

/** A dotenv file. Unknown values are comments. */
export function dotenvLines({ variables }: SeenReplica): string[] {
  return variables.map(({ name, value, from }) => (value === undefined ? `# ${name === undefined ? '' : `${name} `}${sourceText(from!)}` : `${name}=${quoted(value)}`));
}

/** Texts of the variables. The first variable of a name counts. */
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

/** Quotes a value, unless it is a plain word, so that nothing in it is expanded. */
function quoted(value: string): string {
  if (/^[A-Za-z0-9_./:@%+=,-]*$/.test(value)) {
    return value;
  }
  return /['\n\r]/.test(value) ? `"${value.replace(/[\\"$`]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}"` : `'${value}'`;
}

export interface ReplicaChoice {
  readonly rank?: number;
  readonly role?: string;
}

/** @throws CliError when there are none */
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

/** Maximum number of replicas in a table. */
const MAX_SIDE_BY_SIDE = 4;

/** The first two replicas and the last one of each role. */
export function exampleReplicas(replicas: readonly SeenReplica[]): readonly SeenReplica[] {
  if (replicas.length <= MAX_SIDE_BY_SIDE) {
    return replicas;
  }
  const lastOf = new Map(replicas.map((replica) => [replica.role, replica.index]));
  return replicas.filter(({ role, index }) => index <= 1 || index === lastOf.get(role));
}
