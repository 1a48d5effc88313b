/**
 * The library in Python, as `npm run package:python` makes it: installed into an empty environment, each program in examples/python writes the same
 * bytes as its TypeScript twin, and its types hold in pyright's strict mode. Programs of the page run, the command that comes with the package works,
 * and so does the project that `trainyard init` writes.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { clusterEnvironment, Definitions, ensureNamespaces } from './support/cluster';
import { readPage } from './support/page-commands';
import { failureOf, run } from './support/programs';
import { ROOT, versionOf } from './support/project';
import { mustShell } from './support/shell';
import { EXAMPLES, everyFileOfExample } from '../support/examples';
import { CONSTRUCT_PAGES, SNIPPETS, runSnippet } from '../support/snippets';

const PROGRAMS = path.join(EXAMPLES, 'python');
const NAMES = fs.readdirSync(PROGRAMS).sort();

/** Runs all programs in one interpreter, which starts Node once. */
const RUN_ALL = 'import runpy, sys\nfor program in sys.argv[1:]:\n    runpy.run_path(program)\n';

/** Runs each example of a docstring in an app of its own, and prints whose it is. */
const RUN_EXAMPLES = String.raw`
import ast, pathlib, re, textwrap, trainyard
from cdk8s import App, Chart
for module in pathlib.Path(trainyard.__file__).parent.rglob("__init__.py"):
    for node in ast.parse(module.read_text()).body:
        text = ast.get_docstring(node) if isinstance(node, ast.ClassDef) else None
        for example in re.findall(r"^Example::\n((?:    .*\n|\n)+)", f"{text}\n", re.M):
            app = App()
            exec(compile(textwrap.dedent(example), node.name, "exec"), {"chart": Chart(app, "docs")})
            app.synth()
            print(node.name)
`;
import { testUnless } from '../support/where-possible';

/** Programs that a page shows in both languages. */
const TWINS = SNIPPETS.filter((snippet) => snippet.python !== undefined);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-python-'));
const python = path.join(folder, 'bin', 'python');

/** Packages that the wheel needs, in the versions of the TypeScript programs, which are compared byte for byte. */
const PEERS = ['cdk8s', 'cdk8s-plus-28', 'constructs'].map((name) => `${name}==${versionOf(name)}`);

/** Texts of the files in a folder, by their names. */
function filesIn(place: string): { readonly [file: string]: string } {
  return Object.fromEntries(fs.readdirSync(place).sort().map((file) => [file, fs.readFileSync(path.join(place, file), 'utf8')]));
}

/** Why Python's packages cannot be had here; undefined when they are installed. */
const missing = failureOf('python3', ['-m', 'venv', folder], folder) ?? failureOf(python, ['-m', 'pip', 'install', '-q', 'jsii', 'pyright', ...PEERS], folder);
const withPython = testUnless(missing, 'programs in Python');

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test('the page shows the first program word for word', () => {
  expect(readPage('docs/languages/python.md')).toContain(`\`\`\`python\n${fs.readFileSync(path.join(PROGRAMS, 'quickstart', 'main.py'), 'utf8')}\`\`\``);
});

withPython('the package is built, and installed with what it needs', () => {
  expect(failureOf('npm', ['run', 'examples'], ROOT)).toBeUndefined();
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

withPython(`the ${TWINS.length} programs that pages show beside TypeScript write the same`, () => {
  expect(TWINS.length).toBeGreaterThan(8);
  const files = TWINS.map(({ python: program, where }, index) => {
    const file = path.join(folder, `twin-${index}.py`);
    fs.writeFileSync(file, `# ${where}\n${program}`);
    return file;
  });
  TWINS.forEach(({ program, where }, index) => {
    const [expected, written] = ['expected', 'written'].map((name) => path.join(folder, `twin-${index}-${name}`));
    process.env.CDK8S_OUTDIR = expected;
    runSnippet(program);
    expect(failureOf(python, [files[index]], folder, { CDK8S_OUTDIR: written })).toBeUndefined();
    expect({ where, files: filesIn(written) }).toEqual({ where, files: filesIn(expected) });
  });
  delete process.env.CDK8S_OUTDIR;
});

withPython('docstrings have the examples of TypeScript in Python, and each of them is synthesized', () => {
  const { failure, stdout } = run(python, ['-c', RUN_EXAMPLES], ROOT, { CDK8S_OUTDIR: path.join(folder, 'examples') });
  expect(failure).toBeUndefined();
  const expected = [...CONSTRUCT_PAGES.map((file) => path.basename(file, '.md').replaceAll('-', '')), 'environments'];
  expect(stdout.trim().toLowerCase().split('\n').sort()).toEqual(expected.sort());
});

withPython('their types hold in strict mode', () => {
  const programs = path.join(folder, 'programs');
  fs.cpSync(PROGRAMS, programs, { recursive: true });
  TWINS.forEach(({ python: program }, index) => fs.writeFileSync(path.join(programs, `twin_${index}.py`), program!));
  fs.writeFileSync(path.join(programs, 'pyrightconfig.json'), JSON.stringify({ include: ['.'], typeCheckingMode: 'strict', venvPath: path.dirname(folder), venv: path.basename(folder) }));
  expect(failureOf(path.join(folder, 'bin', 'pyright'), ['-p', programs], programs)).toBeUndefined();
  // A mistake is found: the check reads the types of the package.
  const file = path.join(programs, 'quickstart', 'main.py');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('replicas=2', 'replicas="2"'));
  expect(failureOf(path.join(folder, 'bin', 'pyright'), ['-p', programs], programs)).toContain('"replicas"');
});

withPython('the programs of the page run, and print what it shows', () => {
  const blocks = [...readPage('docs/languages/python.md').matchAll(/^```python\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```)?/gm)];
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

/** A project as `trainyard init` writes it, in which the next tests work. */
const project = path.join(folder, 'workspaces', 'my-jobs');
/** A line of shell in the project, with its virtual environment active. */
const inProject = (line: string) => failureOf('/bin/sh', ['-ec', `. .venv/bin/activate\n${line}`], project);

withPython('trainyard init writes a project, whose packages are installed as its README says', () => {
  fs.mkdirSync(path.dirname(project));
  expect(failureOf(path.join(folder, 'bin', 'trainyard'), ['init', project, '--template', 'python'], folder)).toBeUndefined();
  fs.cpSync(path.join(folder, 'dist', 'python'), path.join(project, 'wheels'), { recursive: true });
  expect(readFile('README.md')).toContain('    python3 -m venv .venv && . .venv/bin/activate\n');
  expect(failureOf('python3', ['-m', 'venv', '.venv'], project)).toBeUndefined();
  expect(inProject('pip install -q -r requirements.txt')).toBeUndefined();
  // Its own package, and not the one of that name in an index.
  expect(inProject('python -c "from trainyard import TrainingJob"')).toBeUndefined();
});

withPython('the project is checked, synthesized, tested, valid and run; its workflow is up to date', () => {
  expect(inProject('pyright')).toBeUndefined();
  expect(inProject('CDK8S_OUTDIR=manifests python main.py')).toBeUndefined();
  expect(inProject('pytest')).toBeUndefined();
  expect(inProject('trainyard validate . && trainyard ci github --check')).toBeUndefined();
  expect(run(path.join(project, '.venv', 'bin', 'trainyard'), ['run', '.'], project).stdout).toContain('replica 1 of 2');
});

withPython('its test fails when the program has changed and its manifests have not', () => {
  const text = readFile('main.py');
  fs.writeFileSync(path.join(project, 'main.py'), text.replace('replicas=2', 'replicas=3'));
  expect(inProject('pytest')).toContain('1 failed');
  fs.writeFileSync(path.join(project, 'main.py'), text.replace('replicas=2', 'replicas="2"'));
  expect(inProject('pyright')).toContain('"replicas"');
  fs.writeFileSync(path.join(project, 'main.py'), text);
});

withPython('its manifests are applied by kubectl', async () => {
  await new Definitions().install([{ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'hello' } }]);
  await ensureNamespaces(['template-python']);
  const { stdout } = await mustShell('kubectl apply -f manifests', { cwd: project, env: clusterEnvironment(project, 'template-python') });
  expect(stdout).toBe('mltrainingjob.ml.collabnix.io/hello created\n');
});

function readFile(name: string): string {
  return fs.readFileSync(path.join(project, name), 'utf8');
}

withPython('without Node, the error names what is missing', () => {
  const program = path.join(PROGRAMS, 'quickstart', 'main.py');
  expect(failureOf(python, [program], folder, { PATH: path.join(folder, 'bin') })).toMatch(/node/i);
});
