/** A command in a running container, with the environment, folder and paths of the container's process. */
import { spawn, type ChildProcess } from 'node:child_process';
import os from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { whyNotStarted } from './why-not-started';
import type { PreparedContainer } from './prepared-container';
import { PROCESS_TAG_VARIABLE, signalGroup, type ProcessGuard } from './process-guard';
import type { CommandEnd } from '../../operator/runtime/http/stream-channels';
import { programText } from '../../programs/program-text';

/** Milliseconds that the output may stay open after the process has ended. */
const OUTPUT_GRACE_MS = 2000;

/** Input and terminal of a command. */
export interface ExecNeeds {
  readonly stdin: boolean;
  readonly terminal: boolean;
}

/** A command to start. */
export interface ExecOptions extends ExecNeeds {
  readonly container: PreparedContainer;
  /** Marks the processes of the container, so that they end with it. */
  readonly tag: string;
  readonly guard: ProcessGuard;
  readonly command: readonly string[];
}

export class ExecProcess {
  /** Resolves when the command has ended; never rejects. */
  public readonly ended: Promise<CommandEnd>;
  private readonly child: ChildProcess;

  /** Starts the command. `ended` reports a program that cannot be started. */
  public constructor(private readonly options: ExecOptions) {
    const { container, tag, command, terminal, stdin } = options;
    const written = command.map(container.localPaths);
    // Node.js cannot create terminals, and Python is available where training jobs run.
    const [program, ...args] = terminal ? ['python3', '-c', programText('local/on_terminal.py'), ...written] : written;
    this.child = spawn(program, args, {
      cwd: container.workingDir,
      env: { ...container.env, ...(terminal && { TERM: container.env.TERM ?? 'xterm-256color' }), [PROCESS_TAG_VARIABLE]: tag },
      stdio: [stdin || terminal ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(terminal ? ['pipe' as const] : [])],
      detached: true,
    });
    // The command may end before it has read its input.
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

  /** Sets the size of the terminal, if there is one. */
  public resize(columns: number, rows: number): void {
    (this.child.stdio[3] as Writable | undefined)?.write(`${columns} ${rows}\n`);
  }

  /** Ends the command and the processes that it started, if it is running. */
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
