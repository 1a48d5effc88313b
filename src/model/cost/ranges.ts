/** Amounts that are not one number: an elastic job, an autoscaled pool, a choice of machines. */

/** From the least to the most; both are the same where the amount is certain. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** A certain amount, or one between two. */
export function range(min: number, max = min): Range {
  return { min, max };
}

export const NONE: Range = range(0);

export function plus(one: Range, other: Range): Range {
  return { min: one.min + other.min, max: one.max + other.max };
}

/** So many times an amount; neither is negative. */
export function times(one: Range, other: Range | number): Range {
  const factor = typeof other === 'number' ? range(other) : other;
  return { min: one.min * factor.min, max: one.max * factor.max };
}

export function sum(ranges: readonly Range[]): Range {
  return ranges.reduce(plus, NONE);
}

/** One of several: from the least of all to the most of all. @param ranges at least one */
export function oneOf(ranges: readonly Range[]): Range {
  return { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) };
}

/** Whether there is only one number. */
export function isCertain({ min, max }: Range): boolean {
  return min === max;
}
