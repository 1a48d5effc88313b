/** The programs in turns, so that a slow minute meets all of them. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Kustomize } from './kustomize';
import type { OnceReport } from './programs/once';
import type { TurnsReport } from './programs/in-turns';
import type { SynthSize } from './programs/size';
import type { Elapsed } from './programs/stopwatch';
import type { SynthPlan } from './plan';
import { runProcess } from './run-process';
import { checkSameFiles, checkSameObjects } from './same-objects';

/** One process: from its start to its end, and what it tells of its parts. */
export interface ColdRun extends Elapsed, OnceReport {}

/** Processes of one size. */
export interface ColdResult {
  readonly size: SynthSize;
  readonly raw: readonly ColdRun[];
  readonly typed: readonly ColdRun[];
  /** Empty where it was not asked to run; undefined stands for a run that took too long. */
  readonly kustomize: readonly (Elapsed | undefined)[];
}

/** Turns of one size. */
export interface WarmResult extends TurnsReport {
  readonly size: SynthSize;
}

/** Measures and compares. */
export class SynthMeasurements {
  public readonly kustomize = new Kustomize();

  /** @param programs folder of the compiled programs */
  public constructor(private readonly programs: string, private readonly say: (line: string) => void) {}

  /** Programs of one size, each in a process of its own. @throws Error when they do not make the same objects */
  public cold({ size, turns, kustomizeTurns }: SynthPlan['cold'][number]): ColdResult {
    return withFolder((folder) => {
      const raw: ColdRun[] = [];
      const typed: ColdRun[] = [];
      const kustomize: (Elapsed | undefined)[] = [];
      const [rawFolder, typedFolder] = ['raw', 'typed'].map((name) => path.join(folder, name));
      for (let turn = 0; turn < turns; turn++) {
        raw.push(this.once('raw', size, rawFolder));
        typed.push(this.once('typed', size, typedFolder));
        if (turn === 0) {
          checkSameFiles(rawFolder, typedFolder);
        }
        if (turn < kustomizeTurns && this.kustomize.isThere) {
          kustomize.push(this.built(rawFolder, turn === 0));
        }
        this.say(`${size.jobs} jobs in ${size.charts} charts: raw ${Math.round(raw[turn].wallMs)} ms, typed ${Math.round(typed[turn].wallMs)} ms`
          + (turn < kustomize.length ? `, kustomize ${Math.round(kustomize[turn]?.wallMs ?? NaN)} ms` : ''));
      }
      return { size, raw, typed, kustomize };
    });
  }

  /** Programs of one size in one process. */
  public warm({ size, turns }: SynthPlan['warm'][number]): WarmResult {
    return withFolder((folder) => {
      const script = path.join(this.programs, 'in-turns.js');
      const { stdout } = finished(runProcess(process.execPath, ['--expose-gc', script, String(size.jobs), String(size.charts), String(turns), folder]));
      const report = JSON.parse(stdout) as TurnsReport;
      this.say(`${size.jobs} jobs, warm: ${report.raw.map((turn, index) => `${Math.round(turn.wallMs)} / ${Math.round(report.typed[index].wallMs)}`).join(', ')} ms`);
      return { size, ...report };
    });
  }

  private once(program: 'raw' | 'typed', size: SynthSize, outdir: string): ColdRun {
    const script = path.join(this.programs, 'once.js');
    const { wallMs, cpuMs, stdout } = finished(runProcess(process.execPath, [script, program, String(size.jobs), String(size.charts), outdir]));
    return { wallMs, cpuMs, ...JSON.parse(stdout) as OnceReport };
  }

  private built(folder: string, check: boolean): Elapsed | undefined {
    const run = this.kustomize.build(folder);
    if (run !== undefined && check) {
      checkSameObjects(folder, run.stdout);
    }
    return run && { wallMs: run.wallMs, cpuMs: run.cpuMs };
  }
}

/** A run without a limit. */
function finished<T>(run: T | undefined): T {
  if (run === undefined) {
    throw new Error('a run without a limit on its time has passed one');
  }
  return run;
}

function withFolder<T>(use: (folder: string) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-synth-bench-'));
  try {
    return use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
