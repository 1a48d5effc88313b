/**
 * The part of OpenAPI v3 that a structural schema of Kubernetes may use, and builders for it. Every builder wants a description, because
 * `kubectl explain` shows it, and lists, maps and texts want a bound: the API server estimates what a rule costs from the largest value
 * that the schema allows, and refuses a CRD whose rules could cost too much.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */

/** A rule in the Common Expression Language. */
export interface ValidationRule {
  readonly rule: string;

  /** What is wrong and how to mend it; the API server writes the path of the field in front of it. */
  readonly message: string;

  /** As `message`, in CEL, for a message that names values. @default - `message` */
  readonly messageExpression?: string;

  /** Field that is to blame, from the place of the rule, such as `.replicas`. @default - the place of the rule */
  readonly fieldPath?: string;

  /** Kind of the error. (FieldValueDuplicate is left out: the API server would not say the message.) @default FieldValueInvalid */
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired';
}

export interface JsonSchema {
  readonly 'type'?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly 'description'?: string;
  readonly 'format'?: string;
  readonly 'default'?: unknown;
  readonly 'enum'?: readonly string[];
  readonly 'minimum'?: number;
  readonly 'maximum'?: number;
  readonly 'minLength'?: number;
  readonly 'maxLength'?: number;
  readonly 'pattern'?: string;
  readonly 'items'?: JsonSchema;
  readonly 'minItems'?: number;
  readonly 'maxItems'?: number;
  readonly 'properties'?: SchemaFields;
  readonly 'additionalProperties'?: JsonSchema;
  readonly 'required'?: readonly string[];
  readonly 'minProperties'?: number;
  readonly 'maxProperties'?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

export type SchemaFields = { readonly [field: string]: JsonSchema };

/** One schema for each field of a type, so that a field cannot be in one of the two alone. */
export type FieldsOf<T> = { readonly [F in keyof T]-?: JsonSchema };

/** What else a schema says. */
export type More = Omit<JsonSchema, 'type' | 'description' | 'properties' | 'items' | 'additionalProperties' | 'x-kubernetes-validations'> & {
  readonly rules?: readonly ValidationRule[];
};

/** Longest text where nothing else limits it: the length of a variable that Linux starts a program with. */
export const TEXT_MAX_LENGTH = 131_071;

/** An object with known fields: those of the type `T`. */
export function object<T>(description: string, fields: FieldsOf<T>, more: More = {}): JsonSchema {
  return { type: 'object', description, properties: fields, ...extensions(more) };
}

/** An object of which some fields are known and all others are kept as they are. */
export function openObject(description: string, fields: SchemaFields = {}, more: More = {}): JsonSchema {
  return {
    'type': 'object',
    description,
    ...(Object.keys(fields).length > 0 && { properties: fields }),
    'x-kubernetes-preserve-unknown-fields': true,
    ...extensions(more),
  };
}

/** An object whose keys the user chooses. */
export function map(description: string, values: JsonSchema, maxProperties: number, more: More = {}): JsonSchema {
  return { type: 'object', description, additionalProperties: values, maxProperties, ...extensions(more) };
}

/** A list whose order counts and which is replaced as a whole. */
export function list(description: string, items: JsonSchema, maxItems: number, more: More = {}): JsonSchema {
  return { 'type': 'array', description, items, maxItems, 'x-kubernetes-list-type': 'atomic', ...extensions(more) };
}

/** A list of objects that are distinguished by one field: none is listed twice, and several writers can own one each. */
export function listByKey(description: string, key: string, items: JsonSchema, maxItems: number, more: More = {}): JsonSchema {
  return {
    'type': 'array',
    description,
    items,
    maxItems,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
    ...extensions(more),
  };
}

export function text(description: string, more: More = {}): JsonSchema {
  return { type: 'string', description, maxLength: TEXT_MAX_LENGTH, ...extensions(more) };
}

/** One of a few words. */
export function word(description: string, words: readonly string[], more: More = {}): JsonSchema {
  return { type: 'string', description, enum: words, ...extensions(more) };
}

/** A whole number. */
export function integer(description: string, more: More = {}): JsonSchema {
  return { type: 'integer', description, ...extensions(more) };
}

export function number(description: string, more: More = {}): JsonSchema {
  return { type: 'number', description, ...extensions(more) };
}

/** True or false. */
export function boolean(description: string, more: More = {}): JsonSchema {
  return { type: 'boolean', description, ...extensions(more) };
}

/** A name in the form of a DNS subdomain, as most objects have. */
export function objectName(description: string): JsonSchema {
  return text(description, { minLength: 1, maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' });
}

function extensions({ rules, ...more }: More): JsonSchema {
  return { ...more, ...(rules !== undefined && rules.length > 0 && { 'x-kubernetes-validations': rules }) };
}

/** A list of words as CEL writes it. */
export function celList(words: readonly string[]): string {
  return `[${words.map((entry) => `'${entry}'`).join(', ')}]`;
}
