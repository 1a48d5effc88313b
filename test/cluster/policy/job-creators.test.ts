/**
 * The policy that an operator is installed with, on a real API server: people with the right to create jobs, and with more, and the operator's own
 * account. What is applied is what the construct writes; everybody has the rights that a role gives, and no others.
 */
import { randomBytes } from 'node:crypto';
import { Chart, Testing } from 'cdk8s';
import { TrainingOperator } from '../../../src';
import { Team } from '../../../src/constructs/platform';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { constructOperatorRoles } from '../../../src/manifests/operator/access';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { HOST_ACCESS } from '../../../src/model/policy/host-access';
import { NODE_ACCESS } from '../../support/node-access';
import { applyObjects, collectionOf, removeObjects, requestAs, type Person } from '../support/apply-objects';
import { eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const id = randomBytes(3).toString('hex');
const TEAM = `creators-team-${id}`;
const person = (name: string): Person => ({ user: `${name}-${id}@example.com`, groups: ['system:authenticated'] });
const [jobs, pods, firewalls, trainer, member] = ['jobs', 'pods', 'firewalls', 'trainer', 'member'].map(person);

let namespace: string;
let applied: TestObject[] = [];

const RBAC = 'rbac.authorization.k8s.io';

/** A role in the namespace, and who has it. */
function granted(name: string, { user }: Person, rules: object[]): TestObject[] {
  const metadata = { name, namespace };
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules },
    { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef: { apiGroup: RBAC, kind: 'Role', name }, subjects: [{ apiGroup: RBAC, kind: 'User', name: user }] },
  ];
}

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('creators');
  const work = { apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create', 'get', 'update', 'patch'] };
  const chart = new Chart(Testing.app(), 'creators');
  new TrainingOperator(chart, 'Operator', { namespace });
  new Team(chart, 'Team', { name: TEAM, members: { users: [member.user] } });
  applied = [
    ...granted('jobs', jobs, [work]),
    ...granted('pods', pods, [work, { apiGroups: [''], resources: ['pods'], verbs: ['create'] }]),
    ...granted('firewalls', firewalls, [work, { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create'] }]),
    ...granted('trainer', trainer, [work, { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['trainer'], verbs: ['impersonate'] }]),
    ...constructOperatorRoles(namespace, [namespace]) as unknown as TestObject[],
    ...(Testing.synth(chart) as TestObject[]).filter(({ kind, metadata }) => kind?.startsWith('ValidatingAdmissionPolicy') === true || metadata.namespace === TEAM || metadata.name === TEAM),
  ];
  await applyObjects(applied);
  await eventually('rights and the policy to be in force', async () => {
    const refused = await create(jobs, { template: { spec: { hostNetwork: true } } });
    const others = await Promise.all([pods, firewalls, trainer].map(async (who) => create(who, {})));
    return refused.message.includes('trainyard-job-creators') && others.every(({ status }) => status === 201) && (await create(member, {}, TEAM)).status === 201;
  });
}, 120_000);
afterAll(async () => {
  await removeObjects(applied);
  await deleteNamespace(namespace);
});

const job = (spec: object, where = namespace): TestObject => ({
  apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name: 'job', namespace: where }, spec: { framework: 'plain', image: 'image', replicas: 1, ...spec },
});

async function create(who: Person, spec: object, where = namespace): Promise<{ status: number; message: string }> {
  const object = job(spec, where);
  return requestAs(who, 'POST', `${collectionOf(object)}?dryRun=All`, object);
}

const ALLOWED = { status: 201, message: '' };
const forbidden = (...words: string[]) => ({ status: 403, message: expect.stringMatching(words.map((word) => word.replace(/[.()]/g, '\\$&')).join('.*')) });
const DENIED = "ValidatingAdmissionPolicy 'trainyard-job-creators'";

/** Every place of a spec in which a pod's spec may stand. */
const PLACES: [string, (pod: object) => object][] = [
  ['template', (spec) => ({ template: { spec } })],
  ['roles[]', (spec) => ({ replicas: undefined, framework: 'pytorch', roles: [{ name: 'master' }, { name: 'worker', template: { spec } }] })],
  ['helpers[]', (spec) => ({ helpers: [{ name: 'one', command: ['x'] }, { name: 'two', command: ['x'], template: { spec } }] })],
];

test('there is something to ask for of each kind', () => {
  expect(NODE_ACCESS.map(([access]) => access).filter((access, index, all) => all.indexOf(access) === index)).toEqual([...HOST_ACCESS]);
});

describe.each(NODE_ACCESS)('access to the node by %s: %j', (access, pod) => {
  test.each(PLACES)('in %s needs the right to create pods', async (_place, specOf) => {
    expect(await create(jobs, specOf(pod))).toEqual(forbidden(DENIED, 'a template asks for access to the node', `(${access}`, `namespace ${namespace}`, jobs.user));
    expect(await create(pods, specOf(pod))).toEqual(ALLOWED);
  });
});

test('a profile of AppArmor that confines nothing, as an annotation, is access to the node', async () => {
  const template = { metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/training': 'unconfined' } } };
  for (const spec of [{ template }, { helpers: [{ name: 'one', command: ['x'], template }] }]) {
    expect(await create(jobs, spec)).toEqual(forbidden(DENIED, 'access to the node', '(appArmorProfile'));
    expect(await create(pods, spec)).toEqual(ALLOWED);
  }
  expect(await create(jobs, { template: { metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/training': 'runtime/default', 'a': 'unconfined' } } } })).toEqual(ALLOWED);
});

test.each([
  ['nothing', {}],
  ['probes and hooks of the pod itself', { containers: [{ name: 'training', livenessProbe: { httpGet: { port: 80, host: '' } }, readinessProbe: null, lifecycle: null, startupProbe: { exec: { command: ['x'] } } }] }],
  ['capabilities that containers have anyway', { containers: [{ name: 'training', securityContext: { capabilities: { add: ['CHOWN'], drop: ['ALL'] } } }] }],
  ['no capabilities', { securityContext: null, containers: [{ name: 'training', securityContext: null }, { name: 'side', securityContext: { capabilities: { drop: ['ALL'] } } }] }],
  ['settings of the pod itself', { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }], seccompProfile: { type: 'RuntimeDefault' } } }],
  ['ports of the pod itself', { containers: [{ name: 'training', ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 0 }] }] }],
  ['volumes and secrets of the namespace', { volumes: [{ name: 'a', secret: { secretName: 's' } }, { name: 'b', persistentVolumeClaim: { claimName: 'c' } }] }],
  ['the account that pods have anyway', { serviceAccountName: 'default', serviceAccount: '' }],
])('who may create jobs may ask for %s', async (_what, spec) => {
  for (const [, specOf] of PLACES) {
    expect(await create(jobs, specOf(spec))).toEqual(ALLOWED);
  }
});

describe.each(PLACES)('a service account in %s', (_place, specOf) => {
  test.each(['serviceAccountName', 'serviceAccount'])('%s is for those who may create pods, or impersonate it', async (field) => {
    const spec = specOf({ [field]: 'trainer' });
    expect(await create(jobs, spec)).toEqual(forbidden(DENIED, "names the service account 'trainer'", `namespace ${namespace}`, jobs.user));
    expect(await create(firewalls, spec)).toEqual(forbidden(DENIED, 'trainer'));
    expect(await create(pods, spec)).toEqual(ALLOWED);
    expect(await create(trainer, spec)).toEqual(ALLOWED);
    expect(await create(trainer, specOf({ [field]: 'other' }))).toEqual(forbidden(DENIED, "'other'"));
  });
});

test('one account among several does not open the others', async () => {
  const spec = { template: { spec: { serviceAccountName: 'trainer' } }, helpers: [{ name: 'one', command: ['x'], template: { spec: { serviceAccountName: 'admin' } } }] };
  expect(await create(trainer, spec)).toEqual(forbidden(DENIED, 'the service account'));
  expect(await create(pods, spec)).toEqual(ALLOWED);
});

describe.each([
  ['toCidrs', { egress: 'Limited', toCidrs: ['0.0.0.0/0'] }],
  ['fromNamespaces', { fromNamespaces: ['someone-else'] }],
])('spec.security.networkPolicy.%s', (field, networkPolicy) => {
  test('is for those who may create NetworkPolicies', async () => {
    const spec = { security: { networkPolicy } };
    expect(await create(jobs, spec)).toEqual(forbidden(DENIED, `networkPolicy.${field}`, 'networkpolicies', `namespace ${namespace}`, jobs.user));
    expect(await create(pods, spec)).toEqual(forbidden(DENIED, field));
    expect(await create(member, spec, TEAM)).toEqual(forbidden(DENIED, field, member.user));
    expect(await create(firewalls, spec)).toEqual(ALLOWED);
  });
});

test('a firewall that lets in nobody else is for all, and so is one that is switched off', async () => {
  expect(await create(jobs, { security: { networkPolicy: {} } })).toEqual(ALLOWED);
  expect(await create(jobs, { security: { networkPolicy: { egress: 'Limited', toCidrs: [], fromNamespaces: [] } } })).toEqual(ALLOWED);
  expect(await create(jobs, { security: { networkPolicy: { enabled: false, fromNamespaces: ['a'] } } })).toEqual(ALLOWED);
});

test('a member of a team has what pods may have: its namespace keeps the standard', async () => {
  expect(await create(member, { template: { spec: { serviceAccountName: 'trainer' } } }, TEAM)).toEqual(ALLOWED);
});

test('the operator makes jobs of jobs, whatever these ask for', async () => {
  const operator = { user: `system:serviceaccount:${namespace}:trainyard-operator`, groups: ['system:serviceaccounts', 'system:authenticated'] };
  expect(await create(operator, {
    template: { spec: { hostNetwork: true, serviceAccountName: 'trainer' } }, security: { networkPolicy: { fromNamespaces: ['a'] } },
  })).toEqual(ALLOWED);
});

test('a job that others may create may be suspended by those who may not', async () => {
  const made = job({ template: { spec: { hostNetwork: true } }, managedBy: 'test.trainyard.dev/nobody' });
  expect((await requestAs(pods, 'POST', collectionOf(made), made)).status).toBe(201);
  const at = `${collectionOf(made)}/job`;
  const { body } = await mustRequest('GET', at);
  expect(await requestAs(jobs, 'PUT', `${at}?dryRun=All`, { ...body, spec: { ...body.spec, suspend: true } })).toEqual({ status: 200, message: '' });
  await removeObjects([made]);
});
