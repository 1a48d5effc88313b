/**
 * Puts controllers of others into the cache: `npm run upstream-controllers:install`, minutes the first time. They are Argo CD with Debian's Redis,
 * Kueue, JobSet, Kubeflow Trainer, the training operator v1, Katib, KServe and the Spark operator. Tests run them on our manifests; where one
 * cannot be had, its tests are skipped and say so.
 */
import { ARGO_CD } from '../test/cluster/support/argo-cd/program';
import { ensureRedis } from '../test/cluster/support/argo-cd/redis';
import { ensureGoProgram } from '../test/cluster/support/upstream/go-program';
import { JOBSET } from '../test/cluster/support/upstream/jobset';
import { KATIB } from '../test/cluster/support/upstream/katib';
import { KSERVE, KSERVE_LLM } from '../test/cluster/support/upstream/kserve';
import { KUEUE } from '../test/cluster/support/upstream/kueue';
import { SPARK_OPERATOR } from '../test/cluster/support/upstream/spark';
import { TRAINER } from '../test/cluster/support/upstream/trainer';
import { TRAINING_OPERATOR } from '../test/cluster/support/upstream/training-operator';

async function main(): Promise<void> {
  for (const wanted of [ARGO_CD, KUEUE, JOBSET, TRAINER, TRAINING_OPERATOR, ...Object.values(KATIB), KSERVE, KSERVE_LLM, SPARK_OPERATOR]) {
    const { program, missing } = await ensureGoProgram(wanted, (line) => console.log(`${wanted.name}: ${line}`));
    console.log(`${wanted.name}: ${program ?? `MISSING: ${missing}. Its tests are skipped.`}`);
  }
  const { program, missing } = await ensureRedis();
  console.log(`redis: ${program ?? `MISSING: ${missing}. The tests of Argo CD are skipped.`}`);
}

void main();
