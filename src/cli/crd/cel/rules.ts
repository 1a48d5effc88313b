/** Evaluates the CEL rules of a definition for an object that is created. */
import { celEnv, isCelError, parse, plan, run, type CelFunc, type CelInput } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { ADDRESS_FUNCTIONS } from './addresses';
import { LIST_FUNCTIONS } from './lists';
import { isNotParsed } from './opaque';
import { QUANTITY_FUNCTIONS } from './quantities';
import { URL_FUNCTIONS } from './urls';
import { VERSION_FUNCTIONS } from './versions';
import { additionalSchema, below, fieldSchema, type CelRule, type SchemaFinding, type StructuralSchema } from '../structural-schema';
import { isRecord, type JsonRecord } from '../../../model/json-parts';
import { pathSteps } from '../../../model/shapes';
import { entryFor, entryOf } from '../../../model/lists';

/** A rule that cannot be evaluated here. */
export interface UncheckedRule {
  readonly path: string;
  readonly rule: string;
  readonly why: string;
}

export interface RuleResults {
  readonly findings: readonly SchemaFinding[];
  readonly unchecked: readonly UncheckedRule[];
}

const FUNCTIONS: readonly CelFunc[] = [
  ...strings, ...LIST_FUNCTIONS, ...QUANTITY_FUNCTIONS, ...VERSION_FUNCTIONS, ...ADDRESS_FUNCTIONS, ...URL_FUNCTIONS,
];

const ENVIRONMENT = celEnv({ funcs: [...FUNCTIONS] });

/** Errors of evaluation for which the API server rejects the object. Other errors may come from functions that are missing here. */
const OBJECT_ERRORS = /^(field not found|no such key|index out of (bounds|range)|.* (divide|modulus) by zero|list index|.* called on empty list|cannot convert value)/;

type Program = ReturnType<typeof plan>;

const PROGRAMS = new Map<string, Program | Error>();

/** Evaluates all rules of a schema. @param object complete, with its defaults */
export function checkRules(schema: StructuralSchema, object: unknown): RuleResults {
  const findings: SchemaFinding[] = [];
  const unchecked: UncheckedRule[] = [];
  visit(schema, object, '', true);
  return { findings, unchecked };

  function visit(here: StructuralSchema, value: unknown, path: string, isObject: boolean): void {
    if (value === null || value === undefined) {
      return;
    }
    for (const rule of here['x-kubernetes-validations'] ?? []) {
      check(rule, here, value, path, isObject);
    }
    if (Array.isArray(value)) {
      value.forEach((entry, index) => here.items && visit(here.items, entry, `${path}[${index}]`, here.items['x-kubernetes-embedded-resource'] === true));
    } else if (isRecord(value)) {
      for (const [name, entry] of Object.entries(value)) {
        const field = fieldSchema(here, name);
        if (field !== undefined) {
          visit(field, entry, below(path, name), field['x-kubernetes-embedded-resource'] === true);
        }
      }
    }
  }

  function check(rule: CelRule, here: StructuralSchema, value: unknown, path: string, isObject: boolean): void {
    // The API server does not evaluate rules on changes for a new object.
    if (/\boldSelf\b/.test(rule.rule) && rule.optionalOldSelf !== true) {
      return;
    }
    const outcome = evaluate(rule.rule, () => toCel(here, value, isObject || here['x-kubernetes-embedded-resource'] === true));
    if (outcome instanceof Error) {
      if (OBJECT_ERRORS.test(outcome.message) || isNotParsed(outcome.message)) {
        findings.push({ rule: 'cel', path, value: path === '' ? undefined : value, message: `cannot be evaluated by the rule ${rule.rule} (${outcome.message}), so the API server rejects it.` });
      } else {
        unchecked.push({ path, rule: rule.rule, why: outcome.message });
      }
    } else if (outcome !== true) {
      const steps = [...pathSteps(path), ...pathSteps(rule.fieldPath ?? '')];
      findings.push({ rule: 'cel', ...placeOf(object, steps), message: sentence(rule, here, value, isObject) });
    }
  }
}

/** Path and value of the field in an error. */
function placeOf(object: unknown, steps: readonly (string | number)[]): { readonly path: string; readonly value: unknown } {
  let value = object;
  let path = '';
  for (const step of steps) {
    path = typeof step === 'number' ? `${path}[${step}]` : below(path, step);
    value = typeof value === 'object' && value !== null ? (value as { readonly [key: string | number]: unknown })[step] : undefined;
  }
  return { path, value: path === '' ? undefined : value };
}

function sentence(rule: CelRule, here: StructuralSchema, value: unknown, isObject: boolean): string {
  const computed = rule.messageExpression === undefined ? undefined : evaluate(rule.messageExpression, () => toCel(here, value, isObject));
  const message = typeof computed === 'string' && computed.trim() !== '' ? computed : rule.message;
  return message === undefined ? `must satisfy the rule ${rule.rule}.` : /[.!?]$/.test(message) ? message : `${message}.`;
}

function evaluate(expression: string, self: () => ReturnType<typeof toCel>): unknown {
  const program = programOf(expression);
  if (program instanceof Error) {
    return program;
  }
  try {
    const result = program({ self: self() });
    return isCelError(result) ? new Error(result.message) : result;
  } catch (error) {
    return error as Error;
  }
}

function programOf(expression: string): Program | Error {
  return entryFor(PROGRAMS, expression, () => {
    try {
      return plan(ENVIRONMENT, parse(expression));
    } catch (error) {
      return error as Error;
    }
  });
}

const RESERVED = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return',
  'var', 'void', 'while',
]);

const ESCAPES: { readonly [text: string]: string } = { '__': '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** CEL functions that parse a format. */
const READERS: { readonly [format: string]: string } = { 'date-time': 'timestamp(text)', 'duration': 'duration(text)' };

/** The name of a field in a rule. */
function escapedName(name: string): string {
  return RESERVED.has(name) ? `__${name}__` : name.replace(/__|[./-]/g, (text) => ESCAPES[text]);
}

/**
 * A value as a rule sees it: with the types of the schema, and without fields that the schema does not have.
 * @param isObject whether this is the root of an object, which has apiVersion, kind and name although its schema does not
 * @throws Error for an empty field
 * @see https://kubernetes.io/docs/reference/using-api/cel/#escaping
 */
function toCel(schema: StructuralSchema, value: unknown, isObject = schema['x-kubernetes-embedded-resource'] === true): CelInput {
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
    const reader = entryOf(READERS, schema.format);
    if (reader !== undefined) {
      return run(reader, { text: value }) as CelInput;
    }
    return schema.format === 'byte' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
  }
  return value as string | boolean;
}

function objectToCel(schema: StructuralSchema, value: JsonRecord, isObject: boolean): CelInput {
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

function addIdentity({ apiVersion, kind, metadata }: JsonRecord, seen: Map<string, CelInput>): void {
  seen.set('apiVersion', String(apiVersion)).set('kind', String(kind));
  const names = isRecord(metadata) ? ['name', 'generateName'].filter((name) => typeof metadata[name] === 'string') : [];
  seen.set('metadata', new Map(names.map((name) => [name, (metadata as JsonRecord)[name] as string])));
}

/** Whether a field has no type. */
function isHidden(schema: StructuralSchema): boolean {
  return schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true;
}
