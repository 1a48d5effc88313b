/** The choices that the properties of a pool or class describe, as constructs show them. */
import type { GpuNodePoolProps } from './pool-props';
import { toPreferences } from './to-spec';
import { errorsOf, warningsOf, type Finding } from '../../../model/findings';
import { POOL_RULES } from '../../../model/node-pools/rules/rule-list';
import { SOURCES } from '../../../model/accelerators/sources';
import { checkPreferences, describeChoice, expandPreferences, type PoolChoice, type PoolChoices } from '../../../model/node-pools/preferences';
import type { NodePoolSpec } from '../../../model/node-pools/spec';
import { formatViolation } from '../../../model/violations';

/** Choices of a construct's properties, with their findings. */
export class PoolProgram {
  /** Labels that were added after construction. */
  private readonly added: { [label: string]: string } = {};

  /**
   * @param props properties as given
   * @param name name of the pool, or of the class
   */
  public constructor(private readonly props: GpuNodePoolProps, private readonly name: string) {}

  public addLabel(label: string, value: string): void {
    this.added[label] = value;
  }

  /** The choices, with the added labels. */
  public get expanded(): PoolChoices {
    const { choices, leftOut } = expandPreferences(toPreferences(this.props, this.name));
    return { choices: choices.map((choice) => this.withAdded(choice)), leftOut };
  }

  /** The pools of the choices. */
  public get pools(): NodePoolSpec[] {
    return this.expanded.choices.map(({ pool }) => pool);
  }

  /** Errors and warnings about the choices. @param gapsOf returns fields that the target does not support */
  public findings(gapsOf: (pool: NodePoolSpec) => Finding[]): Finding[] {
    const { accelerator, anyOf } = this.props;
    if ((accelerator === undefined) === (anyOf === undefined)) {
      const { id, source } = POOL_RULES.oneAccelerator;
      const message = accelerator === undefined ? 'is required, or anyOf. Set an accelerator.' : 'cannot be combined with anyOf. Remove one of the two.';
      return [{ severity: 'error', rule: id, source: SOURCES[source], path: 'pool.accelerator', value: accelerator?.type, message }];
    }
    const gaps = this.pools.flatMap((pool) => gapsOf(pool));
    const unique = gaps.filter(({ path, message }, index) => gaps.findIndex((other) => other.path === path && other.message === message) === index);
    return [...checkPreferences(toPreferences(this.props, this.name)), ...unique];
  }

  private withAdded(choice: PoolChoice): PoolChoice {
    const { pool } = choice;
    return Object.keys(this.added).length === 0 ? choice : { ...choice, pool: { ...pool, labels: { ...pool.labels, ...this.added } } };
  }
}

/** Lines of errors, as synth reports them. */
export function errorLines(kind: string, name: string, findings: readonly Finding[]): string[] {
  return errorsOf(findings).map((finding) => `${kind} '${name}': ${formatViolation(finding)} (${finding.source})`);
}

/** Lines of warnings. */
export function warningLines(findings: readonly Finding[]): string[] {
  return warningsOf(findings).map(formatViolation);
}

/** Choices in words, in their order. */
export function choiceLines(choices: readonly PoolChoice[]): string[] {
  return choices.map(describeChoice);
}
