/** Names that follow from what an object is: a changed job is another object, for a job that has run cannot be changed. */
import { createHash } from 'node:crypto';
import { expressionOf, quotedPattern } from '../text/expressions';
import { trimmedEnd } from '../text/trim';

/** Digits of the hash. */
const HASH_LENGTH = 8;

/** Leaves room for what controllers put behind the name of a job: roles, indexes, suffixes of pods. The shortest limit is RayJob's. */
const NAME_MAX_LENGTH = 46;

/** The name with a hash of the content behind it; a long one is cut. */
export function contentName(name: string, content: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, HASH_LENGTH);
  return `${trimmedEnd(name.slice(0, NAME_MAX_LENGTH - HASH_LENGTH - 1), '-.')}-${hash}`;
}

/** Text fields whose names are not about other objects. */
const HARMLESS = ['name', 'image'];

/**
 * Where something says the name of the object, as itself or as the beginning of a host name: it would still say the old one. Paths of files that
 * have the name in them (`/checkpoints/train`) are none.
 * @param allowed names of other objects, which stay as they are
 */
export function mentionsOf(name: string, value: unknown, path: string, allowed: ReadonlySet<string>): string[] {
  const mention = expressionOf(`(^|[^\\w./-])${quotedPattern(name)}($|[-.:][a-z0-9])`);
  const search = (each: unknown, at: string): string[] => {
    if (typeof each === 'string') {
      return !allowed.has(each) && (each === name || mention.test(each)) ? [at] : [];
    }
    if (Array.isArray(each)) {
      return each.flatMap((one, index) => search(one, `${at}[${index}]`));
    }
    return typeof each === 'object' && each !== null
      ? Object.entries(each).flatMap(([key, one]) => (HARMLESS.includes(key) && typeof one === 'string' ? [] : search(one, `${at}.${key}`))) : [];
  };
  return search(value, path);
}
