/**
 * Every TypeScript block of the README and of docs/ that uses constructs compiles and synthesizes, and so does every example of a docstring. A block
 * that makes an App is a whole program; any other is what stands in a chart. A YAML block right after a program is what the program writes; it may
 * leave out long texts, and says so.
 * `TRAINYARD_RECORD_DOCS=1` writes what the programs give into the pages.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asShown, CONSTRUCT_PAGES, EXAMPLES, runSnippet, SNIPPETS } from '../support/snippets';
import { typeErrors } from '../support/type-errors';

let outdir: string;
beforeEach(() => {
  outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-docs-'));
  process.env.CDK8S_OUTDIR = outdir;
});
afterEach(() => {
  delete process.env.CDK8S_OUTDIR;
  rmSync(outdir, { recursive: true });
});

test('there are snippets in the README and on the page of each construct', () => {
  const files = SNIPPETS.map(({ where }) => where.split(',')[0]);
  expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/jobs/training-job.md', 'docs/operator/README.md']));
});

test('each construct has an example', () => {
  expect(CONSTRUCT_PAGES.length).toBeGreaterThan(60);
  expect(EXAMPLES.map(({ where }) => where.split(',')[0])).toEqual(CONSTRUCT_PAGES);
});

test.each([...SNIPPETS, ...EXAMPLES])('$where synthesizes', ({ where, program, yaml }) => {
  runSnippet(program);
  const files = readdirSync(outdir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const written = files.sort().map((file) => readFileSync(file, 'utf8'));
  expect(written).not.toEqual([]);
  if (yaml !== undefined) {
    const shown = asShown(written.join('---\n'), yaml);
    if (process.env.TRAINYARD_RECORD_DOCS) {
      const page = path.join(__dirname, '../..', where.split(',')[0]);
      writeFileSync(page, readFileSync(page, 'utf8').replace(yaml, () => shown));
    } else {
      expect(shown).toBe(yaml);
    }
  }
});

test('all of them have the right types', () => {
  expect(typeErrors([...SNIPPETS, ...EXAMPLES])).toEqual([]);
});
