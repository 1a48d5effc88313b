/** One more process of a container that runs: a command that somebody asked for, with its environment, folder and paths. */
import { spawn, type ChildProcess } from 'node:child_process';
import os from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { whyNotStarted } from './why-not-started';
import type { PreparedContainer } from './prepared-container';
import { PROCESS_TAG_VARIABLE, signalGroup, type ProcessGuard } from './process-guard';
import type { CommandEnd } from '../../operator/runtime/http/stream-channels';
import { programText } from '../../programs/program-text';

/** How long after its process' end the output may stay open, in milliseconds. */
const OUTPUT_GRACE_MS = 2000;

/** What is started. */
export interface ExecOptions {
  readonly container: PreparedContainer;
  /** Of the container's processes, which ends them all. */
  readonly tag: string;
  readonly guard: ProcessGuard;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly terminal: boolean;
}

/** See the top of this file. */
export class ExecProcess {
  /** Settles with its end; never rejects. */
  public readonly ended: Promise<CommandEnd>;
  private readonly child: ChildProcess;

  /** Starts it. A program that cannot be run shows in `ended`. */
  public constructor(private readonly options: ExecOptions) {
    const { container, tag, command, terminal, stdin } = options;
    const written = command.map(container.localPaths);
    // Node has no terminals of its own; whoever trains has Python.
    const [program, ...args] = terminal ? ['python3', '-c', programText('local/on_terminal.py'), ...written] : written;
    this.child = spawn(program, args, {
      cwd: container.workingDir,
      env: { ...container.env, ...(terminal && { TERM: container.env.TERM ?? 'xterm-256color' }), [PROCESS_TAG_VARIABLE]: tag },
      stdio: [stdin || terminal ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(terminal ? ['pipe' as const] : [])],
      detached: true,
    });
    // A command that has ended does not read what is still sent to it.
    [this.child.stdin, this.child.stdio[3]].forEach((pipe) => pipe?.on('error', () => undefined));
    this.ended = this.follow(program);
  }

  public get stdin(): Writable | null {
    return this.child.stdin;
  }

  public get stdout(): Readable | null {
    return this.child.stdout;
  }

  public get stderr(): Readable | null {
    return this.child.stderr;
  }

  /** Says how large the terminal is. Does nothing without one. */
  public resize(columns: number, rows: number): void {
    (this.child.stdio[3] as Writable | undefined)?.write(`${columns} ${rows}\n`);
  }

  /** Ends it and what it has started, if it runs. */
  public kill(): void {
    if (this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null) {
      signalGroup(this.child.pid, 'SIGKILL');
    }
  }

  private async follow(program: string): Promise<CommandEnd> {
    const { child, options: { guard, container } } = this;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    if (child.pid !== undefined) {
      guard.add(child.pid);
    }
    const end = await new Promise<CommandEnd>((resolve) => {
      child.once('exit', (code, signal) => resolve({ kind: 'exited', exitCode: code ?? 128 + (os.constants.signals[signal!] ?? 0) }));
      child.once('error', (error) => resolve({ kind: 'failed', message: whyNotStarted(error, program, container.workingDir) }));
    });
    if (child.pid === undefined) {
      return end;
    }
    guard.remove(child.pid);
    const timer = setTimeout(() => child.stdout?.destroy() && child.stderr?.destroy(), OUTPUT_GRACE_MS);
    await closed;
    clearTimeout(timer);
    return end;
  }
}
