/**
 * What npm runs first when it packs the package: compiles the library if it is missing or older than its sources, so that a tarball is complete and
 * current whatever was built before. prepare.mjs follows, which bundles the rest and joins the compiled files into one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => path.join(root, ...parts);

/** What jsii writes, and what it reads. */
const COMPILED = ['.jsii', 'lib/index.js', 'lib/index.d.ts'];
const SOURCES = ['package.json', 'tsconfig.jsii.json', 'README.md', 'src/index.ts', 'src/programs', 'src/model', 'src/manifests', 'src/constructs'];

/** Time of the newest of files and of all that is in folders, in milliseconds. */
function newest(files) {
  return Math.max(...files.map((file) => {
    const stat = statSync(file);
    // A file that is removed changes the time of its folder.
    return stat.isDirectory() ? Math.max(stat.mtimeMs, newest(readdirSync(file).map((name) => path.join(file, name)))) : stat.mtimeMs;
  }));
}

/** jsii writes its assembly last, so a compilation that failed has none, or an older one. */
function isCompiled() {
  return COMPILED.every((file) => existsSync(at(file))) && statSync(at('.jsii')).mtimeMs >= newest(SOURCES.map((file) => at(file)));
}

if (!isCompiled()) {
  console.error('prepack: compiling the library');
  // Files of sources that are gone would be packed.
  rmSync(at('lib'), { recursive: true, force: true });
  // Standard output is for what `npm pack --json` writes.
  const { status } = spawnSync('npm', ['run', '--silent', 'compile'], { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) {
    console.error('prepack: npm run compile has failed, so nothing is packed. If jsii is missing, run npm ci first.');
    process.exitCode = 1;
  }
}
