/**
 * Controllers of others, built from the Go module proxy once (minutes, `npm run upstream-controllers:install`) and kept in the cache folder. Tests
 * that need one are skipped, and say so, where it is not there.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../../src/local/cache-folder';
import { withFolderLock } from '../../../../src/local/control-plane/folder-lock';
import { findOnPath } from '../../../../src/local/control-plane/go-build';

const run = promisify(execFile);

/** A program that is built from the Go module proxy. */
export interface GoProgram {
  readonly title: string;
  /** Name of its file. */
  readonly name: string;
  readonly module: string;
  readonly release: string;
  /** Its main package, in the module. */
  readonly main: string;
  /** Variable with the path of a program that is built already, or `off`. */
  readonly variable: string;
  /** Linker flags in addition to those that leave out symbols. @default - none */
  readonly linkerFlags?: string;
  /** Changes a copy of the sources before they are built. @default - built as published */
  change?(sources: string, go: (...args: string[]) => Promise<string>): Promise<void>;
  /** Files and folders of the module, such as its definitions, that are kept beside the program. @default - none */
  readonly files?: readonly string[];
}

/** Replaces a text of a source file. @throws Error where the text is not there */
export function editSource(sources: string, file: string, before: string, after: string): void {
  const name = path.join(sources, file);
  const text = fs.readFileSync(name, 'utf8');
  if (!text.includes(before)) {
    throw new Error(`${file} has no ${before}`);
  }
  fs.writeFileSync(name, text.replace(before, () => after));
}

/** Where a file of the module was kept, for a program that is built. */
export function keptFile(wanted: GoProgram, file: string, env: NodeJS.ProcessEnv = process.env): string {
  return path.join(`${keptProgram(wanted, env)}-files`, file);
}

/** A program, or why there is none. */
export interface Found {
  readonly program?: string;
  readonly missing?: string;
}

/** The program where it is built already, or why there is none. */
export function findGoProgram(wanted: GoProgram, env: NodeJS.ProcessEnv = process.env): Found {
  const { title, release, variable } = wanted;
  const wish = env[variable];
  if (wish === 'off') {
    return { missing: `${variable} is off` };
  }
  if (wish) {
    return fs.existsSync(wish) ? { program: wish } : { missing: `${variable} is "${wish}", which does not exist` };
  }
  const kept = keptProgram(wanted, env);
  return [kept, ...(wanted.files ?? []).map((file) => keptFile(wanted, file, env))].every((file) => fs.existsSync(file)) ? { program: kept } : { missing: `${title} ${release} is not built (npm run upstream-controllers:install)` };
}

/**
 * The program, built where it is not yet.
 *
 * @param log takes a line for a person
 */
export async function ensureGoProgram(wanted: GoProgram, log: (line: string) => void, env: NodeJS.ProcessEnv = process.env): Promise<Found> {
  const found = findGoProgram(wanted, env);
  if (found.program !== undefined || env[wanted.variable]) {
    return found;
  }
  const what = `${wanted.title} ${wanted.release}`;
  const go = findOnPath('go', env, ['/usr/local/go/bin']);
  if (go === undefined) {
    return { missing: `${what} is built with Go, which is not there` };
  }
  const folder = path.dirname(keptProgram(wanted, env));
  return withFolderLock(folder, async () => {
    if (findGoProgram(wanted, env).program === undefined) {
      const started = Date.now();
      log(`building ${what} with Go; the first time takes minutes`);
      const scratch = fs.mkdtempSync(path.join(folder, 'scratch-'));
      try {
        await build(wanted, go, scratch, env);
        log(`built ${what} in ${Math.round((Date.now() - started) / 1000)} s`);
      } catch (error) {
        const { stderr, message } = error as Error & { readonly stderr?: string };
        return { missing: `${what} cannot be built: ${(stderr || message).trim().split('\n').slice(-5).join(' ').slice(0, 500)}` };
      } finally {
        fs.rmSync(scratch, { recursive: true, force: true });
      }
    }
    return findGoProgram(wanted, env);
  });
}

function keptProgram({ name, release }: GoProgram, env: NodeJS.ProcessEnv): string {
  return path.join(cacheFolder(env), name, `${name}-${release}`);
}

async function build(wanted: GoProgram, go: string, scratch: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { name, module, release, main, linkerFlags = '', files = [] } = wanted;
  // A compiler that collects its garbage less often takes a sixth less time.
  const goIn = (cwd: string) => async (...args: string[]): Promise<string> => (
    (await run(go, args, { cwd, env: { ...env, CGO_ENABLED: '0', GOWORK: 'off', GO111MODULE: 'on', GOGC: '400' }, maxBuffer: 1 << 26 })).stdout);
  // Built in the folder of its module, so that its own replacements of modules count.
  let sources = (JSON.parse(await goIn(scratch)('mod', 'download', '-json', `${module}@${release}`)) as { readonly Dir: string }).Dir;
  if (wanted.change !== undefined) {
    // The proxy's own copy must not be changed.
    const copy = path.join(scratch, 'sources');
    fs.cpSync(sources, copy, { recursive: true });
    await run('chmod', ['-R', 'u+w', copy]);
    await wanted.change(copy, goIn(copy));
    sources = copy;
  }
  const output = path.join(scratch, name);
  // Without inlining: it is a fifth of the time of a build, and these programs have little to do in tests.
  await goIn(sources)('build', wanted.change === undefined ? '-mod=readonly' : '-mod=mod', '-buildvcs=false', '-trimpath', '-gcflags=all=-l',
    '-ldflags', `-s -w ${linkerFlags}`.trim(), '-o', output, main);
  for (const file of files) {
    fs.cpSync(path.join(sources, file), keptFile(wanted, file, env), { recursive: true });
  }
  fs.renameSync(output, keptProgram(wanted, env));
}
