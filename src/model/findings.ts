/** What a rule finds: a violation that names its rule, as an error or, where it may work all the same, as a warning. */
import { SOURCES, type SourceName } from './accelerators/sources';
import { isWhole, wholeNumber, type Violation } from './violations';
import { addTo } from './lists';

export interface Rule {
  readonly id: string;
  /** The rule as a sentence, for tables. */
  readonly says: string;
  /** Where it is read: a name of {@link SOURCES}, or an address that is not there. @default - it is our own */
  readonly source?: SourceName | Address;
}

type Address = `https://${string}`;

/** A rule of another project. */
export interface SourcedRule<S extends SourceName | Address = SourceName> extends Rule {
  readonly source: S;
}

/** A rule, as lists of them are written. */
export function rule(id: string, source: SourceName, says: string): SourcedRule;
export function rule(id: string, source: Address, says: string): SourcedRule<Address>;
export function rule<S extends SourceName | Address>(id: string, source: S, says: string): SourcedRule<S> {
  return { id, source, says };
}

export function ownRule(id: string, says: string): Rule {
  return { id, says };
}

/** Errors are refused before anything is applied; warnings are reported. */
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

  /**
   * Records that a value is not a whole number of a range; a missing value is right.
   * @param most largest value; Infinity for no limit
   * @param more end of the message
   * @returns whether it is right
   */
  public whole(rule: Rule, path: string, value: number | undefined, least: number, most = Infinity, more = '.'): boolean {
    const isRight = isWhole(value, least, most);
    if (!isRight) {
      this.error(rule, path, value, wholeNumber(least, most, more));
    }
    return isRight;
  }

  /** Records that a text does not have a form; a missing text is right. */
  public form(rule: Rule, path: string, text: string | undefined, form: RegExp, message: string): void {
    if (text !== undefined && !form.test(text)) {
      this.error(rule, path, text, message);
    }
  }

  /** Adds what another rule found. */
  public addAll(findings: readonly Finding[]): void {
    addTo(this.found, findings);
  }

  public get findings(): Finding[] {
    return [...this.found];
  }

  private add(severity: Severity, { id, source }: Rule, path: string, value: unknown, message: string): void {
    this.found.push({ severity, rule: id, ...(source !== undefined && { source: addressOf(source) }), path, value, message });
  }
}

/** The address of a source. */
export function addressOf(source: SourceName | Address): string {
  return source in SOURCES ? SOURCES[source as SourceName] : source;
}

export function errorsOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === 'error');
}

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

/** Complete path of a field. */
export type Below = (field: string) => string;

/**
 * Rules on a description, by the fields that they read: a caller that knows only some of the fields (a preview, where others are outputs that
 * are not known yet) asks the groups that read no others.
 */
export interface SpecCheck<S> {
  readonly fields: readonly (keyof S & string)[];
  readonly check: (spec: S, below: Below, findings: FindingCollector) => void;
}

/** Asks groups of rules. @param path path of the description; empty where its fields have none before them */
export function runChecks<S>(checks: readonly SpecCheck<S>[], spec: S, path: string): Finding[] {
  const findings = new FindingCollector();
  const below = (field: string): string => (path === '' ? field : `${path}.${field}`);
  for (const { check } of checks) {
    check(spec, below, findings);
  }
  return findings.findings;
}
