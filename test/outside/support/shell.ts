/** Commands as a person types them, in the environment of that person and not of this test. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

/** What a command has done. */
export interface Ended {
  /** Exit code; 0 where Ctrl-C was pressed for it. */
  readonly code: number;
  /** Standard output and standard error, in the order in which they came. */
  readonly out: string;
  readonly stdout: string;
}

/** Options of {@link shell}. */
export interface ShellOptions {
  readonly cwd: string;
  /** Variables besides those of {@link outsideEnvironment}. @default none */
  readonly env?: NodeJS.ProcessEnv;
  /** For a command that goes on until somebody presses Ctrl-C: that is pressed when its output has this. @default it ends by itself */
  readonly until?: RegExp;
  /** Milliseconds after which it hangs, on a busy machine too. @default five minutes */
  readonly timeoutMs?: number;
}

/** Variables that npm and jest set for what they start, and settings of our own tests. */
const OURS = /^(npm_(package|lifecycle)_|npm_(execpath|command|node_execpath)$|npm_config_(local_prefix|omit_lockfile)|INIT_CWD$|JEST_|NODE_ENV$|NODE_OPTIONS$|TRAINYARD_|CDK8S_|TSX_)/;

/**
 * The environment of a stranger: nothing of npm's, of jest's or of this repository. Nothing looks for newer versions of itself, which takes a
 * network.
 */
export function outsideEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !OURS.test(name) || name === 'TRAINYARD_CACHE');
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.endsWith(path.join('node_modules', '.bin')) && !folder.includes('node-gyp-bin'));
  return { ...Object.fromEntries(kept), PATH: folders.join(path.delimiter), NO_COLOR: '1', npm_config_update_notifier: 'false', CDK8S_CHECK_UPGRADE: 'false' };
}

/** A command that runs. */
class Running {
  /** How it ended; code 0 where {@link interrupt} ended it. */
  public readonly ended: Promise<Ended>;
  public out = '';
  private stdout = '';
  private isInterrupted = false;
  private readonly child: ChildProcess;

  public constructor(line: string, { cwd, env, timeoutMs = 300_000 }: ShellOptions, onOutput: () => void) {
    // A group of its own, so that Ctrl-C reaches all of it.
    this.child = spawn('/bin/sh', ['-c', line], { cwd, env: { ...outsideEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.out += text;
      onOutput();
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
      onOutput();
    });
    const timer = setTimeout(() => {
      this.out += `\n(no end within ${timeoutMs / 1000} s)`;
      this.signal('SIGKILL');
    }, timeoutMs);
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code) => {
        clearTimeout(timer);
        resolve({ code: this.isInterrupted ? 0 : code ?? 1, out: this.out, stdout: this.stdout });
      });
    });
  }

  /** Ctrl-C. */
  public interrupt(): void {
    this.isInterrupted = true;
    this.signal('SIGINT');
  }

  private signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.child.pid!, name);
    } catch {
      // It has ended.
    }
  }
}

/** Runs a line of shell to its end, or until Ctrl-C. */
export async function shell(line: string, options: ShellOptions): Promise<Ended> {
  const running = new Running(line, options, () => {
    if (options.until?.test(running.out)) {
      running.interrupt();
    }
  });
  return running.ended;
}

/** A command that goes on in another terminal. */
export interface Background {
  /** Presses Ctrl-C and waits for its end. */
  end(): Promise<void>;
}

/** Starts a line of shell that goes on. @returns when its output has `until` @throws Error when it ends before */
export async function background(line: string, options: ShellOptions): Promise<Background> {
  return new Promise((resolve, reject) => {
    const running = new Running(line, { timeoutMs: 600_000, ...options }, () => {
      if (options.until!.test(running.out)) {
        resolve({
          end: async () => {
            running.interrupt();
            await running.ended;
          },
        });
      }
    });
    running.ended.then(({ out, code }) => reject(new Error(`$ ${line}\n${out}\nexit code ${code}`)), reject);
  });
}

/** Runs a line of shell that has to succeed. @throws Error with everything that it said */
export async function mustShell(line: string, options: ShellOptions): Promise<Ended> {
  const ended = await shell(line, options);
  if (ended.code !== 0) {
    throw new Error(`$ ${line}\n${ended.out}\nexit code ${ended.code}`);
  }
  return ended;
}
