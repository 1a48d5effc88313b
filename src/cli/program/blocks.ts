/** Blocks of a spec as typed properties, by the tables of their fields. */
import { literal, object, type Code } from './code';
import type { ProgramScope } from './scope';
import { duration, Entries, member, typed } from './values';
import type { Fields as SpecFields } from '../../manifests/migrate/fields';
import { propertyOf, type Field } from '../../model/training-job/schema/field';

/** How a field is written whose property is no plain value. What it gives undefined for, and does not take from the spec, stays unread. */
export interface OwnCode { readonly [field: string]: (spec: SpecFields) => Code | undefined }

/**
 * Writes a block.
 * @param spec the block in the spec; undefined writes nothing
 * @param own fields with a rule of their own
 * @returns undefined when there is no block, or nothing of it has a typed form
 */
export function blockCode(block: Field, spec: SpecFields | undefined, scope: ProgramScope, own: OwnCode = {}): Code | undefined {
  if (spec === undefined) {
    return undefined;
  }
  const { entries } = Object.entries(block.fields ?? {}).reduce((written, [name, field]) => {
    const property = propertyOf(name, field);
    if (property === undefined) {
      return written;
    }
    return written.add(property, Object.hasOwn(own, name) ? own[name](spec) : fieldCode(name, field, spec, scope));
  }, new Entries());
  return entries.length > 0 || Object.keys(spec.value).length === 0 ? object(entries) : undefined;
}

function fieldCode(name: string, field: Field, spec: SpecFields, scope: ProgramScope): Code | undefined {
  if (field.fields !== undefined) {
    return blockCode(field, spec.has(name) ? spec.object(name) : undefined, scope);
  }
  return typed(spec, name, scope, (value) => valueCode(field, value, scope));
}

function valueCode({ conversion, words }: Field, value: unknown, scope: ProgramScope): Code | undefined {
  return conversion === 'duration' ? duration(value, scope) : words !== undefined ? member(words.name, value, scope) : literal(value);
}
