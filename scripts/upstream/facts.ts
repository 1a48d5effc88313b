/**
 * The facts of definitions: names, versions, fields, types, what is required, bounds, defaults, rules. What explains or shows (descriptions, titles,
 * examples, messages, columns) is left out, and everything has one order, so that the same facts are the same text.
 */
import { createHash } from 'node:crypto';
import { mapSchemas } from '../../src/cli/crd/upstream/upstream-schemas';
import type { KindFacts } from '../../src/cli/crd/upstream/compact-format';
import type { CelRule, StructuralSchema } from '../../src/cli/crd/structural-schema';

/** What is kept of a schema, in this order. */
const KEPT = [
  'type', 'format', 'nullable', 'default', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern',
  'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'required', 'x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type', 'x-kubernetes-validations',
  'properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not',
];

/** What is known and left out. */
const LEFT_OUT = new Set(['description', 'title', 'example', 'externalDocs']);

/** A CustomResourceDefinition as it is published. */
export interface PublishedDefinition {
  readonly kind?: string;
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: {
      readonly kind: string;
      readonly listKind?: string;
      readonly plural: string;
      readonly singular?: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly deprecated?: boolean;
      readonly subresources?: object;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
    }[];
  };
}

/** The facts of a definition. @throws Error for a schema with something that nobody decided about */
export function factsOf({ spec: { group, scope, names, versions } }: PublishedDefinition): KindFacts {
  const { kind, listKind, plural, singular, shortNames } = names;
  return {
    group,
    kind,
    ...(listKind !== undefined && listKind !== `${kind}List` && { listKind }),
    plural,
    ...(singular !== undefined && singular !== '' && { singular }),
    ...(shortNames !== undefined && { shortNames }),
    scope,
    versions: versions.map(({ name, served, storage, deprecated, subresources, schema }) => ({
      name,
      served,
      storage,
      ...(deprecated && { deprecated }),
      ...(subresources !== undefined && { subresources: ordered(subresources) as object }),
      schema: schemaFacts(schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true }),
    })),
  };
}

/** The facts of a schema. */
export function schemaFacts(schema: StructuralSchema): StructuralSchema {
  const unknown = Object.keys(schema).filter((name) => !KEPT.includes(name) && !LEFT_OUT.has(name));
  if (unknown.length > 0) {
    throw new Error(`a schema has ${unknown.join(' and ')}: say in scripts/upstream/facts.ts whether that is kept.`);
  }
  const { 'required': required, 'x-kubernetes-validations': rules, 'default': fallback } = schema;
  const facts = mapSchemas({
    ...schema,
    ...(required !== undefined && { required: [...new Set(required)].sort() }),
    ...(fallback !== undefined && { default: ordered(fallback) }),
    ...(rules !== undefined && { 'x-kubernetes-validations': rules.map(ruleFacts) }),
    ...(schema.properties !== undefined && { properties: Object.fromEntries(Object.entries(schema.properties).sort(byName)) }),
  }, schemaFacts);
  return Object.fromEntries(KEPT.filter((name) => Object.hasOwn(facts, name)).map((name) => [name, facts[name as keyof StructuralSchema]]));
}

function ruleFacts({ rule, reason, fieldPath, optionalOldSelf }: CelRule): CelRule {
  return {
    rule: rule.trim(),
    ...(reason !== undefined && { reason }),
    ...(fieldPath !== undefined && { fieldPath }),
    ...(optionalOldSelf !== undefined && { optionalOldSelf }),
  };
}

/** A value whose fields have one order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).sort(byName).map(([name, entry]) => [name, ordered(entry)])) : value;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** One number for all that is known of a system. */
export function digestOf(kinds: readonly KindFacts[]): string {
  return createHash('sha256').update(JSON.stringify(inOrder(kinds))).digest('hex');
}

/** Kinds by group and name, and within one kind by version: two systems may define the same kind. */
export function inOrder(kinds: readonly KindFacts[]): KindFacts[] {
  const key = ({ group, kind, versions }: KindFacts) => `${group}/${kind}/${versions.map(({ name }) => name).join()}`;
  return [...kinds].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
