/** What differs between two objects, field by field. */
import { Masked } from './objects';
import { isRecord } from '../../model/json-parts';
import { fieldPath } from '../../model/shapes';

/** One field that differs. */
export type FieldChange =
  | { readonly kind: 'added'; readonly path: string; readonly after: unknown }
  | { readonly kind: 'removed'; readonly path: string; readonly before: unknown }
  | { readonly kind: 'changed'; readonly path: string; readonly before: unknown; readonly after: unknown };

/** Fields by which the entries of a list are told apart, the first that all of them have. */
const KEYS = ['name', 'key', 'mountPath', 'containerPort', 'port', 'type', 'ip'];

/** All fields that differ. Entries of a list that have names are compared by name, whatever their order. */
export function changesBetween(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (isSame(before, after)) {
    return [];
  }
  if (before === undefined) {
    return [{ kind: 'added', path, after }];
  }
  if (after === undefined) {
    return [{ kind: 'removed', path, before }];
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return listChanges(before, after, path);
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changesBetween(own(before, name), own(after, name), below(path, name)));
  }
  return [{ kind: 'changed', path, before, after }];
}

function listChanges(before: readonly unknown[], after: readonly unknown[], path: string): FieldChange[] {
  const key = keyOf([...before, ...after]);
  if (key === undefined) {
    // Words of a command mean something together; of a list of objects one entry may differ.
    return before.length === after.length && before.every(isObject) && after.every(isObject)
      ? before.flatMap((entry, index) => changesBetween(entry, after[index], `${path}[${index}]`))
      : [{ kind: 'changed', path, before, after }];
  }
  const idOf = (entry: unknown) => String((entry as { readonly [field: string]: unknown })[key]);
  const ids = [...new Set([...before, ...after].map(idOf))];
  // Of entries with one name the first counts.
  const byId = (list: readonly unknown[]) => new Map([...list].reverse().map((entry) => [idOf(entry), entry]));
  const [old, fresh] = [byId(before), byId(after)];
  const changes = ids.flatMap((id) => changesBetween(old.get(id), fresh.get(id), `${path}['${id}']`));
  return changes.length > 0 ? changes : [{ kind: 'changed', path: `${path} (order)`, before: before.map(idOf), after: after.map(idOf) }];
}

/** A field that all entries have, each with another value. */
function keyOf(entries: readonly unknown[]): string | undefined {
  if (entries.length === 0 || !entries.every(isObject)) {
    return undefined;
  }
  return KEYS.find((key) => entries.every((entry) => ['string', 'number'].includes(typeof (entry as { readonly [field: string]: unknown })[key])));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Masked && other instanceof Masked) {
    return one.equals(other);
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isSame(entry, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => isSame(own(one, name), own(other, name)));
  }
  return one === other;
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return isRecord(value) && !(value instanceof Masked);
}

/** A field that somebody wrote: `constructor` is there in every object. */
function own(object: { readonly [field: string]: unknown }, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function below(path: string, name: string): string {
  return path === '' ? name : fieldPath(path, name);
}
