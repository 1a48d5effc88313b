/**
 * The schema of a CustomResourceDefinition as the API server reads it. Checked by walking schema and object together: a compiler of schemas would
 * spend seconds on the largest definitions (a RayJob repeats the schema of a pod four times) to look at a few dozen fields.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import { fieldPath } from '../../model/shapes';
import type { JsonSchema, ValidationRule } from '../../model/training-job/schema/json-schema';

/** A rule of a definition; unlike our own it may have any reason. */
export type CelRule = Omit<ValidationRule, 'message' | 'reason'> & {
  readonly message?: string;
  readonly reason?: string;
  readonly optionalOldSelf?: boolean;
};

/** Our own schemas are a part of it. */
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

/** Path of a field, where the root has none. */
export function below(path: string, name: string): string {
  return path === '' ? fieldPath('', name).replace(/^\./, '') : fieldPath(path, name);
}

/** The schema of fields that an object has in addition to its named ones; undefined if there can be none. */
export function additionalSchema({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return additionalProperties === true ? { 'x-kubernetes-preserve-unknown-fields': true } : additionalProperties || undefined;
}

/** The schema of a field; undefined where the schema says nothing of it. */
export function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalSchema(schema);
}
