/**
 * Rules on a description in groups, by the fields that they read: whoever knows only some of the fields (a preview, where others are outputs that
 * nobody knows yet) asks the groups that read no others.
 */
import { FindingCollector, type Finding } from './findings';

/** Complete path of a field. */
export type Below = (field: string) => string;

/** A group of rules. */
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
