/** The questions at a terminal. Enter selects the default answer. */
import { createInterface, type Interface } from 'node:readline/promises';
import { CliError } from '../cli-error';
import { nameProblem } from './project-name';
import { printable } from '../../model/text/printable';

interface Answers {
  readonly template: string;
  readonly name: string;
}

/** Whether standard input and output are a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Asks for the template and the name. @param name the default @throws CliError after Ctrl-C and Ctrl-D */
export async function ask(templates: readonly (readonly [name: string, title: string])[], name: string): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_resolve, reject) => {
    terminal.once('close', () => reject(new CliError('nothing was written, because the questions were not answered.')));
  });
  try {
    const width = Math.max(...templates.map(([each]) => each.length));
    templates.forEach(([each, title]) => process.stdout.write(`  ${each.padEnd(width)}  ${title}\n`));
    return await Promise.race([closed, answers(terminal, templates.map(([each]) => each), name)]);
  } finally {
    terminal.close();
  }
}

async function answers(terminal: Interface, templates: readonly string[], name: string): Promise<Answers> {
  const notATemplate = `It is one of ${templates.join(', ')}.`;
  const template = await question(terminal, 'Template', templates[0], (answer) => (templates.includes(answer) ? undefined : notATemplate));
  return { template, name: await question(terminal, 'Name', name, nameProblem) };
}

/** Repeats the question until the answer is valid. */
async function question(terminal: Interface, what: string, standard: string, problemOf: (answer: string) => string | undefined): Promise<string> {
  for (;;) {
    const answer = (await terminal.question(`${what} [${standard}]: `)).trim() || standard;
    const problem = problemOf(answer);
    if (problem === undefined) {
      return answer;
    }
    process.stdout.write(`  ${printable(answer)}: ${problem}\n`);
  }
}
