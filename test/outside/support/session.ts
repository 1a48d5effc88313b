/** A person's terminal, or two: commands of one page, one after the other, in one folder, with what the page takes for granted. */
import path from 'node:path';
import { BACKGROUND, BEFORE, EXIT_CODES, UNTIL } from './commands-not-run';
import type { PageCommand } from './page-commands';
import { background, mustShell, shell, type Background, type Ended } from './shell';

/** See the top of this file. */
export class Session {
  /** Lines that change what later ones see, as they do in a terminal. */
  private lasting = '';
  private running?: Background;

  public constructor(private readonly folder: string, private readonly env: NodeJS.ProcessEnv) {}

  /** Runs a command. @returns what it did, and how it differs from what the page says */
  public async run({ command, line, shown }: PageCommand): Promise<{ readonly ended: Ended; readonly wrong: readonly string[] }> {
    const options = { cwd: this.folder, env: this.env };
    for (const [, kind, name] of command.matchAll(/kubectl (?:.* )?wait .*?\b(mltj)\/([\w-]+)/g)) {
      await this.meetCondition(command, kind, name);
    }
    if (command in BEFORE) {
      await mustShell(this.lasting + BEFORE[command], options);
    }
    if (command in BACKGROUND) {
      // A page that tells it twice means the same terminal.
      await this.end();
      this.running = await background(this.lasting + command, { ...options, until: BACKGROUND[command] });
      this.lasting += 'export KUBECONFIG=$PWD/.trainyard/dev/kubeconfig\n';
      return { ended: { code: 0, out: '', stdout: '' }, wrong: [] };
    }
    // One pipe, as in a terminal: of two, what comes first depends on who reads.
    const ended = await shell(`exec 2>&1\n${this.lasting}${command}`, { ...options, until: UNTIL[command] });
    // The rest of such a line has been done.
    const [lasting] = /\bcd \S+|^export .*/.exec(command) ?? [];
    this.lasting += lasting === undefined ? '' : `${lasting}\n`;
    // What kubectl shows has ages and what a controller has done. A page that shows an output shows a failure as well.
    const isShown = shown !== undefined && shown.trim() !== '' && !command.includes('kubectl');
    if (isShown ? isShownAs(ended.out, shown) : ended.code === (EXIT_CODES[command] ?? 0)) {
      return { ended, wrong: [] };
    }
    return { ended, wrong: [`line ${line}: $ ${command}\n${ended.out}\nexit code ${ended.code}${isShown ? `\nThe page shows:\n${shown}` : ''}`] };
  }

  /** Ctrl-C in the other terminal. */
  public async end(): Promise<void> {
    await this.running?.end();
    this.running = undefined;
  }

  /** No controller runs here: what a command waits for is written as one would. */
  private async meetCondition(command: string, kind: string, name: string): Promise<void> {
    const [, type] = /condition=(\w+)/.exec(command)!;
    const [namespace = ''] = / -n \S+/.exec(command) ?? [];
    const status = { conditions: [{ type, status: 'True', reason: 'Test', message: 'of a test', lastTransitionTime: '2026-01-31T12:00:00Z' }] };
    await mustShell(`kubectl patch${namespace} ${kind} ${name} --subresource=status --type=merge -p '${JSON.stringify({ status })}'`, { cwd: this.folder, env: this.env });
  }
}

/** Whether a page shows an output; it may leave out parts, and writes `...` there. */
function isShownAs(out: string, shown: string): boolean {
  const [actual, expected] = [out, shown].map(comparable);
  const pattern = expected.split('...').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*?');
  return actual === expected || new RegExp(`^${pattern}$`).test(actual);
}

/** An output without what is different each time: how long a job took, and which of its replicas was the first to say something. */
function comparable(out: string): string {
  const lines = out.trim().replace(/^(trainyard: .* in )\d+:\d\d$/gm, '$10:00').split('\n');
  return (lines.some((line) => /^\[\d+\] \S+ +\| /.test(line)) ? lines.sort() : lines).join('\n');
}

/** Adds a folder's own commands to where the shell looks, as an installation for all projects would. */
export function withOwnCommands(env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  return { ...env, PATH: [path.join(folder, 'node_modules', '.bin'), env.PATH].join(path.delimiter) };
}
