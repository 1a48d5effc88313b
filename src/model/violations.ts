/**
 * The one shape in which every rule of the model reports what is wrong. Rules return lists of violations and never throw
 * on the first: a construct turns them into synth errors, the operator into a condition, the CLI into a table.
 */

import { addTo } from './lists';
import { shownValue, withoutTokens } from './secrets/recognise';
import { printable, shortened } from './text/printable';

/** One broken rule: where, what was found there, and what to do. */
export interface Violation {
  /** Field path below the object that was checked, such as `spec.roles[1].replicas`. */
  readonly path: string;
  /** The value that was found; `undefined` when the field is missing. */
  readonly value: unknown;
  /** The rule and the fix, as one or two sentences. */
  readonly message: string;
}

/** Collects violations below one path, so that a rule can be written without repeating where it looks. */
export class ViolationCollector {
  private readonly found: Violation[] = [];

  /**
   * Records that `path` breaks a rule.
   * @param path field path, complete
   * @param value the value that was found
   * @param message the rule and the fix
   */
  public add(path: string, value: unknown, message: string): void {
    this.found.push({ path, value, message });
  }

  /**
   * Records that a value is not a whole number of a range; a missing value is right.
   * @param most largest value; Infinity for no limit
   * @param more end of the message
   * @returns whether it is right
   */
  public whole(path: string, value: number | undefined, least: number, most = Infinity, more = '.'): boolean {
    const isRight = isWhole(value, least, most);
    if (!isRight) {
      this.add(path, value, wholeNumber(least, most, more));
    }
    return isRight;
  }

  /** Records that a value is not a whole number of seconds; a missing value is right. */
  public seconds(path: string, value: number | undefined, least: number): void {
    if (!isWhole(value, least)) {
      this.add(path, value, `must be whole seconds, ${least} or more.`);
    }
  }

  /** Records that a text does not have a form; a missing text is right. */
  public form(path: string, text: string | undefined, form: RegExp, message: string): void {
    if (text !== undefined && !form.test(text)) {
      this.add(path, text, message);
    }
  }

  /** Adds the violations that another rule returned. */
  public addAll(violations: readonly Violation[]): void {
    addTo(this.found, violations);
  }

  public get violations(): Violation[] {
    return [...this.found];
  }
}

/** What to say of a value that is not a whole number of a range. */
export function wholeNumber(least: number, most = Infinity, more = '.'): string {
  return `must be a whole number${most === Infinity ? `, ${least} or more` : ` from ${least} to ${most}`}${more}`;
}

/** Whether a value is a whole number of a range, or missing. */
export function isWhole(value: number | undefined, least: number, most = Infinity): boolean {
  return value === undefined || (Number.isInteger(value) && value >= least && value <= most);
}

/** Violations of which each is reported once, whichever rules found it. */
export function distinct<V extends Violation>(violations: V[]): V[] {
  const seen = new Set<string>();
  return violations.length < 2 ? violations : violations.filter(({ path, message }) => !seen.has(`${path}\0${message}`) && seen.add(`${path}\0${message}`));
}

/** Longest part of a value that is looked at for a message, in characters: nothing that reads it meets a text without bounds. */
const EXCERPT_LENGTH = 4096;

/** Objects and lists within each other that a message looks into. */
const EXCERPT_DEPTH = 20;

/** Longest path and longest message: both can repeat a name that a user chose. */
const PATH_LENGTH = 512;
const MESSAGE_LENGTH = 4096;

/** Violations that one message lists. */
const SHOWN_VIOLATIONS = 20;

/**
 * One printable line for people: path, value and message. Long values are cut so that the rule stays in sight, and characters that cannot be seen
 * are written as `\\u001b`: the line goes to terminals, logs, events and comments of generated files.
 */
export function formatViolation({ path, value, message }: Violation): string {
  const shown = value === undefined ? [] : [quoteValue(shownValue(path, excerptOf(value)))];
  return printable([shortened(path, PATH_LENGTH), ...shown, shortened(message, MESSAGE_LENGTH)].join(': '));
}

/** A violation of which no part is longer than a person reads: its parts can repeat texts of any length. */
export function boundedViolation({ path, value, message }: Violation): Violation {
  return { path: shortened(path, PATH_LENGTH), value: excerptOf(value), message: shortened(message, MESSAGE_LENGTH) };
}

/** The first violations, a line each, and how many more there are: for a message that has to have an end. */
export function formatViolations(violations: readonly Violation[], separator = '\n'): string {
  const lines = violations.slice(0, SHOWN_VIOLATIONS).map(formatViolation);
  const more = violations.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

/** A value as it should look inside a message: JSON, at most 80 characters, without the tokens and keys in it: messages end in logs. */
export function quoteValue(value: unknown): string {
  const excerpt = excerptOf(value);
  const text = printable(withoutTokens(JSON.stringify(excerpt) ?? String(excerpt)));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** The beginning of a value, as long as a message could need it. */
function excerptOf(value: unknown): unknown {
  let left = EXCERPT_LENGTH;
  const take = (text: string) => {
    const taken = text.slice(0, Math.max(0, left));
    left -= taken.length;
    return taken;
  };
  const visit = (part: unknown, depth: number): unknown => {
    left -= 1;
    if (typeof part === 'string') {
      return take(part);
    }
    if (typeof part !== 'object' || part === null) {
      return part;
    }
    if (depth >= EXCERPT_DEPTH) {
      return '...';
    }
    if (Array.isArray(part)) {
      const items: unknown[] = [];
      for (let i = 0; i < part.length && left > 0; i++) {
        items.push(visit(part[i], depth + 1));
      }
      return items;
    }
    const fields: [string, unknown][] = [];
    for (const [name, entry] of Object.entries(part)) {
      if (left <= 0) {
        break;
      }
      fields.push([take(name), visit(entry, depth + 1)]);
    }
    return Object.fromEntries(fields);
  };
  return visit(value, 0);
}

/**
 * " Did you mean ...?" when one of the candidates is close to what was written, else an empty string, so that a message can
 * always end with it.
 */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const needle = written.toLowerCase();
  let best: string | undefined;
  // A distance of up to a third of the word is a slip of the finger; more is another word.
  let bestDistance = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const candidate of candidates) {
    // The lengths alone can be too far apart, which also spares the work on very long words.
    if (Math.abs(candidate.length - needle.length) >= bestDistance) {
      continue;
    }
    const distance = editDistance(needle, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === undefined ? '' : ` Did you mean '${best}'?`;
}

/** Letters to change, add, leave out or swap with their neighbour until `a` is `b`. Three rows of the table at a time. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? beforePrevious[j - 2] + 1 : Infinity;
      current.push(Math.min(substitution, swap, previous[j] + 1, current[j - 1] + 1));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length];
}
