/**
 * The environment of replicas that an engine creates from one template. A template has one list of variables for all of them. It can express a
 * difference between replicas only by a field of the pod that holds a number: the index with which the engine's controller labels its pods.
 *
 * The model computes the environment of each single replica. So the list is derived from the environment of a replica that does not exist, whose
 * index, rank and attempt are numbers that occur nowhere else: where a value contains such a number, the field replaces it. The result is verified
 * with three real replicas: a variable that differs from the model's for one of them is omitted for all, because a variable that only some replicas
 * have is worse than none.
 */
import type { EnvVar } from '../kubernetes';
import type { AddressBook } from '../../model/frameworks/address-book';
import type { Replica } from '../../model/frameworks/contract';
import { replicaEnvironment, replicaHelpers } from '../../model/training-job/environment/environment';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { referencePieces } from '../../model/variable-references';

/** Fields of a pod, as the downward API names them, that hold numbers. */
export interface NumberFields {
  /** A field, and its number in the first of the template's replicas. Each next replica has the next number. */
  readonly indexes: readonly { readonly path: string; readonly first: number }[];
  /** Field with the number of the attempt, from 0. @default - the engine does not pass it to its pods */
  readonly attempt?: string;
}

export interface TemplateReplicas {
  readonly job: ResolvedTrainingJob;

  /** In the order in which the engine numbers them. */
  readonly replicas: readonly Replica[];

  /** How replicas reach each other on the engine. */
  readonly addresses: AddressBook;

  readonly fields: NumberFields;

  /**
   * Whether the framework's contract allows only one replica: then its numbers are constant. Any other template must have the same variables for
   * every number of replicas.
   */
  readonly singleton: boolean;
}

export interface TemplateEnvironment {
  readonly env: readonly EnvVar[];
  /** Variables of the replicas that no template can express. */
  readonly omitted: readonly string[];
}

/** Numbers that are recognizable in a value: larger than any number of replicas, and unlike ports and sizes. */
const SYMBOLS = { index: 870_000_001, rank: 870_000_002, ordinal: 870_000_003, attempt: 870_000_004 } as const;

type Counted = keyof typeof SYMBOLS;

/** Attempt of the real replicas: any number but 0, so that a value that happens to be 0 is not mistaken for it. */
const SAMPLE_ATTEMPT = 7;

/** Environment of the `training` container of the template. */
export function templateEnvironment(template: TemplateReplicas): TemplateEnvironment {
  return inTemplate(template, (replica, attempt) => replicaEnvironment(contextOf(template, replica), attempt));
}

/** Environments of the helper containers of the template, by their names. */
export function templateHelpers(template: TemplateReplicas): { readonly name: string; readonly env: readonly EnvVar[] }[] {
  const helpersOf = (replica: Replica, attempt: number) => replicaHelpers(contextOf(template, replica), attempt);
  return helpersOf(template.replicas[0], 0).map(({ name }, index) => ({
    name, env: inTemplate(template, (replica, attempt) => helpersOf(replica, attempt)[index].env).env,
  }));
}

/**
 * The environment of one replica, as its kubelet resolves it from the template's: fields are replaced by their values, also where other variables
 * refer to them.
 * @param values the fields' values in the replica's pod
 */
export function environmentOfReplica(env: readonly EnvVar[], values: { readonly [path: string]: string }): EnvVar[] {
  const known = knownVariables(env, values);
  return env.map((entry) => filled(entry, known));
}

/** Values of a template's fields in the pod of its replica number `position`, in the first attempt. */
export function fieldValues({ indexes, attempt }: NumberFields, position: number): { readonly [path: string]: string } {
  return {
    ...Object.fromEntries(indexes.map(({ path, first }) => [path, String(first + position)])),
    ...(attempt !== undefined && { [attempt]: '0' }),
  };
}

function contextOf({ job, addresses }: TemplateReplicas, replica: Replica) {
  return { job, replica, addresses };
}

function inTemplate(template: TemplateReplicas, environmentOf: (replica: Replica, attempt: number) => readonly EnvVar[]): TemplateEnvironment {
  const { replicas, fields } = template;
  const symbolic = environmentOf(symbolicReplica(template), SYMBOLS.attempt);
  const paths = symbolPaths(template);
  // `known` of a sample has the variables of `env` whose values are fields.
  const samples = [...new Set([0, 1, replicas.length - 1])].filter((position) => position < replicas.length).map((position) => ({
    env: new Map(environmentOf(replicas[position], SAMPLE_ATTEMPT).map((entry) => [entry.name, entry])),
    values: { ...fieldValues(fields, position), ...(fields.attempt !== undefined && { [fields.attempt]: String(SAMPLE_ATTEMPT) }) },
    known: new Map<string, string>(),
  }));
  const env: EnvVar[] = [];
  for (const entry of symbolic) {
    const written = withFields(entry, paths, env);
    const isRight = written !== undefined && samples.every((sample) => {
      const own = knownVariables([written], sample.values);
      const known = own.size === 0 ? sample.known : new Map([...sample.known, ...own]);
      const expected = sample.env.get(entry.name);
      return expected !== undefined && JSON.stringify(filled(written, known)) === JSON.stringify(expanded(expected, known));
    });
    if (isRight) {
      env.push(written);
      samples.forEach(({ known, values }) => knownVariables([written], values).forEach((value, name) => known.set(name, value)));
    }
  }
  const names = new Set(env.map(({ name }) => name));
  const all = samples.flatMap((sample) => [...sample.env.keys()]);
  return { env, omitted: [...new Set(all)].filter((name) => !names.has(name)) };
}

/** The replica that does not exist. */
function symbolicReplica({ replicas, singleton }: TemplateReplicas): Replica {
  const last = replicas[replicas.length - 1];
  return singleton ? last : {
    ...last,
    index: SYMBOLS.index,
    ordinal: SYMBOLS.ordinal,
    rank: last.rank === undefined ? undefined : SYMBOLS.rank,
    podName: `${last.podName}-${SYMBOLS.index}`,
  };
}

/** The field that replaces each number. */
function symbolPaths({ replicas: [first], fields }: TemplateReplicas): { readonly [counted in Counted]?: string } {
  const starting = (number: number | undefined) => fields.indexes.find((field) => field.first === number)?.path;
  return { index: starting(first.index), rank: starting(first.rank), ordinal: starting(first.ordinal), attempt: fields.attempt };
}

/** A variable with fields in place of symbols; undefined if there is no field, or no earlier variable to refer to. */
function withFields(entry: EnvVar, paths: { readonly [counted in Counted]?: string }, before: readonly EnvVar[]): EnvVar | undefined {
  let { value } = entry;
  for (const [symbol, number] of Object.entries(SYMBOLS) as [Counted, number][]) {
    if (value === undefined || !value.includes(String(number))) {
      continue;
    }
    const path = paths[symbol];
    if (path === undefined) {
      return undefined;
    }
    if (value === String(number)) {
      return { name: entry.name, valueFrom: { fieldRef: { fieldPath: path } } };
    }
    const known = before.find((earlier) => pathOf(earlier) === path);
    if (known === undefined) {
      return undefined;
    }
    value = value.replaceAll(String(number), `$(${known.name})`);
  }
  return value === entry.value ? entry : { ...entry, value };
}

function pathOf({ valueFrom }: EnvVar): string | undefined {
  return (valueFrom as { readonly fieldRef?: { readonly fieldPath: string } } | undefined)?.fieldRef?.fieldPath;
}

/** Variables whose value is one of the fields. */
function knownVariables(env: readonly EnvVar[], values: { readonly [path: string]: string }): Map<string, string> {
  return new Map(env.flatMap((entry) => {
    const value = values[pathOf(entry) ?? ''];
    return value === undefined ? [] : [[entry.name, value] as const];
  }));
}

/** The variable as a kubelet resolves it. */
function filled(entry: EnvVar, known: ReadonlyMap<string, string>): EnvVar {
  const value = known.get(entry.name);
  return value === undefined ? expanded(entry, known) : { name: entry.name, value };
}

/** The variable with references to known variables replaced. An escaped dollar stays doubled. */
function expanded(entry: EnvVar, known: ReadonlyMap<string, string>): EnvVar {
  return entry.value === undefined ? entry : {
    ...entry, value: referencePieces(entry.value).map(({ written, name }) => (name === undefined ? written : known.get(name) ?? written)).join(''),
  };
}
