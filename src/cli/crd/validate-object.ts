/** Everything that the API server would check an object of a definition for when it is created with strict field validation. */
import { checkRules, type UncheckedRule } from './cel/rules';
import { checkSchema } from './check-schema';
import { withDefaults } from './defaults';
import type { KindVersion } from './definitions';
import type { JsonObject, SchemaFinding } from './structural-schema';
import { unknownFields } from './unknown-fields';

/** What is wrong with an object, and what could not be found out. */
export interface ObjectResults {
  readonly findings: readonly SchemaFinding[];
  readonly unchecked: readonly UncheckedRule[];
  /** Whether rules were left out because the object is wrong in other ways. */
  readonly rulesLeftOut: boolean;
}

/** Checks an object against its definition. Metadata is the same for all kinds and not looked at here. */
export function validateObject({ schema, kind }: KindVersion, object: JsonObject): ObjectResults {
  const unknown = unknownFields(schema, object, `a ${kind}`.replace(/^a (?=[AEIOU])/, 'an '));
  const complete = withDefaults(schema, object);
  const findings = checkSchema(schema, complete, '').filter(({ path }) => !/^(apiVersion|kind|metadata)\b/.test(path));
  // As the API server does: a rule may rely on the types of its schema.
  const rulesLeftOut = findings.some(({ blocking }) => blocking);
  const rules = rulesLeftOut ? { findings: [], unchecked: [] } : checkRules(schema, complete);
  return { findings: [...unknown, ...findings, ...rules.findings], unchecked: rules.unchecked, rulesLeftOut };
}
