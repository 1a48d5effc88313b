/**
 * The schema of a CustomResourceDefinition as the API server reads it. Checked by walking schema and object together: a compiler of schemas would
 * spend seconds on the largest definitions (a RayJob repeats the schema of a pod four times) to look at a few dozen fields.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import { fieldPath } from '../../model/shapes';
import type { ValidationRule } from '../../model/training-job/schema/json-schema';

/** A rule of a definition; unlike our own it may have any reason. */
export type CelRule = Omit<ValidationRule, 'message' | 'reason'> & {
  readonly message?: string;
  readonly reason?: string;
  readonly optionalOldSelf?: boolean;
};

export interface StructuralSchema {
  readonly 'type'?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly 'format'?: string;
  readonly 'description'?: string;
  readonly 'nullable'?: boolean;
  readonly 'default'?: unknown;
  readonly 'enum'?: readonly unknown[];
  readonly 'minimum'?: number;
  readonly 'maximum'?: number;
  readonly 'exclusiveMinimum'?: boolean;
  readonly 'exclusiveMaximum'?: boolean;
  readonly 'multipleOf'?: number;
  readonly 'minLength'?: number;
  readonly 'maxLength'?: number;
  readonly 'pattern'?: string;
  readonly 'items'?: StructuralSchema;
  readonly 'minItems'?: number;
  readonly 'maxItems'?: number;
  readonly 'properties'?: { readonly [field: string]: StructuralSchema };
  readonly 'additionalProperties'?: StructuralSchema | boolean;
  readonly 'required'?: readonly string[];
  readonly 'minProperties'?: number;
  readonly 'maxProperties'?: number;
  readonly 'allOf'?: readonly StructuralSchema[];
  readonly 'anyOf'?: readonly StructuralSchema[];
  readonly 'oneOf'?: readonly StructuralSchema[];
  readonly 'not'?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** What is wrong with an object. `unknown` fields are those that the API server would drop, `schema` and `cel` what it would refuse. */
export interface SchemaFinding {
  readonly rule: 'unknown-field' | 'schema' | 'cel';
  /** From the object's root, such as `spec.replicas`; empty for the object as a whole. */
  readonly path: string;
  readonly value: unknown;
  readonly message: string;
  /** Whether rules in CEL cannot be asked of such an object. */
  readonly blocking?: boolean;
}

export type JsonObject = { readonly [field: string]: unknown };

/** Path of a field, where the root has none. */
export function below(path: string, name: string): string {
  return path === '' ? fieldPath('', name).replace(/^\./, '') : fieldPath(path, name);
}

/** The schema of what an object has beside its named fields; undefined where nothing else may be. */
export function additionalSchema({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return additionalProperties === true ? { 'x-kubernetes-preserve-unknown-fields': true } : additionalProperties || undefined;
}

/** The schema of a field; undefined where the schema says nothing of it. */
export function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalSchema(schema);
}
