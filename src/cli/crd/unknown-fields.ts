/** Fields that a definition does not know: the API server drops them, or refuses the object where it is asked to be strict. */
import { below, fieldSchema, type SchemaFinding, type StructuralSchema } from './structural-schema';
import { didYouMean } from '../../model/violations';
import { isRecord, type JsonRecord } from '../../model/json-parts';

/** What the root of every object, and each object embedded in another, has without its schema saying so. Metadata is checked by itself. */
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata'];

/** Most names that a message lists. */
const MAX_LISTED = 12;

/** Most unknown fields of one object that are told one by one. */
const MAX_TOLD = 20;

/**
 * Finds unknown fields.
 * @param what how messages call the object: `a TrainJob`
 * @param isWhole whether it is an object with apiVersion, kind and metadata, and not a part of one
 */
export function unknownFields(schema: StructuralSchema, object: unknown, what: string, isWhole = true): SchemaFinding[] {
  const found: SchemaFinding[] = [];
  visit(schema, object, '', isWhole);
  return found;

  function visit(here: StructuralSchema, value: unknown, path: string, isObject: boolean): void {
    if (Array.isArray(value)) {
      value.forEach((entry, index) => here.items && visit(here.items, entry, `${path}[${index}]`, here.items['x-kubernetes-embedded-resource'] === true));
    } else if (isRecord(value)) {
      const unknown: string[] = [];
      for (const [name, entry] of Object.entries(value).filter(([field]) => !isObject || !OBJECT_FIELDS.includes(field))) {
        const field = fieldSchema(here, name);
        if (field !== undefined) {
          visit(field, entry, below(path, name), field['x-kubernetes-embedded-resource'] === true);
        } else if (here['x-kubernetes-preserve-unknown-fields'] !== true) {
          unknown.push(name);
        }
      }
      tell(unknown, here, value, path, isObject);
    }
  }

  function tell(unknown: readonly string[], here: StructuralSchema, value: JsonRecord, path: string, isObject: boolean): void {
    const owner = path === '' ? what : path;
    for (const [index, name] of unknown.slice(0, MAX_TOLD).entries()) {
      const others = index === MAX_TOLD - 1 ? unknown.length - MAX_TOLD : 0;
      found.push({
        rule: 'unknown-field', path: below(path, name), value: value[name],
        message: `is not a field of ${owner}${others === 0 ? '' : `, and neither are ${others} others`}.${hint(here, name, isObject)}`,
      });
    }
  }
}

function hint(schema: StructuralSchema, name: string, isObject: boolean): string {
  if (isObject && schema.properties?.spec?.properties?.[name] !== undefined) {
    return ' Move it below spec.';
  }
  const known = [...new Set([...(isObject ? OBJECT_FIELDS : []), ...Object.keys(schema.properties ?? {})])];
  if (known.length === 0) {
    return ' It has none: remove it.';
  }
  const shown = known.length > MAX_LISTED ? `${known.slice(0, MAX_LISTED).join(', ')} and ${known.length - MAX_LISTED} more` : known.join(', ');
  return didYouMean(name, known) || ` Remove it. Known fields: ${shown}.`;
}
