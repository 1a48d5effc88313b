/** Problems of an object, as synth reports them: a line for each, with the kind and the name of the object. */
import type { IConstruct } from 'constructs';
import { formatViolation, type Violation } from '../../model/violations';
import type { Finding } from '../../model/findings';

/** A sentence that starts with the field, or a violation of a rule. */
export type Problem = string | Violation;

/**
 * Lets synth fail with the problems of a construct.
 * @param title prefix of each line, such as `Cohort 'research'`
 * @param problems called at synth
 */
export function reportAtSynth(construct: IConstruct, title: string, problems: () => readonly Problem[]): void {
  construct.node.addValidation({
    validate: () => problems().map((problem) => `${title}: ${typeof problem === 'string' ? problem : formatViolation(problem)}`),
  });
}

/** Lines of what rules with a source find. */
export function errorLines(kind: string, name: string, findings: readonly Finding[]): string[] {
  return findings.map((finding) => `${kind} '${name}': ${formatViolation(finding)} (${finding.source})`);
}
