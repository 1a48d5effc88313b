import type { IConstruct } from 'constructs';
import { ProgramChecks, lineOf } from './program-checks';
import { findRule, ruleIds } from '../../model/rules';
import { didYouMean } from '../../model/violations';

/**
 * Warnings about valid programs that may fail at run time. At synth, each is written to standard error once, with the path of its construct and an
 * id.
 *
 * With `TRAINYARD_STRICT=1`, warnings are errors. To accept a warning, acknowledge its id.
 * @see docs/warnings.md
 */
export class Warnings {
  /** The warnings of a construct and everything below it. @param scope a construct, a chart, or the app */
  public static of(scope: IConstruct): Warnings {
    return new Warnings(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Accepts a finding: it is no longer shown, neither here nor by `trainyard validate`, because the objects get the annotation
   * `ml.collabnix.io/acknowledged`.
   * @param id id of the finding, such as `image-tag`. An unknown id is an error
   */
  public acknowledge(id: string): void {
    if (findRule(id) === undefined) {
      throw new Error(`Warnings of '${this.scope.node.path}': acknowledge: "${id}": is not the id of a finding.${didYouMean(id, ruleIds()) || ' See docs/warnings.md for all of them.'}`);
    }
    ProgramChecks.of(this.scope).acknowledge(this.scope, id);
  }

  /** Warnings that are not acknowledged, as synth writes them. For tests. */
  public get list(): string[] {
    return ProgramChecks.of(this.scope).findings()
      .filter(({ construct, finding }) => finding.severity === 'warning' && construct.node.scopes.includes(this.scope))
      .map((warning) => `[${warning.construct.node.path}] ${lineOf(warning)}`);
  }
}
