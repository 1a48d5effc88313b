/** Values of charts over values of charts, as Helm merges files of values. */
import type { ChartValues } from '../../model/catalogue/types';

const isMap = (value: unknown): value is ChartValues => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maps are merged, everything else is replaced by what comes later. `undefined` says nothing. Keys keep the order in which they came first. */
export function mergeValues(...layers: readonly (ChartValues | undefined)[]): ChartValues {
  const merged = new Map<string, unknown>();
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      const before = merged.get(key);
      if (value !== undefined) {
        merged.set(key, isMap(before) && isMap(value) ? mergeValues(before, value) : value);
      }
    }
  }
  return Object.fromEntries(merged);
}
