/** The check of a value that follows from a field's schema. */
import type { Block, Field } from './field';
import { BOOLEAN, NON_EMPTY_TEXT, NUMBER, OBJECT, TEXT, integer, listOf, mapOf, oneOf, pattern, record, required, type Shape } from '../../shapes';
import { expressionOf } from '../../text/expressions';

/** Shape of a field's values. Lengths are left out: the API server needs them to estimate what rules cost. */
export function shapeOf(field: Field): Shape {
  const { notes: { shape, says }, entry } = field;
  if (shape !== undefined) {
    return shape;
  }
  if (field.fields !== undefined) {
    return blockShape(field as Block);
  }
  const { schema } = field;
  if (schema.enum !== undefined) {
    return oneOf(schema.enum);
  }
  switch (schema.type) {
    case 'boolean': return BOOLEAN;
    case 'integer': return integer(schema.minimum ?? 0, schema.maximum, says);
    case 'number': return NUMBER;
    case 'array': return listOf(shapeOf(entry!), schema.minItems);
    case 'string': return schema.pattern === undefined ? (schema.minLength === undefined ? TEXT : NON_EMPTY_TEXT)
      // A form without words of its own is judged by rules that know more of it.
      : says === undefined ? TEXT : pattern(expressionOf(schema.pattern), says);
    default: return entry !== undefined ? mapOf(shapeOf(entry)) : OBJECT;
  }
}

function blockShape({ called, fields }: Block): Shape {
  return record(called, Object.fromEntries(Object.entries(fields).map(([name, field]) => {
    const { required: missing } = field.notes;
    let made: Shape | undefined;
    // Most fields are not given.
    const shape: Shape = (value, path, violations) => (made ??= shapeOf(field))(value, path, violations);
    return [name, !field.isRequired ? shape : required(shape, typeof missing === 'string' ? `is required: ${missing}` : undefined)];
  })));
}
