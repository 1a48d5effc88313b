/**
 * The only place where regular expressions are built at run time, so that one can see what they may be built from: constants, and texts that are
 * quoted. A text of a user never becomes a part of an expression's structure, and no expression here takes more than linear time: a test asks an
 * analyser about every constant. Expressions that are written in the code are held by the rules of eslint-plugin-regexp, and by a test that looks for
 * texts for which each of them takes long.
 */

/** The expression of a constant that the CRD's schema shows too. */
export function expressionOf(pattern: string, flags?: string): RegExp {
  return new RegExp(pattern, flags);
}

/** A text as a part of an expression that stands for nothing but itself. */
export function quotedPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** One of several patterns, which are constants or {@link quotedPattern}. */
export function anyOf(patterns: readonly string[], flags?: string): RegExp {
  return new RegExp([...new Set(patterns)].join('|'), flags);
}

/** The same expression for all places in which it matches. */
export function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
}

/** Longest expression of a user that is compiled, to say whether it is one. */
const EXPRESSION_MAX_LENGTH = 4096;

/** What is wrong with an expression that a user wrote for another program; undefined when it can be compiled. It is not run. */
export function problemOfExpression(pattern: string): string | undefined {
  if (pattern.length > EXPRESSION_MAX_LENGTH) {
    return `it is longer than ${EXPRESSION_MAX_LENGTH} characters`;
  }
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The same of an expression in Go's syntax, whose flags and names of groups JavaScript writes otherwise. */
export function problemOfGoExpression(pattern: string): string | undefined {
  return problemOfExpression(pattern.replace(/\(\?[imsU-]+\)/g, '').replace(/\(\?[imsU-]+:/g, '(?:').replace(/\(\?P</g, '(?<'));
}

/** Whether a text matches a pattern in which each `*` stands for any characters. It never goes back, so that it takes linear time for each part. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [start, ...rest] = pattern.split('*');
  if (rest.length === 0) {
    return pattern === text;
  }
  const end = rest.pop()!;
  if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) {
    return false;
  }
  // The first place for each part leaves the most room for those that follow.
  let from = start.length;
  const behind = text.length - end.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > behind) {
      return false;
    }
    from = at + part.length;
  }
  return true;
}
