/** The three ways in which machine types have local SSDs, short enough to read in a table. */
import type { LocalSsd } from '../types';

/** None can be added. */
export const NO_SSD: LocalSsd = { mode: 'none' };

/** As many as these can be added. */
export function ssds(...allowedCounts: readonly number[]): LocalSsd {
  return { mode: 'optional', allowedCounts };
}

/** The machine comes with them. */
export function ownSsds(count: number): LocalSsd {
  return { mode: 'automatic', count };
}
