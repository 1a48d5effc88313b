/** The rules of a definition in the Common Expression Language, asked of an object as if it were created now. */
import { celEnv, isCelError, parse, plan, type CelFunc } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { ADDRESS_FUNCTIONS } from './addresses';
import { LIST_FUNCTIONS } from './lists';
import { QUANTITY_FUNCTIONS } from './quantities';
import { URL_FUNCTIONS } from './urls';
import { toCel } from './values';
import { VERSION_FUNCTIONS } from './versions';
import { pathSteps } from '../../../model/shapes';
import { below, fieldSchema, type CelRule, type SchemaFinding, type StructuralSchema } from '../structural-schema';
import { isRecord } from '../../../model/json-parts';

/** A rule that nobody can tell about here. */
export interface UncheckedRule {
  readonly path: string;
  readonly rule: string;
  readonly why: string;
}

/** What the rules of a definition say of an object. */
export interface RuleResults {
  readonly findings: readonly SchemaFinding[];
  readonly unchecked: readonly UncheckedRule[];
}

const FUNCTIONS: readonly CelFunc[] = [
  ...strings, ...LIST_FUNCTIONS, ...QUANTITY_FUNCTIONS, ...VERSION_FUNCTIONS, ...ADDRESS_FUNCTIONS, ...URL_FUNCTIONS,
];

const ENVIRONMENT = celEnv({ funcs: [...FUNCTIONS] });

/** Errors of evaluation that the object is to blame for: the API server refuses it. What else goes wrong may be for want of a function here. */
const OBJECT_ERRORS = /^(field not found|no such key|index out of (bounds|range)|.* (divide|modulus) by zero|list index|.* is no (quantity|address|range of addresses|URL|semantic version)|.* called on empty list|cannot convert value)/;

type Program = ReturnType<typeof plan>;

const PROGRAMS = new Map<string, Program | Error>();

/** Asks all rules of a schema. @param object complete, with its defaults */
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
      ask(rule, here, value, path, isObject);
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

  function ask(rule: CelRule, here: StructuralSchema, value: unknown, path: string, isObject: boolean): void {
    // Rules on changes are not asked when an object is created.
    if (/\boldSelf\b/.test(rule.rule) && rule.optionalOldSelf !== true) {
      return;
    }
    const outcome = evaluate(rule.rule, () => toCel(here, value, isObject || here['x-kubernetes-embedded-resource'] === true));
    if (outcome instanceof Error) {
      if (OBJECT_ERRORS.test(outcome.message)) {
        findings.push({ rule: 'cel', path, value: path === '' ? undefined : value, message: `cannot be evaluated by the rule ${rule.rule} (${outcome.message}), so the API server rejects it.` });
      } else {
        unchecked.push({ path, rule: rule.rule, why: outcome.message });
      }
    } else if (outcome !== true) {
      const blamed = [...pathSteps(path), ...pathSteps(rule.fieldPath ?? '')];
      findings.push({ rule: 'cel', ...placeOf(object, blamed), message: sentence(rule, here, value, isObject) });
    }
  }
}

/** Path and value of what a rule blames. */
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
  const said = typeof computed === 'string' && computed.trim() !== '' ? computed : rule.message;
  return said === undefined ? `must satisfy the rule ${rule.rule}.` : /[.!?]$/.test(said) ? said : `${said}.`;
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
  let program = PROGRAMS.get(expression);
  if (program === undefined) {
    try {
      program = plan(ENVIRONMENT, parse(expression));
    } catch (error) {
      program = error as Error;
    }
    PROGRAMS.set(expression, program);
  }
  return program;
}
