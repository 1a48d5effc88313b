/** The Python package trainyard-client: its own tests, its types, its installation, and the programs in it that run in images. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CLIENT_PACKAGE, clientPython, installClient } from './support/client-python';
import { RUFF } from '../support/program-linters';
import { describeUnlessMissing } from '../frameworks/support/describe-framework';
import { isFound } from '../frameworks/support/frameworks';
import { temporaryFolder } from '../local/support/temporary-folder';

const state = clientPython();
const python = isFound(state) ? state.python : 'python3';

function run(program: string, args: readonly string[], cwd = CLIENT_PACKAGE) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` };
}

describeUnlessMissing('trainyard-client', isFound(state) ? [] : [`its dependencies are missing: ${state.missing}`], () => {
  const folder = temporaryFolder();

  test('the tests of the package pass', () => {
    const { status, output } = run(python, ['-m', 'unittest', 'discover', '-s', 'tests']);
    if (status !== 0) {
      throw new Error(output);
    }
    expect(Number(/^Ran (\d+) tests/m.exec(output)?.[1])).toBeGreaterThanOrEqual(100);
    expect(output).not.toContain('skipped=');
  });

  test('the installed package has its types and its programs, and imports without a cluster or the Kubernetes client', () => {
    const bin = installClient(python, path.join(folder, 'installed'));
    const { output } = run(path.join(bin, 'python3'), ['-c', 'import sys, trainyard_client, trainyard_client.trainer; print(sorted(trainyard_client.__all__)[:2], "kubernetes" in sys.modules)'], folder);
    expect(output).toBe("['AlreadyExists', 'Client'] False\n");
  });

  test('the first program of a replica runs on Python 3.6', () => {
    const program = path.join('src', 'trainyard_client', '_start.py');
    const { status, output } = run(python, ['-c', `import ast; ast.parse(open(${JSON.stringify(program)}).read(), feature_version=(3, 6))`]);
    expect({ status, output }).toEqual({ status: 0, output: '' });
  });

  test('the package runs on Python 3.9, as far as its syntax tells', () => {
    const check = 'import ast, pathlib; [ast.parse(file.read_text(), feature_version=(3, 9)) for file in pathlib.Path("src").rglob("*.py")]';
    expect(run(python, ['-c', check])).toEqual({ status: 0, output: '' });
  });
});

// pyright is a program of Node, which its Python package fetches from npm at its first start.
const pyright = isFound(state) ? path.join(path.dirname(python), 'pyright') : 'pyright';
const hasPyright = isFound(state) && run(pyright, ['--version']).status === 0;

describeUnlessMissing('pyright', hasPyright ? [] : ['pyright cannot be started'], () => {
  test('finds nothing in the package, strictly', () => {
    const { status, output } = run(pyright, ['-p', '.', '--pythonpath', python]);
    expect({ status, output: output.trim() }).toEqual({ status: 0, output: '0 errors, 0 warnings, 0 informations' });
    expect(readFileSync(path.join(CLIENT_PACKAGE, 'pyproject.toml'), 'utf8')).toContain('typeCheckingMode = "strict"');
  });

  test('finds nothing in the page', () => {
    const page = readFileSync(path.join(CLIENT_PACKAGE, '..', '..', 'docs', 'languages', 'python-client.md'), 'utf8');
    const blocks = [...page.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
    expect(blocks.length).toBeGreaterThan(8);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'trainyard-page-'));
    try {
      writeFileSync(path.join(folder, 'page.py'), blocks.join('\n'));
      writeFileSync(path.join(folder, 'pyrightconfig.json'), JSON.stringify({ include: ['page.py'], extraPaths: [path.join(CLIENT_PACKAGE, 'src')] }));
      const { status, output } = run(pyright, ['-p', '.', '--pythonpath', python], folder);
      expect({ status, output: output.trim() }).toEqual({ status: 0, output: '0 errors, 0 warnings, 0 informations' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('ruff looks at the package', () => {
  expect(RUFF.args('.')).toContain('python');
});
