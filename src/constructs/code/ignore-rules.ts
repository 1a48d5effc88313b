/**
 * Which entries of a folder belong to a bundle. Four voices, the later one wins: our defaults, `.gitignore` files, `.trainyardignore` files, and the
 * patterns that the program gives. Of files of one name the one in the deeper folder wins, and in a file the later line, as in git.
 *
 * `.gitignore` files above the folder count too, up to the root of the repository: what git must not see, such as a file of passwords, must not go
 * to a cluster either. They are left out where they ignore the folder itself, because then its author has chosen it all the same.
 */
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { bytesOf, parseIgnoreFile, speaksOf, type IgnorePattern } from './ignore-pattern';

/** Ignore file of our own, in git's language. */
export const IGNORE_FILE = '.trainyardignore';

const GIT_IGNORE_FILE = '.gitignore';

/** Never in a bundle, whatever an ignore file says: histories, and what local runs leave. */
const NEVER = ['.git', '.trainyard'];

/** Left out unless an ignore file takes them in again (`!dist/`): what can be created again, what synth writes, and where passwords are kept. */
const DEFAULT_PATTERNS: readonly string[] = [
  'node_modules/', '__pycache__/', '*.pyc', '.venv/', 'venv/', '.ipynb_checkpoints/', '.mypy_cache/', '.pytest_cache/', '.ruff_cache/', '.DS_Store',
  'dist/', '*.k8s.yaml', '.env', '.env.*',
];

/** Patterns of one file. */
interface Voice {
  /** Folder of the file, from the root of the rules. */
  readonly base: string;
  readonly patterns: readonly IgnorePattern[];
}

/** Patterns that hold in a folder. */
export interface FolderRules {
  readonly git: readonly Voice[];
  readonly own: readonly Voice[];
}

/** See the top of this file. */
export class IgnoreRules {
  private readonly defaults: readonly Voice[];
  private readonly last: readonly Voice[];

  /** Folder that all paths are relative to: the bundle's, or the root of its repository. */
  private readonly root: string;

  /** Path of the bundle's folder below {@link root}; empty or with a slash at the end. */
  private readonly prefix: string;

  private readonly above: readonly Voice[];

  /**
   * @param folder the bundle's folder, as a real path
   * @param patterns what the program leaves out in addition to the files
   */
  public constructor(private readonly folder: string, patterns: readonly string[] = [], defaults: readonly string[] = DEFAULT_PATTERNS) {
    this.root = repositoryOf(folder) ?? folder;
    const relative = path.relative(this.root, folder).split(path.sep).join('/');
    this.prefix = relative === '' ? '' : `${relative}/`;
    this.defaults = [this.voice(this.prefix, defaults.join('\n'))];
    this.last = [this.voice(this.prefix, patterns.join('\n'))];
    this.above = this.voicesAbove();
  }

  /** The rules of a folder: those of the folder around it, and its own files. @param below from the bundle's folder, with a slash at the end */
  public rulesOf(below: string, outer: FolderRules = { git: this.above, own: [] }): FolderRules {
    return { git: this.withFile(outer.git, below, GIT_IGNORE_FILE), own: this.withFile(outer.own, below, IGNORE_FILE) };
  }

  /** Whether an entry of a folder with these rules is left out. */
  public isIgnored(below: string, isFolder: boolean, { git, own }: FolderRules): boolean {
    const name = below.slice(below.lastIndexOf('/') + 1);
    return NEVER.includes(name) || (verdict([...this.defaults, ...git, ...own, ...this.last], this.prefix + below, isFolder) ?? false);
  }

  private withFile(outer: readonly Voice[], below: string, name: string): readonly Voice[] {
    const file = path.join(this.folder, below, name);
    return existsSync(file) ? [...outer, this.voice(this.prefix + below, readFileSync(file, 'utf8'))] : outer;
  }

  private voice(base: string, text: string): Voice {
    return { base: bytesOf(base), patterns: parseIgnoreFile(text) };
  }

  private voicesAbove(): readonly Voice[] {
    const voices: Voice[] = [];
    let base = '';
    for (const name of this.prefix.split('/').slice(0, -1)) {
      const file = path.join(this.root, base, GIT_IGNORE_FILE);
      if (existsSync(file)) {
        voices.push(this.voice(base, readFileSync(file, 'utf8')));
      }
      if (verdict(voices, base + name, true)) {
        return [];
      }
      base += `${name}/`;
    }
    return voices;
  }
}

/** What the last pattern that speaks of an entry says; undefined when none does. */
function verdict(voices: readonly Voice[], entry: string, isFolder: boolean): boolean | undefined {
  const bytes = bytesOf(entry);
  for (let voice = voices.length - 1; voice >= 0; voice--) {
    const { base, patterns } = voices[voice];
    const relative = bytes.slice(base.length);
    for (let line = patterns.length - 1; line >= 0; line--) {
      if (speaksOf(patterns[line], relative, isFolder)) {
        return !patterns[line].negated;
      }
    }
  }
  return undefined;
}

/** The repository that a folder is in. */
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
