/**
 * Puts Argo CD's own program and Debian's Redis into the cache: `npm run argo-cd:install`, minutes the first time. The tests of GitOps sync with
 * them; where one cannot be had, those tests are skipped and say so.
 */
import { ensureArgoCd } from '../test/cluster/support/argo-cd/program';
import { ensureRedis } from '../test/cluster/support/argo-cd/redis';

async function main(): Promise<void> {
  const argoCd = await ensureArgoCd(process.env, (line) => console.log(`argo-cd: ${line}`));
  const redis = await ensureRedis();
  for (const [name, { program, missing }] of Object.entries({ 'argo-cd': argoCd, redis })) {
    console.log(`${name}: ${program ?? `MISSING: ${missing}. Tests of GitOps by Argo CD's own controller are skipped.`}`);
  }
}

void main();
