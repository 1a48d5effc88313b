/**
 * Steps lost per kill: a training process that saves a checkpoint at intervals is killed with SIGKILL at random moments, is started again by the
 * local runner (the same planner as the operator's), and goes on from its checkpoint. What it has to do again is what the kill has cost.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { percentile, rounded } from './statistics';
import type { PodLine } from '../../src/local/process/pod-process';
import { runLocally } from '../../src/local/runner/run-locally';
import type { RunReporter } from '../../src/local/runner/run-reporter';
import type { Replica } from '../../src/model/frameworks/contract';

/** Steps between two checkpoints. */
const INTERVAL = 50;

/** Milliseconds of a step. */
const STEP_MS = 5;

/** A life lasts between these, milliseconds: several checkpoints, and any moment between two of them. */
const LIFE_MS = { shortest: 300, longest: 1_300 };

/** Saves `step` every {@link INTERVAL} steps, and remembers outside of the checkpoint how far it really came. */
const TRAINER = `
  const fs = require('fs');
  const folder = process.env.CHECKPOINT_PATH;
  fs.mkdirSync(folder, { recursive: true });
  const read = (file) => { try { return Number(fs.readFileSync(folder + '/' + file, 'utf8')); } catch { return 0; } };
  const write = (file, step) => { fs.writeFileSync(folder + '/new-' + file, String(step)); fs.renameSync(folder + '/new-' + file, folder + '/' + file); };
  let step = read('checkpoint');
  console.log(JSON.stringify({ pid: process.pid, folder, reached: read('reached'), resumed: step }));
  setInterval(() => {
    step++;
    write('reached', step);
    if (step % ${INTERVAL} === 0) { write('checkpoint', step); }
    if (fs.existsSync(folder + '/enough')) { process.exit(0); }
  }, ${STEP_MS});
`;

/** Steps that kills have cost. */
export interface StepsLost {
  readonly kills: number;
  /** Steps between two checkpoints: more than that can never be lost. */
  readonly interval: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** Seconds from the kill to the first line of the next process. */
  readonly restartP50: number;
  readonly restartP99: number;
}

/** Kills a training process again and again. */
export async function measureStepsLost(kills: number): Promise<StepsLost> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-steps-'));
  const lost: number[] = [];
  const restarts: number[] = [];
  let killedAt: number | undefined;
  const reporter = new LineReporter((text) => {
    // The local runner puts another folder in the place of a path that this machine does not have.
    const { pid, folder: checkpoints, reached, resumed } = JSON.parse(text) as { pid: number; folder: string; reached: number; resumed: number };
    if (killedAt !== undefined) {
      lost.push(reached - resumed);
      restarts.push((performance.now() - killedAt) / 1000);
    }
    if (lost.length >= kills) {
      fs.writeFileSync(path.join(checkpoints, 'enough'), '');
      return;
    }
    setTimeout(() => {
      killedAt = performance.now();
      process.kill(pid, 'SIGKILL');
    }, LIFE_MS.shortest + Math.random() * (LIFE_MS.longest - LIFE_MS.shortest));
  });
  try {
    const status = await runLocally({
      name: 'steps',
      workingDir: folder,
      reporter,
      spec: {
        framework: 'plain', image: 'image', replicas: 1, command: [process.execPath, '-e', TRAINER], checkpointPath: '/checkpoints',
        runPolicy: { restartPolicy: 'OnFailure', backoffLimit: kills, backoff: { initialSeconds: 0, maxSeconds: 0 } },
      },
    });
    if (status.phase !== 'Completed') {
      throw new Error(`the job whose process was killed ${lost.length} times has ended as ${status.phase}: ${JSON.stringify(status.lastFailure)}`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return {
    kills: lost.length,
    interval: INTERVAL,
    mean: rounded(lost.reduce((sum, steps) => sum + steps, 0) / lost.length),
    p50: percentile(lost, 0.5),
    p99: percentile(lost, 0.99),
    most: Math.max(...lost),
    restartP50: rounded(percentile(restarts, 0.5)),
    restartP99: rounded(percentile(restarts, 0.99)),
  };
}

/** Takes lines and nothing else. */
class LineReporter implements RunReporter {
  public constructor(private readonly onLine: (text: string) => void) {}

  public line(_replica: Replica, line: PodLine): void {
    if (line.text.startsWith('{')) {
      this.onLine(line.text);
    }
  }

  public started(): void { /* known */ }
  public notice(): void { /* restarts are seen by their lines */ }
  public warning(): void { /* nothing here is as in a cluster */ }
  public status(): void { /* asked for at the end */ }
}
