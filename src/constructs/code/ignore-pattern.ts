/**
 * One line of an ignore file, with git's semantics. Not a library, because libraries judge a path together with its parents, while several ignore
 * files in git's order need a single step: whether this line matches this entry. A property test compares it with git itself.
 *
 * Git compares bytes: `?` matches one byte of a multi-byte letter. Patterns and paths are therefore read as one character for each byte.
 *
 * All alternatives of a pattern are followed at the same time, without backtracking: each step meets each character of a path at most once, however
 * many stars there are.
 * @see https://git-scm.com/docs/gitignore and git's wildmatch.c
 */
import { expressionOf } from '../../model/text/expressions';

/** A line with a pattern. */
export interface IgnorePattern {
  /** Whether matching entries are included again. */
  readonly negated: boolean;
  /** Whether it matches only folders. */
  readonly foldersOnly: boolean;
  /** Whether the pattern is compared with the whole path below its file's folder, not only with the last name. */
  readonly anchored: boolean;
  readonly steps: readonly Step[];
}

/** One step of a pattern: the characters of a path that it matches. */
type Step =
  /** This character. */
  | { readonly kind: 'character'; readonly character: string }
  /** One character that is not a slash and is in the set. */
  | { readonly kind: 'set'; readonly has: (character: string) => boolean }
  /** Any characters except slashes. */
  | { readonly kind: 'star' }
  /** Any characters. */
  | { readonly kind: 'rest' }
  /** Makes the next step optional. */
  | { readonly kind: 'maybe' }
  /** Folders: any characters up to a slash. */
  | { readonly kind: 'folders' };

/** A string with one character for each of its bytes. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Patterns of an ignore file, in its order. */
export function parseIgnoreFile(text: string): IgnorePattern[] {
  return text.replace(/^\uFEFF/, '').split('\n').map((line) => line.replace(/\r$/, '')).flatMap((line) => parseIgnoreLine(line) ?? []);
}

/** Whether the pattern matches an entry. @param path from the pattern's folder, in {@link bytesOf} */
export function matchesEntry(pattern: IgnorePattern, path: string, isFolder: boolean): boolean {
  return (isFolder || !pattern.foldersOnly) && matches(pattern.steps, pattern.anchored ? path : path.slice(path.lastIndexOf('/') + 1));
}

function parseIgnoreLine(line: string): IgnorePattern | undefined {
  let rest = bytesOf(withoutTrailingSpaces(line));
  if (rest === '' || rest.startsWith('#')) {
    return undefined;
  }
  const negated = rest.startsWith('!');
  rest = negated ? rest.slice(1) : rest;
  const foldersOnly = rest.endsWith('/');
  rest = foldersOnly ? rest.slice(0, -1) : rest;
  const anchored = rest.includes('/');
  rest = rest.startsWith('/') ? rest.slice(1) : rest;
  const steps = rest === '' ? undefined : stepsOf(rest);
  return steps === undefined ? undefined : { negated, foldersOnly, anchored, steps };
}

/** Whether the steps match the whole path. */
function matches(steps: readonly Step[], path: string): boolean {
  // Possible next steps, before and after a character.
  let here = new Set<number>();
  enter(steps, 0, here);
  for (const character of path) {
    const next = new Set<number>();
    for (const at of here) {
      const step = steps[at];
      switch (step?.kind) {
        case 'character':
        case 'set':
          if (step.kind === 'set' ? character !== '/' && step.has(character) : step.character === character) {
            enter(steps, at + 1, next);
          }
          break;
        case 'star':
          if (character !== '/') {
            enter(steps, at, next);
          }
          break;
        case 'rest':
          enter(steps, at, next);
          break;
        case 'maybe':
        case undefined:
          break;
        case 'folders':
          next.add(at);
          if (character === '/') {
            enter(steps, at + 1, next);
          }
      }
    }
    if (next.size === 0) {
      return false;
    }
    here = next;
  }
  return here.has(steps.length);
}

/** Adds a step to the possible next ones, and those after it if it can match nothing. */
function enter(steps: readonly Step[], first: number, into: Set<number>): void {
  for (let at = first; !into.has(at); at++) {
    into.add(at);
    switch (steps[at]?.kind) {
      case 'star':
      case 'rest':
        break;
      case 'maybe':
        // The optional folders, or the step after them.
        into.add(at + 1);
        at++;
        break;
      default:
        return;
    }
  }
}

/** Trailing spaces count only after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') {
    let backslashes = 0;
    while (line[end - 2 - backslashes] === '\\') {
      backslashes++;
    }
    if (backslashes % 2 === 1) {
      break;
    }
    end--;
  }
  return line.slice(0, end);
}

const SPECIAL = /[*?[\\]/;

/** The steps of a pattern; undefined if it matches nothing in git. */
function stepsOf(pattern: string): Step[] | undefined {
  const start = pattern.search(SPECIAL);
  if (start < 0) {
    return literal(pattern);
  }
  // Git compares the text before the first wildcard separately, so that `a**` begins with two stars.
  const wild = pattern.slice(start);
  const steps: Step[] = literal(pattern.slice(0, start));
  for (let at = 0; at < wild.length;) {
    const character = wild[at];
    if (character === '*') {
      const { text, length } = stars(wild, at);
      text.forEach((step) => steps.push(step));
      at += length;
    } else if (character === '?') {
      steps.push({ kind: 'set', has: () => true });
      at++;
    } else if (character === '[') {
      const set = characterSet(wild, at);
      if (set === undefined) {
        return undefined;
      }
      const members = expressionOf(`^${set.text}$`, 's');
      steps.push({ kind: 'set', has: (one) => members.test(one) });
      at += set.length;
    } else if (character === '\\') {
      if (at + 1 === wild.length) {
        return undefined;
      }
      steps.push({ kind: 'character', character: wild[at + 1] });
      at += 2;
    } else {
      steps.push({ kind: 'character', character });
      at++;
    }
  }
  return steps;
}

function literal(text: string): Step[] {
  return [...text].map((character) => ({ kind: 'character', character }));
}

interface Part {
  readonly text: string;
  /** Length in the pattern. */
  readonly length: number;
}

/** Two or more stars between slashes match any number of folders; anywhere else they are one star. */
function stars(pattern: string, at: number): { readonly text: readonly Step[]; readonly length: number } {
  let length = 1;
  while (pattern[at + length] === '*') {
    length++;
  }
  const next = pattern[at + length];
  const isFree = length >= 2 && (at === 0 || pattern[at - 1] === '/') && (next === undefined || next === '/');
  if (!isFree) {
    return { text: [{ kind: 'star' }], length };
  }
  return next === undefined ? { text: [{ kind: 'rest' }], length } : { text: [{ kind: 'maybe' }, { kind: 'folders' }], length: length + 1 };
}

const CLASSES: { readonly [name: string]: string } = {
  alnum: '0-9A-Za-z', alpha: 'A-Za-z', blank: '\\x20\\t', cntrl: '\\x00-\\x1f\\x7f', digit: '0-9', graph: '\\x21-\\x7e', lower: 'a-z',
  print: '\\x20-\\x7e', punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e', space: '\\x09-\\x0d\\x20', upper: 'A-Z', xdigit: '0-9A-Fa-f',
};

/** Sets such as `[a-z]`, parsed as in git's own code; undefined if it is not closed, or has an unknown class. */
function characterSet(pattern: string, start: number): Part | undefined {
  let at = start + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  at += negated ? 1 : 0;
  let members = '';
  let previous: string | undefined;
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    if (pattern[at] === undefined) {
      return undefined;
    }
    const step = setMember(pattern, at, previous);
    if (step === undefined) {
      return undefined;
    }
    members += step.text;
    previous = step.previous;
    at += step.length;
  }
  // A set never matches a slash; without members, it matches nothing, or anything else if it is negated.
  const inside = members === '' ? (negated ? '[^/]' : '(?!)') : negated ? `[^/${members}]` : `(?!/)[${members}]`;
  return { text: inside, length: at + 1 - start };
}

/** One member of a set: a character, a range or a class. `previous` is where a following range may start. */
function setMember(pattern: string, at: number, previous: string | undefined): (Part & { readonly previous?: string }) | undefined {
  const character = pattern[at];
  if (character === '\\') {
    const escaped = pattern[at + 1];
    return escaped === undefined ? undefined : { text: member(escaped), length: 2, previous: escaped };
  }
  if (character === '-' && previous !== undefined && pattern[at + 1] !== undefined && pattern[at + 1] !== ']') {
    const isEscaped = pattern[at + 1] === '\\';
    const last = pattern[at + (isEscaped ? 2 : 1)];
    return last === undefined ? undefined : { text: previous <= last ? `${member(previous)}-${member(last)}` : '', length: isEscaped ? 3 : 2 };
  }
  if (character === '[' && pattern[at + 1] === ':') {
    const end = pattern.indexOf(']', at + 2);
    if (end < 0) {
      return undefined;
    }
    const name = pattern.slice(at + 2, end - 1);
    if (end - 1 >= at + 2 && pattern[end - 1] === ':') {
      return Object.hasOwn(CLASSES, name) ? { text: CLASSES[name], length: end + 1 - at } : undefined;
    }
  }
  return { text: member(character), length: 1, previous: character };
}

function member(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
