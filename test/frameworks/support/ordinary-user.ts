/**
 * Runs a program as a user other than root who has an entry in /etc/passwd: what an MPI pod that is not root looks like from inside.
 *
 * Whoever runs the tests is that user, unless it is root. Root first makes a mount namespace in which /etc/passwd has one more line, and becomes that
 * user there: nothing of it is seen outside.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Id of the user, which no real system gives out. */
const USER_ID = 64_999;

const isRoot = process.getuid?.() === 0;

/** Why programs cannot be run as an ordinary user here; undefined when they can. */
export function ordinaryUserProblem(): string | undefined {
  if (!isRoot) {
    return undefined;
  }
  const probe = spawnSync('unshare', ['--mount', 'setpriv', '--version'], { encoding: 'utf8' });
  return probe.status === 0 ? undefined : `root cannot make a mount namespace here: ${(probe.stderr ?? probe.error?.message ?? '').trim()}`;
}

/**
 * Runs a shell script to its end, with `folder` as the user's own and home folder.
 * @param limitMs after this time it is killed
 */
export function runAsOrdinaryUser(folder: string, script: string, limitMs: number): SpawnSyncReturns<string> {
  const options = { cwd: folder, encoding: 'utf8', timeout: limitMs, killSignal: 'SIGKILL' } as const;
  if (!isRoot) {
    return spawnSync('/bin/sh', [script], options);
  }
  const passwd = path.join(folder, 'passwd');
  fs.writeFileSync(passwd, `${fs.readFileSync('/etc/passwd', 'utf8').trimEnd()}\ntrainyard:x:${USER_ID}:${USER_ID}::${folder}:/bin/sh\n`);
  giveAway(folder);
  const become = `mount --bind ${passwd} /etc/passwd && exec setpriv --reuid=${USER_ID} --regid=${USER_ID} --clear-groups /bin/sh ${script}`;
  return spawnSync('unshare', ['--mount', '/bin/sh', '-c', become], options);
}

function giveAway(folder: string): void {
  fs.chownSync(folder, USER_ID, USER_ID);
  for (const entry of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    fs.lchownSync(path.join(folder, entry), USER_ID, USER_ID);
  }
}
