/**
 * Definitions from where they are published: modules of Go, by `go mod download`, which finds its proxy in GOPROXY; commits of repositories,
 * by git. A folder of definitions may stand in for an archive that this machine cannot reach.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { loadAll } from 'js-yaml';
import { builtinFacts, type OpenApi } from './builtin-kinds';
import { factsOf, type PublishedDefinition } from './facts';
import type { UpstreamSource } from './sources';
import type { KindFacts, SystemEntry } from '../../src/cli/crd/upstream/compact-format';

/** What was read of a system. */
export interface ReadSystem {
  readonly kinds: readonly KindFacts[];
  readonly readFrom: SystemEntry['readFrom'];
}

/**
 * Reads the definitions of a system.
 * @param folders with a folder NAME-VERSION of YAML files per system, for archives that cannot be had
 * @throws Error when neither has them, and for an archive with another sum
 */
export function readSystem(source: UpstreamSource, folders: readonly string[]): ReadSystem {
  const folder = folders.map((each) => path.join(each, `${source.system}-${source.version}`)).find((each) => existsSync(each));
  try {
    return { kinds: kindsOf(source, 'module' in source.archive ? readModule(source) : readRepository(source)), readFrom: 'archive' };
  } catch (error) {
    if (folder === undefined || error instanceof WrongArchiveError) {
      throw error;
    }
    console.warn(`${source.system} ${source.version}: ${(error as Error).message.trim().split('\n')[0].slice(0, 200)}; read from ${folder}.`);
    const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    return { kinds: kindsOf(source, files), readFrom: 'folder' };
  }
}

/** An archive that is not the one of the list: nothing else may stand in for it. */
export class WrongArchiveError extends Error {}

function kindsOf({ system, only, openApi }: UpstreamSource, texts: readonly string[]): KindFacts[] {
  if (openApi) {
    return builtinFacts(texts.map((text) => JSON.parse(text) as OpenApi));
  }
  const documents = texts.flatMap((text) => loadAll(text) as (PublishedDefinition | null)[]).filter((document) => document?.kind === 'CustomResourceDefinition');
  const definitions = (documents as PublishedDefinition[]).filter(({ spec }) => only?.includes(spec.names.kind) !== false).map(factsOf);
  const missing = only?.filter((kind) => !definitions.some((definition) => definition.kind === kind)) ?? [];
  if (definitions.length === 0 || missing.length > 0) {
    throw new WrongArchiveError(`${system} has no definition${missing.length > 0 ? ` of ${missing.join(', ')}` : ''} there. Correct its files in scripts/upstream/sources.ts.`);
  }
  return definitions;
}

function run(command: string, args: readonly string[], cwd = tmpdir()): string {
  // The environment of whoever runs this says where modules come from.
  const { status, stdout, stderr, error } = spawnSync(command, [...args], { cwd, encoding: 'utf8', maxBuffer: 2 ** 30, env: { ...process.env, GOFLAGS: '', GIT_TERMINAL_PROMPT: '0' } });
  if (error !== undefined || status !== 0) {
    throw new Error(error?.message ?? (stderr.trim() || failureOf(stdout)));
  }
  return stdout;
}

/** `go mod download -json` reports its errors in the answer. */
function failureOf(answer: string): string {
  try {
    return (JSON.parse(answer) as { Error?: string }).Error ?? answer;
  } catch {
    return answer;
  }
}

function readModule({ version, archive, files, system }: UpstreamSource): string[] {
  const { module, sum } = archive as { module: string; sum: string };
  const release = version.startsWith('v') ? version : `v${version}`;
  const { Zip, Sum } = JSON.parse(run('go', ['mod', 'download', '-json', `${module}@${release}`])) as { Zip: string; Sum: string };
  if (Sum !== sum) {
    throw new WrongArchiveError(`${system}: the sum of ${module}@${release} is ${Sum}, not ${sum}.`);
  }
  const root = `${module}@${release}/`;
  const unpacked = unzipSync(readFileSync(Zip), { filter: ({ name }) => isWanted(name.slice(root.length), files) });
  return Object.keys(unpacked).sort().map((name) => Buffer.from(unpacked[name]).toString('utf8'));
}

function readRepository({ archive, files }: UpstreamSource): string[] {
  const { repository, commit } = archive as { repository: string; commit: string };
  const folder = mkdtempSync(path.join(tmpdir(), 'trainyard-upstream-'));
  try {
    run('git', ['init', '--quiet'], folder);
    // Files as they are asked for, and no history.
    run('git', ['remote', 'add', 'origin', `https://${repository}`], folder);
    run('git', ['fetch', '--quiet', '--depth=1', '--filter=blob:none', 'origin', commit], folder);
    const names = run('git', ['ls-tree', '-r', '--name-only', commit], folder).split('\n').filter((name) => isWanted(name, files));
    return names.map((name) => run('git', ['show', `${commit}:${name}`], folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isWanted(name: string, patterns: readonly string[]): boolean {
  return /\.(ya?ml|json)$/.test(name) && patterns.some((pattern) => new RegExp(`^${pattern.replace(/[.+]/g, '\\$&').replace(/\*/g, '[^/]*')}$`).test(name));
}
