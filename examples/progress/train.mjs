/** Fits a line through noisy points by gradient descent, slowly enough to be watched, and to be killed and resumed. */
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as progress from './trainyard-progress.mjs';

const STEPS = Number(process.env.STEPS ?? 100);
const EVERY = Number(process.env.CHECKPOINT_EVERY ?? 10);
const FOLDER = process.env.CHECKPOINT_PATH;

const points = Array.from({ length: 200 }, (_, index) => ({ x: index / 200, y: 3 * index / 200 + 1 + Math.sin(index * 12.9898) / 20 }));

function save(step, weights) {
  mkdirSync(FOLDER, { recursive: true });
  const file = path.join(FOLDER, `step-${String(step).padStart(8, '0')}.json`);
  writeFileSync(`${file}.draft`, JSON.stringify({ step, weights }));
  renameSync(`${file}.draft`, file);
  return file;
}

function checkpoints() {
  return readdirSync(FOLDER).filter((name) => /^step-\d+\.json$/.test(name)).sort().map((name) => path.join(FOLDER, name));
}

const stop = progress.stopSignal();
const from = process.env.RESUME_FROM;
let { step, weights: [slope, offset] } = from ? JSON.parse(readFileSync(from, 'utf8')) : { step: 0, weights: [0, 0] };
console.log(from ? `resumed from step ${step}` : 'started');

while (step < STEPS) {
  const errors = points.map(({ x, y }) => slope * x + offset - y);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  slope -= 0.9 * mean(errors.map((error, index) => error * points[index].x));
  offset -= 0.9 * mean(errors);
  step++;
  await pause(50);
  const loss = mean(errors.map((error) => error ** 2)).toFixed(6);
  await progress.report({ percent: 100 * step / STEPS, metrics: { loss }, force: step === STEPS });
  if (FOLDER && (step % EVERY === 0 || step === STEPS || stop.requested)) {
    const file = save(step, [slope, offset]);
    // Only when it is remembered may older ones go.
    if (await progress.checkpoint(file, step)) {
      progress.prune(checkpoints());
    }
  }
  if (stop.requested && step < STEPS) {
    console.log(`told to stop: saved at step ${step}`);
    process.exit(progress.TERMINATED);
  }
}
console.log(`y = ${slope.toFixed(2)} x + ${offset.toFixed(2)}`);
