/**
 * What somebody with rights in one namespace could reach of others: secrets that they only may put there, jobs of other namespaces by their uids, and
 * the operator's own right to delete. The garbage collector of Kubernetes is away, so that what is forged stays until the operator has seen it.
 */
import { describeAttacks } from './support/attack-suite';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { CONTROLLERS } from '../cluster/support/controllers';
import { pathOf, type TestApi } from '../cluster/support/test-api';
import { networkPolicyName } from '../../src/manifests/job/network-policy';
import { memberRules } from '../../src/manifests/tenancy/team';
import { ATTEMPT_LABEL, GROUP_VERSION, JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TRAINING_JOB_KIND } from '../../src/model/labels';

const suite = describeAttacks({
  plane: { controllerManager: { controllers: CONTROLLERS.filter((name) => name !== 'garbage-collector-controller') } },
});

const PASSWORD = 'of-somebody-else';

/** A member of a team in the attacker's namespace. */
async function member(): Promise<TestApi> {
  const made = await suite.account('member', memberRules(true));
  await eventually('the rights to be in force', async () => made.list('pods', suite.namespace).then(() => true, () => false));
  return made;
}

/** A pod that says that a job of this name and uid controls it, and of which attempt it is. */
function forgedPod(name: string, job: string, uid: string, spec: object = {}, attempt = '0'): object {
  const labels = { [JOB_LABEL]: job, [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR, [ATTEMPT_LABEL]: attempt };
  const owner = { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name: job, uid, controller: true };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, ownerReferences: [owner] }, spec: { containers: [{ name: 'main', image: 'image' }], ...spec } };
}

test('a member of a team puts secrets there, and is told the data of none', async () => {
  const { api, namespace } = suite;
  const mallory = await member();
  const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { password: PASSWORD } });
  await api.create('secrets', namespace, secret('private'));
  await mallory.create('secrets', namespace, secret('mine'));
  const one = pathOf('secrets', namespace, 'private');
  const all = pathOf('secrets', namespace);
  const inForeground = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' };
  const attempts: readonly Parameters<TestApi['send']>[] = [
    ['GET', one],
    ['GET', all],
    ['GET', `${all}?watch=true&timeoutSeconds=1`],
    ['PATCH', `${one}?dryRun=All`, {}, 'application/merge-patch+json'],
    ['PATCH', `${one}?dryRun=All`, [], 'application/json-patch+json'],
    ['PATCH', `${one}?dryRun=All&fieldManager=m&force=true`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'private' } }, 'application/apply-patch+yaml'],
    ['PUT', `${one}?dryRun=All`, secret('private')],
    ['DELETE', `${one}?dryRun=All`, inForeground],
    ['DELETE', `${all}?dryRun=All`, inForeground],
  ];
  for (const attempt of attempts) {
    await expect(mallory.send(...attempt)).rejects.toThrow('answered 403');
  }
});

test('a pod that bears the uid of another namespace\'s job fails, and that job does not notice', async () => {
  const { api, bystander, kubelet, namespace } = suite;
  const mallory = await member();
  const { metadata: { uid } } = await api.get('mltrainingjobs', bystander.namespace, 'bystander');
  await mallory.create('pods', namespace, forgedPod('bystander-worker-0', 'bystander', uid!, { nodeName: 'node-0' }));
  // On a node it stays until its kubelet removes it, also if the operator deletes it as what a vanished job has left behind.
  await kubelet.end('bystander-worker-0', { exitCode: 1 });
  // The operator sees pods in the order of their changes: those of the new job that this runs come later.
  expect(await bystander.problems()).toEqual([]);
  expect((await bystander.jobs.get('bystander')).status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 0 });
  await kubelet.remove('bystander-worker-0');
});

test('a pod that a job is forged for does not get a NetworkPolicy deleted that somebody else controls', async () => {
  const { api, namespace, operator } = suite;
  const mallory = await member();
  const owner: TestObject = await api.create('configmaps', namespace, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } });
  const uid = owner.metadata.uid!;
  const firewall = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: networkPolicyName('firewall'), ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }],
    },
    spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
  };
  await api.create('networkpolicies', namespace, firewall);
  await mallory.create('pods', namespace, forgedPod('forged', 'firewall', uid));
  // Pods go when all has been tried that may belong to their job.
  await eventually('the operator to clear up', async () => (await api.tryGet('pods', namespace, 'forged')) === undefined);
  expect(operator.log().some(({ msg, job }) => msg === 'deleting leftovers of a deleted job' && job === `${namespace}/firewall`)).toBe(true);
  expect((await api.get('networkpolicies', namespace, networkPolicyName('firewall'))).metadata.deletionTimestamp).toBeUndefined();
});

test('a pod that a running job of the same namespace is forged for is taken away, and cannot have the name of a replica that is there', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  const mallory = await member();
  await jobs.create('victim', { replicas: 2 });
  await kubelet.runAll('victim', 2);
  await jobs.untilCondition('victim', 'Running');
  const { metadata: { uid } } = await api.get('mltrainingjobs', namespace, 'victim');
  const replicas = (await api.list('pods', namespace)).map(({ metadata: { name } }) => name);
  await expect(mallory.create('pods', namespace, forgedPod(replicas[0], 'victim', uid!))).rejects.toThrow('answered 409');
  // Of this attempt, of one that the job has not come to, which would look like news that the operator has yet to hear, and of none.
  for (const attempt of ['0', '99', 'none']) {
    await mallory.create('pods', namespace, forgedPod('victim-worker-99', 'victim', uid!, {}, attempt));
    await eventually('the operator to take it away', async () => (await api.tryGet('pods', namespace, 'victim-worker-99')) === undefined);
  }
  expect((await jobs.get('victim')).status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 0 });
  expect((await api.list('pods', namespace)).map(({ metadata: { name } }) => name)).toEqual(replicas);
});
