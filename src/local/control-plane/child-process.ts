import { ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { guardedCommand, guardWithShell, parentDeathGuard, ParentDeathGuard } from './parent-death';

export interface ChildOptions {
  /** Its name in messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its standard output and error are appended to this file. */
  readonly logFile: string;
  /** @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** @default the one that works on this machine */
  readonly guard?: ParentDeathGuard;
}

/** How a child ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Bytes at the end of a log that are read for its last lines. */
const TAIL_BYTES = 64 * 1024;

const living = new Set<Child>();

function killLiving(): void {
  living.forEach((child) => child.kill());
}

/** A program that runs in the background, logs into a file, and does not outlive this process. */
export class Child {
  public readonly name: string;
  public readonly logFile: string;
  /** Resolves when the program has ended; never rejects. */
  public readonly exited: Promise<ChildExit>;
  private readonly process: ChildProcess;
  private exit?: ChildExit;

  /** Starts the program. A command that cannot be run exits, with the reason in the log. */
  public constructor(options: ChildOptions) {
    this.name = options.name;
    this.logFile = options.logFile;
    const guard = options.guard ?? parentDeathGuard();
    const [command, args] = guardedCommand(options.command, options.args, guard);
    const log = fs.openSync(options.logFile, 'a');
    try {
      // A process group of its own, so that Ctrl-C only reaches this process, which stops the programs in order.
      this.process = spawn(command, args, { stdio: ['ignore', log, log], detached: true, env: options.env });
    } finally {
      fs.closeSync(log);
    }
    this.exited = new Promise((resolve) => {
      const settle = (exit: ChildExit) => {
        this.exit ??= exit;
        living.delete(this);
        if (living.size === 0) {
          process.off('exit', killLiving);
        }
        resolve(this.exit);
      };
      this.process.once('exit', (code, signal) => settle({ code, signal }));
      this.process.once('error', (error) => {
        fs.appendFileSync(this.logFile, `${options.command}: ${error.message}\n`);
        settle({ code: 127, signal: null });
      });
    });
    if (living.size === 0) {
      process.on('exit', killLiving);
    }
    living.add(this);
    guardWithShell(this.process, guard);
  }

  /** Its process id; undefined when it could not be started. */
  public get pid(): number | undefined {
    return this.process.pid;
  }

  /** Whether it has not ended yet. */
  public get running(): boolean {
    return this.exit === undefined;
  }

  /** Sends SIGKILL; does nothing after the end. */
  public kill(): void {
    if (this.running) {
      this.process.kill('SIGKILL');
    }
  }

  /**
   * Ends the program: SIGTERM, and SIGKILL after `graceMs`.
   * @param graceMs milliseconds between the two; 0 kills at once
   */
  public async stop(graceMs: number): Promise<ChildExit> {
    if (this.running && graceMs > 0) {
      this.process.kill('SIGTERM');
      const timer = new AbortController();
      await Promise.race([this.exited, delay(graceMs, undefined, { signal: timer.signal }).catch(() => {})]);
      timer.abort();
    }
    this.kill();
    return this.exited;
  }

  /** The last lines of its log, for error messages. */
  public lastLogLines(count = 20): string {
    const size = fs.statSync(this.logFile).size;
    const start = Math.max(0, size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - start);
    const file = fs.openSync(this.logFile, 'r');
    try {
      fs.readSync(file, buffer, 0, buffer.length, start);
    } finally {
      fs.closeSync(file);
    }
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  }
}
