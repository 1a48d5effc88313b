/** Numbers about numbers. */

/** The value that half of the values do not exceed; of an even count the middle between two. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The least value that `share` of the values (0 to 1) do not exceed, one of the values itself. NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  return ascending(values)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? NaN;
}

/** A number with as many decimals as are worth telling: three digits or so. */
export function rounded(value: number): number {
  const decimals = Math.abs(value) < 1 ? 3 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return Number(value.toFixed(decimals));
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((one, other) => one - other);
}
