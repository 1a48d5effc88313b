/**
 * Every TypeScript block of the README and of docs/ that uses constructs compiles and synthesizes. A block that makes an App is a whole program;
 * any other is what stands in a chart. A YAML block right after a program is what the program writes; it may leave out long texts, and says so.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as ts from 'typescript';
import { asShown, ROOT, runSnippet, SNIPPETS } from '../support/snippets';

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
  expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/training-job.md', 'docs/training-operator.md']));
});

test.each(SNIPPETS)('$where synthesizes', ({ program, yaml }) => {
  runSnippet(program);
  const written = readdirSync(outdir).sort().map((file) => readFileSync(path.join(outdir, file), 'utf8'));
  expect(written).not.toEqual([]);
  if (yaml !== undefined) {
    expect(asShown(written.join('---\n'), yaml)).toBe(yaml);
  }
});

test('all of them have the right types', () => {
  const files = SNIPPETS.map(({ program }, index) => {
    const file = path.join(outdir, `snippet-${index}.ts`);
    writeFileSync(file, program);
    return file;
  });
  const { options } = ts.convertCompilerOptionsFromJson({
    target: 'es2022', module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true, skipLibCheck: true, types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules', '@types')],
    paths: {
      'trainyard': [path.join(ROOT, 'src', 'index.ts')],
      'cdk8s': [path.join(ROOT, 'node_modules', 'cdk8s')],
      'cdk8s-plus-28': [path.join(ROOT, 'node_modules', 'cdk8s-plus-28')],
      'constructs': [path.join(ROOT, 'node_modules', 'constructs')],
    },
  }, ROOT);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram(files, options));
  expect(diagnostics.map((diagnostic) => {
    const index = files.indexOf(diagnostic.file?.fileName ?? '');
    return `${SNIPPETS[index]?.where ?? diagnostic.file?.fileName}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
  })).toEqual([]);
});
