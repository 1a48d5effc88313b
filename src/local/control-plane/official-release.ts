/**
 * Downloads binaries from their publishers.
 *
 * A file is written into a scratch folder, and moved into the cache if its SHA-256 is that of the publisher, which is read over HTTPS: dl.k8s.io has
 * a `.sha256` for each binary, etcd's releases a SHA256SUMS, and GitHub's API a digest for KWOK's. This detects incomplete and wrong files. The
 * versions are pinned in components.ts.
 */
import { execFile } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { BinaryAnswer, BinaryRequest, BinarySource, putInPlace } from './binary-source';
import { Component, ComponentName, ReleaseSource } from './components';

export interface OfficialReleaseOptions {
  /**
   * Milliseconds until a host must have answered. Short, so that a machine without network tries the next source soon.
   * @default 4000
   */
  readonly connectTimeoutMs?: number;
  /** Milliseconds without a byte after which a download is aborted. @default 30000 */
  readonly stallTimeoutMs?: number;
}

/** The host does not answer. */
class UnreachableError extends Error {}

/** Downloads official release binaries, unless `TRAINYARD_NO_DOWNLOAD=1`. */
export class OfficialReleaseSource implements BinarySource {
  public readonly title = 'download of official releases';
  private readonly connectTimeoutMs: number;
  private readonly stallTimeoutMs: number;

  public constructor(options: OfficialReleaseOptions = {}) {
    this.connectTimeoutMs = options.connectTimeoutMs ?? 4_000;
    this.stallTimeoutMs = options.stallTimeoutMs ?? 30_000;
  }

  public async provide(request: BinaryRequest): Promise<BinaryAnswer> {
    const found = new Map<ComponentName, string>();
    if (request.env.TRAINYARD_NO_DOWNLOAD === '1') {
      return { found, notes: ['switched off by TRAINYARD_NO_DOWNLOAD=1'] };
    }
    const notes: string[] = [];
    const unreachable = new Set<string>();
    for (const component of request.components) {
      const release = component.release(request.platform);
      if (!release) {
        notes.push(`${component.name} ${component.version} is not released for ${request.platform.os}/${request.platform.arch}`);
        continue;
      }
      const host = new URL(release.url).host;
      if (unreachable.has(host)) {
        continue;
      }
      try {
        found.set(component.name, await this.fetchBinary(component, release, request));
      } catch (error) {
        if (error instanceof UnreachableError) {
          // One line and one time-out for each host.
          unreachable.add(host);
        }
        const note = `${component.name} ${component.version}: ${(error as Error).message}`;
        notes.push(note);
        request.log(`no download of ${note}`);
      }
    }
    return { found, notes };
  }

  private async fetchBinary(component: Component, release: ReleaseSource, request: BinaryRequest): Promise<string> {
    const { scratchFolder, binFolder, log } = request;
    const fileName = path.posix.basename(new URL(release.url).pathname);
    const expected = parseChecksum(await this.text(release.checksumUrl), release, fileName);
    log(`downloading ${component.name} ${component.version} from ${new URL(release.url).host}`);
    const download = path.join(scratchFolder, `${component.name}.download`);
    const actual = await this.toFile(release.url, download);
    if (actual !== expected) {
      fs.rmSync(download, { force: true });
      throw new Error(`checksum mismatch: ${release.url} has SHA-256 ${actual}, but ${release.checksumUrl} states ${expected}; the file was discarded`);
    }
    if (!release.archiveMember) {
      return putInPlace(download, binFolder, component.name);
    }
    await promisify(execFile)('tar', ['-xzf', download, '-C', scratchFolder, release.archiveMember]);
    fs.rmSync(download, { force: true });
    return putInPlace(path.join(scratchFolder, release.archiveMember), binFolder, component.name);
  }

  private async text(url: string): Promise<string> {
    return this.open(url, async (response) => response.text());
  }

  /** @returns the hexadecimal SHA-256 of the file */
  private async toFile(url: string, file: string): Promise<string> {
    return this.open(url, async (response, onProgress) => {
      const hash = crypto.createHash('sha256');
      const handle = await fs.promises.open(file, 'w');
      try {
        for await (const chunk of response.body!) {
          onProgress();
          hash.update(chunk);
          await handle.writeFile(chunk);
        }
      } finally {
        await handle.close();
      }
      return hash.digest('hex');
    });
  }

  private async open<T>(url: string, read: (response: Response, onProgress: () => void) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const host = new URL(url).host;
    let silence = `${host} did not answer within ${this.connectTimeoutMs / 1000} s`;
    let timer = setTimeout(() => abort.abort(), this.connectTimeoutMs);
    const onProgress = () => {
      silence = `${host} sent nothing for ${this.stallTimeoutMs / 1000} s`;
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), this.stallTimeoutMs);
    };
    try {
      const response = await fetch(url, { signal: abort.signal, headers: { 'user-agent': 'trainyard' } });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`GET ${url} answered ${response.status} ${response.statusText}`.trim());
      }
      onProgress();
      return await read(response, onProgress);
    } catch (error) {
      if (abort.signal.aborted) {
        throw new UnreachableError(silence, { cause: error });
      }
      // fetch reports each network fault as a TypeError, with the fault as its cause.
      const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
      if (name === 'TypeError') {
        throw new UnreachableError(`${host} cannot be reached (${cause?.code ?? cause?.message ?? message})`, { cause: error });
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Reads the SHA-256 of a file from the publisher's document.
 * @throws Error when the document has none
 */
export function parseChecksum(document: string, release: ReleaseSource, fileName: string): string {
  const sum = findChecksum(document, release, fileName)?.toLowerCase();
  if (!sum || !/^[0-9a-f]{64}$/.test(sum)) {
    throw new Error(`${release.checksumUrl} states no SHA-256 of ${fileName}`);
  }
  return sum;
}

function findChecksum(document: string, release: ReleaseSource, fileName: string): string | undefined {
  switch (release.checksumFormat) {
    case 'sha256':
      return document.trim().split(/\s+/)[0];
    case 'sha256sums':
      return document
        .split('\n')
        .map((line) => line.trim().split(/\s+\*?/))
        .find(([, name]) => name === fileName)?.[0];
    case 'github-release': {
      const { assets } = JSON.parse(document) as { assets?: { name: string; digest?: string | null }[] };
      return assets?.find(({ name }) => name === fileName)?.digest?.replace(/^sha256:/, '');
    }
  }
}
