/** Katib's part of the work, for tests: a trial from an Experiment, and what its webhook makes of a program. */

/** JSON, whose shape tests know. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

/** A trial's name, and the values that Katib has chosen. */
export interface ChosenTrial {
  readonly name: string;
  readonly values: { readonly [parameter: string]: string };
}

/** What starts in a container. */
interface Program {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

interface Template {
  readonly trialSpec: object;
  readonly trialParameters: readonly { readonly name: string; readonly reference: string }[];
}

/** The job that Katib creates for a trial. */
export function trialOf(template: Template, trial: ChosenTrial): Json {
  const { trialSpec, trialParameters } = template;
  const text = trialParameters.reduce((result, { name, reference }) => result.replaceAll(
    `\${trialParameters.${name}}`, reference === '${trialSpec.Name}' ? trial.name : trial.values[reference],
  ), JSON.stringify(trialSpec));
  const job = JSON.parse(text);
  return { ...job, metadata: { ...job.metadata, name: trial.name } };
}

/** The line that Katib's webhook gives to a shell for a collector of what is printed. */
export function wrapped({ command = [], args = [] }: Program, log: string): string[] {
  const words = [...command, ...args];
  const isShell = (words[0] === 'sh' || words[0] === 'bash') && words[1] === '-c';
  const line = [...(isShell ? words.slice(2) : words), `1>${log} 2>&1`, '&&', `echo completed > ${log}.pid`].join(' ');
  return [...(isShell ? words.slice(0, 2) : ['sh', '-c']), line];
}
