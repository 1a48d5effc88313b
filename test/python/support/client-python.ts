/** The Python that the package trainyard-client is tested with: an environment in the cache folder with its dependencies and the Kubeflow SDK. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { findFramework, type FrameworkState } from '../../frameworks/support/frameworks';

const ROOT = path.join(__dirname, '..', '..', '..');

/** Folder of the package. */
export const CLIENT_PACKAGE = path.join(ROOT, 'python', 'trainyard-client');

/** Makes the environment unless it is complete, which takes a second to see. */
export function clientPython(): FrameworkState {
  const found = spawnSync(process.execPath, [path.join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs'), path.join(ROOT, 'test', 'frameworks', 'install.ts'), 'kubeflow'], { encoding: 'utf8' });
  return found.status === 0 ? findFramework('kubeflow') : { missing: `${found.stderr ?? ''}${found.error?.message ?? ''}`.trim().split('\n').at(-1) ?? 'no reason' };
}

/**
 * Makes an environment with nothing but the package, as pip installs it. Its dependencies are those of {@link clientPython}.
 * @returns the folder with its programs
 */
export function installClient(python: string, folder: string): string {
  const bin = path.join(folder, 'bin');
  run(python, '-m', 'venv', '--without-pip', folder);
  const own = path.join(bin, 'python3');
  const dependencies = run(python, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))').trim();
  const site = run(own, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))').trim();
  run(own, '-c', 'import sys; open(sys.argv[1] + "/dependencies.pth", "w").write(sys.argv[2])', site, dependencies);
  const source = path.join(folder, 'source');
  run(own, '-c', 'import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))', CLIENT_PACKAGE, source);
  run(own, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--no-build-isolation', source);
  if (!existsSync(path.join(site, 'trainyard_client', 'py.typed'))) {
    throw new Error(`trainyard-client is not in ${site}`);
  }
  return bin;
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  }
  return stdout;
}
