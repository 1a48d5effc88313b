/** Prometheus' own checker of rules, where this machine has it. `npm run promtool:install` puts it into the cache. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../src/local/cache-folder';

/** Where `npm run promtool:install` puts it. */
export function cachedPromtool(): string {
  return path.join(cacheFolder(), 'promtool', 'promtool');
}

/**
 * `TRAINYARD_PROMTOOL`, else the one on the path, else that of the cache.
 * @returns undefined where there is none
 * @throws Error when TRAINYARD_PROMTOOL is not there
 */
export function findPromtool(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.TRAINYARD_PROMTOOL) {
    if (!existsSync(env.TRAINYARD_PROMTOOL)) {
      throw new Error(`TRAINYARD_PROMTOOL is "${env.TRAINYARD_PROMTOOL}", which does not exist. Set it to the program promtool of Prometheus.`);
    }
    return env.TRAINYARD_PROMTOOL;
  }
  const onPath = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '').map((folder) => path.join(folder, 'promtool'));
  return [...onPath, cachedPromtool()].find((file) => existsSync(file));
}

/** Runs promtool. @returns its exit code and all that it said */
export function runPromtool(program: string, args: readonly string[], cwd: string): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { cwd, encoding: 'utf8' });
  if (error) {
    throw error;
  }
  return { code: status, output: `${stdout}${stderr}` };
}
