/**
 * The schema of a CustomResourceDefinition as the API server reads it. Checked by walking schema and object together: a compiler of schemas would
 * spend seconds on the largest definitions (a RayJob repeats the schema of a pod four times) to look at a few dozen fields.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import { fieldPath } from '../../model/shapes';
import type { JsonSchema, ValidationRule } from '../../model/training-job/schema/json-schema';

/** A rule of a definition. Our own rules have certain reasons only. */
export type CelRule = Omit<ValidationRule, 'message' | 'reason'> & {
  readonly message?: string;
  readonly reason?: string;
  readonly optionalOldSelf?: boolean;
};

/** Our own schemas use a part of these fields. */
export interface StructuralSchema
  extends Omit<JsonSchema, 'enum' | 'items' | 'properties' | 'additionalProperties' | 'x-kubernetes-map-type' | 'x-kubernetes-validations'> {
  readonly 'nullable'?: boolean;
  readonly 'enum'?: readonly unknown[];
  readonly 'exclusiveMinimum'?: boolean;
  readonly 'exclusiveMaximum'?: boolean;
  readonly 'multipleOf'?: number;
  readonly 'items'?: StructuralSchema;
  readonly 'properties'?: { readonly [field: string]: StructuralSchema };
  readonly 'additionalProperties'?: StructuralSchema | boolean;
  readonly 'allOf'?: readonly StructuralSchema[];
  readonly 'anyOf'?: readonly StructuralSchema[];
  readonly 'oneOf'?: readonly StructuralSchema[];
  readonly 'not'?: StructuralSchema;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** A mistake. The API server drops unknown fields, and rejects objects with mistakes of the rules `schema` and `cel`. */
export interface SchemaFinding {
  readonly rule: 'unknown-field' | 'schema' | 'cel';
  /** From the object's root, such as `spec.replicas`; empty for the object as a whole. */
  readonly path: string;
  readonly value: unknown;
  readonly message: string;
  /** Whether CEL rules cannot be evaluated for such an object. */
  readonly blocking?: boolean;
}

/** Path of a field; the root has the empty path. */
export function below(path: string, name: string): string {
  return path === '' ? fieldPath('', name).replace(/^\./, '') : fieldPath(path, name);
}

/** The schema of fields without a name in the schema; undefined if there can be none. */
export function additionalSchema({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return additionalProperties === true ? { 'x-kubernetes-preserve-unknown-fields': true } : additionalProperties || undefined;
}

/** The schema of a field; undefined for an unknown field. */
export function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalSchema(schema);
}
