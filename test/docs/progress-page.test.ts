import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as contract from '../../src/model/progress/contract';

const ROOT = path.join(__dirname, '..', '..');
const read = (...file: string[]) => readFileSync(path.join(ROOT, ...file), 'utf8');
const page = read('docs', 'jobs', 'progress.md');

test.each([
  ['examples', 'quickstart', 'trainyard_progress.py'],
  ['examples', 'progress', 'trainyard-progress.mjs'],
])('the page links the helper %s/%s/%s', (...file) => {
  expect(page).toContain(`](../../${file.join('/')})`);
});

test('the page describes all that the package offers, and every callback', () => {
  const [, names] = /__all__ = \[([^\]]*)\]/.exec(read('python', 'trainyard-progress', 'src', 'trainyard_progress', '__init__.py'))!;
  const functions = [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name).filter((name) => name === 'TERMINATED' || !/^[A-Z_]+$/.test(name));
  expect(functions.length).toBeGreaterThan(10);
  expect(functions.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  const callbacks = readdirSync(path.join(ROOT, 'python', 'trainyard-progress', 'src', 'trainyard_progress')).filter((file) => /^[a-z]+\.py$/.test(file));
  expect(callbacks.filter((file) => !page.includes(`trainyard_progress.${file.replace('.py', '')}`))).toEqual([]);
});

test('the page names every variable that jobs cannot set, or the page on checkpoints does', () => {
  const pages = page + read('docs', 'jobs', 'checkpoints.md');
  expect(contract.PROGRESS_VARIABLES.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
});
