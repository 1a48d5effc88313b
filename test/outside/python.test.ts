/**
 * The library in Python, as `npm run package:python` makes it: installed into an empty environment, each program in examples/python writes the same
 * bytes as its TypeScript twin, and its types hold in pyright's strict mode. Programs of the page run, and the command that comes with the
 * package works.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readPage } from './support/page-commands';
import { failureOf, run } from './support/programs';
import { ROOT, versionOf } from './support/project';
import { EXAMPLES, everyFileOfExample } from '../support/examples';

const PROGRAMS = path.join(EXAMPLES, 'python');
const NAMES = fs.readdirSync(PROGRAMS).sort();

/** Runs all programs in one interpreter, which starts Node once. */
const RUN_ALL = 'import runpy, sys\nfor program in sys.argv[1:]:\n    runpy.run_path(program)\n';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-python-'));
const python = path.join(folder, 'bin', 'python');

/** Packages that the wheel needs, in the versions of the TypeScript programs, which are compared byte for byte. */
const PEERS = ['cdk8s', 'cdk8s-plus-28', 'constructs'].map((name) => `${name}==${versionOf(name)}`);

/** Why Python's packages cannot be had here; undefined when they are installed. */
const missing = failureOf('python3', ['-m', 'venv', folder], folder) ?? failureOf(python, ['-m', 'pip', 'install', '-q', 'jsii', 'pyright', ...PEERS], folder);
const withPython = missing === undefined ? test : test.skip;

if (missing !== undefined) {
  console.warn(`Programs in Python are not run. ${missing}`);
}

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test('the page shows the first program word for word', () => {
  expect(readPage('docs/python.md')).toContain(`\`\`\`python\n${fs.readFileSync(path.join(PROGRAMS, 'quickstart', 'main.py'), 'utf8')}\`\`\``);
});

withPython('the package is built, and installed with what it needs', () => {
  expect(failureOf('npx', ['jsii-pacmak', '--target', 'python', '--outdir', path.join(folder, 'dist')], ROOT)).toBeUndefined();
  const [wheel] = fs.readdirSync(path.join(folder, 'dist', 'python')).filter((file) => file.endsWith('.whl'));
  expect(failureOf(python, ['-m', 'pip', 'install', '-q', path.join(folder, 'dist', 'python', wheel)], folder)).toBeUndefined();
});

withPython(`the ${NAMES.length} programs write what their twins in TypeScript write`, () => {
  const written = path.join(folder, 'written');
  expect(failureOf(python, ['-c', RUN_ALL, ...NAMES.map((name) => path.join(PROGRAMS, name, 'main.py'))], folder, { CDK8S_OUTDIR: written })).toBeUndefined();
  const expected = new Map(NAMES.flatMap((name) => [...everyFileOfExample(`${name}/main.ts`)]));
  expect(fs.readdirSync(written).sort()).toEqual([...expected.keys()].sort());
  for (const [file, text] of expected) {
    expect(fs.readFileSync(path.join(written, file), 'utf8')).toBe(text);
  }
});

withPython('their types hold in strict mode', () => {
  const programs = path.join(folder, 'programs');
  fs.cpSync(PROGRAMS, programs, { recursive: true });
  fs.writeFileSync(path.join(programs, 'pyrightconfig.json'), JSON.stringify({ include: ['.'], typeCheckingMode: 'strict', venvPath: path.dirname(folder), venv: path.basename(folder) }));
  expect(failureOf(path.join(folder, 'bin', 'pyright'), ['-p', programs], programs)).toBeUndefined();
  // A mistake is found: the check reads the types of the package.
  const file = path.join(programs, 'quickstart', 'main.py');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('replicas=2', 'replicas="2"'));
  expect(failureOf(path.join(folder, 'bin', 'pyright'), ['-p', programs], programs)).toContain('"replicas"');
});

withPython('the programs of the page run, and print what it shows', () => {
  const blocks = [...readPage('docs/python.md').matchAll(/^```python\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```)?/gm)];
  expect(blocks.length).toBeGreaterThan(1);
  for (const [, program, shown] of blocks) {
    expect(run(python, ['-c', program], folder)).toEqual({ failure: undefined, stdout: shown ?? '' });
  }
});

withPython('the command of the package starts a program in Python', () => {
  const project = path.join(folder, 'project');
  fs.cpSync(path.join(PROGRAMS, 'quickstart'), project, { recursive: true });
  fs.writeFileSync(path.join(project, 'cdk8s.yaml'), `app: ${python} main.py\n`);
  expect(failureOf(path.join(folder, 'bin', 'trainyard'), ['validate', '.'], project)).toBeUndefined();
  expect(run(path.join(folder, 'bin', 'trainyard'), ['env', '.'], project).stdout).toContain('JAX_PROCESS_ID');
});

withPython('without Node, the error names what is missing', () => {
  const program = path.join(PROGRAMS, 'quickstart', 'main.py');
  expect(failureOf(python, [program], folder, { PATH: path.join(folder, 'bin') })).toMatch(/node/i);
});
