/**
 * Decides which entries of a folder belong to a bundle. There are four sources, of which the later wins: our defaults, `.gitignore` files,
 * `.trainyardignore` files, and the patterns of the program. Among files of the same name, the one in the deeper folder wins, and in a file the later
 * line, as in git.
 *
 * `.gitignore` files in parent folders apply too, up to the root of the repository: what git must not see, such as a file of passwords, must not go
 * to a cluster either. They do not apply if they ignore the folder itself, because the user has chosen it nevertheless.
 */
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { bytesOf, parseIgnoreFile, matchesEntry, type IgnorePattern } from './ignore-pattern';

/** Our own ignore file, in git's syntax. */
export const IGNORE_FILE = '.trainyardignore';

const GIT_IGNORE_FILE = '.gitignore';

/** Never in a bundle, whatever ignore files contain: git's history, and files of local runs. */
const NEVER = ['.git', '.trainyard'];

/** Left out unless an ignore file includes them (`!dist/`): files that can be created again, output of synth, and files with passwords. */
const DEFAULT_PATTERNS: readonly string[] = [
  'node_modules/', '__pycache__/', '*.pyc', '.venv/', 'venv/', '.ipynb_checkpoints/', '.mypy_cache/', '.pytest_cache/', '.ruff_cache/', '.DS_Store',
  'dist/', '*.k8s.yaml', '.env', '.env.*',
];

/** Patterns of one file. */
interface Source {
  /** Folder of the file, from the root of the rules. */
  readonly base: string;
  readonly patterns: readonly IgnorePattern[];
}

/** Patterns that apply in a folder. */
export interface FolderRules {
  readonly git: readonly Source[];
  readonly own: readonly Source[];
}

/** See the top of this file. */
export class IgnoreRules {
  private readonly defaults: readonly Source[];
  private readonly last: readonly Source[];

  /** Folder that all paths are relative to: the bundle's, or the root of its repository. */
  private readonly root: string;

  /** Path of the bundle's folder below {@link root}; empty or with a slash at the end. */
  private readonly prefix: string;

  private readonly above: readonly Source[];

  /**
   * @param folder the bundle's folder, as a real path
   * @param patterns patterns of the program
   */
  public constructor(private readonly folder: string, patterns: readonly string[] = [], defaults: readonly string[] = DEFAULT_PATTERNS) {
    this.root = repositoryOf(folder) ?? folder;
    const relative = path.relative(this.root, folder).split(path.sep).join('/');
    this.prefix = relative === '' ? '' : `${relative}/`;
    this.defaults = [this.source(this.prefix, defaults.join('\n'))];
    this.last = [this.source(this.prefix, patterns.join('\n'))];
    this.above = this.sourcesAbove();
  }

  /** The rules of a folder: those of its parent, and its own files. @param below from the bundle's folder, with a slash at the end */
  public rulesOf(below: string, outer: FolderRules = { git: this.above, own: [] }): FolderRules {
    return { git: this.withFile(outer.git, below, GIT_IGNORE_FILE), own: this.withFile(outer.own, below, IGNORE_FILE) };
  }

  /** Whether an entry of a folder with these rules is left out. */
  public isIgnored(below: string, isFolder: boolean, { git, own }: FolderRules): boolean {
    const name = below.slice(below.lastIndexOf('/') + 1);
    return NEVER.includes(name) || (isIgnoredBy([...this.defaults, ...git, ...own, ...this.last], this.prefix + below, isFolder) ?? false);
  }

  private withFile(outer: readonly Source[], below: string, name: string): readonly Source[] {
    const file = path.join(this.folder, below, name);
    return existsSync(file) ? [...outer, this.source(this.prefix + below, readFileSync(file, 'utf8'))] : outer;
  }

  private source(base: string, text: string): Source {
    return { base: bytesOf(base), patterns: parseIgnoreFile(text) };
  }

  private sourcesAbove(): readonly Source[] {
    const sources: Source[] = [];
    let base = '';
    for (const name of this.prefix.split('/').slice(0, -1)) {
      const file = path.join(this.root, base, GIT_IGNORE_FILE);
      if (existsSync(file)) {
        sources.push(this.source(base, readFileSync(file, 'utf8')));
      }
      if (isIgnoredBy(sources, base + name, true)) {
        return [];
      }
      base += `${name}/`;
    }
    return sources;
  }
}

/** Whether the last matching pattern ignores an entry; undefined if none matches. */
function isIgnoredBy(sources: readonly Source[], entry: string, isFolder: boolean): boolean | undefined {
  const bytes = bytesOf(entry);
  for (let index = sources.length - 1; index >= 0; index--) {
    const { base, patterns } = sources[index];
    const relative = bytes.slice(base.length);
    for (let line = patterns.length - 1; line >= 0; line--) {
      if (matchesEntry(patterns[line], relative, isFolder)) {
        return !patterns[line].negated;
      }
    }
  }
  return undefined;
}

/** The git repository of a folder. */
function repositoryOf(folder: string): string | undefined {
  for (let candidate = folder; ; candidate = path.dirname(candidate)) {
    if (existsSync(path.join(candidate, '.git'))) {
      return candidate;
    }
    if (candidate === path.dirname(candidate)) {
      return undefined;
    }
  }
}
