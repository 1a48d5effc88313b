/** Starts and asks `store-program.ts`, and PostgreSQL. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { buildSync } from 'esbuild';
import type { HistoryEntry } from '../../../../../src/cli/ui/history/history';

/** Bundles the program once. @returns its file */
export function bundleStoreProgram(folder: string): string {
  const outfile = path.join(folder, 'store-program.mjs');
  buildSync({
    entryPoints: [path.join(__dirname, 'store-program.ts')], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

type Waiting = (answer: { readonly result?: unknown; readonly error?: string }) => void;

/** A store in another process. */
export class StoreProcess {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private said = '';

  private constructor(private readonly child: ChildProcess) {
    readline.createInterface({ input: child.stdout! }).on('line', (line) => {
      const { id, ...answer } = JSON.parse(line) as { readonly id: number };
      this.waiting.get(id)?.(answer);
      this.waiting.delete(id);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      this.said += chunk.toString();
    });
    child.stdin!.on('error', () => undefined);
    child.on('close', () => [...this.waiting.values()].forEach((end) => end({ error: `the process has ended: ${this.said}` })));
  }

  public static start(node: string, program: string, place: string): StoreProcess {
    return new StoreProcess(spawn(node, ['--no-warnings', program, place], { stdio: 'pipe' }));
  }

  /** Calls a function of the store, or a statement with `sql`. @throws Error with the message of the error there */
  public async call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    this.lastId += 1;
    const id = this.lastId;
    const answer = await new Promise<Parameters<Waiting>[0]>((resolve) => {
      this.waiting.set(id, resolve);
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        resolve({ error: `the process has ended: ${this.said}` });
      }
      this.child.stdin!.write(`${JSON.stringify({ id, method, args })}\n`);
    });
    if (answer.error !== undefined) {
      throw new Error(answer.error);
    }
    return answer.result as T;
  }

  public async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const closed = once(this.child, 'close');
      this.child.kill('SIGKILL');
      await closed;
    }
  }
}

/** PostgreSQL on a socket in a folder, as a user that is not root. */
export class Postgresql {
  private constructor(private readonly server: ChildProcess, public readonly url: string) {}

  public static async start(programs: string, folder: string): Promise<Postgresql> {
    const user = process.getuid?.() === 0 ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) } : {};
    if (user.uid !== undefined) {
      fs.chownSync(folder, user.uid, user.gid);
    }
    const data = path.join(folder, 'data');
    execFileSync(path.join(programs, 'initdb'), ['-D', data, '-U', 'recorder', '-A', 'trust', '--no-sync'], { ...user, cwd: folder, stdio: 'ignore' });
    const port = String(20_000 + process.pid % 20_000);
    const server = spawn(path.join(programs, 'postgres'), ['-D', data, '-k', folder, '-p', port, '-c', 'listen_addresses=127.0.0.1'], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      let said = '';
      server.stderr!.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('ready to accept connections')) {
          resolve();
        }
      });
      server.on('close', () => reject(new Error(`PostgreSQL has ended: ${said}`)));
    });
    return new Postgresql(server, `postgres://recorder@127.0.0.1:${port}/postgres`);
  }

  public async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.kill('SIGINT');
    await closed;
  }
}

/** A job that failed, as it is written. */
export function entryOf(uid: string, changes: Partial<HistoryEntry['row']> = {}): HistoryEntry {
  const row = { uid, namespace: 'ml', name: `job-${uid}`, framework: 'pytorch', state: 'Failed', createdAt: 1_000, endedAt: 2_000, seenAt: 3_000, version: '7', ...changes };
  return {
    row, points: [{ time: '2026-01-01T00:00:00.000Z', metrics: { loss: '0.5' } }],
    events: [{ time: '2026-01-01T00:00:00Z', what: 'Created', isWarning: false }],
    detail: { report: {} as HistoryEntry['detail']['report'], object: { metadata: { labels: { team: 'vision' } } }, redacted: [], logs: [{ time: '', replica: 'worker-0', text: `line of ${uid}` }] },
  };
}
