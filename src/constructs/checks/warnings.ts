import type { IConstruct } from 'constructs';
import { ProgramChecks, lineOf } from './program-checks';
import { findRule, ruleIds } from '../../model/rules';
import { didYouMean } from '../../model/violations';

/**
 * What may go wrong with a program that is valid. Each warning is written to standard error once, at synth, with the path of its construct and an id.
 *
 * With `TRAINYARD_STRICT=1` warnings are errors. One that is known and accepted is acknowledged by its id.
 * @see docs/warnings.md
 */
export class Warnings {
  /** The warnings of a construct and everything below it. @param scope a construct, a chart, or the app */
  public static of(scope: IConstruct): Warnings {
    return new Warnings(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Accepts a finding: it is shown no more, here and by `trainyard validate`, which reads the annotation `ml.collabnix.io/acknowledged` that
   * the objects get.
   * @param id id of the finding, such as `image-tag`. Throws an error for an id that does not exist
   */
  public acknowledge(id: string): void {
    if (findRule(id) === undefined) {
      throw new Error(`Warnings of '${this.scope.node.path}': acknowledge: "${id}": is not the id of a finding.${didYouMean(id, ruleIds()) || ' See docs/warnings.md for all of them.'}`);
    }
    ProgramChecks.of(this.scope).acknowledge(this.scope, id);
  }

  /** Warnings that are not acknowledged, as they are written at synth. For tests. */
  public get list(): string[] {
    return ProgramChecks.of(this.scope).findings()
      .filter(({ construct, finding }) => finding.severity === 'warning' && construct.node.scopes.includes(this.scope))
      .map((warning) => `[${warning.construct.node.path}] ${lineOf(warning)}`);
  }
}
