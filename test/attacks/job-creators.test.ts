/** Somebody whose only right is to create jobs asks the operator for what they may not make: access to the node, other accounts, firewalls. */
import { describeAttacks, type Rule } from './support/attack-suite';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { pathOf, type TestApi } from '../cluster/support/test-api';
import { constructJobCreatorsPolicy, JOB_CREATORS_POLICY } from '../../src/manifests/policy/job-creators';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../src/model/labels';

const suite = describeAttacks();

/** The account that the operator's pods would have. */
const FOREIGN = 'deployer';

const JOBS: Rule = { apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create'] };
const PODS: Rule = { apiGroups: [''], resources: ['pods'], verbs: ['create'] };
const FIREWALLS: Rule = { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create'] };

const container = (securityContext: object) => ({ containers: [{ name: 'training', image: 'image', securityContext }] });

/** Parts of a pod's spec. */
const WANTED: readonly (readonly [what: string, pod: object])[] = [
  ['hostPath', { volumes: [{ name: 'node', hostPath: { path: '/' } }] }],
  ['hostNetwork', { hostNetwork: true }],
  ['hostPID', { hostPID: true }],
  ['privileged', container({ privileged: true })],
  ['capabilities.add', container({ capabilities: { add: ['SYS_ADMIN'] } })],
  [FOREIGN, { serviceAccountName: FOREIGN }],
];

/** Every place of a job where a pod's spec may stand. */
const PLACES: readonly ((spec: object) => object)[] = [
  (spec) => ({ replicas: 1, template: { spec } }),
  (spec) => ({ roles: [{ name: 'master' }, { name: 'worker', template: { spec } }] }),
  (spec) => ({ replicas: 1, helpers: [{ name: 'one', command: ['x'] }, { name: 'two', command: ['x'], template: { spec } }] }),
];

const OPENINGS: readonly (readonly [what: string, spec: object])[] = [
  ['toCidrs', { replicas: 1, security: { networkPolicy: { egress: 'Limited', toCidrs: ['0.0.0.0/0'] } } }],
  ['fromNamespaces', { replicas: 1, security: { networkPolicy: { fromNamespaces: ['someone-else'] } } }],
];

const REQUESTS = [...WANTED.flatMap(([what, pod]) => PLACES.map((place) => [what, place(pod)] as const)), ...OPENINGS];

const job = (spec: object, name = 'job') => ({ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name }, spec: { framework: 'pytorch', image: 'image', ...spec } });

const tryOut = async (who: TestApi, spec: object) => who.send('POST', `${pathOf('mltrainingjobs', suite.namespace)}?dryRun=All`, job(spec));

/** An account, when its rights are in force. */
async function accountWith(name: string, ...rules: Rule[]): Promise<TestApi> {
  const made = await suite.account(name, rules);
  await eventually(`the rights of ${name} to be in force`, async () => tryOut(made, { replicas: 1 }).then(() => true, () => false));
  return made;
}

beforeAll(async () => {
  const [policy, binding] = constructJobCreatorsPolicy();
  await suite.api.create('validatingadmissionpolicies', undefined, policy);
  await suite.api.create('validatingadmissionpolicybindings', undefined, binding);
});

test('who may only create jobs gets neither the node, nor another account, nor a hole in the firewall by one', async () => {
  const mallory = await accountWith('mallory', JOBS);
  await eventually('the policy to be in force', async () => (
    tryOut(mallory, OPENINGS[0][1]).then(() => false, (error: Error) => error.message.includes(JOB_CREATORS_POLICY))));
  for (const [what, spec] of REQUESTS) {
    const refusal = await mallory.create('mltrainingjobs', suite.namespace, job(spec)).then(() => 'created', (error: Error) => error.message);
    expect(refusal).toMatch(new RegExp(`answered 403.*${JOB_CREATORS_POLICY}.*${what}`));
  }
  expect(await suite.api.list('mltrainingjobs', suite.namespace)).toEqual([]);
});

test('who may create pods and firewalls by themselves may have jobs with them', async () => {
  const { api, kubelet, jobs, namespace } = suite;
  const alice = await accountWith('alice', JOBS, PODS, FIREWALLS);
  await eventually('all rights to be in force', async () => Promise.all([PLACES[0](WANTED[0][1]), OPENINGS[0][1]].map(async (spec) => (
    tryOut(alice, spec)))).then(() => true, () => false));
  for (const [, spec] of REQUESTS) {
    await tryOut(alice, spec);
  }
  await api.create('serviceaccounts', namespace, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: FOREIGN } });
  await alice.create('mltrainingjobs', namespace, job({ ...PLACES[0]({ hostPID: true, serviceAccountName: FOREIGN }), ...OPENINGS[1][1] }, 'allowed'));
  const [pod]: TestObject[] = await kubelet.pods('allowed', 1);
  expect(pod.spec).toMatchObject({ hostPID: true, serviceAccountName: FOREIGN });
  await kubelet.runAll('allowed', 1);
  await jobs.untilCondition('allowed', 'Running');
});
