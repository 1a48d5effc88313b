/** Texts that expressions, terminals and languages stumble over, for tests that put them wherever a user may write. */

/** A megabyte of text, which a field without bounds may hold. */
export const LONG = 1024 * 1024;

/** What is repeated to make a long text. */
export const FILLERS: readonly string[] = [
  ' ', '\t', '\n', '\r', '\u00a0', '\u2028', 'a', 'A', '0', '_', '-', '.', '/', ':', '=', '"', '\'', '`', '\\', '$', '{', '}', '[', '(', ',', '@', '#', '<', '*', '+', '~',
  'a ', 'a=', '://', 'a://', 'a:b@', '://a:', '-eyJ', '.eyJ', 'eyJaaaaaaaaaa.', '-----BEGIN A ', '-----END ', 'A ', '../', '\u001b[31m', '\u202e', '\ud800', '😀', '${', '{{', '$(',
];

/** A long text of one filler. */
export function longText(filler: string, length = LONG): string {
  return filler.repeat(Math.ceil(length / filler.length)).slice(0, length);
}
