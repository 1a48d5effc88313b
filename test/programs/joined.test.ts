/** What becomes one text of several files: modules of Python, and scripts of Lua with what they share. */
import { spawnSync } from 'node:child_process';
import { fetchFiles, unpackFiles } from '../../src/manifests/code/code-pod';
import { rayDriver } from '../../src/manifests/engines/ray/pods';
import { sparkDriver } from '../../src/manifests/engines/spark/render';
import { launcherFiles, type LauncherKind } from '../../src/manifests/events/launcher';
import { preflightProgram } from '../../src/manifests/tools/preflight-program';
import { joinedPython } from '../../src/programs/joined-python';
import { luaLocals, luaScript } from '../../src/programs/lua-script';

test('modules are joined without what they import of each other', () => {
  const first = 'import os\n\nA = 1\n';
  const second = '# Second.\nimport sys\n\nfrom .first import A\nfrom ..other.first import (\n    B,\n    C,\n)\n\nprint(A, sys.argv)\n';
  expect(joinedPython(first, second)).toBe('import os\n\nA = 1\n\n\n# Second.\nimport sys\n\n\nprint(A, sys.argv)\n');
});

test('an import of another module that cannot be left out is an error', () => {
  expect(() => joinedPython('def a():\n    from .first import A\n')).toThrow('imports another one where it cannot be joined: from .first import A');
});

const KINDS: readonly LauncherKind[] = ['pubsub', 'sqs', 'kafka', 'knative', 'schedule'];
const JOINED: readonly (readonly [string, string])[] = [
  ...Object.entries(fetchFiles()), ...Object.entries(unpackFiles()).filter(([file]) => file.endsWith('.py')),
  ['preflight', preflightProgram()], ['Ray driver', rayDriver()], ['Spark driver', sparkDriver()],
  ...KINDS.map((kind) => [`launcher of ${kind}`, launcherFiles(kind, {})['main.py']] as const),
];

const hasPython = spawnSync('python3', ['-c', '']).status === 0;

(hasPython ? test : test.skip).each(JOINED)('%s is Python that names only what it has', (_name, text) => {
  // Names of modules and functions that are neither defined, imported nor built in.
  const check = `import ast, builtins, sys
tree = ast.parse(sys.stdin.read())
known = set(dir(builtins)) | {'__file__'}
for node in ast.walk(tree):
    if isinstance(node, (ast.Import, ast.ImportFrom)): known |= {(each.asname or each.name).split('.')[0] for each in node.names}
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)): known.add(node.name)
    elif isinstance(node, ast.arg): known.add(node.arg)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store): known.add(node.id)
    elif isinstance(node, ast.ExceptHandler): known.add(node.name)
print(sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - known))`;
  expect(spawnSync('python3', ['-c', check], { input: text, encoding: 'utf8' })).toMatchObject({ stdout: '[]\n', stderr: '' });
});

test('a script has in front of it what it uses of what scripts share, and what that uses', () => {
  const script = luaScript('-- A comment.\nif is(\'Ready\', \'True\') then return \'text of a field\' end\nreturn obj.queue');
  expect([...script.matchAll(/^local (?:function )?(\w+)/gm)].map(([, name]) => name)).toEqual(['field', 'list', 'status', 'condition', 'is']);
  expect(script).not.toContain('--');
});

test('values become local variables of Lua', () => {
  expect(luaLocals({ path: ['a', 'it\'s'], wanted: true, none: [], nested: [['a'], ['b']], found: { lua: 'is(\'A\', \'True\')' } })).toBe([
    'local path = { \'a\', \'it\\\'s\' }', 'local wanted = true', 'local none = {}', 'local nested = { { \'a\' }, { \'b\' } }', 'local found = is(\'A\', \'True\')',
  ].join('\n'));
});
