/**
 * Archives of bundles: the same files give the same bytes on every machine. Compressed by a library in plain JavaScript, because the zlib in Node.js
 * gives different bytes in other releases and on other processors, and the digest is in the job, which cannot change.
 */
import { gzipSync } from 'fflate';
import { readFileSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { IGNORE_FILE, IgnoreRules, type FolderRules } from './ignore-rules';
import { writeTar, type TarEntry } from './tar';
import { CODE_CONFIG_MAPS_MAX_BYTES } from '../../manifests/code/code-config-map';
import { sha256 } from '../../manifests/code/oci-artifact';

/** Maximum size of files that are compressed for ConfigMaps, in bytes. */
const SMALL_FILES_MAX_BYTES = 64 * 1024 * 1024;

/** Maximum size of the files in a bundle, in bytes: more is data, and belongs in a bucket or a volume. */
const FILES_MAX_BYTES = 1024 * 1024 * 1024;

/** Number of files in a message. */
const NAMED_FILES = 5;

/** An archive. */
export interface Archive {
  readonly content: Uint8Array;
  readonly digest: string;
}

/** Where an archive is stored: in ConfigMaps, which are small, or uploaded. */
export type ArchivePlace = 'config-maps' | 'upload';

/** Creates the archive of a folder. @throws Error if the folder is missing, empty or too large */
export function archiveOfFolder(folder: string, exclude: readonly string[], place: ArchivePlace): Archive {
  if (!isDirectory(folder)) {
    throw new Error('there is no such folder. A relative path starts at the current folder; path.join(__dirname, \'...\') starts at the program.');
  }
  const real = realpathSync(folder);
  const files = listFiles(real, new IgnoreRules(real, exclude));
  if (files.length === 0) {
    throw new Error(`the folder has no files, or ignore rules leave all of them out (${IGNORE_FILE}, .gitignore and the defaults).`);
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > (place === 'upload' ? FILES_MAX_BYTES : SMALL_FILES_MAX_BYTES)) {
    throw new Error(tooLarge(`its ${files.length} files have ${sizeOf(bytes)}`, place, files));
  }
  const content = gzipSync(writeTar(readFiles(real, files)), { level: 9, mtime: 0 });
  checkSize(content, place, () => tooLarge(`the archive has ${sizeOf(content.length)} (${files.length} files, ${sizeOf(bytes)})`, place, files));
  return { content, digest: sha256(content) };
}

/** Reads an existing archive. @throws Error if it is not a gzip file, or too large for its place */
export function archiveOfFile(file: string, place: ArchivePlace): Archive {
  if (!isFile(file)) {
    throw new Error('there is no such file. A relative path starts at the current folder; path.join(__dirname, \'...\') starts at the program.');
  }
  const content = readFileSync(file);
  if (content[0] !== 0x1f || content[1] !== 0x8b) {
    throw new Error('it is not a .tar.gz file: the gzip header is missing. Create one with: tar -czf code.tar.gz -C FOLDER .');
  }
  checkSize(content, place, () => tooLarge(`the archive has ${sizeOf(content.length)}`, place, []));
  return { content, digest: sha256(content) };
}

function checkSize(content: Uint8Array, place: ArchivePlace, message: () => string): void {
  if (place === 'config-maps' && content.length > CODE_CONFIG_MAPS_MAX_BYTES) {
    throw new Error(message());
  }
}

function tooLarge(what: string, place: ArchivePlace, files: readonly BundledFile[]): string {
  const limit = place === 'upload' ? `a bundle has room for ${sizeOf(FILES_MAX_BYTES)}` : `ConfigMaps have room for ${sizeOf(CODE_CONFIG_MAPS_MAX_BYTES)}`;
  const largest = [...files].sort((one, other) => other.size - one.size).slice(0, NAMED_FILES).map(({ path, size }) => `${path} (${sizeOf(size)})`);
  const named = largest.length === 0 ? '' : ` The largest: ${largest.join(', ')}.`;
  const ignore = files.length === 0 ? '' : `leave out what training does not need in ${IGNORE_FILE}`;
  const fix = place === 'upload' ? `${ignore}; data belongs in a bucket or a volume`
    : [ignore, 'keep the archive in a bucket or a registry: upload: \'s3://bucket/prefix\', \'gs://bucket/prefix\' or \'oci://registry/repository\''].filter(Boolean).join(', or ');
  return `${what}, and ${limit}.${named} ${fix[0].toUpperCase()}${fix.slice(1)}.`;
}

function sizeOf(bytes: number): string {
  const [unit, size] = bytes >= 1024 ** 3 ? ['GiB', 1024 ** 3] : bytes >= 1024 ** 2 ? ['MiB', 1024 ** 2] : ['KiB', 1024];
  const value = bytes / size;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${unit}`;
}

function isDirectory(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** A file or a link of the folder. */
interface BundledFile {
  /** Path with slashes, from the folder. */
  readonly path: string;
  /** Bytes; 0 for a link. */
  readonly size: number;
  readonly executable: boolean;
  /** Target of a link, as written. @default - it is a file */
  readonly link?: string;
}

/**
 * Lists the files.
 * @param folder as a real path
 * @throws Error for a link to outside the bundle, and for an entry that is not a file, folder or link
 */
export function listFiles(folder: string, rules: IgnoreRules): BundledFile[] {
  const files: BundledFile[] = [];
  const visit = (below: string, around?: FolderRules) => {
    const inside = rules.rulesOf(below, around);
    for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const name = below + entry.name;
      if (rules.isIgnored(name, entry.isDirectory(), inside)) {
        continue;
      }
      if (entry.name.includes('\uFFFD')) {
        throw new Error(`the name of ${quoted(name)} is not valid UTF-8, which archives require. Rename it, or leave it out in ${IGNORE_FILE}.`);
      }
      const file = path.join(folder, name);
      if (entry.isDirectory()) {
        visit(`${name}/`, inside);
      } else if (entry.isSymbolicLink()) {
        files.push({ path: name, size: 0, executable: false, link: readlinkSync(file) });
      } else if (entry.isFile()) {
        const { size, mode } = statSync(file);
        files.push({ path: name, size, executable: (mode & 0o100) !== 0 });
      } else {
        throw new Error(`${quoted(name)} is not a file, folder or link. Leave it out in ${IGNORE_FILE}.`);
      }
    }
  };
  visit('');
  checkLinks(folder, files);
  return files;
}

/** The files with their contents, for an archive. */
function readFiles(folder: string, files: readonly BundledFile[]): TarEntry[] {
  return files.map(({ path: name, executable, link }) => (
    link === undefined ? { path: name, executable, content: readFileSync(path.join(folder, name)) } : { path: name, executable, link }));
}

/** Links are kept as links, so their targets must be in the bundle too. */
function checkLinks(folder: string, files: readonly BundledFile[]): void {
  const paths = new Set(files.flatMap(({ path: name }) => [name, ...foldersAround(name)]));
  for (const { path: name, link } of files) {
    if (link !== undefined) {
      const target = path.relative(folder, path.resolve(folder, path.dirname(name), link)).split(path.sep).join('/');
      const where = path.isAbsolute(link) || target.startsWith('../') || target === '..' ? 'is not in the folder, or not by a relative path'
        : target !== '' && !paths.has(target) ? 'is missing, or left out by ignore rules' : undefined;
      if (where !== undefined) {
        throw new Error(`${quoted(name)} is a link to ${quoted(link)}, which ${where}: it would be broken in a pod. `
          + `Put a copy in its place, or leave it out in ${IGNORE_FILE}.`);
      }
    }
  }
}

function foldersAround(name: string): string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

function quoted(text: string): string {
  return `'${text}'`;
}
