/** Every link of every page leads to a file that is there, and to a section that it has. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { anchorsOf, linksOf } from './support/links';
import { ROOT } from './support/named-tests';

/** All pages that are, or are about to be, in the repository. */
const PAGES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n').filter((page) => page !== '' && existsSync(path.join(ROOT, page)));

const links = PAGES.flatMap((page) => linksOf(readFileSync(path.join(ROOT, page), 'utf8'), page).map((link) => ({ page, ...link })));

test('the pages are found, and have links', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/README.md', 'docs/performance.md']));
  expect(links.length).toBeGreaterThan(1_000);
  expect(links.filter(({ anchor }) => anchor !== '').length).toBeGreaterThan(200);
});

test('every file is there', () => {
  expect(links.filter(({ file }) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});

test('every section is there', () => {
  const anchors = new Map<string, readonly string[]>();
  const has = (file: string, anchor: string) => {
    anchors.set(file, anchors.get(file) ?? anchorsOf(file));
    return anchors.get(file)!.includes(anchor);
  };
  const sections = links.filter(({ file, anchor }) => anchor !== '' && file.endsWith('.md') && existsSync(path.join(ROOT, file)));
  expect(sections.filter(({ file, anchor }) => !has(file, anchor))).toEqual([]);
});

test('the README leads to the commands, the engines and how to come from other controllers', () => {
  const targets = links.filter(({ page }) => page === 'README.md').map(({ file }) => file);
  expect(targets).toEqual(expect.arrayContaining(['docs/cli/README.md', 'docs/engines/README.md', 'docs/migrate.md']));
});
