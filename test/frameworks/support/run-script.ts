/**
 * Runs one of the scripts in `test/frameworks/scripts` as a job of the local runner, and collects the lines of JSON that its replicas print.
 * Frameworks print lines of their own on stdout as well; those only end up in `output`.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runLocally } from '../../../src/local/runner/run-locally';
import type { RunReporter } from '../../../src/local/runner/run-reporter';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';

/** What a script prints about itself. Which of the fields there are is up to the script. */
export interface ScriptResult {
  /** Name of the replica's pod; added here. */
  readonly pod: string;
  readonly framework: string;
  readonly rank?: number;
  readonly world?: number;
  readonly sum?: number;
  readonly [field: string]: unknown;
}

/** A job that has ended. */
export interface ScriptRun {
  readonly status: TrainingJobStatus;
  /** By rank; results without one come first. */
  readonly results: readonly ScriptResult[];
  /** All lines, with the pod's name in front: for a failed test to show. */
  readonly output: string;
}

/** A job without its image, which nothing here pulls. */
export type ScriptJob = Omit<TrainingJobSpec, 'image'>;

/** Path of a script in `test/frameworks/scripts`. */
export function scriptFile(name: string): string {
  return path.join(__dirname, '..', 'scripts', name);
}

/** Runs a job to its end, in a folder of its own. */
export async function runScript(job: ScriptJob): Promise<ScriptRun> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-framework-'));
  const lines: { readonly pod: string; readonly text: string }[] = [];
  const note = (text: string) => void lines.push({ pod: 'runner', text });
  const reporter: RunReporter = {
    started: () => undefined,
    line: (replica, { text }) => void lines.push({ pod: replica.podName, text }),
    notice: note,
    warning: note,
    status: () => undefined,
  };
  try {
    const status = await runLocally({ name: 'job', spec: { image: 'none', ...job }, workingDir: folder, reporter });
    return { status, results: resultsOf(lines), output: lines.map(({ pod, text }) => `${pod}: ${text}`).join('\n') };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends the test with the job's whole output unless the job has completed. */
export function expectCompleted({ status, output }: ScriptRun): void {
  if (status.phase !== 'Completed') {
    throw new Error(`the job ended in phase ${status.phase}; ${JSON.stringify(status.lastFailure)}\n${output}`);
  }
}

/** Expects that each rank from 0 on has reported once, and that all of them know the sum 1 + 2 + … over all ranks. */
export function expectSumOfRanks(run: ScriptRun, world: number): void {
  expectCompleted(run);
  const ranks = run.results.filter(({ rank }) => rank !== undefined);
  expect(ranks.map(({ rank }) => rank)).toEqual(Array.from({ length: world }, (_, rank) => rank));
  expect(ranks.map((result) => result.world)).toEqual(ranks.map(() => world));
  expect(ranks.map(({ sum }) => sum)).toEqual(ranks.map(() => world * (world + 1) / 2));
}

function resultsOf(lines: readonly { readonly pod: string; readonly text: string }[]): ScriptResult[] {
  return lines
    .filter(({ text }) => text.startsWith('{"framework"'))
    .map(({ pod, text }) => ({ pod, ...JSON.parse(text) as Omit<ScriptResult, 'pod'> } as ScriptResult))
    .sort((one, other) => (one.rank ?? -1) - (other.rank ?? -1));
}
