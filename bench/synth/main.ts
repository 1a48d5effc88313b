/**
 * Speed of synthesis: training jobs with all checks against the same objects written without types, and against `kubectl kustomize`.
 *
 *     npm run bench:synth                   all of it, some minutes, and writes the tables of docs/performance.md
 *     npm run bench:synth -- --quick        half a minute, to see that it works; docs/performance.md stays as it is
 *     npm run bench:synth -- --json FILE    results as JSON [default: synth-bench-results.json in the system's folder for temporary files]
 *
 * Run it on a machine that does nothing else. The programs take turns, so that a slow minute meets all of them.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compilePrograms } from './compile';
import { renderResults, verdict, type SynthResults } from './markdown';
import { SynthMeasurements } from './measure';
import { FULL, QUICK } from './plan';
import { writeBetween, type Marks } from '../page';
import { thisMachine } from '../scale/results';

const ROOT = path.resolve(__dirname, '..', '..');
const PAGE = path.join(ROOT, 'docs', 'performance.md');
const MARKS: Marks = ['<!-- synth-bench:begin -->', '<!-- synth-bench:end -->'];

function say(line: string): void {
  process.stdout.write(`load ${os.loadavg()[0].toFixed(1)}  ${line}\n`);
}

async function measure(quick: boolean): Promise<SynthResults> {
  const before = os.loadavg()[0];
  const plan = quick ? QUICK : FULL;
  const measurements = new SynthMeasurements(await compilePrograms(), say);
  const warm = plan.warm.map((part) => measurements.warm(part));
  const cold = plan.cold.map((part) => measurements.cold(part));
  const { version: cdk8s } = JSON.parse(fs.readFileSync(path.join(ROOT, 'node_modules', 'cdk8s', 'package.json'), 'utf8')) as { version: string };
  return {
    date: new Date().toISOString().slice(0, 10), machine: thisMachine(), load: { before, after: os.loadavg()[0] }, quick,
    cdk8s, kustomize: measurements.kustomize.title, cold, warm,
  };
}

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: path.join(os.tmpdir(), 'synth-bench-results.json') },
  },
});

async function main(): Promise<void> {
  const results = await measure(options.quick);
  fs.writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  say(`wrote ${options.json}`);
  const text = `${renderResults(results)}\n\n${verdict(results)}.`;
  process.stdout.write(`\n${text}\n`);
  if (!options.quick) {
    writeBetween(PAGE, MARKS, text);
    say(`wrote ${PAGE}`);
  }
}

void main();
