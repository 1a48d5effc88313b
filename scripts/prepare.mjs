/**
 * What npm runs after `npm ci` in a clone, and before it packs: bundles the operator and the command, and keeps `npx cdk8s` off the network.
 * Does nothing where the development dependencies are absent (`npm ci --omit=dev`).
 */
import { existsSync } from 'node:fs';
import { chmod, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

function isInstalled(name) {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * cdk8s asks the registry for a newer version of itself before each synth, and neither cdk8s.yaml nor package.json can turn that off.
 * Synthesis has to be offline, so the clone's `cdk8s` command is one that sets the option and then runs the real one.
 */
async function linkOfflineCdk8s() {
  const link = path.join(root, 'node_modules', '.bin', 'cdk8s');
  // npm writes a .cmd file instead of a link on Windows: there the check stays on.
  if (process.platform === 'win32' || !existsSync(link)) return;
  const target = path.join(root, 'scripts', 'cdk8s-offline.cjs');
  await chmod(target, 0o755);
  await rm(link);
  await symlink(path.relative(path.dirname(link), target), link);
}

if (isInstalled('esbuild')) {
  await import('./bundle.mjs');
  await linkOfflineCdk8s();
} else {
  console.error('prepare: esbuild is not installed, nothing is bundled');
}
