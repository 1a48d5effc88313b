/** What `npm pack` puts into the package, and what the library loads. The whole package is tried by test/outside. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { trainyard } from './cli/support/command';

const ROOT = path.join(__dirname, '..');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly scripts: { readonly [name: string]: string };
  readonly peerDependencies: object;
  readonly dependencies: object;
};

/** Most bytes of the library as one file: what is in it is read by every program that imports it. */
const LIBRARY_MAX_BYTES = 2.5 * 1024 * 1024;

const packed = () => {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return (JSON.parse(json) as [{ readonly files: readonly { readonly path: string }[] }])[0].files.map((file) => file.path);
};

test('the package has what is run and read, and nothing else', () => {
  const files = packed();
  expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'bin/trainyard', 'assets/operator.mjs.br', 'assets/dashboard.mjs.br', 'assets/notifier.mjs.br', 'lib/cli/trainyard.mjs', 'lib/stacks/index.js']));
  const unwanted = /\.map$|^API\.md$|^assets\/(?!(?:operator|dashboard|notifier)\.mjs\.br$|ui\/[a-z]+\.(?:html|css|js)$)|^(src|test|docs|examples|scripts|bench|python)\//;
  expect(files.filter((file) => unwanted.test(file))).toEqual([]);
});

test('it is compiled before it is packed, from any state of a clone', () => {
  expect(manifest.scripts.prepack).toBe('node scripts/prepack.mjs && node scripts/prepare.mjs');
});

test('the version is a pre-release, as nothing has been released, and the command says so', async () => {
  expect(manifest.version).toMatch(/^\d+\.\d+\.\d+-dev\.\d+$/);
  expect(manifest.version).not.toMatch(/^0\.0\.0/);
  expect((await trainyard(['--version'])).out).toBe(`${manifest.version}\n`);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as { readonly version: string };
  expect(version).toBe(manifest.version);
});

test('the library loads no packages but its peers, what is bundled with it, and what these load', () => {
  const library = path.join(ROOT, '.trainyard', 'library', 'index.js');
  expect(existsSync(library)).toBe(true);
  expect(statSync(library).size).toBeLessThan(LIBRARY_MAX_BYTES);
  const script = `
    const packagesOf = () => new Set(Object.keys(require.cache).flatMap((file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1] ?? []));
    ${JSON.stringify(Object.keys(manifest.peerDependencies))}.forEach((name) => require(name));
    const before = packagesOf();
    require(${JSON.stringify(library)});
    console.log(JSON.stringify([...packagesOf()].filter((name) => !before.has(name))));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  expect({ packages: JSON.parse(stdout) as string[], stderr }).toEqual({ packages: Object.keys(manifest.dependencies), stderr: '' });
});

describe('what a file of the joined library uses of another', () => {
  const lazily = (text: string) => spawnSync(process.execPath, ['--input-type=module', '-e', `
    import { withLazyImports } from './scripts/join-library.mjs';
    console.log(withLazyImports(${JSON.stringify(text)}));`], { cwd: ROOT, encoding: 'utf8' });

  test('is read at its first use', () => {
    const compiled = [
      'const node_fs_1 = require("node:fs");', 'const rule_1 = require("./rule");', 'const rule_2 = require("../rule");', 'const program_text_1 = require("./program-text");',
      'class Strict extends rule_1.Rule {}', 'exports.check = () => (0, rule_2.check)(new rule_1.Rule(), node_fs_1.sep, (0, program_text_1.programText)(\'a.sh\'));',
    ];
    expect(lazily(compiled.join('\n')).stdout.split('\n')).toEqual([
      compiled[0], 'let rule_1;', 'let rule_2;', compiled[3],
      'class Strict extends (rule_1 ??= require("./rule")).Rule {}',
      'exports.check = () => (0, (rule_2 ??= require("../rule")).check)(new (rule_1 ??= require("./rule")).Rule(), node_fs_1.sep, (0, program_text_1.programText)(\'a.sh\'));',
      '',
    ]);
  });

  test('is refused in a form that the compiler does not write', () => {
    expect(lazily('const rule_1 = require("./rule");\nconst { check } = rule_1;').stderr)
      .toContain('cannot read ./rule at its first use: rule_1 is used without the name of an export.');
  });
});
