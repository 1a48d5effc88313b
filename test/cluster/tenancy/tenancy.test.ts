/**
 * Teams on a real API server: people of one team, as the API server knows them, in their own namespace and in another's. Objects that the constructs
 * write are all there is; nobody has any other right.
 */
import { randomBytes } from 'node:crypto';
import { Chart, Size, Testing } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Gpu } from '../../../src';
import { PodSecurityLevel, Team } from '../../../src/constructs/platform';
import { ClusterQueue, Quota, ResourceFlavor } from '../../../src/constructs/queues';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { upstreamCrds } from '../../support/upstream-definitions';
import { applyObjects, collectionOf, removeObjects, requestAs, rightsOf, type Answer, type Person } from '../support/apply-objects';
import { eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';

const id = randomBytes(3).toString('hex');
const A = `team-a-${id}`;
const B = `team-b-${id}`;
const alice: Person = { user: 'alice@example.com', groups: ['system:authenticated'] };
const ada: Person = { user: 'ada@example.com', groups: ['research-a', 'system:authenticated'] };
const victor: Person = { user: 'victor@example.com', groups: ['system:authenticated'] };
const bob: Person = { user: 'bob@example.com', groups: ['system:authenticated'] };

let objects: TestObject[] = [];

function teams(): TestObject[] {
  const chart = new Chart(Testing.app(), 'tenancy');
  const clusterQueue = new ClusterQueue(chart, 'Research', {
    name: `research-${id}`, resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('default'), quotas: [Quota.cpu(Cpu.units(64))] }] }],
  });
  const a = new Team(chart, 'A', {
    name: A,
    members: { users: [alice.user] },
    viewers: { users: [victor.user] },
    clusterQueue,
    quota: { gpu: Gpu.nvidia(8), cpu: Cpu.units(16), memory: Size.gibibytes(64), storage: Size.tebibytes(1), pods: 20, persistentVolumeClaims: 4,
      trainingJobs: 2 },
    containers: { maxCpu: Cpu.units(8), maxMemory: Size.gibibytes(32) },
    rules: { allowedImages: ['registry.example/*'], priorityClasses: ['research'] },
    costLabels: { 'cost-center': 'cc-17' },
  });
  a.addMembers({ groups: ['research-a'] });
  new Team(chart, 'B', { name: B, members: { users: [bob.user] }, podSecurity: PodSecurityLevel.RESTRICTED });
  new Team(chart, 'C', { name: `team-c-${id}`, profileOwner: 'carol@example.com', quota: { cpu: Cpu.units(1) } });
  return Testing.synth(chart) as TestObject[];
}

const job = (namespace: string, spec: object = {}): TestObject => ({
  apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name: `job-${randomBytes(3).toString('hex')}`, namespace },
  spec: { framework: 'pytorch', image: 'registry.example/train:1', replicas: 1, ...spec },
});
const pod = (namespace: string, spec: object = {}, container: object = {}): TestObject => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${randomBytes(3).toString('hex')}`, namespace },
  spec: { ...spec, containers: [{ name: 'c', image: 'registry.example/tool:1', ...container }] },
});

const jobSet = (namespace: string, parallelism: number, gpus: number): TestObject => ({
  apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', metadata: { name: `set-${randomBytes(3).toString('hex')}`, namespace },
  spec: { replicatedJobs: [{ name: 'w', template: { spec: { parallelism, completions: parallelism, template: { spec: {
    restartPolicy: 'Never', containers: [{ name: 'c', image: 'registry.example/t', resources: { limits: { 'nvidia.com/gpu': String(gpus) } } }],
  } } } } }] },
});

const submit = async (person: Person, object: TestObject, dryRun = true): Promise<Answer> => requestAs(person, 'POST', `${collectionOf(object)}${dryRun ? '?dryRun=All' : ''}`, object);

/** The controller that counts quotas is not here: the test says that nothing is used, and the API server counts on from there. */
async function countNothing(): Promise<void> {
  const path = `/api/v1/namespaces/${A}/resourcequotas/team`;
  const { body: { spec: { hard } } } = await mustRequest('GET', path);
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  await mustRequest('PATCH', `${path}/status`, { status: { hard, used } }, 'application/merge-patch+json');
  // What looks at quotas sees the change a moment later.
  await eventually('the quota to be counted anew', async () => (await submit(alice, job(A))).status === 201);
}

describe('teams', () => {
  beforeAll(async () => {
    await installCrds([constructTrainingJobCrd(), ...upstreamCrds('kueue', 'kubeflow-manifests', 'jobset').filter((file) => /kueue|profiles|jobset/.test(file))]);
    objects = teams();
    expect(await applyObjects(objects)).toEqual([]);
    await eventually('rights, policies and accounts to be in force', async () => {
      const answers = await Promise.all([
        submit(alice, job(A)), submit(alice, job(A, { image: 'elsewhere' })), submit(alice, pod(A)), submit(alice, pod(A, {}, { image: 'elsewhere' })), submit(bob, job(B)), submit(alice, jobSet(A, 2, 8)),
      ]);
      return JSON.stringify(answers.map(({ status }) => status)) === '[201,422,201,422,201,422]';
    });
    await countNothing();
  }, 120_000);
  afterAll(async () => removeObjects(objects));

  test.each<[string, Person]>([['a member by name', alice], ['a member by group', ada]])('%s creates, sees and deletes jobs of the own team', async (_who, person) => {
    const mine = job(A);
    const at = `${collectionOf(mine)}/${mine.metadata.name}`;
    expect(await submit(person, mine, false)).toEqual({ status: 201, message: '' });
    expect((await requestAs(person, 'GET', at)).status).toBe(200);
    expect((await requestAs(person, 'DELETE', at)).status).toBe(200);
  });

  // Rows without a body: jest gives a callback to a parameter that a row has nothing for, and none to a rest.
  const others: [string, string, (namespace: string) => string, object?][] = [
    ['creating jobs', 'POST', (namespace) => collectionOf(job(namespace)), job(B)],
    ['listing jobs', 'GET', (namespace) => collectionOf(job(namespace))],
    ['creating pods', 'POST', (namespace) => collectionOf(pod(namespace)), pod(B)],
    ['reading pods', 'GET', (namespace) => `/api/v1/namespaces/${namespace}/pods/any`],
    ['reading logs', 'GET', (namespace) => `/api/v1/namespaces/${namespace}/pods/any/log`],
    ['reading config maps', 'GET', (namespace) => `/api/v1/namespaces/${namespace}/configmaps`],
    ['reading secrets', 'GET', (namespace) => `/api/v1/namespaces/${namespace}/secrets`],
    ['deleting claims', 'DELETE', (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims/any`],
    ['seeing its queue', 'GET', (namespace) => `/apis/kueue.x-k8s.io/v1beta2/namespaces/${namespace}/localqueues`],
    ['seeing its quota', 'GET', (namespace) => `/api/v1/namespaces/${namespace}/resourcequotas`],
  ];
  test.each(others)('a member is refused everything in another team\'s namespace: %s', async (_what, method, path, ...body) => {
    const answer = await requestAs(alice, method, path(B), ...body);
    expect(answer).toEqual({ status: 403, message: expect.stringContaining('User "alice@example.com" cannot') });
    expect(answer.message).toContain(`in the namespace "${B}"`);
  });

  test('a member has no right at all in another team\'s namespace, and no wildcard in the own one', async () => {
    // What everybody may ask who is known: himself.
    const aboutOneself = (group: string) => ['authorization.k8s.io', 'authentication.k8s.io'].includes(group);
    for (const person of [alice, ada, victor]) {
      const elsewhere = await rightsOf(person, B);
      expect(elsewhere.filter(({ apiGroups }) => !apiGroups.every(aboutOneself))).toEqual([]);
    }
    const own = await rightsOf(alice, A);
    expect(own.some(({ resources, verbs }) => resources.includes('mltrainingjobs') && verbs.includes('create'))).toBe(true);
    expect(own.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])).not.toContain('*');
  });

  test.each<[string, string, string, object?]>([
    ['listing jobs of all teams', 'GET', `/apis/${GROUP_VERSION}/mltrainingjobs`],
    ['reading its own secrets', 'GET', `/api/v1/namespaces/${A}/secrets/any`],
    ['listing its own secrets', 'GET', `/api/v1/namespaces/${A}/secrets`],
    // The answers to all of these have the data of the secret in them, or overwrite it.
    ['reading a secret by a patch that changes nothing', 'PATCH', `/api/v1/namespaces/${A}/secrets/any?dryRun=All`, {}],
    ['reading a secret by a deletion that deletes nothing', 'DELETE', `/api/v1/namespaces/${A}/secrets/any?dryRun=All&propagationPolicy=Foreground`],
    ['overwriting a secret', 'PUT', `/api/v1/namespaces/${A}/secrets/any`, {}],
    ['deleting all secrets', 'DELETE', `/api/v1/namespaces/${A}/secrets`],
    ['a token of a service account', 'POST', `/api/v1/namespaces/${A}/serviceaccounts/default/token`, {}],
    ['raising its own quota', 'PUT', `/api/v1/namespaces/${A}/resourcequotas/team`, {}],
    ['opening its own network', 'DELETE', `/apis/networking.k8s.io/v1/namespaces/${A}/networkpolicies/default-deny`],
    ['giving itself rights', 'POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${A}/rolebindings`, {}],
    ['relabelling its namespace', 'PATCH', `/api/v1/namespaces/${A}`, {}],
    ['removing the policy', 'DELETE', `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/team-${A}-pods`],
    ['moving its queue', 'DELETE', `/apis/kueue.x-k8s.io/v1beta2/namespaces/${A}/localqueues/${A}`],
    ['a shell in a pod', 'POST', `/api/v1/namespaces/${A}/pods/any/exec?command=sh`],
  ])('a member is refused %s', async (_what, method, path, ...body) => {
    expect((await requestAs(alice, method, path, ...body)).status).toBe(403);
  });

  test('a member puts a secret there, and is told no more than that of it', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', namespace: A }, stringData: { password: 'of-the-team' } };
    expect((await submit(alice, secret, false)).status).toBe(201);
    const verbs = (await rightsOf(alice, A)).filter(({ apiGroups, resources }) => apiGroups.includes('') && resources.includes('secrets')).flatMap((right) => right.verbs);
    expect(verbs).toEqual(['create']);
  });

  test('a viewer sees jobs and logs, and creates nothing', async () => {
    expect((await requestAs(victor, 'GET', collectionOf(job(A)))).status).toBe(200);
    expect((await requestAs(victor, 'GET', `/api/v1/namespaces/${A}/pods/any/log`)).message).toContain('not found');
    expect(await submit(victor, job(A))).toEqual({ status: 403, message: expect.stringContaining('cannot create resource "mltrainingjobs"') });
  });

  test.each<[string, () => TestObject, number, string]>([
    ['a privileged pod', () => pod(A, {}, { securityContext: { privileged: true } }), 403, 'violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)'],
    ['a pod in the host\'s network', () => pod(A, { hostNetwork: true }), 403, 'host namespaces (hostNetwork=true)'],
    ['a foreign image in a pod', () => pod(A, {}, { image: 'docker.io/miner' }), 422, `image 'docker.io/miner' is not allowed by policy 'team-${A}': allowed are registry.example/*`],
    ['a foreign image in a job', () => job(A, { image: 'docker.io/miner' }), 422, "image 'docker.io/miner' is not allowed"],
    ['a job of more GPUs than the team has', () => job(A, { replicas: 2, resources: { gpu: 8 } }), 422, `16 GPUs are more than policy 'team-${A}' allows: at most 8`],
    ['a JobSet of more GPUs than the team has', () => jobSet(A, 2, 8), 422, `16 GPUs are more than policy 'team-${A}' allows: at most 8`],
    ['a pod of more GPUs than the team has', () => pod(A, {}, { resources: { limits: { 'nvidia.com/gpu': '9' } } }), 422, '9 GPUs are more than policy'],
    ['a pod of more memory than a container may have', () => pod(A, {}, { resources: { requests: { memory: '40Gi' }, limits: { memory: '40Gi' } } }), 403, 'maximum memory usage per Container is 32Gi'],
    ['pods of more memory than the team has', () => ({ ...pod(A), spec: { containers: ['a', 'b', 'c'].map((name) => ({ name, image: 'registry.example/t', resources: { requests: { memory: '30Gi', cpu: '1' }, limits: { memory: '30Gi', cpu: '1' } } })) } }), 403,
      'exceeded quota: team, requested: requests.memory=90Gi, used: requests.memory=0, limited: requests.memory=64Gi'],
    ['another priority', () => job(A, { scheduling: { priorityClassName: 'system-node-critical' } }), 422, "priority class 'system-node-critical' is not allowed"],
  ])('%s is refused with the reason', async (_what, object, status, reason) => {
    const answer = await submit(alice, object());
    expect(answer.message).toContain(reason);
    expect(answer.status).toBe(status);
  });

  test('a job more than the quota has is refused with the numbers', async () => {
    await countNothing();
    const two = [job(A), job(A)];
    for (const one of two) {
      expect((await submit(alice, one, false)).status).toBe(201);
    }
    expect((await submit(alice, job(A), false)).message).toContain('exceeded quota: team, requested: count/mltrainingjobs.ml.collabnix.io=1, used: count/mltrainingjobs.ml.collabnix.io=2, limited: count/mltrainingjobs.ml.collabnix.io=2');
  });

  test('a restricted team takes no pod that may run as root', async () => {
    expect((await submit(bob, pod(B))).message).toContain('violates PodSecurity "restricted:latest"');
  });

  test('a pod that says nothing gets its part of the quota', async () => {
    const { body } = await mustRequest('POST', `${collectionOf(pod(A))}?dryRun=All`, pod(A));
    expect(body.spec.containers[0].resources.requests).toEqual({ cpu: '100m', memory: '256Mi' });
  });
});
