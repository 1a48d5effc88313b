import os from 'node:os';
import path from 'node:path';

/**
 * The folder for files that Trainyard downloads, builds or unpacks. It can always be deleted.
 *
 * `TRAINYARD_CACHE` when set, else `trainyard` under `XDG_CACHE_HOME`, else under `~/.cache`.
 * @param env the environment to read; default `process.env`
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TRAINYARD_CACHE) {
    return path.resolve(env.TRAINYARD_CACHE);
  }
  return path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'trainyard');
}
