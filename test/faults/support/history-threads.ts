/** Runs histories on all cores. Threads run the sources bundled by esbuild, because what transforms sources for jest is not in them. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import type { Portion, PortionResult } from './history-worker';
import { mergeSummaries, type HistoriesSummary } from '../../operator/training/plan/simulation/history';

/** Histories that a thread is given at a time: few enough that all threads end together. */
const PORTION = 250;

/** See the top of this file. */
export class HistoryThreads {
  /** Starts a thread for each core. */
  public static start(): HistoryThreads {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-histories-'));
    const outfile = path.join(folder, 'history-worker.js');
    buildSync({
      entryPoints: [path.join(__dirname, 'history-worker.ts')], bundle: true, platform: 'node', format: 'cjs', target: 'node20', outfile, sourcemap: 'inline', logLevel: 'error',
    });
    return new HistoryThreads(folder, Array.from({ length: os.availableParallelism() }, () => new Worker(outfile, { execArgv: ['--enable-source-maps'] })));
  }

  private constructor(private readonly folder: string, private readonly workers: readonly Worker[]) {}

  /** How many histories run at the same time. */
  public get size(): number {
    return this.workers.length;
  }

  /** Runs the histories of `count` seeds. @throws Error with the explained failure of the first that breaks an invariant */
  public async run(firstSeed: number, count: number, operator?: Portion['operator']): Promise<HistoriesSummary> {
    const end = firstSeed + count;
    const summaries: HistoriesSummary[] = [];
    let next = firstSeed;
    await Promise.all(this.workers.map(async (worker) => {
      while (next < end) {
        const seed = next;
        next += PORTION;
        const result = await ask(worker, { firstSeed: seed, count: Math.min(PORTION, end - seed), operator });
        if ('failure' in result) {
          next = end;
          throw new Error(result.failure);
        }
        summaries.push(result.summary);
      }
    }));
    return mergeSummaries(summaries);
  }

  /** Ends all threads. */
  public async stop(): Promise<void> {
    await Promise.all(this.workers.map(async (worker) => worker.terminate()));
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

async function ask(worker: Worker, portion: Portion): Promise<PortionResult> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      worker.removeAllListeners();
      finish();
    };
    worker.once('message', (result: PortionResult) => settle(() => resolve(result)));
    worker.once('error', (error) => settle(() => reject(error)));
    worker.once('exit', (code) => settle(() => reject(new Error(`the thread with seed ${portion.firstSeed} ended with code ${code}`))));
    worker.postMessage(portion);
  });
}
