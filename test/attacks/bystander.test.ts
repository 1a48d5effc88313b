/** That the attacks' bystander sees harm, and sees none where there is none. */
import { Bystander } from './support/bystander';
import { describeAttacks } from './support/attack-suite';
import { eventually } from '../cluster/support/cluster';
import { jobsPath } from '../cluster/support/submit';

const suite = describeAttacks();

/** What never comes is waited for this long, milliseconds. */
const BRIEFLY_MS = 3_000;

test('a bystander of its own account notices neither a job of the attacker nor requests that are refused', async () => {
  const { account, api, bystander, jobs, kubelet, namespace } = suite;
  const attacker = await account('mallory', [{ apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create', 'get'] }]);
  await attacker.create('mltrainingjobs', namespace, {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'mine' }, spec: { framework: 'pytorch', image: 'image', replicas: 1 },
  });
  await kubelet.runAll('mine', 1);
  await jobs.untilCondition('mine', 'Running');
  await expect(attacker.send('GET', jobsPath(bystander.namespace))).rejects.toThrow('answered 403');
  await expect(attacker.remove('mltrainingjobs', bystander.namespace, 'bystander')).rejects.toThrow('answered 403');
  await expect(attacker.remove('pods', namespace, 'mine-master')).rejects.toThrow('answered 403');
  expect((await api.get('mltrainingjobs', bystander.namespace, 'bystander')).metadata.deletionTimestamp).toBeUndefined();
});

describe('a bystander that is harmed', () => {
  let harmed: Bystander;
  let broken = false;
  beforeEach(async () => {
    broken = false;
    harmed = await Bystander.start(suite.api, async () => {
      if (broken) {
        throw new Error('no route');
      }
      return suite.endpoint();
    });
  });
  afterEach(async () => harmed.stop());

  test('notices a pod that is taken away', async () => {
    await suite.api.remove('pods', harmed.namespace, 'bystander-master', { gracePeriodSeconds: 0 });
    await harmed.jobs.until('bystander', 'restarted', ({ disruptions }) => disruptions === 1);
    expect(await harmed.problems(BRIEFLY_MS)).toEqual(expect.arrayContaining([
      expect.stringContaining('1 disruptions and is at attempt 1') as string, expect.stringContaining('the pods were') as string,
    ]));
  });

  test('notices reports that are not taken', async () => {
    broken = true;
    expect(await harmed.problems(BRIEFLY_MS)).toEqual(expect.arrayContaining([
      expect.stringContaining('to be in the status, in vain') as string, expect.stringContaining('was not answered: no route') as string,
    ]));
  });

  test('notices a new job that nobody runs', async () => {
    const pods = `/api/v1/namespaces/${harmed.namespace}/pods?dryRun=All`;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'any' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
    await suite.api.create('resourcequotas', harmed.namespace, {
      apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard: { pods: '0' } },
    });
    await suite.api.patch('resourcequotas', harmed.namespace, 'none', { status: { hard: { pods: '0' }, used: { pods: '0' } } }, 'status');
    await eventually('the quota to hold', async () => suite.api.send('POST', pods, pod).then(() => false, () => true));
    expect(await harmed.problems(BRIEFLY_MS)).toContainEqual(expect.stringContaining('the new job fresh-0 to succeed, in vain'));
  });
});
