/** What the API server does to an object before it checks it: it drops empty fields that cannot be null, and fills in defaults. */
import { fieldSchema, type StructuralSchema } from './structural-schema';
import { isRecord } from '../../model/json-parts';

/** The object as it would be checked; the given one stays as it is. */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
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
