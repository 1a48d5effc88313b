/** etcd has reached its quota: it takes no write but deletions, until an administrator frees space and takes the alarm back. */
import { describeFaults } from './support/fault-suite';
import { freeSpace } from './support/etcd-maintenance';
import { apiRequest } from '../../src/local/control-plane';
import { eventually } from '../cluster/support/cluster';
import { pathOf } from '../cluster/support/test-api';

const QUOTA_MIB = 24;

const suite = describeFaults({ etcdArgs: [`--quota-backend-bytes=${QUOTA_MIB * 1024 * 1024}`] });

/** Fills etcd. @returns how many ConfigMaps it took */
async function fill(): Promise<number> {
  const { api, namespace } = suite;
  const data = { text: 'x'.repeat(500_000) };
  for (let count = 0; count < 4 * QUOTA_MIB; count++) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `fill-${count}` }, data };
    const answer = await apiRequest(api.access, 'POST', pathOf('configmaps', namespace), { body });
    if (answer.status >= 300) {
      expect(answer.body.message).toContain('database space exceeded');
      return count;
    }
  }
  throw new Error('etcd is larger than its quota');
}

test('the leader ends as its lease cannot be renewed, reads go on, and nothing is counted against the jobs when there is space again', async () => {
  const { api, jobs, namespace, plane } = suite;
  const first = suite.start('first', undefined, { LEASE_SECONDS: '6' });
  await suite.leads(first);
  await jobs.create('before', { replicas: 2 });
  await jobs.untilCondition('before', 'Running');
  const filled = await fill();
  expect(filled).toBeGreaterThan(0);
  expect((await first.child.exited).code).toBe(1);

  // The next one waits for the lease, and does not end.
  const second = suite.start('second', undefined, { LEASE_SECONDS: '6' });
  await eventually('the second to try', async () => second.log().some((line) => line.msg === 'no progress with the lease'
    && JSON.stringify(line).includes('database space exceeded')));
  expect([second.child.running, (await api.list('pods', namespace)).length]).toEqual([true, 2]);

  await Promise.all(Array.from({ length: filled }, async (_, index) => api.remove('configmaps', namespace, `fill-${index}`)));
  const { metadata } = await api.send('GET', pathOf('configmaps', namespace));
  await freeSpace(plane, BigInt(metadata.resourceVersion as string));
  await suite.leads(second);
  await jobs.create('after', { replicas: 2 });
  await jobs.untilCondition('after', 'Running');
  const { status } = await jobs.get('before');
  expect([status?.phase, status?.restarts ?? 0, status?.disruptions ?? 0, status?.attempt ?? 0, suite.recorder.podCount]).toEqual(['Running', 0, 0, 0, 4]);
});
