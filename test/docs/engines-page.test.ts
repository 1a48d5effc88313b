import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { enginesPage } from '../../scripts/docs/engines-page';
import { engines } from '../../src/manifests/engines/registry';

const DOCS = path.join(__dirname, '..', '..', 'docs');

test('docs/engines/README.md is what the capabilities say (npm run docs writes it)', () => {
  expect(readFileSync(path.join(DOCS, 'engines', 'README.md'), 'utf8')).toBe(enginesPage());
});

test('docs/engines/README.md leads to a page of each engine', () => {
  const pages = [...enginesPage().matchAll(/\]\(([a-zA-Z0-9/.-]+\.md)\)/g)].map(([, page]) => page);
  expect(pages).toHaveLength(engines().length);
  expect(pages.filter((page) => !existsSync(path.join(DOCS, 'engines', page)))).toEqual([]);
});
