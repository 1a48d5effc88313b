/**
 * Checkers of pipelines, where this machine has them: actionlint, and check-jsonschema, which carries the schemas of GitHub's workflows and of
 * GitLab's pipelines. `npm run pipeline-checkers:install` puts them into the cache.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../src/local/cache-folder';

/** A program that checks, and its pinned release. */
export interface PipelineChecker {
  readonly name: string;
  readonly release: string;
  /** Names the program, where it is neither on the path nor in the cache. */
  readonly variable: string;
  /** Where `npm run pipeline-checkers:install` puts it. */
  readonly cached: () => string;
}

const folder = () => path.join(cacheFolder(), 'pipeline-checkers');

/** Workflows of GitHub: syntax, expressions, their contexts, inputs of known actions, untrusted input in scripts. */
export const ACTIONLINT: PipelineChecker = {
  name: 'actionlint', release: 'v1.7.7', variable: 'TRAINYARD_ACTIONLINT', cached: () => path.join(folder(), 'actionlint-v1.7.7', 'actionlint'),
};

/** Schemas. */
export const CHECK_JSONSCHEMA: PipelineChecker = {
  name: 'check-jsonschema', release: '0.33.2', variable: 'TRAINYARD_CHECK_JSONSCHEMA', cached: () => path.join(folder(), 'check-jsonschema-0.33.2', 'bin', 'check-jsonschema'),
};

/**
 * Where the program is: its variable, else the path, else the cache.
 * @returns undefined where it is not
 * @throws Error when its variable names something that is not there
 */
export function findChecker({ name, variable, cached }: PipelineChecker, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env[variable];
  if (named) {
    if (!existsSync(named)) {
      throw new Error(`${variable} is "${named}", which does not exist. Set it to the program ${name}.`);
    }
    return named;
  }
  const onPath = (env.PATH ?? '').split(path.delimiter).filter((each) => each !== '').map((each) => path.join(each, name));
  return [cached(), ...onPath].find((file) => existsSync(file));
}

/** Runs it. @returns its exit code and all that it said */
export function runChecker(program: string, args: readonly string[], cwd: string): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { cwd, encoding: 'utf8' });
  if (error) {
    throw error;
  }
  return { code: status, output: `${stdout}${stderr}` };
}
