/**
 * One program in a process of its own:
 *
 *     node once.js raw|typed JOBS CHARTS OUTDIR
 *
 * Prints what its imports and its synth took; whoever started the process measures the whole.
 */
import type { SynthProgram } from './size';
import { stopwatch, type Elapsed } from './stopwatch';

/** What a process tells of itself. */
export interface OnceReport {
  readonly imports: Elapsed;
  readonly synth: Elapsed;
}

async function main([program, jobs, charts, outdir]: readonly string[]): Promise<void> {
  const importing = stopwatch();
  const { synth } = await (program === 'typed' ? import('./typed') : import('./raw')) as { readonly synth: SynthProgram };
  const imports = importing();
  const synthesizing = stopwatch();
  synth({ jobs: Number(jobs), charts: Number(charts) }, outdir);
  process.stdout.write(JSON.stringify({ imports, synth: synthesizing() } satisfies OnceReport));
}

void main(process.argv.slice(2));
