/** Texts that are made to take an expression as long as possible, where users can put them: a job's manifest, a report. */
import { describeAttacks } from './support/attack-suite';
import { podToken } from '../cluster/support/pod-token';
import { conditionOf } from '../cluster/support/training-jobs';

const suite = describeAttacks();

/**
 * Nearly the longest value that a variable may have. Each letter of it is a start of what looks like a URL, for an expression that does not look
 * back.
 */
const LETTERS = `://${'a'.repeat(130_000)}`;

test('a job whose fields hold such texts is refused, or fails with a short message, and the operator goes on', async () => {
  const { jobs } = suite;
  await expect(jobs.create('host', { template: { spec: { hostname: LETTERS } } })).rejects.toThrow('Too long');
  await jobs.create('variable', { env: [{ name: 'RANK', value: LETTERS }] });
  const { reason, message } = conditionOf(await jobs.untilCondition('variable', 'Failed'), 'Failed')!;
  expect([reason, message!.length < 2_000]).toEqual(['InvalidSpec', true]);
});

test('reports that hold such texts are refused one after the other, and those of others are taken meanwhile', async () => {
  const { api, jobs, kubelet, namespace, endpoint } = suite;
  await jobs.create('net');
  await kubelet.runAll('net', 1);
  await jobs.untilCondition('net', 'Running');
  const job = { namespace, name: 'net' };
  const token = await podToken(api, job, await api.get('pods', namespace, 'net-master'));
  const client = await endpoint();
  for (const lastUpdatedTime of [LETTERS, ' '.repeat(60_000), '"'.repeat(30_000)].map((text) => text.slice(0, 60_000))) {
    expect((await client.report(job, token, { trainerStatus: { lastUpdatedTime } })).status).toBe(422);
  }
});
