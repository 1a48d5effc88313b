/** Programs in other languages: each is a file, has tests of its own, and is in the bundles that use it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';
import { programText } from '../../src/programs/program-text';
import { temporaryFolder } from '../local/support/temporary-folder';

const ROOT = path.join(__dirname, '..', '..');
const SRC = path.join(ROOT, 'src');
const filesBelow = (folder: string) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.parentPath !== path.join(folder, '__pycache__')).map((entry) => path.join(entry.parentPath, entry.name));
const sources = filesBelow(SRC).filter((file) => file.endsWith('.ts'));
const programs = filesBelow(path.join(SRC, 'programs')).filter((file) => !file.endsWith('.ts')).map((file) => path.relative(path.join(SRC, 'programs'), file)).sort();

const temporary = temporaryFolder();

/** Most lines of a text in a source: what is longer is a program, and a program has a file. */
const MOST_LINES = 15;

/** Texts of a source that are longer: literals, and lists of literals that are joined. */
function longTexts(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const lines = (text: string) => text.trim().split('\n').length;
  const visit = (node: ts.Node) => {
    const size = ts.isTemplateExpression(node) ? lines(node.getText())
      : ts.isStringLiteralLike(node) ? lines(node.text)
        : ts.isCallExpression(node) && /^\[[^]*\]\.join\('\\n'\)$/.test(node.getText()) ? literalsOf(node) : 0;
    if (size > MOST_LINES) {
      found.push(`${path.relative(ROOT, file)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} has a text of ${size} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function literalsOf({ expression }: ts.CallExpression): number {
  const list = ts.isPropertyAccessExpression(expression) ? expression.expression : expression;
  return ts.isArrayLiteralExpression(list) ? list.elements.filter((each) => ts.isStringLiteralLike(each) || ts.isTemplateExpression(each)).length : 0;
}

test('no source has a program in a text', () => {
  expect(sources.flatMap(longTexts)).toEqual([]);
});

test('the search finds literals, templates and lists', () => {
  const file = path.join(temporary, 'source.ts');
  const line = 'echo\\n'.repeat(20);
  writeFileSync(file, [`a('${line}');`, `b(\`${'echo\n'.repeat(20)}\`);`, `c(\`\${x}${'echo\n'.repeat(20)}\`);`, `d([${'\'echo\', '.repeat(20)}].join('\\n'));`, 'e(`short`);'].join('\n'));
  expect(longTexts(file)).toHaveLength(4);
});

const used = sources.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\bprogramText\('([^']+)'\)/g)].map(([, name]) => name));

test('each program is asked for, and each that is asked for is there', () => {
  expect([...new Set(used)].sort()).toEqual(programs);
});

test.each([['.py', 'py'], ['.sh', 'sh'], ['.lua', 'lua']])('programs in files with %s have tests in their own language', (ending, language) => {
  const folders = new Set(programs.filter((file) => file.endsWith(ending)).map((file) => file.split('/')[0]));
  const tested = filesBelow(__dirname).filter((file) => path.basename(file).startsWith('test_') && file.endsWith(`.${language}`)).map((file) => readFileSync(file, 'utf8') + file);
  // Either the folder has tests, or a test names it.
  expect([...folders].filter((folder) => !tested.some((text) => text.includes(`${folder}/`) || text.includes(`/${folder}/`)))).toEqual([]);
});

describe('a bundle', () => {
  const bundle = (contents: string, format: 'esm' | 'cjs' = 'esm', ending = 'ts') => {
    const folder = mkdtempSync(path.join(temporary, 'bundle-'));
    mkdirSync(path.join(folder, 'programs'));
    writeFileSync(path.join(folder, 'programs', `program-text.${ending}`), 'export const readFileSync = 1;');
    const entry = path.join(folder, `entry.${ending}`);
    writeFileSync(entry, contents);
    const script = `import { build } from 'esbuild'; import { inlinePrograms } from '${path.join(ROOT, 'scripts', 'inline-programs.mjs')}';
      const { outputFiles } = await build({ entryPoints: [process.argv[1]], bundle: true, write: false, format: '${format}', plugins: [inlinePrograms()], logLevel: 'silent' });
      console.log(outputFiles[0].text);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, entry], { cwd: ROOT, encoding: 'utf8' });
    return stdout + stderr;
  };

  test('has the text of a program in the place of the call, and nothing that reads files', () => {
    const text = bundle('import { programText } from \'./programs/program-text\';\nconsole.log(programText(\'mpi/session.sh\'));');
    expect(text).toContain('SSH_ORIGINAL_COMMAND');
    expect(text).not.toMatch(/programText|readFileSync/);
  });

  test('has it in what TypeScript has compiled as well', () => {
    const text = bundle('const program_text_1 = require("./programs/program-text");\nconsole.log((0, program_text_1.programText)(\'mpi/session.sh\'));', 'cjs', 'js');
    expect(text).toContain('SSH_ORIGINAL_COMMAND');
    expect(text).not.toContain('readFileSync');
  });

  test('is not made where a program is not named by a literal', () => {
    expect(bundle('import { programText } from \'./programs/program-text\';\nconst name = \'mpi/session.sh\';\nconsole.log(programText(name));')).toContain('programText takes one literal');
  });
});

test('programs stay what Python, shells and Lua read everywhere: no tabs, no blanks at the end of lines, a last line break', () => {
  for (const file of programs) {
    expect([file, /[\t\r]|[ ]+$/m.test(programText(file)), programText(file).endsWith('\n')]).toEqual([file, false, true]);
  }
});
