/**
 * The one shape in which every rule of the model reports what is wrong. Rules return lists of violations and never throw
 * on the first: a construct turns them into synth errors, the operator into a condition, the CLI into a table.
 */

import { shownValue, withoutTokens } from './secrets/recognise';

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

  /** Adds the violations that another rule returned. */
  public addAll(violations: readonly Violation[]): void {
    // Most rules find nothing.
    if (violations.length > 0) {
      this.found.push(...violations);
    }
  }

  /** What was found, in the order of the rules. */
  public get violations(): Violation[] {
    return [...this.found];
  }
}

/** One line for people: path, value and message. Long values are cut so that the rule stays in sight. */
export function formatViolation(violation: Violation): string {
  if (violation.value === undefined) {
    return `${violation.path}: ${violation.message}`;
  }
  return `${violation.path}: ${quoteValue(shownValue(violation.path, violation.value))}: ${violation.message}`;
}

/** A value as it should look inside a message: JSON, at most 80 characters, without the tokens and keys in it: messages end in logs. */
export function quoteValue(value: unknown): string {
  const text = withoutTokens(JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
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
