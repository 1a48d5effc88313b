import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as contract from '../../src/model/progress/contract';

const read = (...file: string[]) => readFileSync(path.join(__dirname, '..', '..', ...file), 'utf8');
const page = read('docs', 'progress.md');

test.each([
  ['python', ['examples', 'quickstart', 'trainyard_progress.py']],
  ['js', ['examples', 'progress', 'trainyard-progress.mjs']],
])('the page shows the helper in %s as it is', (language, file) => {
  expect(page).toContain(`\`\`\`${language}\n${read(...file)}\`\`\``);
});

test('the page names every variable that jobs cannot set, or the page on checkpoints does', () => {
  const pages = page + read('docs', 'checkpoints.md');
  expect(contract.PROGRESS_VARIABLES.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
});
