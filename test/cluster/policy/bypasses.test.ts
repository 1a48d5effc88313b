/**
 * Ways around a policy, one by one: both synth and a real API server refuse the object, in the same words. What is asked of the API server is asked
 * with dry runs, in the name of an administrator; a policy knows no exceptions.
 */
import { randomBytes } from 'node:crypto';
import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { JobPolicy, type JobRules } from '../../../src';
import { apiRequest } from '../../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { policyProblems } from '../../../src/model/policy/evaluate';
import type { JobPolicySpec } from '../../../src/model/policy/spec';
import { policySubject } from '../../../src/model/policy/subject';
import { errorsOf } from '../../support/synth-errors';
import { applyObjects, collectionOf, removeObjects, requestAs } from '../support/apply-objects';
import { clusterAccess, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

const RULES: JobRules = { allowedImages: ['registry.example/*'], requiredLabels: { team: ['a'] }, maxReplicas: 4, maxGpus: 8 };
const IMAGE = 'registry.example/train:1';

let namespace: string;
let policy: JobPolicySpec;
let applied: TestObject[] = [];

const of = (apiVersion: string, kind: string, spec: object, metadata: object = {}): TestObject => ({
  apiVersion, kind, metadata: { name: 'any', namespace, labels: { team: 'a' }, ...metadata }, spec,
});
const pod = (spec: object = {}, container: object = {}, metadata?: object): TestObject => of('v1', 'Pod', { containers: [{ name: 'c', image: IMAGE, ...container }], ...spec }, metadata);
const gpus = (count: number, resource = 'nvidia.com/gpu') => ({ resources: { limits: { [resource]: String(count) } } });
const job = (spec: object): TestObject => of(GROUP_VERSION, TRAINING_JOB_KIND, { framework: 'pytorch', image: IMAGE, replicas: 2, ...spec });
const templated = (container: object) => ({ template: { spec: { containers: [{ name: 'training', ...container }] } } });
const owned = (fields: object) => ({ labels: {}, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: '00000000-0000-0000-0000-000000000000', ...fields }] });
const deployment = (replicas: number): TestObject => of('apps/v1', 'Deployment', {
  replicas, selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: IMAGE, ...gpus(1) }] } },
});

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('bypasses');
  const name = `bypasses-${randomBytes(3).toString('hex')}`;
  policy = { name, namespaces: [namespace], ...RULES };
  const chart = new Chart(Testing.app(), 'bypasses');
  new JobPolicy(chart, 'Policy', { name, namespaces: [namespace], ...RULES });
  applied = Testing.synth(chart) as TestObject[];
  await applyObjects(applied);
  await eventually('the policy to be in force', async () => {
    const marked = [pod({}, { image: 'other' }), of('apps/v1', 'Deployment', { ...deployment(5).spec }), job({ image: 'other' })];
    const verdicts = await Promise.all(marked.map(async (object) => judge(collectionOf(object), object)));
    return verdicts.every(({ message }) => message.includes('ValidatingAdmissionPolicy'));
  });
}, 120_000);
afterAll(async () => {
  await removeObjects(applied);
  await deleteNamespace(namespace);
});

test.each<[string, () => TestObject, string]>([
  ['a: an owner that is none', () => pod({}, {}, owned({})), 'wants the label team'],
  ['a: an owner that controls, as it says', () => pod({}, {}, owned({ controller: true })), 'wants the label team'],
  ['c: GPUs in the template of a job', () => job({ replicas: 4, ...templated(gpus(8)) }), '32 GPUs'],
  ['c: GPUs in a sidecar of a role', () => job({ replicas: undefined, roles: [{ name: 'master' }, { name: 'worker', replicas: 3, template: { spec: { containers: [{ name: 'side', image: IMAGE, ...gpus(4) }] } } }] }), '12 GPUs'],
  ['c: GPUs in the template of a helper', () => job({ helpers: [{ name: 'actor', replicas: 2, command: ['x'], ...templated(gpus(5)) }] }), '10 GPUs'],
  ['c: GPUs in the template, and in the job', () => job({ replicas: 1, resources: { gpu: 8 }, template: { spec: { containers: [{ name: 'side', image: IMAGE, ...gpus(1) }] } } }), '9 GPUs'],
  ...['nvidia.com/mig-1g.5gb', 'nvidia.com/gpu.shared', 'google.com/tpu', 'aws.amazon.com/neuron', 'habana.ai/gaudi', 'amd.com/gpu', 'gpu.intel.com/i915'].map(
    (resource): [string, () => TestObject, string] => [`d: ${resource}`, () => pod({}, gpus(9, resource)), '9 GPUs']),
  ['d: an init container', () => pod({ initContainers: [{ name: 'i', image: IMAGE, ...gpus(9) }] }), '9 GPUs'],
  ['d: a sidecar', () => pod({ initContainers: [{ name: 'i', image: IMAGE, restartPolicy: 'Always', ...gpus(4) }] }, gpus(5)), '9 GPUs'],
  ['d: claims', () => pod({ resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'all' }] }), 'resource claims'],
  ['d: claims of a job', () => job({ template: { spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'all' }] } } }), 'resource claims'],
  ['e: an image as a volume', () => pod({ volumes: [{ name: 'v', image: { reference: 'docker.io/miner' } }] }), "image 'docker.io/miner'"],
  ['e: an image as a volume of a job', () => job({ template: { spec: { volumes: [{ name: 'v', image: { reference: 'docker.io/miner' } }] } } }), "image 'docker.io/miner'"],
])('%s is refused', async (_what, object, words) => {
  const manifest = JSON.parse(JSON.stringify(object())) as TestObject;
  const [problem] = policyProblems(policy, policySubject(manifest)!);
  expect(problem).toContain(words);
  expect(await judge(collectionOf(manifest), manifest)).toMatchObject({ status: 422, message: expect.stringContaining(problem) });
});

test('d: what init containers had is counted once', async () => {
  const fine = pod({ initContainers: [{ name: 'i', image: IMAGE, ...gpus(8) }, { name: 'j', image: IMAGE, ...gpus(8) }] }, gpus(8));
  expect(policyProblems(policy, policySubject(fine)!)).toEqual([]);
  expect((await judge(collectionOf(fine), fine)).status).toBe(201);
});

test('a: a controller need not label what it makes', async () => {
  const controller = { user: 'system:serviceaccount:kube-system:replicaset-controller', groups: ['system:masters', 'system:serviceaccounts'] };
  const ask = async (object: TestObject) => (await requestAs(controller, 'POST', `${collectionOf(object)}?dryRun=All`, object)).status;
  expect(await ask(pod({}, {}, owned({ controller: true })))).toBe(201);
  expect(await ask(pod({}, {}, owned({})))).toBe(422);
});

describe('b: the scale of what is there', () => {
  const at = () => `${collectionOf(deployment(1))}/any`;
  const scale = async (replicas: number) => apiRequest<{ message?: string }>(clusterAccess(), 'PATCH', `${at()}/scale?dryRun=All`, { body: { spec: { replicas } }, contentType: 'application/merge-patch+json' });
  beforeAll(async () => {
    await mustRequest('POST', collectionOf(deployment(2)), deployment(2));
    await eventually('the policy on scales to be in force', async () => (await scale(500)).status === 422);
  });

  test('does not rise above the limit', async () => {
    expect(policyProblems(policy, policySubject({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'any', labels: { team: 'a' } }, spec: { replicas: 500 } })!))
      .toEqual([`500 replicas are more than policy '${policy.name}' allows: at most 4`]);
    expect((await scale(500)).body.message).toContain(`500 replicas are more than policy '${policy.name}' allows: at most 4`);
  });

  test('does not rise where GPUs are counted, but by an autoscaler', async () => {
    expect((await scale(3)).body.message).toContain(`policy '${policy.name}' counts GPUs, which a change of the scale alone does not tell`);
    const autoscaler = { user: 'system:serviceaccount:kube-system:horizontal-pod-autoscaler', groups: ['system:masters'] };
    const { body } = await mustRequest('GET', `${at()}/scale`);
    expect((await requestAs(autoscaler, 'PUT', `${at()}/scale?dryRun=All`, { ...body, spec: { replicas: 3 } })).status).toBe(200);
  });

  test('may fall', async () => {
    expect((await scale(1)).status).toBe(200);
  });
});

test('h: owner references that go away are looked at', async () => {
  const controller = { user: 'system:serviceaccount:kube-system:replicaset-controller', groups: ['system:masters', 'system:serviceaccounts'] };
  // The garbage collector takes away what belongs to nothing.
  const owner: TestObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace } };
  const { body: { metadata: { uid } } } = await mustRequest('POST', collectionOf(owner), owner);
  const made = pod({}, {}, { ...owned({ controller: true, uid }), name: 'adopted' });
  expect((await requestAs(controller, 'POST', collectionOf(made), made)).status).toBe(201);
  const { status, body } = await apiRequest<{ message?: string }>(clusterAccess(), 'PATCH', `${collectionOf(made)}/adopted`, { body: { metadata: { ownerReferences: null } }, contentType: 'application/merge-patch+json' });
  expect({ status, message: body.message }).toEqual({ status: 422, message: expect.stringContaining('wants the label team') });
});

test('i: a kind that has the name of one without pods is looked at', () => {
  const app = new App();
  const chart = new Chart(app, 'chart');
  new JobPolicy(chart, 'Policy', { name: 'org', allowedImages: ['registry.example/*'] });
  new ApiObject(chart, 'Service', {
    apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 's' }, spec: { template: { spec: { containers: [{ name: 'c', image: 'docker.io/miner' }] } } },
  } as ConstructorParameters<typeof ApiObject>[2]);
  expect(errorsOf(app)).toEqual([expect.stringContaining("image 'docker.io/miner' is not allowed by policy 'org'")]);
});
