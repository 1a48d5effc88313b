/** The diagrams of docs/concepts.md: every name in them is one of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './support/named-tests';
import { reasonEntry } from '../../src/model/training-job/status/reasons';
import type { Phase } from '../../src/model/training-job/status/status';

const PHASES: { readonly [phase in Phase]: true } = {
  Pending: true, Running: true, Restarting: true, Suspended: true, Completed: true, Failed: true,
};

const page = readFileSync(path.join(ROOT, 'docs', 'concepts.md'), 'utf8');
const [layers, life, failure] = [...page.matchAll(/^```mermaid\n([\s\S]*?)^```/gm)].map(([, code]) => code);

/** Sources of a folder of `src`. */
function sources(layer: string): string {
  const folder = path.join(ROOT, 'src', layer);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
}

test('each layer is a folder, and uses the one that its arrow leads to', () => {
  const arrows = [...layers.matchAll(/^ {2}(\w+)\[src\/(\w+): [^\]]*\] --> (\w+)$/gm)];
  expect(arrows.length).toBeGreaterThanOrEqual(7);
  for (const [, name, folder, used] of arrows) {
    expect(folder).toBe(name);
    expect(sources(folder)).toMatch(new RegExp(`from '(\\.\\./)+${used}/`));
  }
});

test('the life of a job has all phases, and reasons of the operator', () => {
  const arrows = [...life.matchAll(/^ {2}(\S+) --> (\S+)(?: : (\w+))?$/gm)];
  expect(new Set(arrows.flatMap(([, from, to]) => [from, to]))).toEqual(new Set([...Object.keys(PHASES), '[*]']));
  expect(arrows.flatMap(([, , , reason]) => reason ?? []).filter((reason) => reasonEntry(reason) === undefined)).toEqual([]);
});

test('the life of a failure has reasons of the operator', () => {
  const reasons = [...failure.matchAll(/\[([A-Z]\w+): /g)].map(([, reason]) => reason);
  expect(reasons.length).toBeGreaterThanOrEqual(5);
  expect(reasons.filter((reason) => reasonEntry(reason) === undefined)).toEqual([]);
});
