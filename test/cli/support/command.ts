/**
 * Runs the `trainyard` command to its end. In this process, which takes no time, as what a command does is the same there; or as a process of its
 * own, for what only a process has: its streams, its signals, its real exit code. Each command is run so too, by test/docs/cli-pages.e2e.test.ts.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { format } from 'node:util';
import { runCommandLine } from '../../../src/cli/run-command-line';
import { appEnvironment, COMMAND, programArguments } from '../../support/bundled';

/** How it ended. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What may be other than usual. */
export interface CommandOptions {
  readonly cwd?: string;
  /** Standard input. @default - none */
  readonly input?: string;
  readonly env?: { readonly [name: string]: string | undefined };
}

/** Without colours and definitions, unless the environment asks for them. */
const environment = () => ({ NO_COLOR: '1', TRAINYARD_CRDS: '', ...appEnvironment() });

/** The last command: the next one waits for its end, as they share what a process has once. */
let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process. Its output is without what programs write that it starts; where that matters, {@link startTrainyard} has it. */
export function trainyard(args: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  const finished = last.then(() => runHere(args, options));
  last = finished.catch(() => undefined);
  return finished;
}

/** Runs a command as a process of its own. */
export function startTrainyard(args: readonly string[], { cwd, input, env }: CommandOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...programArguments(COMMAND), ...args], {
      cwd, stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...environment(), ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.once('close', (code) => resolve({ code, out, err }));
    // A command may end before it has read all of its input.
    child.stdin.on('error', () => undefined).end(input ?? '');
  });
}

/** A stream that goes nowhere, as the pipe of a process whose output is read later. */
class Written {
  public text = '';

  public readonly write = (text: string): boolean => {
    this.text += text;
    return true;
  };
}

async function runHere(args: readonly string[], { cwd = process.cwd(), input = '', env = {} }: CommandOptions): Promise<Finished> {
  const [out, err] = [new Written(), new Written()];
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const print = (stream: Written) => (...words: unknown[]) => void stream.write(`${format(...words)}\n`);
  const spies = [
    jest.spyOn(process, 'stdout', 'get').mockReturnValue(out as unknown as typeof process.stdout),
    jest.spyOn(process, 'stderr', 'get').mockReturnValue(err as unknown as typeof process.stderr),
    jest.spyOn(console, 'log').mockImplementation(print(out)),
    jest.spyOn(console, 'error').mockImplementation(print(err)),
    giveInput(input),
  ];
  try {
    setEnvironment({ ...before.env, ...environment(), ...env });
    process.chdir(cwd);
    process.exitCode = undefined;
    await runCommandLine(args);
    return { code: Number(process.exitCode ?? 0), out: out.text, err: err.text };
  } finally {
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
    setEnvironment(before.env);
    spies.forEach((spy) => spy.mockRestore());
  }
}

function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  Object.keys(process.env).filter((name) => wanted[name] === undefined).forEach((name) => delete process.env[name]);
  Object.entries(wanted).filter(([, value]) => value !== undefined).forEach(([name, value]) => {
    process.env[name] = value;
  });
}

/** Lets file descriptor 0 give a text, and its end after it. */
function giveInput(text: string): jest.SpyInstance {
  const { readSync } = fs;
  let rest = Buffer.from(text);
  return jest.spyOn(fs, 'readSync').mockImplementation(((fd: number, buffer: Buffer, ...more: []) => {
    if (fd !== 0) {
      return readSync(fd, buffer, ...more);
    }
    const length = rest.copy(buffer);
    rest = rest.subarray(length);
    return length;
  }) as typeof fs.readSync);
}
