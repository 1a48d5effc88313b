/** Checks a new object like the API server does with strict field validation. */
import { checkRules, type UncheckedRule } from './cel/rules';
import { checkSchema } from './check-schema';
import type { KindVersion } from './definitions';
import { below, fieldSchema, type SchemaFinding, type StructuralSchema } from './structural-schema';
import { isRecord, type JsonRecord } from '../../model/json-parts';
import { didYouMean } from '../../model/violations';
import { entryFor } from '../../model/lists';

export interface ObjectResults {
  readonly findings: readonly SchemaFinding[];
  readonly unchecked: readonly UncheckedRule[];
  /** Whether rules were left out because the object is wrong in other ways. */
  readonly rulesLeftOut: boolean;
}

/** Checks an object against its definition. Metadata is checked elsewhere. */
export function validateObject({ schema, kind }: KindVersion, object: JsonRecord): ObjectResults {
  const unknown = unknownFields(schema, object, `a ${kind}`.replace(/^a (?=[AEIOU])/, 'an '));
  const complete = withDefaults(schema, object);
  const findings = checkSchema(schema, complete, '').filter(({ path }) => !/^(apiVersion|kind|metadata)\b/.test(path));
  // As in the API server: a rule may rely on the types of its schema.
  const rulesLeftOut = findings.some(({ blocking }) => blocking);
  const rules = rulesLeftOut ? { findings: [], unchecked: [] } : checkRules(schema, complete);
  return { findings: [...unknown, ...findings, ...rules.findings], unchecked: rules.unchecked, rulesLeftOut };
}

/** Fields of every object and embedded object, which its schema need not have. */
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata'];

/** Maximum number of names in a message. */
const MAX_LISTED = 12;

/** Maximum number of unknown fields of an object that are reported individually. */
const MAX_REPORTED = 20;

/**
 * Finds fields that a definition does not have.
 * @param what the object in messages: `a TrainJob`
 * @param isWhole whether it has apiVersion, kind and metadata
 */
export function unknownFields(schema: StructuralSchema, object: unknown, what: string, isWhole = true): SchemaFinding[] {
  const found: SchemaFinding[] = [];
  const hints = new Map<StructuralSchema, Map<string, string>>();
  visit(schema, object, '', isWhole);
  return found;

  function visit(here: StructuralSchema, value: unknown, path: string, isObject: boolean): void {
    if (Array.isArray(value)) {
      value.forEach((entry, index) => here.items && visit(here.items, entry, `${path}[${index}]`, here.items['x-kubernetes-embedded-resource'] === true));
    } else if (isRecord(value)) {
      const unknown: string[] = [];
      for (const [name, entry] of Object.entries(value).filter(([field]) => !isObject || !OBJECT_FIELDS.includes(field))) {
        const field = fieldSchema(here, name);
        if (field !== undefined) {
          visit(field, entry, below(path, name), field['x-kubernetes-embedded-resource'] === true);
        } else if (here['x-kubernetes-preserve-unknown-fields'] !== true) {
          unknown.push(name);
        }
      }
      report(unknown, here, value, path, isObject);
    }
  }

  function report(unknown: readonly string[], here: StructuralSchema, value: JsonRecord, path: string, isObject: boolean): void {
    const owner = path === '' ? what : path;
    for (const [index, name] of unknown.slice(0, MAX_REPORTED).entries()) {
      const others = index === MAX_REPORTED - 1 ? unknown.length - MAX_REPORTED : 0;
      found.push({
        rule: 'unknown-field', path: below(path, name), value: value[name],
        message: `is not a field of ${owner}${others === 0 ? '' : `, and neither are ${others} others`}.${hintOf(here, name, isObject)}`,
      });
    }
  }

  /** Entries of a list often have the same wrong names. */
  function hintOf(here: StructuralSchema, name: string, isObject: boolean): string {
    return entryFor(entryFor(hints, here, () => new Map<string, string>()), name, () => hint(here, name, isObject));
  }
}

function hint(schema: StructuralSchema, name: string, isObject: boolean): string {
  if (isObject && schema.properties?.spec?.properties?.[name] !== undefined) {
    return ' Move it below spec.';
  }
  const known = [...new Set([...(isObject ? OBJECT_FIELDS : []), ...Object.keys(schema.properties ?? {})])];
  if (known.length === 0) {
    return ' It has none: remove it.';
  }
  const shown = known.length > MAX_LISTED ? `${known.slice(0, MAX_LISTED).join(', ')} and ${known.length - MAX_LISTED} more` : known.join(', ');
  return didYouMean(name, known) || ` Remove it. Known fields: ${shown}.`;
}

/**
 * A copy as the API server checks it: without empty fields that cannot be null, and with defaults.
 */
function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((entry) => withDefaults(items, filledIn(items, entry)));
  }
  if (!isRecord(value)) {
    return value;
  }
  const kept = Object.entries(value).filter(([name, entry]) => !isDropped(schema, name, entry));
  const filled: { [field: string]: unknown } = Object.fromEntries(kept);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.default !== undefined && (!Object.hasOwn(filled, name) || isEmpty(filled[name], field))) {
      filled[name] = field.default;
    }
  }
  return Object.fromEntries(Object.entries(filled).map(([name, entry]) => {
    const field = fieldSchema(schema, name);
    return [name, field === undefined ? entry : withDefaults(field, filledIn(field, entry))];
  }));
}

function filledIn(schema: StructuralSchema, value: unknown): unknown {
  return isEmpty(value, schema) && schema.default !== undefined ? schema.default : value;
}

function isEmpty(value: unknown, schema: StructuralSchema): boolean {
  return value === null && schema.nullable !== true;
}

function isDropped(schema: StructuralSchema, name: string, value: unknown): boolean {
  const field = fieldSchema(schema, name);
  return field !== undefined && isEmpty(value, field) && field.default === undefined;
}
