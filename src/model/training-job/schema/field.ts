/**
 * The fields of a job, each written once: its type, bounds, default, whether it may change, its property in the construct and the sentence that
 * documents it. The definition's schema, the types of the spec, the check of a spec, `explain`, the properties of the construct, the way from
 * properties to a spec and back, and the reference all follow from these tables.
 */
import type { Shape } from '../../shapes';
import {
  boolean as booleanSchema, integer as integerSchema, list as listSchema, listByKey as listByKeySchema, map as mapSchema, number as numberSchema,
  object, objectName as objectNameSchema, text as textSchema, word as wordSchema, type JsonSchema, type More, type ValidationRule,
} from './json-schema';

/** Largest number of an integer field: those of Kubernetes have 32 bits. In seconds 68 years. */
export const MAX_INTEGER = 2 ** 31 - 1;

/** What is said of a field in addition to its schema. */
export interface Notes {
  /** Whether it has to be given; a text is what an error says then, after "is required: ". */
  readonly required?: boolean | string;

  /** Whether it stays as it is while the job exists. `presence`: it cannot come or go, and its own fields say what of it may change. */
  readonly fixed?: boolean | 'presence';

  /** The default in words, where it is not one value. */
  readonly otherwise?: string;

  /** Name of its property in the construct; false where it has none. @default - the same name, without `Seconds` */
  readonly property?: string | false;

  /** Type of that property, where it is written by hand. @default - follows from the field */
  readonly type?: string;

  /** Name of the interface of a block in the construct, which is generated. @default - none */
  readonly struct?: string;

  /** What an error says of a value of another form. @default - follows from the schema */
  readonly says?: string;

  /** The check of a value, where it sees more than a schema can say. @default - follows from the schema */
  readonly shape?: Shape;

  /** Default, which the API server fills in. */
  readonly default?: unknown;

  /** Rules in CEL at the field. */
  readonly rules?: readonly ValidationRule[];
}

/** How a value of the construct becomes one of the spec. */
export type Conversion = 'duration' | 'none';

/** A field whose values have the type `T`; `R`: it is required; `D`: it has a default. */
export interface Field<T = unknown, R extends boolean = boolean, D extends boolean = boolean> {
  readonly sentence: string;
  readonly schema: JsonSchema;
  readonly notes: Notes;
  readonly isRequired: R;
  readonly hasDefault: D;
  readonly conversion: Conversion;
  /** The words that it may have, where they are an enumeration of the construct. */
  readonly words?: Words<string>;
  /** Entries of a list, or values of a map. */
  readonly entry?: Field;
  readonly fields?: Fields;
  /** A block as people call it, such as `the run policy`. */
  readonly called?: string;
  /** Only for the compiler. */
  readonly value?: T;
}

export interface Fields { readonly [name: string]: Field }

/** A field that has fields. */
export interface Block<F extends Fields = Fields, R extends boolean = boolean, D extends boolean = boolean> extends Field<SpecOf<F>, R, D> {
  readonly fields: F;
  readonly called: string;
}

/** Type of a field's values. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

type RequiredNames<F> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
type DefaultNames<F> = { [K in keyof F]: F[K] extends Field<unknown, boolean, true> ? K : never }[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };

/** The spec of a block, as users write it. */
export type SpecOf<F> = Flat<
  & { readonly [K in RequiredNames<F>]: ValueOf<F[K]> }
  & { readonly [K in Exclude<keyof F, RequiredNames<F>>]?: ValueOf<F[K]> }
>;

/** The spec of a block with its defaults filled in, those of its blocks too. */
export type ResolvedOf<F> = Flat<
  & { readonly [K in DefaultNames<F> | RequiredNames<F>]: F[K] extends Block<infer G> ? ResolvedOf<G> : ValueOf<F[K]> }
  & { readonly [K in Exclude<keyof F, DefaultNames<F> | RequiredNames<F>>]?: ValueOf<F[K]> }
>;

type IsRequired<N> = N extends { readonly required: true | string } ? true : false;
type HasDefault<N> = N extends { readonly default: unknown } ? true : false;
type FieldOf<T, N> = Field<T, IsRequired<N>, HasDefault<N>>;

interface TextNotes extends Notes { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string }
interface NumberNotes extends Notes { readonly minimum?: number; readonly maximum?: number; readonly format?: 'int64' }
interface ListNotes extends Notes { readonly minItems?: number; readonly maxItems: number; readonly set?: boolean; readonly key?: string }
interface MapNotes extends Notes { readonly minProperties?: number; readonly maxProperties: number }

function field<T, N extends Notes>(
  sentence: string, notes: N, schema: (description: string, more: More) => JsonSchema, parts: Partial<Field> = {},
): FieldOf<T, N> {
  const {
    required = false, otherwise, default: preset, rules, fixed: _fixed, property: _property, type: _type, struct: _struct, says: _says, shape: _shape,
    ...more
  } = notes;
  const make = () => {
    const description = `${sentence}${parts.conversion === 'duration' ? ' In seconds.' : ''}${otherwise === undefined ? '' : ` Default: ${otherwise}.`}`;
    return schema(description, { ...more, ...(preset !== undefined && { default: preset }), ...(rules !== undefined && { rules }) });
  };
  let made: JsonSchema | undefined;
  return {
    conversion: 'none',
    ...parts,
    sentence,
    notes,
    isRequired: required !== false,
    hasDefault: preset !== undefined,
    // Of most fields no program asks for it.
    get schema() { return made ??= make(); },
  } as unknown as FieldOf<T, N>;
}

export function text<const N extends TextNotes>(sentence: string, notes: N = {} as N): FieldOf<string, N> {
  return field(sentence, notes, textSchema);
}

/** An image of a container. */
export function image<const N extends Notes>(sentence: string, notes: N = {} as N): FieldOf<string, N> {
  return field<string, N>(sentence, { says: 'must be an image name, without spaces.', ...notes }, (description, more) => (
    textSchema(description, { minLength: 1, maxLength: 1024, pattern: '^\\S+$', ...more })));
}

/** A name in the form of a DNS subdomain, as most objects have. */
export function objectName<const N extends Notes>(sentence: string, notes: N = {} as N): FieldOf<string, N> {
  return field<string, N>(sentence, { says: 'must be an object name: lower-case letters, digits, \'-\' and \'.\'.', ...notes }, (description, more) => (
    { ...objectNameSchema(description), ...more }));
}

/** True or false. */
export function boolean<const N extends Notes>(sentence: string, notes: N = {} as N): FieldOf<boolean, N> {
  return field(sentence, notes, booleanSchema);
}

/** A whole number, from 0 on unless the notes say another bound. */
export function integer<const N extends NumberNotes>(sentence: string, notes: N = {} as N): FieldOf<number, N> {
  const { minimum = 0, maximum = notes.format === 'int64' ? Number.MAX_SAFE_INTEGER : MAX_INTEGER } = notes;
  return field<number, N>(sentence, { ...notes, minimum, maximum }, integerSchema);
}

export function number<const N extends NumberNotes>(sentence: string, notes: N = {} as N): FieldOf<number, N> {
  return field(sentence, notes, numberSchema);
}

/** A time, in whole seconds; a `Duration` in the construct. */
export function seconds<const N extends NumberNotes>(sentence: string, notes: N = {} as N): FieldOf<number, N> {
  const { minimum = 0, maximum = MAX_INTEGER } = notes;
  return field<number, N>(sentence, { ...notes, minimum, maximum }, integerSchema, { conversion: 'duration' });
}

/** Words that a field may have, and what each of them means. */
export interface Words<W extends string> {
  /** Name of the enumeration of the construct. */
  readonly name: string;
  readonly sentence: string;
  readonly meanings: { readonly [word in W]: string };
  readonly list: readonly W[];
}

/** Words of a field. */
export function words<const W extends { readonly [word: string]: string }>(name: string, sentence: string, meanings: W): Words<keyof W & string> {
  return { name, sentence, meanings, list: Object.keys(meanings) };
}

export function word<const W extends string, const N extends Notes>(
  sentence: string, of: Words<W> | readonly W[], notes: N = {} as N,
): FieldOf<W, N> {
  return 'list' in of ? field(sentence, notes, (description, more) => wordSchema(description, of.list, more), { words: of })
    : field(sentence, notes, (description, more) => wordSchema(description, of, more));
}

/** A list: replaced as a whole, or with entries that are distinguished by a `key`, or a `set`. */
export function list<T, const N extends ListNotes>(sentence: string, entry: Field<T>, notes: N): FieldOf<readonly T[], N> {
  const { maxItems, set = false, key, ...rest } = notes;
  return field(sentence, rest, (description, more) => (key === undefined
    ? listSchema(description, entry.schema, maxItems, { ...more, ...(set && { 'x-kubernetes-list-type': 'set' }) })
    : listByKeySchema(description, key, entry.schema, maxItems, more)), { entry }) as unknown as FieldOf<readonly T[], N>;
}

/** An object whose keys the user chooses. */
export function map<T, const N extends MapNotes>(sentence: string, values: Field<T>, notes: N): FieldOf<{ readonly [name: string]: T }, N> {
  const { maxProperties, ...rest } = notes;
  const schema = (description: string, more: More) => mapSchema(description, values.schema, maxProperties, more);
  return field(sentence, rest, schema, { entry: values }) as unknown as FieldOf<{ readonly [name: string]: T }, N>;
}

/** A field with a schema of its own. */
export function custom<T>(schema: JsonSchema, notes: Notes = {}): Field<T, false, false> {
  return { sentence: schema.description ?? '', schema, notes, isRequired: false, hasDefault: false, conversion: 'none' };
}

interface BlockNotes extends Notes {
  /** Path of the block, for the rule that its fixed fields do not come or go. Needed where it has some. */
  readonly at?: string;
}

/** A block of fields. @param called how people call it, such as `the run policy` */
export function block<const F extends Fields, const N extends BlockNotes>(
  called: string, sentence: string, fields: F, notes: N = {} as N,
): Block<F, IsRequired<N>, HasDefault<N>> {
  const { at, ...rest } = notes;
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const fixed = entries.filter(([, { notes: { fixed: isFixed = false } }]) => isFixed !== false).map(([name]) => name);
  return field(sentence, rest, (description, more) => {
    const rules = [...notes.rules ?? [], ...(at === undefined ? [] : [presence(at, fixed)])];
    const schemas = Object.fromEntries(entries.map(([name, each]) => [name, each.notes.fixed === true ? withFixedValue(each.schema) : each.schema]));
    return object(description, schemas, { ...more, rules, ...(required.length > 0 && { required }) });
  }, { fields, called }) as unknown as Block<F, IsRequired<N>, HasDefault<N>>;
}

/** The defaults of a block. */
type DefaultsOf<F> = { readonly [K in DefaultNames<F>]: F[K] extends Block<infer G> ? ResolvedOf<G> : ValueOf<F[K]> };

/** The constant defaults of a block, those of its blocks too. */
export function defaultsOf<F extends Fields>({ fields }: Block<F>): DefaultsOf<F> {
  return Object.fromEntries(Object.entries<Field>(fields).filter(([, { hasDefault }]) => hasDefault)
    .map(([name, each]) => [name, each.fields === undefined ? each.notes.default : defaultsOf(each as Block)])) as never;
}

/** A spec of the block with its defaults filled in. */
export function resolve<F extends Fields>({ fields }: Block<F>, spec: SpecOf<F> | undefined): ResolvedOf<F> {
  const given = (spec ?? {}) as { readonly [name: string]: unknown };
  // No `...given`: V8 sets fields one by one behind a spread, which takes it twenty times as long, in the check of every job.
  const resolved: { [name: string]: unknown } = Object.assign({}, given);
  for (const name in fields) {
    const { hasDefault, notes, fields: inner } = fields[name];
    if (hasDefault) {
      const value = given[name];
      resolved[name] = inner === undefined ? value ?? notes.default : resolve(fields[name] as unknown as Block, value as SpecOf<Fields> | undefined);
    }
  }
  return resolved as ResolvedOf<F>;
}

/** Name of a field's property in the construct; undefined where it has none. */
export function propertyOf(name: string, { notes, conversion }: Field): string | undefined {
  const { property = conversion === 'duration' ? name.replace(/Seconds$/, '') : name } = notes;
  return property === false ? undefined : property;
}

/** What a rule says of a field that stays as it is. */
export const FIXED = 'cannot change while the job exists. Delete the job and create it again (kubectl replace --force -f FILE)';

/**
 * A rule at the field itself holds whenever the field was there before and is there now. It is far cheaper than one at the object, and every
 * status write pays for it: the API server looks at all properties of an object each time that a rule there names one of them.
 */
function withFixedValue(schema: JsonSchema): JsonSchema {
  const rule: ValidationRule = { rule: 'self == oldSelf', message: FIXED, reason: 'FieldValueForbidden' };
  return { ...schema, 'x-kubernetes-validations': [...schema['x-kubernetes-validations'] ?? [], rule] };
}

/** What comes or goes is seen at the object alone. Nothing is looked at when nothing has changed. */
function presence(place: string, fields: readonly string[]): ValidationRule {
  const comesOrGoes = (name: string) => `has(self.${name}) != has(oldSelf.${name})`;
  return {
    rule: `self == oldSelf || !(${fields.map(comesOrGoes).join(' || ')})`,
    message: FIXED,
    // The first of them is named. (The API server refuses a text of a length that it does not know beforehand.)
    messageExpression: fields.reduceRight((others, name) => `${comesOrGoes(name)} ? '${place}.${name} ${FIXED}' : (${others})`, `'${FIXED}'`),
    reason: 'FieldValueForbidden',
  };
}
