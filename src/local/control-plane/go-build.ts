/**
 * Builds binaries with Go from the module proxy, for machines that can reach a proxy but no release page.
 *
 * `go install PACKAGE@VERSION` refuses modules with `replace` directives, such as Kubernetes and etcd, so the package is built in a small module of
 * our own that requires it. Kubernetes requires its staging modules (k8s.io/api and so on) at the placeholder v0.0.0 and replaces them by folders of
 * its repository. Go ignores replacements of dependencies, so our module replaces them by their published versions. Only modules at exactly v0.0.0
 * are replaced: k8s.io/utils, for example, has a real pseudo-version.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BinaryAnswer, BinaryRequest, BinarySource, isExecutable, putInPlace } from './binary-source';
import { Component, ComponentName, GoSource } from './components';

/** Seconds between messages about a running build. */
const HEARTBEAT_S = 30;
/** The folder of Go's installer, which is often not on the PATH of a service. */
const GO_INSTALL_FOLDER = '/usr/local/go/bin';
/** Maximum number of lines of Go's output in an error message. */
const ERROR_LINES = 15;

/** Output of `go mod edit -json`. */
interface GoModule {
  readonly Go?: string;
  readonly Require?: readonly { readonly Path: string; readonly Version: string }[];
}

/** Builds the binaries with `go`. This takes minutes the first time, and less later with Go's cache. */
export class GoBuildSource implements BinarySource {
  public readonly title = 'build with Go';

  /** @param installFolder where to look for `go` after the PATH; default /usr/local/go/bin, where Go's own installer puts it */
  public constructor(private readonly installFolder = GO_INSTALL_FOLDER) {}

  public async provide(request: BinaryRequest): Promise<BinaryAnswer> {
    const found = new Map<ComponentName, string>();
    const go = findOnPath('go', request.env, [this.installFolder]);
    if (!go) {
      return { found, notes: [`no \`go\` on the PATH or in ${this.installFolder}`] };
    }
    const notes: string[] = [];
    const failedModules = new Set<string>();
    for (const component of request.components) {
      if (failedModules.has(component.go.module)) {
        continue;
      }
      try {
        found.set(component.name, await buildComponent(go, component, request));
      } catch (error) {
        failedModules.add(component.go.module);
        notes.push(`${component.name} ${component.version}: ${(error as Error).message}`);
      }
    }
    return { found, notes };
  }
}

/**
 * The text of a go.mod that requires one module.
 * @param upstream the module's own go.mod, as `go mod edit -json` prints it
 */
export function generateGoMod(source: GoSource, upstream: GoModule): string {
  const lines = ['module trainyard.dev/control-plane', '', `go ${upstream.Go ?? '1.24'}`, '', `require ${source.module} ${source.version}`];
  if (source.siblingVersion) {
    const siblings = (upstream.Require ?? []).filter(({ Version }) => Version === 'v0.0.0').map(({ Path }) => Path);
    // The requirement sets the version in the binaries. The replacement is needed because v0.0.0 does not exist.
    lines.push(...siblings.map((sibling) => `require ${sibling} ${source.siblingVersion}`));
    lines.push('', ...siblings.map((sibling) => `replace ${sibling} => ${sibling} ${source.siblingVersion}`));
  }
  return `${lines.join('\n')}\n`;
}

async function buildComponent(go: string, component: Component, request: BinaryRequest): Promise<string> {
  const { scratchFolder, binFolder, env, platform, log } = request;
  const source = component.go;
  // Programs of one module share the folder, so that Go resolves dependencies once.
  const moduleFolder = path.join(scratchFolder, source.module.replace(/\W+/g, '-'));
  const run = async (...args: string[]) => runGo(go, args, {
    cwd: moduleFolder,
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off', GO111MODULE: 'on', GOOS: platform.os, GOARCH: platform.arch },
    onHeartbeat: (seconds) => log(`still building ${component.name} ${component.version} (${seconds} s)`),
  });
  log(`building ${component.name} ${component.version} with Go; the first time takes minutes`);
  const started = Date.now();
  if (!fs.existsSync(moduleFolder)) {
    fs.mkdirSync(moduleFolder, { recursive: true });
    // Outside of a module, `go mod download` accepts MODULE@VERSION and prints the path of its go.mod.
    const download = JSON.parse(await run('mod', 'download', '-json', `${source.module}@${source.version}`)) as { GoMod: string };
    const upstream = JSON.parse(await run('mod', 'edit', '-json', download.GoMod)) as GoModule;
    fs.writeFileSync(path.join(moduleFolder, 'go.mod'), generateGoMod(source, upstream));
  }
  const output = path.join(scratchFolder, `${component.name}.built`);
  const variables = Object.entries(source.linkerVariables).map(([name, value]) => ` -X ${name}=${value}`).join('');
  await run('build', '-mod=mod', '-trimpath', '-ldflags', `-s -w${variables}`, '-o', output, source.package);
  const binary = putInPlace(output, binFolder, component.name);
  log(`built ${component.name} ${component.version} in ${Math.round((Date.now() - started) / 1000)} s`);
  return binary;
}

interface RunGoOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onHeartbeat: (seconds: number) => void;
}

/** @returns the command's standard output */
async function runGo(go: string, args: readonly string[], options: RunGoOptions): Promise<string> {
  const started = Date.now();
  const heartbeat = setInterval(() => options.onHeartbeat(Math.round((Date.now() - started) / 1000)), HEARTBEAT_S * 1000);
  try {
    return await new Promise<string>((resolve, reject) => {
      const child = spawn(go, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
      child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (code === 0) {
          resolve(stdout);
        } else {
          const tail = (stderr.trim() || stdout.trim()).split('\n').slice(-ERROR_LINES).join('\n');
          reject(new Error(`\`go ${args.join(' ')}\` ended with ${signal ?? `code ${code}`}:\n${tail}`));
        }
      });
    });
  } finally {
    clearInterval(heartbeat);
  }
}

/**
 * Finds a program as a shell would.
 * @param extraFolders folders to look in after those of `PATH`
 * @returns its path, or undefined
 */
export function findOnPath(program: string, env: NodeJS.ProcessEnv, extraFolders: readonly string[] = []): string | undefined {
  const folders = [...(env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== ''), ...extraFolders];
  return folders.map((folder) => path.join(folder, program)).find(isExecutable);
}
