/** The `trainyard` command in a terminal, as people have it. Needs Python's `pty`; tests are skipped without it. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { COMMAND, programArguments } from '../../support/bundled';
import { eventually } from '../../cluster/support/cluster';

const HELPER = path.join(__dirname, 'in-terminal.py');

/** Whether terminals can be had here. */
export const hasTerminals = spawnSync('python3', ['-c', 'import pty, termios']).status === 0;

export const CTRL_C = '\x03';
export const CTRL_D = '\x04';

/** How a command ended: its exit code, and whether the terminal still echoes and edits lines. */
export interface Ending {
  readonly code: number;
  readonly inOrder: boolean;
}

/** A command in a terminal. */
export class TerminalRun {
  public screen = '';
  public readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  public constructor(args: readonly string[], cwd: string) {
    const { NO_COLOR: _colours, ...env } = process.env;
    this.child = spawn('python3', [HELPER, process.execPath, ...programArguments(COMMAND), ...args], { cwd, env: { ...env, TERM: 'xterm-256color' }, stdio: 'pipe' });
    let told = '';
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.screen += chunk.toString();
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', () => resolve(JSON.parse(told) as Ending));
    });
  }

  public type(text: string): void {
    this.child.stdin!.write(text);
  }

  public async shows(what: string, times = 1, from = 0): Promise<void> {
    await eventually(`the terminal to show ${JSON.stringify(what)}: ${JSON.stringify(this.screen.slice(-300))}`, async () => (
      this.screen.slice(from).split(what).length > times), 120_000);
  }
}
