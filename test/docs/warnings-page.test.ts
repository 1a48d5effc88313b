import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { warningsPage } from '../../scripts/docs/warnings-page';
import { CHECK_RULES } from '../../src/model/checks/rule-list';
import { findRule, ruleIds } from '../../src/model/rules';

const root = path.join(__dirname, '..', '..');
const page = warningsPage();

test('the page is current: npm run docs', () => {
  expect(readFileSync(path.join(root, 'docs', 'warnings.md'), 'utf8')).toBe(page);
});

test('each id has what it reports', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| <a id='));
  expect(rows).toHaveLength(ruleIds().length);
  expect(rows.filter((line) => !/ \| (warning|error)\b.*\w{3}.* \|$/.test(line))).toEqual([]);
});

test('each id stands for one rule', () => {
  expect(new Set(ruleIds()).size).toBe(ruleIds().length);
  ruleIds().forEach((id) => expect(findRule(id)?.id).toBe(id));
});

test('each rule on jobs, pods and objects is broken by a program of the table of mistakes', () => {
  const table = readFileSync(path.join(root, 'test', 'manifests', 'checks', 'mistakes.test.ts'), 'utf8');
  // Found by other tests: constructs of one name, and platforms.
  const elsewhere = [CHECK_RULES.duplicate.id, CHECK_RULES.untested.id];
  expect(Object.values(CHECK_RULES).map(({ id }) => id).filter((id) => !elsewhere.includes(id as never) && !table.includes(`'${id}'`))).toEqual([]);
});

test('no rule of that list is without a finding', () => {
  const folder = path.join(root, 'src', 'model', 'checks');
  const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const others = ['manifests/checks/place-checks.ts', 'constructs/checks/program-checks.ts', 'constructs/platform/kubeflow-platform.ts'];
  const text = [...files, ...others.map((name) => readFileSync(path.join(root, 'src', name), 'utf8'))].join('\n');
  expect(Object.keys(CHECK_RULES).filter((name) => !text.includes(`CHECK_RULES.${name}`))).toEqual([]);
});
