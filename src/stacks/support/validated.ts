/**
 * The only place that checks arguments. Known values are checked together before anything is registered. Outputs are checked when they resolve,
 * before the resource that uses them is registered. In a preview, an output can stay unknown: then the check waits for the update.
 */
import * as pulumi from '@pulumi/pulumi';
import { checkShape, openRecord, record, type FieldShapes } from '../../model/shapes';
import { runChecks, type SpecCheck } from '../../model/findings';
import { formatViolation, type Violation } from '../../model/violations';

/** A violation, or a finding of the model, which can also be a warning. */
export interface Found extends Violation {
  readonly severity?: 'error' | 'warning';
}

/** A rule for several fields together. */
export interface AcrossRule {
  /** Fields that the rule reads. It runs when all of them are known. */
  readonly fields: readonly string[];
  /** The rule, which gets the fields as plain values. */
  readonly check: (args: { readonly [field: string]: unknown }) => readonly Found[];
}

/** Rules for the arguments of a component. */
export interface ArgRules<A> {
  /** The shape of each field. */
  readonly fields: FieldShapes<keyof A & string>;
  readonly across?: readonly AcrossRule[];
}

/** The component that is created: its class and its name in the program. */
export interface Subject {
  readonly type: string;
  readonly name: string;
}

/** The error for invalid arguments. Pulumi shows its message without a stack trace. */
export class InvalidArgsError extends pulumi.RunError {
  public constructor(subject: Subject, public readonly violations: readonly Violation[]) {
    super(`${subject.type} '${subject.name}' cannot be created:\n${violations.map((violation) => `  - ${formatViolation(violation)}`).join('\n')}`);
  }
}

/** Throws all errors as one, and logs the warnings. */
export function throwErrors(subject: Subject, found: readonly Found[]): void {
  const errors = found.filter(({ severity }) => severity !== 'warning');
  if (errors.length > 0) {
    throw new InvalidArgsError(subject, errors);
  }
  for (const warning of found) {
    void pulumi.log.warn(`${subject.type} '${subject.name}': ${formatViolation(warning)}`);
  }
}

/** Whether a value contains outputs or promises. Does not look into resources. */
export function isPending(value: unknown): boolean {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return true;
  }
  if (typeof value !== 'object' || value === null || pulumi.Resource.isInstance(value)) {
    return false;
  }
  return Object.values(value).some(isPending);
}

/**
 * Checks arguments.
 * @param subject the component that is created
 * @param args the arguments, which can be or contain outputs
 * @param rules the rules
 * @returns the arguments; outputs in them fail if they resolve to a value that breaks a rule
 * @throws InvalidArgsError with all errors of the values that are known
 */
export function validated<A extends object>(subject: Subject, args: A, rules: ArgRules<A>): A {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const pending = new Set(given.filter(([, value]) => isPending(value)).map(([field]) => field));
  const known = Object.fromEntries(given.filter(([field]) => !pending.has(field)));
  const across = rules.across ?? [];
  const isLate = ({ fields }: AcrossRule) => fields.some((field) => pending.has(field));
  // Outputs are not missing.
  const shapes = Object.fromEntries(Object.entries(rules.fields).filter(([field]) => !pending.has(field))) as FieldShapes;
  const ofFields = checkShape(record('the arguments', shapes), known, '').map(withoutDot);
  // Rules for several fields rely on the shapes of the fields.
  throwErrors(subject, ofFields.length > 0 ? ofFields : across.filter((rule) => !isLate(rule)).flatMap((rule) => rule.check(known)));
  const late = [...pending].map((field) => {
    const kept = lateField(field, args, rules, subject, across.filter((rule) => lastOf(rule, pending) === field));
    return [field, behind(kept, (args as { readonly [name: string]: unknown })[field])];
  });
  return { ...args, ...Object.fromEntries(late) };
}

/** The pending field whose output runs a rule for several fields. */
function lastOf({ fields }: AcrossRule, pending: ReadonlySet<string>): string | undefined {
  return fields.filter((field) => pending.has(field)).at(-1);
}

/** The output of a field, which fails if the field breaks a rule. */
function lateField<A extends object>(
  field: string, args: A, { fields }: ArgRules<A>, subject: Subject, across: readonly AcrossRule[],
): pulumi.Output<unknown> {
  const values = args as { readonly [name: string]: unknown };
  const one = openRecord({ [field]: (fields as FieldShapes)[field] });
  const own = (pulumi.output(values[field]) as pulumi.Output<unknown>).apply((value) => {
    throwErrors(subject, checkShape(one, { [field]: value }, '').map(withoutDot));
    return value;
  });
  if (across.length === 0) {
    return own;
  }
  const others = [...new Set(across.flatMap((rule) => rule.fields))].filter((name) => name !== field);
  return pulumi.all([own, ...others.map((name) => pulumi.output(values[name]))]).apply(([value, ...rest]) => {
    const all = [[field, value], ...others.map((name, index) => [name, rest[index]])];
    const resolved = Object.fromEntries(all.filter(([, each]) => each !== undefined)) as { [name: string]: unknown };
    throwErrors(subject, across.flatMap((rule) => rule.check(resolved)));
    return value;
  });
}

/** The same value, whose outputs wait for a check and fail with it. Known values are unchanged, so previews show them. */
function behind(check: pulumi.Output<unknown>, value: unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return pulumi.all([pulumi.output(value), check]).apply(([resolved]) => resolved as unknown);
  }
  if (Array.isArray(value)) {
    return value.map((item) => behind(check, item));
  }
  return isPending(value) ? Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, behind(check, each)])) : value;
}

/** Removes the leading dot: the arguments have no name in the path. */
function withoutDot(violation: Violation): Violation {
  return { ...violation, path: violation.path.replace(/^\./, '') };
}

/** Converts groups of the model's rules to rules for arguments with the same fields. */
export function acrossOf<S>(checks: readonly SpecCheck<S>[]): AcrossRule[] {
  return checks.map((check) => ({ fields: check.fields, check: (args) => runChecks([check], args as S, '') }));
}
