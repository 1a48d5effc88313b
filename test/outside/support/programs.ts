/** Programs of other languages, run in the environment of a stranger. */
import { spawnSync } from 'node:child_process';
import { outsideEnvironment } from './shell';

/** How a program ended. */
export interface Outcome {
  /** What was run, and what it printed; undefined where it succeeded. */
  readonly failure?: string;
  readonly stdout: string;
}

/** Runs a program to its end. */
export function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Outcome {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd, env: { ...outsideEnvironment(), JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20', ...env }, encoding: 'utf8', timeout: 900_000,
  });
  return { failure: status === 0 ? undefined : `${command} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`, stdout };
}

/** Runs a program. @returns what it printed where it failed */
export function failureOf(...call: Parameters<typeof run>): string | undefined {
  return run(...call).failure;
}
