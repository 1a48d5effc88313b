/** Body of a worker thread: runs portions of histories until there are no more. */
import { parentPort } from 'node:worker_threads';
import { runHistories, type HistoriesSummary } from '../../operator/training/plan/simulation/history';
import type { HistoryOptions } from '../../operator/training/plan/simulation/world';

/** Histories of consecutive seeds. */
export interface Portion {
  readonly firstSeed: number;
  readonly count: number;
  readonly operator?: Extract<HistoryOptions['operator'], string>;
}

/** What became of a portion: numbers, or the text of the first failure. */
export type PortionResult = { readonly summary: HistoriesSummary } | { readonly failure: string };

// Refusals are thrown by the million and caught at once; a failure tells its history, which says more than a stack.
Error.stackTraceLimit = 0;

parentPort?.on('message', ({ firstSeed, count, operator }: Portion) => {
  void runHistories(firstSeed, count, { operator }).then(
    (summary): PortionResult => ({ summary }),
    (error: unknown): PortionResult => ({ failure: (error as Error).message }),
  ).then((result) => parentPort!.postMessage(result));
});
