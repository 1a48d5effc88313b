/** The table of attacks, against the tests that there are. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isThere, namedTests, ROOT } from './support/named-tests';

const PAGE = readFileSync(path.join(ROOT, 'docs', 'testing.md'), 'utf8');
const SECTION = PAGE.slice(PAGE.indexOf('### Attacks'));
const ROWS = SECTION.split('\n').filter((line) => line.startsWith('| ')).slice(1).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));

test('what was found has an attack on the running operator, unless it is of a tool, and a test of its own', () => {
  expect(ROWS.length).toBeGreaterThan(15);
  const lacking = ROWS.filter(([, attack, others]) => (attack !== 'a tool' && namedTests(attack).length === 0) || namedTests(others).length === 0);
  expect(lacking.map(([what]) => what)).toEqual([]);
  const elsewhere = ROWS.flatMap(([, attack]) => namedTests(attack)).filter(({ file }) => !/^test\/(attacks|faults)\//.test(file));
  expect(elsewhere).toEqual([]);
});

test('every test that is named is there', () => {
  const named = namedTests(SECTION);
  expect(named.filter((test) => !isThere(test))).toEqual([]);
  // Nothing escapes by being written otherwise.
  expect(named).toHaveLength(SECTION.split('.test.ts` *').length - 1);
});

test('every file of attacks is named, here or among the behaviours', () => {
  const files = readdirSync(path.join(ROOT, 'test', 'attacks')).filter((file) => file.endsWith('.test.ts')).map((file) => `test/attacks/${file}`);
  const behaviours = readFileSync(path.join(ROOT, 'docs', 'behaviours.md'), 'utf8');
  const named = new Set([...namedTests(SECTION), ...namedTests(behaviours)].map(({ file }) => file));
  expect(files.filter((file) => !named.has(file))).toEqual([]);
});
