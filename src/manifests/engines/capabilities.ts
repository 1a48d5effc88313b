/**
 * What an engine supports, as data: an answer for each framework and for each field of a training job. The same tables reject a job at synth
 * and generate the matrix of docs/engines/README.md.
 */
import { specSchema } from '../../model/training-job/schema/spec-schema';
import type { JsonSchema } from '../../model/training-job/schema/json-schema';
import type { FieldPath, GivenField } from '../../model/training-job/fields/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../model/training-job/spec';

/** The reason, as the rest of a sentence that begins with the engine's title: `has no deadline of its own`. */
export interface Unsupported {
  readonly no: string;
}

/** Supported within limits. */
export interface Partly {
  /** The limit, for the matrix, such as `only with one role`. */
  readonly partly: string;
  /** Why a given value is outside the limits, in the form of {@link Unsupported.no}; undefined when it is within. */
  readonly unless: (value: unknown, spec: TrainingJobSpec) => string | undefined;
}

/** An engine's support for a framework or a field. */
export type Support = true | Unsupported | Partly;

/** An engine's support for every framework and field. */
export interface EngineCapabilities {
  readonly frameworks: { readonly [F in FrameworkName]: Support };
  readonly fields: { readonly [P in FieldPath]: Support };
}

/** Shorthand of {@link Unsupported}. */
export function no(reason: string): Unsupported {
  return { no: reason };
}

/** Shorthand of {@link Partly}. */
export function partly(limit: string, unless: Partly['unless']): Partly {
  return { partly: limit, unless };
}

/** One answer for several frameworks, or for several fields. */
export function each<const S extends Support, const K extends string>(support: S, ...names: readonly K[]): { readonly [name in K]: S } {
  return Object.fromEntries(names.map((name) => [name, support])) as { [name in K]: S };
}

/** Why an engine does not support a value; undefined if it does. */
export function objection(support: Support, value: unknown, spec: TrainingJobSpec): string | undefined {
  return support === true ? undefined : 'no' in support ? support.no : support.unless(value, spec);
}

/**
 * Whether a value equals the schema's default, which the API server may have written without the user asking for it. An engine without the field
 * then still does all that the job asks for.
 */
export function isDefault({ field, value }: GivenField): boolean {
  const schema = schemaAt(field);
  return schema?.default !== undefined && JSON.stringify(schema.default) === JSON.stringify(value);
}

let root: JsonSchema | undefined;

function schemaAt(field: FieldPath): JsonSchema | undefined {
  root ??= specSchema();
  return field.split('.').reduce<JsonSchema | undefined>((schema, step) => {
    const below = schema?.properties?.[step.replace(/\[\]$/, '')];
    return step.endsWith('[]') ? below?.items : below;
  }, root);
}
