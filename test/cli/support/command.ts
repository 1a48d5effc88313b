/** Runs the `trainyard` command as a process of its own. */
import { spawn } from 'node:child_process';
import { COMMAND, programArguments } from '../../support/bundled';

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

/** Runs the command to its end, without colours unless the environment asks for them. */
export function trainyard(args: readonly string[], { cwd, input, env }: CommandOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...programArguments(COMMAND), ...args], {
      cwd, stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1', TRAINYARD_CRDS: '', ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.once('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input ?? '');
  });
}
