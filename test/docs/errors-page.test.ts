import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './support/named-tests';
import { errorsPage } from '../../scripts/docs/errors-page';
import { FAULTS } from '../../src/cli/doctor/finding';

const page = errorsPage();

test('the page is current: npm run docs', () => {
  expect(readFileSync(path.join(ROOT, 'docs', 'errors.md'), 'utf8')).toBe(page);
});

test('it has every fault that doctor looks for', () => {
  expect(Object.values(FAULTS).flat().filter((id) => !page.includes(`<a id="doctor-${id}">`))).toEqual([]);
});

test('every name has what it says and a fix', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| <a id='));
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((line) => /\|\s*\|/.test(line))).toEqual([]);
});
