/**
 * Both programs in one process, in turns, after both have run until their code is compiled:
 *
 *     node --expose-gc in-turns.js JOBS CHARTS TURNS OUTDIR
 *
 * Prints the time of each turn. Garbage is collected before a turn, so that none pays for the other's.
 */
import { synth as synthRaw } from './raw';
import type { SynthProgram } from './size';
import { stopwatch, type Elapsed } from './stopwatch';
import { synth as synthTyped } from './typed';

/** What the process tells. */
export interface TurnsReport {
  readonly raw: readonly Elapsed[];
  readonly typed: readonly Elapsed[];
}

/** Jobs that each program makes before it is measured. */
const WARM_UP_JOBS = 3_000;

function main([jobs, charts, turns, outdir]: readonly string[]): void {
  const size = { jobs: Number(jobs), charts: Number(charts) };
  for (let done = 0; done < WARM_UP_JOBS; done += size.jobs) {
    synthRaw(size, outdir);
    synthTyped(size, outdir);
  }
  const raw: Elapsed[] = [];
  const typed: Elapsed[] = [];
  for (let turn = 0; turn < Number(turns); turn++) {
    raw.push(timed(synthRaw));
    typed.push(timed(synthTyped));
  }
  process.stdout.write(JSON.stringify({ raw, typed } satisfies TurnsReport));

  function timed(synth: SynthProgram): Elapsed {
    globalThis.gc?.();
    const elapsed = stopwatch();
    synth(size, outdir);
    return elapsed();
  }
}

main(process.argv.slice(2));
