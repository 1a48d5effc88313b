/**
 * What a rule sees of an object: the API server gives it the types of the schema and hides what the schema does not name.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#escaping
 */
import { run, type CelInput } from '@bufbuild/cel';
import { additionalSchema, type JsonObject, type StructuralSchema } from '../structural-schema';
import { isRecord } from '../../../model/json-parts';

const RESERVED = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return',
  'var', 'void', 'while',
]);

const ESCAPES: { readonly [text: string]: string } = { '__': '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** Functions of CEL that read a text of a format. */
const READERS: { readonly [format: string]: string } = { 'date-time': 'timestamp(text)', 'duration': 'duration(text)' };

/** The name of a field in a rule. */
function escapedName(name: string): string {
  return RESERVED.has(name) ? `__${name}__` : name.replace(/__|[./-]/g, (text) => ESCAPES[text]);
}

/**
 * A value as a rule sees it.
 * @param isObject whether this is the root of an object, whose apiVersion, kind and name are seen although its schema does not name them
 * @throws Error for what a rule cannot be given
 */
export function toCel(schema: StructuralSchema, value: unknown, isObject = schema['x-kubernetes-embedded-resource'] === true): CelInput {
  if (value === null || value === undefined) {
    // The evaluator and the API server differ on has() of such a field.
    throw new Error('it has an empty field (null)');
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.map((entry) => toCel(items, entry));
  }
  if (isRecord(value)) {
    return objectToCel(schema, value, isObject);
  }
  if (typeof value === 'number') {
    return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  }
  if (typeof value === 'string' && schema.format !== undefined) {
    const reader = READERS[schema.format];
    if (reader !== undefined) {
      return run(reader, { text: value }) as CelInput;
    }
    return schema.format === 'byte' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
  }
  return value as string | boolean;
}

function objectToCel(schema: StructuralSchema, value: JsonObject, isObject: boolean): CelInput {
  const seen = new Map<string, CelInput>();
  const others = additionalSchema(schema);
  if (others !== undefined) {
    Object.entries(value).forEach(([name, entry]) => seen.set(name, toCel(others, entry)));
    return seen;
  }
  if (isObject) {
    addIdentity(value, seen);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isIdentity = isObject && ['apiVersion', 'kind', 'metadata'].includes(name);
    if (!isIdentity && Object.hasOwn(value, name) && !isHidden(field)) {
      seen.set(escapedName(name), toCel(field, value[name]));
    }
  }
  return seen;
}

function addIdentity({ apiVersion, kind, metadata }: JsonObject, seen: Map<string, CelInput>): void {
  seen.set('apiVersion', String(apiVersion)).set('kind', String(kind));
  const names = isRecord(metadata) ? ['name', 'generateName'].filter((name) => typeof metadata[name] === 'string') : [];
  seen.set('metadata', new Map(names.map((name) => [name, (metadata as JsonObject)[name] as string])));
}

/** A field of which the schema says no type at all. */
function isHidden(schema: StructuralSchema): boolean {
  return schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true;
}
