import { readFileSync } from 'node:fs';
import path from 'node:path';
import { frameworksPage } from '../../scripts/docs/frameworks-page';
import { FRAMEWORK_NAMES } from '../../src/model/training-job/spec';

const ROOT = path.join(__dirname, '..', '..');

test('docs/jobs/frameworks.md is what the contracts say (npm run docs writes it)', () => {
  expect(readFileSync(path.join(ROOT, 'docs', 'jobs', 'frameworks.md'), 'utf8')).toBe(frameworksPage());
});

test('docs/jobs/frameworks.md has a section for each framework', () => {
  const page = frameworksPage();
  expect(FRAMEWORK_NAMES.filter((name) => !page.includes(`\`framework: ${name}\``))).toEqual([]);
});
