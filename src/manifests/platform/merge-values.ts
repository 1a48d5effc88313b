/** Values of charts over values of charts, as Helm merges files of values. */
import type { ChartValues } from '../../model/catalogue/types';
import { isRecord } from '../../model/json-parts';

/** Maps are merged, everything else is replaced by what comes later. `undefined` says nothing. Keys keep the order in which they came first. */
export function mergeValues(...layers: readonly (ChartValues | undefined)[]): ChartValues {
  const merged = new Map<string, unknown>();
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      const before = merged.get(key);
      if (value !== undefined) {
        merged.set(key, isRecord(before) && isRecord(value) ? mergeValues(before, value) : value);
      }
    }
  }
  return Object.fromEntries(merged);
}
