/**
 * Argo CD's own program, built from the Go module proxy once (minutes, `npm run argo-cd:install`) and kept in the cache folder. One binary is all of
 * its servers; a variable says which.
 *
 * What the proxy has of Argo CD is not all of its repository: a module within it, which it replaces by that folder, has to be named by its published
 * version.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../../src/local/cache-folder';
import { withFolderLock } from '../../../../src/local/control-plane/folder-lock';
import { findOnPath } from '../../../../src/local/control-plane/go-build';

const run = promisify(execFile);

/** Release that is built: of the minor version that the other tests have the definitions of, the one whose {@link ENGINE} is on the module proxy. */
export const ARGO_CD_RELEASE = 'v3.5.3';

const MODULE = 'github.com/argoproj/argo-cd/v3';

/** The module within the repository, and the version of the release's commit. */
const ENGINE = 'github.com/argoproj/argo-cd/gitops-engine';
const ENGINE_VERSION = 'v0.0.0-20260914071520-c9c369efcc5b';

/** Set to `off` to leave Argo CD out, or to the path of a program that is built already. */
const VARIABLE = 'TRAINYARD_ARGO_CD';

/** A program, or why there is none. */
export interface Found {
  readonly program?: string;
  readonly missing?: string;
}

/** The program where it is built already, or why there is none. */
export function findArgoCd(env: NodeJS.ProcessEnv = process.env): Found {
  const wish = env[VARIABLE];
  if (wish === 'off') {
    return { missing: `${VARIABLE} is off` };
  }
  if (wish) {
    return fs.existsSync(wish) ? { program: wish } : { missing: `${VARIABLE} is "${wish}", which does not exist` };
  }
  const kept = keptProgram(env);
  return fs.existsSync(kept) ? { program: kept } : { missing: `Argo CD ${ARGO_CD_RELEASE} is not built (npm run argo-cd:install)` };
}

/**
 * The program, built where it is not yet.
 *
 * @param log takes a line for a person
 */
export async function ensureArgoCd(env: NodeJS.ProcessEnv = process.env, log: (line: string) => void = () => {}): Promise<Found> {
  const found = findArgoCd(env);
  if (found.program !== undefined || env[VARIABLE]) {
    return found;
  }
  const go = findOnPath('go', env, ['/usr/local/go/bin']);
  if (go === undefined) {
    return { missing: `Argo CD ${ARGO_CD_RELEASE} is built with Go, which is not there` };
  }
  const folder = path.dirname(keptProgram(env));
  return withFolderLock(folder, async () => {
    if (findArgoCd(env).program === undefined) {
      const started = Date.now();
      log(`building Argo CD ${ARGO_CD_RELEASE} with Go; the first time takes minutes`);
      const scratch = fs.mkdtempSync(path.join(folder, 'scratch-'));
      try {
        await build(go, scratch, keptProgram(env), env);
        log(`built Argo CD ${ARGO_CD_RELEASE} in ${Math.round((Date.now() - started) / 1000)} s`);
      } catch (error) {
        const { stderr, message } = error as Error & { readonly stderr?: string };
        return { missing: `Argo CD ${ARGO_CD_RELEASE} cannot be built: ${(stderr || message).trim().split('\n').slice(-5).join(' ').slice(0, 500)}` };
      } finally {
        fs.rmSync(scratch, { recursive: true, force: true });
      }
    }
    return findArgoCd(env);
  });
}

function keptProgram(env: NodeJS.ProcessEnv): string {
  return path.join(cacheFolder(env), 'argo-cd', `argo-cd-${ARGO_CD_RELEASE}`);
}

async function build(go: string, scratch: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const goEnv = { ...env, CGO_ENABLED: '0', GOWORK: 'off', GO111MODULE: 'on' };
  const ask = async (cwd: string, ...args: string[]): Promise<string> => (
    (await run(go, args, { cwd, env: goEnv, maxBuffer: 1 << 26 })).stdout);
  const download = JSON.parse(await ask(scratch, 'mod', 'download', '-json', `${MODULE}@${ARGO_CD_RELEASE}`)) as Download;
  // The proxy's own copy must not be changed.
  const sources = path.join(scratch, 'sources');
  fs.cpSync(download.Dir, sources, { recursive: true });
  await run('chmod', ['-R', 'u+w', sources]);
  await ask(sources, 'mod', 'edit', `-replace=${ENGINE}=${ENGINE}@${ENGINE_VERSION}`);
  serveOnLoopback(path.join(sources, 'controller', 'appcontroller.go'));
  const output = path.join(scratch, 'argo-cd');
  await ask(sources, 'build', '-p', '2', '-mod=mod', '-buildvcs=false', '-trimpath',
    '-ldflags', `-s -w -X ${MODULE}/common.version=${ARGO_CD_RELEASE.slice(1)}`, '-o', output, './cmd');
  fs.renameSync(output, target);
}

/** The controller serves its metrics on all addresses, and has no setting for that: where it names the address, it gets that of loopback. */
function serveOnLoopback(file: string): void {
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"0.0.0.0:%d", metricsPort', '"127.0.0.1:%d", metricsPort'));
}

/** What is read of the answer of `go mod download -json`. */
interface Download {
  /** Where the module's sources lie. */
  readonly Dir: string;
}
