/** JSON merge patches: RFC 7386, `application/merge-patch+json`. */
import { isRecord } from '../../model/json-parts';

/**
 * The patch that makes `after` of `before`. It holds all of `after`, so that what the server has dropped (fields that its schema does not know yet)
 * is written again, and a null for each field that is no longer there. Lists are replaced as a whole.
 */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isRecord(after)) {
    return after;
  }
  // By entries, as fields of maps have whatever names users give them.
  const known = new Map(isRecord(before) ? Object.entries(before) : []);
  const now = new Map(Object.entries(after).filter(([, value]) => value !== undefined));
  return Object.fromEntries([
    ...[...known].filter(([field, value]) => value !== undefined && !now.has(field)).map(([field]) => [field, null]),
    ...[...now].map(([field, value]) => [field, mergePatch(known.get(field), value)]),
  ]);
}
