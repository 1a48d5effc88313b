/** What a rule finds: a violation that names its rule, as an error or, where it may work all the same, as a warning. */
import { SOURCES, type SourceName } from './accelerators/sources';
import type { Violation } from './violations';
import { addTo } from './lists';

export interface Rule {
  /** Stable name. */
  readonly id: string;
  /** The rule as a sentence, for tables. */
  readonly says: string;
  /** Where it is read. @default - it is our own */
  readonly source?: SourceName;
}

/** A rule that somebody else made. */
export interface SourcedRule extends Rule {
  readonly source: SourceName;
}

/** A rule, as lists of them are written. */
export function rule(id: string, source: SourceName, says: string): SourcedRule {
  return { id, source, says };
}

/** A rule of our own. */
export function ownRule(id: string, says: string): Rule {
  return { id, says };
}

/** Errors are refused before anything is applied; warnings are told. */
export type Severity = 'error' | 'warning';

export interface Finding extends Violation {
  readonly severity: Severity;
  readonly rule: string;
  /** Address of the rule's source. @default - the rule is our own */
  readonly source?: string;
}

/** Collects findings in the order of the rules. */
export class FindingCollector {
  private readonly found: Finding[] = [];

  /** Records that something cannot work. */
  public error(rule: Rule, path: string, value: unknown, message: string): void {
    this.add('error', rule, path, value, message);
  }

  /** Records that something may not work, or is not known to. */
  public warn(rule: Rule, path: string, value: unknown, message: string): void {
    this.add('warning', rule, path, value, message);
  }

  /** Adds what another rule found. */
  public addAll(findings: readonly Finding[]): void {
    addTo(this.found, findings);
  }

  /** What was found. */
  public get findings(): Finding[] {
    return [...this.found];
  }

  private add(severity: Severity, { id, source }: Rule, path: string, value: unknown, message: string): void {
    this.found.push({ severity, rule: id, ...(source !== undefined && { source: SOURCES[source] }), path, value, message });
  }
}

/** The errors among findings. */
export function errorsOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === 'error');
}

/** The warnings among findings. */
export function warningsOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === 'warning');
}

/** `1, 2 or 4`. */
export function either(words: readonly (string | number)[]): string {
  return joined(words, 'or');
}

/** `1, 2 and 4`. */
export function both(words: readonly (string | number)[]): string {
  return joined(words, 'and');
}

function joined(words: readonly (string | number)[], last: string): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1]}`;
}
