/**
 * Finds the control plane's binaries. The sources of each one are, in this order:
 *
 * 1. the folder `KUBEBUILDER_ASSETS` (the convention of controller-runtime's envtest), with any version;
 * 2. our cache folder;
 * 3. a download of the official release;
 * 4. a build with Go from the module proxy.
 *
 * 3 and 4 add to the cache, under a lock of its folder: if several processes start at once, one does the work and the others use the result.
 */
import fs from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../cache-folder';
import { BinaryRequest, BinarySource, findInFolder } from './binary-source';
import { component, COMPONENT_NAMES, ComponentName, currentPlatform, ETCD_VERSION, KUBERNETES_VERSION, KWOK_VERSION, Platform } from './components';
import { withFolderLock } from './folder-lock';
import { findOnPath, GoBuildSource } from './go-build';
import { OfficialReleaseSource } from './official-release';

export interface ResolveBinariesOptions {
  /**
   * Settings: `KUBEBUILDER_ASSETS`, `TRAINYARD_CACHE`, `XDG_CACHE_HOME`, `TRAINYARD_NO_DOWNLOAD`, `PATH`.
   * @default process.env
   */
  readonly env?: NodeJS.ProcessEnv;
  /** Called with lines about the progress. @default no output */
  readonly log?: (line: string) => void;
  /**
   * Sources of binaries that neither `KUBEBUILDER_ASSETS` nor the cache has, in this order.
   * @default the official releases, then a build with Go
   */
  readonly sources?: readonly BinarySource[];
  /** @default the platform of this process */
  readonly platform?: Platform;
}

/** The folder of the cache for the binaries of exactly these versions and this platform. */
export function controlPlaneCacheFolder(env: NodeJS.ProcessEnv = process.env, platform: Platform = currentPlatform()): string {
  const versions = `kubernetes-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}-kwok-${KWOK_VERSION}-${platform.os}-${platform.arch}`;
  return path.join(cacheFolder(env), 'control-plane', versions);
}

/**
 * Finds, downloads or builds the binaries of the control plane. With a warm cache this takes no time and uses no network.
 * @param names the programs that are needed; default all
 * @returns the path of each
 * @throws Error with all attempts and possible fixes, when one of them is missing
 */
export async function resolveBinaries(
  names: readonly ComponentName[] = COMPONENT_NAMES,
  options: ResolveBinariesOptions = {},
): Promise<Map<ComponentName, string>> {
  const { env = process.env, log = () => {}, platform = currentPlatform() } = options;
  const sources = options.sources ?? [new OfficialReleaseSource(), new GoBuildSource()];
  const folder = controlPlaneCacheFolder(env, platform);
  const binFolder = path.join(folder, 'bin');
  const search = new BinarySearch(names);

  const { KUBEBUILDER_ASSETS: assets } = env;
  search.add('KUBEBUILDER_ASSETS', assets ? findInFolder(search.missing(), assets) : { found: new Map(), notes: ['not set'] });
  if (search.add('cache', findInFolder(search.missing(), binFolder))) {
    return search.found;
  }

  await withFolderLock(folder, async () => {
    // Another process may have filled the cache while we waited for the lock.
    if (search.add(undefined, findInFolder(search.missing(), binFolder))) {
      return;
    }
    removeLeftovers(folder);
    const scratchFolder = fs.mkdtempSync(path.join(folder, 'scratch-'));
    try {
      for (const source of sources) {
        const request: BinaryRequest = { components: search.missing(), platform, binFolder, scratchFolder, env, log };
        if (search.add(source.title, await source.provide(request))) {
          return;
        }
      }
    } finally {
      fs.rmSync(scratchFolder, { recursive: true, force: true });
    }
  }, { onWait: (pid) => log(`process ${pid} prepares the control plane's binaries; waiting for it`) });

  if (search.missing().length > 0) {
    throw new Error(search.describeFailure());
  }
  return search.found;
}

/** Finds kubectl, for users: in `KUBEBUILDER_ASSETS`, then on the `PATH`. The control plane does not need it. */
export function findKubectl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = env.KUBEBUILDER_ASSETS ? [env.KUBEBUILDER_ASSETS] : [];
  return findOnPath('kubectl', { PATH: folders.concat(env.PATH ?? '').join(path.delimiter) });
}

/**
 * Finds kubectl as {@link findKubectl} does, else in the control plane's version in the cache, the official release or a build with Go.
 * @throws Error as {@link resolveBinaries} does
 */
export async function resolveKubectl(options: ResolveBinariesOptions = {}): Promise<string> {
  return findKubectl(options.env) ?? (await resolveBinaries(['kubectl'], options)).get('kubectl')!;
}

/** Removes scratch folders of killed processes. We hold the lock, so none is in use. */
function removeLeftovers(folder: string): void {
  for (const entry of fs.readdirSync(folder)) {
    if (entry.startsWith('scratch-')) {
      fs.rmSync(path.join(folder, entry), { recursive: true, force: true });
    }
  }
}

/** The binaries that were found, and notes of the sources about the others. */
class BinarySearch {
  public readonly found = new Map<ComponentName, string>();
  private readonly tried: string[] = [];

  public constructor(private readonly names: readonly ComponentName[]) {}

  public missing() {
    return this.names.filter((name) => !this.found.has(name)).map(component);
  }

  /** @returns whether nothing is missing any more */
  public add(title: string | undefined, answer: { found: ReadonlyMap<ComponentName, string>; notes: readonly string[] }): boolean {
    answer.found.forEach((file, name) => this.found.set(name, file));
    if (title) {
      this.tried.push(...answer.notes.map((note) => `- ${title}: ${note.replace(/\n/g, '\n    ')}`));
    }
    return this.missing().length === 0;
  }

  public describeFailure(): string {
    return [
      `The embedded control plane needs ${this.missing().map(({ name, version }) => `${name} ${version}`).join(', ')}, but no source has it. Tried:`,
      ...this.tried,
      'To fix this, do one of these: set KUBEBUILDER_ASSETS to a folder with the binaries; allow HTTPS to dl.k8s.io and github.com (and unset TRAINYARD_NO_DOWNLOAD);'
        + ' or install Go (https://go.dev/dl), with GOPROXY set to a module proxy that this machine can reach.',
    ].join('\n');
  }
}
