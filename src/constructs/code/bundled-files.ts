/** The files of a folder that belong to a bundle. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { IGNORE_FILE, type FolderRules, type IgnoreRules } from './ignore-rules';
import type { TarEntry } from './tar';

/** A file or a link of the folder. */
export interface BundledFile {
  /** Path with slashes, from the folder. */
  readonly path: string;

  /** Bytes; 0 for a link. */
  readonly size: number;

  readonly executable: boolean;

  /** What a link points to, as it is written. @default - it is a file */
  readonly link?: string;
}

/**
 * Lists the files.
 * @param folder as a real path
 * @throws Error naming a link that leads out of the bundle, and what is neither file nor folder nor link
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
export function readFiles(folder: string, files: readonly BundledFile[]): TarEntry[] {
  return files.map(({ path: name, executable, link }) => (
    link === undefined ? { path: name, executable, content: readFileSync(path.join(folder, name)) } : { path: name, executable, link }));
}

/** A link is kept as it is, so what it points to has to be in the bundle too. */
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
