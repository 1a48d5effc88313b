/** Regular expressions as the API server knows them: RE2, which has `(?i)` and `[[:alpha:]]`, and no look-ahead. */
import { RE2JS } from '@bufbuild/re2';

const COMPILED = new Map<string, RE2JS | undefined>();

/** Whether a pattern is found in a text; undefined for a pattern that is none. */
export function isFound(pattern: string, text: string): boolean | undefined {
  if (!COMPILED.has(pattern)) {
    COMPILED.set(pattern, compile(pattern));
  }
  return COMPILED.get(pattern)?.test(text);
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
