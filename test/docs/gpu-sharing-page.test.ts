import { readFileSync } from 'node:fs';
import path from 'node:path';
import { GPU_OPERATOR_RULES } from '../../src/model/gpu-operator/rules';

const page = readFileSync(path.join(__dirname, '..', '..', 'docs', 'platform', 'gpu-sharing.md'), 'utf8');

test.each(Object.values(GPU_OPERATOR_RULES))('the page has the rule $id, with its source', ({ id, says, source }) => {
  expect(page).toContain(`| \`${id}\` | ${says} | ${source} |`);
});

test('the page has no rule that does not exist', () => {
  const ids = [...page.matchAll(/^\| `([a-z-]+)` \| /gm)].map(([, id]) => id);
  expect(ids).toEqual(Object.values(GPU_OPERATOR_RULES).map(({ id }) => id));
});
