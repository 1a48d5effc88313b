/**
 * A tenant fills its namespace with jobs as large as they may be, and with larger ones that the API server takes all the same. The operator has the
 * heap that Node.js gives it under the container's default limit of memory; so has a standby that starts when all of them are there.
 */
import fs from 'node:fs';
import https from 'node:https';
import { describeAttacks } from './support/attack-suite';
import { eventually } from '../cluster/support/cluster';
import { startOperator } from '../cluster/support/operator';
import { conditionOf } from '../cluster/support/training-jobs';

/** Half of them run, half are refused. `TRAINYARD_LARGE_JOBS` asks for more. */
const JOBS = Number(process.env.TRAINYARD_LARGE_JOBS ?? 60);

/** The default limit of the operator's container, MiB. Node.js takes half of it for its heap. */
const LIMIT_MIB = 512;

const NODE_OPTIONS = `--max-old-space-size=${LIMIT_MIB / 2}`;

/** A limit for what never comes. */
const PATIENCE_MS = 180_000;

const suite = describeAttacks({ nodeOptions: NODE_OPTIONS });

/** Posts a job as it is written: functions that call themselves, such as JSON.stringify, have no room for this one. */
async function post(job: string): Promise<number> {
  const { url, ca, token } = suite.api.access;
  return new Promise((resolve, reject) => {
    https.request(`${url}/apis/ml.collabnix.io/v1alpha1/namespaces/${suite.namespace}/mltrainingjobs`, {
      method: 'POST', ca, headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    }, (response) => resolve(response.resume().statusCode!)).once('error', reject).end(job);
  });
}

test('jobs with thousands of levels are refused, and the operator goes on, also one that starts then', async () => {
  const { jobs } = suite;
  const job = (name: string, odd: string) => `{"apiVersion": "ml.collabnix.io/v1alpha1", "kind": "MLTrainingJob", "metadata": {"name": "${name}"}, "spec": {
    "framework": "plain", "image": "image", "replicas": 1, "env": [{"name": "LONG", "value": "${'x'.repeat(70_000)}"}], "template": {"spec": {"odd": ${odd}}}}}`;
  expect(await post(job('deep', '{"a":'.repeat(9_900) + '1' + '}'.repeat(9_900)))).toBe(201);
  expect(await post(job('lists', '['.repeat(9_900) + ']'.repeat(9_900)))).toBe(201);
  for (const name of ['deep', 'lists']) {
    expect(conditionOf(await jobs.untilCondition(name, 'Failed'), 'Failed')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining('levels') });
  }
  const standby = startOperator(suite.installation, { POD_NAME: 'standby', NODE_OPTIONS });
  try {
    const { healthPort } = await standby.logs('operator starts');
    await eventually('the caches of the standby to be filled', async () => fetch(`http://127.0.0.1:${healthPort}/readyz`).then(({ ok }) => ok), PATIENCE_MS);
  } finally {
    expect(await standby.stop()).toBe(0);
  }
});

/** Peak of the memory of a process, MiB, as Linux counts it. */
const peakMiB = (pid: number): number => Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

test('jobs of half a megabyte run and jobs of one megabyte are refused, and the operator has room for all of them', async () => {
  const { api, jobs, namespace, operator, installation } = suite;
  const env = (kilobytes: number) => Array.from({ length: kilobytes }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) }));
  const create = async (index: number) => jobs.create(`large-${index}`, { env: env(index % 2 === 0 ? 480 : 1000) });
  const done: number[] = [];
  for (let from = 0; from < JOBS; from += 10) {
    await Promise.all(Array.from({ length: Math.min(10, JOBS - from) }, async (_, index) => {
      await create(from + index);
      done.push(from + index);
    }));
  }
  expect(done).toHaveLength(JOBS);
  await eventually('a pod of each job that may run', async () => (
    Promise.all(Array.from({ length: JOBS / 2 }, async (_, index) => api.tryGet('pods', namespace, `large-${2 * index}-master`)))
      .then((pods) => pods.every((pod) => pod !== undefined))
  ), PATIENCE_MS);
  for (let index = 1; index < JOBS; index += 2) {
    const failed = await jobs.untilCondition(`large-${index}`, 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining('is larger than the 512 KiB') });
  }
  const standby = startOperator(installation, { POD_NAME: 'standby', NODE_OPTIONS });
  try {
    const { healthPort } = await standby.logs('operator starts');
    await eventually('the caches of the standby to be filled', async () => fetch(`http://127.0.0.1:${healthPort}/readyz`).then(({ ok }) => ok), PATIENCE_MS);
  } finally {
    process.stdout.write(`${JOBS} large jobs: ${Math.round(peakMiB(operator.child.pid!))} MiB at most, a standby ${Math.round(peakMiB(standby.child.pid!))} MiB\n`);
    expect(await standby.stop()).toBe(0);
  }
  expect(peakMiB(operator.child.pid!)).toBeLessThan(LIMIT_MIB);
});
