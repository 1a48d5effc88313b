/** One container as a child process. Its end is reported like the kubelet does. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ExecProcess, type ExecNeeds } from './exec-process';
import { LineSplitter } from './line-splitter';
import type { PreparedContainer } from './prepared-container';
import { hasMembers, PROCESS_TAG_VARIABLE, signalGroup, type ProcessGuard } from './process-guard';
import { whyNotStarted } from './why-not-started';
import type { ContainerState, ContainerTermination } from '../../manifests/kubernetes';
import { timeText } from '../../model/text/times';

/** Lines that are kept to explain a failure. */
const TAIL_LINES = 20;

/** Most characters of them; a kubelet keeps 2048 bytes. */
const TAIL_MAX_LENGTH = 2048;

/** Most bytes of a message that a program leaves; a kubelet's limit. */
const MESSAGE_MAX_BYTES = 4096;

/** How long after its process' end a container's output may stay open, in milliseconds. Only a process that could not be killed keeps it open. */
const OUTPUT_GRACE_MS = 2000;

/** Milliseconds between two looks at a group that was asked to end. */
const GROUP_POLL_MS = 20;

/** Exit code of a program that could not be started, as shells have it. */
const NOT_STARTED = 127;

/** Takes the lines that a container writes. */
export type OnLine = (text: string, stream: 'stdout' | 'stderr') => void;

/** What Node.js says of a child's end. */
type ChildEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null } | { readonly error: Error };

/** A running or ended container. */
export class ContainerProcess {
  /** Settles with the container's end; never rejects. */
  public readonly ended: Promise<ContainerTermination>;
  private readonly startedAt = timeText(Date.now());
  private readonly tail: string[] = [];
  private readonly tag: string;
  private readonly child?: ChildProcess;
  private termination?: ContainerTermination;
  private terminating = false;
  /** The hook that runs before the process is asked to end. */
  private hook?: ChildProcess;

  /** Starts the container. A program that cannot be run shows as an end with code 127. */
  public constructor(private readonly container: PreparedContainer, private readonly guard: ProcessGuard, private readonly onLine: OnLine) {
    this.tag = guard.newTag();
    try {
      this.child = spawn(container.command, container.args, {
        cwd: container.workingDir,
        env: { ...container.env, [PROCESS_TAG_VARIABLE]: this.tag },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A process group of its own, so that the whole tree can be signalled and a terminal's Ctrl-C comes to us alone.
        detached: true,
      });
      this.ended = this.follow(this.child, container);
    } catch (error) {
      this.ended = Promise.resolve(this.finish({ exitCode: NOT_STARTED, reason: 'ContainerCannotRun', message: whyNotStarted(error as Error, container.command, container.workingDir) }));
    }
  }

  /** The container's state as in a pod's status. */
  public get state(): ContainerState {
    return this.termination ? { terminated: this.termination } : { running: { startedAt: this.startedAt } };
  }

  /**
   * Asks the container to end. As in a cluster its first process alone is told: a trainer that saves its state still needs its data loaders. Where
   * that was a shell, which ends and leaves a program running, the rest of the group is told then.
   */
  public terminate(): void {
    const isFirst = !this.terminating;
    this.terminating = true;
    if (isFirst && this.isRunning && this.container.preStop?.length) {
      void this.runHook(this.container.preStop).then(() => this.askToEnd());
    } else if (this.hook === undefined) {
      this.askToEnd();
    }
  }

  /** Ends all processes of the container. */
  public kill(): void {
    this.endHook();
    if (this.isRunning) {
      signalGroup(this.child!.pid!, 'SIGKILL');
    }
  }

  /** Starts one more process in it; undefined when it has ended. Like all others it ends with the container's first one. */
  public exec(command: readonly string[], needs: ExecNeeds): ExecProcess | undefined {
    const { container, tag, guard } = this;
    return this.isRunning ? new ExecProcess({ container, tag, guard, command, ...needs }) : undefined;
  }

  private askToEnd(): void {
    if (this.isRunning) {
      this.child!.kill('SIGTERM');
    }
  }

  /** Runs the `preStop` hook to its end, whatever that is; whoever asked the container to end kills it when its grace period is over. */
  private async runHook([command, ...args]: readonly string[]): Promise<void> {
    const { workingDir, env } = this.container;
    try {
      this.hook = spawn(command, args, { cwd: workingDir, env: { ...env, [PROCESS_TAG_VARIABLE]: this.tag }, stdio: 'ignore', detached: true });
      await new Promise<void>((resolve) => this.hook!.once('exit', () => resolve()).once('error', () => resolve()));
    } catch {
      // As with a kubelet: a hook that cannot be run does not keep its container from ending.
    }
    this.hook = undefined;
  }

  private endHook(): void {
    if (this.hook?.pid !== undefined) {
      signalGroup(this.hook.pid, 'SIGKILL');
    }
  }

  private get isRunning(): boolean {
    return this.termination === undefined && this.child?.pid !== undefined;
  }

  /** Whoever asked the container to end kills it when its grace period is over, so this ends. */
  private async untilGroupEnded(group: number): Promise<void> {
    signalGroup(group, 'SIGTERM');
    while (hasMembers(group)) {
      await delay(GROUP_POLL_MS);
    }
  }

  private async follow(child: ChildProcess, container: PreparedContainer): Promise<ContainerTermination> {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    for (const stream of ['stdout', 'stderr'] as const) {
      const splitter = new LineSplitter((line) => this.takeLine(line, stream));
      child[stream]!.on('data', (chunk: Buffer) => splitter.write(chunk)).once('end', () => splitter.end());
    }
    if (child.pid !== undefined) {
      this.guard.add(child.pid);
    }
    const exit = await new Promise<ChildEnd>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal })).once('error', (error) => resolve({ error }));
    });
    if ('error' in exit) {
      return this.finish({ exitCode: NOT_STARTED, reason: 'ContainerCannotRun', message: whyNotStarted(exit.error, container.command, container.workingDir) });
    }
    if (this.terminating) {
      await this.untilGroupEnded(child.pid!);
    }
    this.guard.sweep(child.pid!, this.tag);
    const timer = setTimeout(() => child.stdout!.destroy() && child.stderr!.destroy(), OUTPUT_GRACE_MS);
    await closed;
    clearTimeout(timer);
    const exitCode = exit.code ?? 128 + (os.constants.signals[exit.signal!] ?? 0);
    return this.finish({
      exitCode,
      signal: exit.signal === null ? undefined : os.constants.signals[exit.signal],
      reason: exitCode === 0 ? 'Completed' : 'Error',
      // As with terminationMessagePolicy FallbackToLogsOnError.
      message: this.leftMessage() ?? (exitCode === 0 ? undefined : this.tail.join('\n').slice(-TAIL_MAX_LENGTH) || undefined),
    });
  }

  /** What the program itself left to say, as much as a kubelet takes of it. */
  private leftMessage(): string | undefined {
    try {
      const file = this.container.messageFile;
      return (file !== undefined && fs.readFileSync(file).subarray(0, MESSAGE_MAX_BYTES).toString('utf8')) || undefined;
    } catch {
      return undefined;
    }
  }

  private finish(termination: ContainerTermination): ContainerTermination {
    this.termination = { ...termination, startedAt: this.startedAt, finishedAt: timeText(Date.now()) };
    return this.termination;
  }

  private takeLine(line: string, stream: 'stdout' | 'stderr'): void {
    this.tail.push(line.slice(0, TAIL_MAX_LENGTH));
    if (this.tail.length > TAIL_LINES) {
      this.tail.shift();
    }
    this.onLine(line, stream);
  }
}
