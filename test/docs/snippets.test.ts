/**
 * Every TypeScript block of the README and of docs/ that uses constructs compiles and synthesizes. A block that makes an App is a whole program;
 * any other is what stands in a chart. A YAML block right after a program is what the program writes.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';
import * as cdk8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import * as ts from 'typescript';
import * as trainyard from '../../src';

const ROOT = path.join(__dirname, '..', '..');

interface Snippet {
  readonly where: string;
  readonly program: string;
  readonly yaml?: string;
}

function snippetsOf(file: string): Snippet[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const blocks = [...text.matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```\n(?:\s*^```yaml\n([\s\S]*?)^```)?/gm)];
  // Pages about the inside of the repository show other code.
  return blocks.filter(([, code]) => /\bnew App\(|\(chart, /.test(code))
    .map(([, code, yaml], index) => ({ where: `${file}, block ${index + 1}`, program: asProgram(code), yaml }));
}

/** A fragment gets the chart that it stands in, and imports of the names that it uses. */
function asProgram(code: string): string {
  if (code.includes('new App(')) {
    return code;
  }
  const body = `const app = new App();\nconst chart = new Chart(app, 'docs');\n${code}\napp.synth();\n`;
  const imports = Object.entries({ 'trainyard': trainyard, 'cdk8s': cdk8s, 'cdk8s-plus-28': kplus }).map(([name, exports]) => {
    const used = Object.keys(exports).filter((symbol) => new RegExp(`\\b${symbol}\\b(?!:)`).test(body));
    return { name, used };
  });
  // A name that two packages have is ours.
  const seen = new Set<string>();
  const lines = imports.map(({ name, used }) => {
    const names = used.filter((symbol) => !seen.has(symbol) && seen.add(symbol));
    return names.length > 0 ? `import { ${names.join(', ')} } from '${name}';\n` : '';
  });
  return lines.join('') + body;
}

const FILES = ['README.md', ...['docs', 'docs/engines'].flatMap((folder) => (
  readdirSync(path.join(ROOT, folder)).filter((file) => file.endsWith('.md')).sort().map((file) => `${folder}/${file}`)
))];
const SNIPPETS = FILES.flatMap(snippetsOf);

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
  const { code } = transformSync(program, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } });
  new Function('require', 'exports', code)(require, {});
  const written = readdirSync(outdir).sort().map((file) => readFileSync(path.join(outdir, file), 'utf8'));
  expect(written).not.toEqual([]);
  if (yaml !== undefined) {
    expect(written.join('---\n')).toBe(yaml);
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
