/** A Git repository of a test, on this machine's disk. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** See the top of this file. */
export class GitRepository {
  /** @param folder where it is made */
  public constructor(public readonly folder: string) {
    fs.mkdirSync(folder, { recursive: true });
    this.git('init', '--quiet', '--initial-branch=main');
  }

  /** Its address for programs of this machine. */
  public get url(): string {
    return pathToFileURL(this.folder).href;
  }

  /** Commits everything that a folder of it is to hold, and nothing more. @returns the commit */
  public commit(folder: string, files: ReadonlyMap<string, string>, message: string): string {
    const target = path.join(this.folder, folder);
    fs.rmSync(target, { recursive: true, force: true });
    fs.mkdirSync(target, { recursive: true });
    files.forEach((text, name) => fs.writeFileSync(path.join(target, name), text));
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', `--message=${message}`);
    return this.head();
  }

  /** The last commit. */
  public head(): string {
    return this.git('rev-parse', 'HEAD').trim();
  }

  /** Files that the last commit changed. */
  public changed(): string[] {
    return this.git('show', '--name-only', '--format=', 'HEAD').trim().split('\n');
  }

  /** Files of a folder of the last commit, by name. */
  public files(folder: string): Map<string, string> {
    const names = this.git('ls-tree', '--name-only', 'HEAD', `${folder}/`).split('\n').filter((name) => name !== '');
    return new Map(names.map((name) => [path.basename(name), this.git('show', `HEAD:${name}`)]));
  }

  private git(...args: string[]): string {
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false', '-c', 'gc.auto=0'];
    return execFileSync('git', [...who, ...args], { cwd: this.folder, encoding: 'utf8', maxBuffer: 1 << 26, env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
  }
}
