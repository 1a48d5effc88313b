/**
 * The fields of a training job as an engine answers for them: one path for each thing that a user can ask for. Computed from the types, so that a
 * new field of the spec is a compile error in every engine that does not say whether it has it.
 */
import type { Field } from '../schema/field';
import { SPEC, type TrainingJobSpec } from '../spec';

/** Blocks that an engine has as a whole or not at all, and what is carried through as it is. */
const WHOLE = [
  'code', 'autoTuning', 'array', 'helpers', 'preflight', 'hooks.before', 'hooks.after', 'hooks.onExit', 'debug', 'idle', 'resources', 'env', 'template',
] as const;

type Whole = (typeof WHOLE)[number] | `roles[].${(typeof WHOLE)[number]}`;

/** What has no fields of its own: plain values and free maps. */
type IsLeaf<T> = T extends object ? (string extends keyof T ? true : false) : true;

type Below<T, P extends string> = P extends Whole ? P
  : NonNullable<T> extends readonly (infer E)[] ? (IsLeaf<E> extends true ? P : PathsOf<E, `${P}[].`>)
    : true extends IsLeaf<NonNullable<T>> ? P
      : PathsOf<NonNullable<T>, `${P}.`>;

type PathsOf<T, P extends string> = { [K in keyof T & string]-?: Below<T[K], `${P}${K}`> }[keyof T & string];

/** Path of a field below `spec`, such as `runPolicy.backoff.maxSeconds` or `roles[].image`. */
export type FieldPath = PathsOf<TrainingJobSpec, ''>;

/** All of them, in the order of the spec. */
export const FIELD_PATHS = pathsOf(SPEC, '') as readonly FieldPath[];

function pathsOf({ fields }: Field, prefix: string): string[] {
  return Object.entries(fields ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isWhole = WHOLE.some((whole) => path === whole || path === `roles[].${whole}`);
    const { fields: inner, entry } = field;
    return isWhole ? [path] : inner !== undefined ? pathsOf(field, `${path}.`) : entry?.fields !== undefined ? pathsOf(entry, `${path}[].`) : [path];
  });
}

export interface GivenField {
  readonly field: FieldPath;
  /** Where it stands, such as `spec.roles[1].image`. */
  readonly path: string;
  readonly value: unknown;
}

/** Every place of a job in which one of the fields is given a value. */
export function givenFields(spec: TrainingJobSpec, fields: readonly FieldPath[]): GivenField[] {
  return fields.flatMap((field) => placesOf(field.split('.'), spec, 'spec').map((place) => ({ field, ...place })));
}

function placesOf([step, ...rest]: readonly string[], value: unknown, path: string): { readonly path: string; readonly value: unknown }[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (step === undefined) {
    return [{ path, value }];
  }
  const isList = step.endsWith('[]');
  const name = isList ? step.slice(0, -2) : step;
  const below = (value as { readonly [name: string]: unknown })[name];
  const here = `${path}.${name}`;
  return isList
    ? (below as readonly unknown[] | undefined ?? []).flatMap((entry, index) => placesOf(rest, entry, `${here}[${index}]`))
    : placesOf(rest, below, here);
}
