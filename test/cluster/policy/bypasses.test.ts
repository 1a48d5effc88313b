/**
 * Ways around a policy, one by one: both synth and a real API server refuse the object, in the same words. What is asked of the API server is asked
 * with dry runs, in the name of an administrator; a policy knows no exceptions.
 */
import { randomBytes } from 'node:crypto';
import { ApiObject, App, Chart, Duration, Testing } from 'cdk8s';
import { JobPolicy, type JobRules } from '../../../src';
import { apiRequest } from '../../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../../../src/model/kueue-names';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { policyProblems } from '../../../src/model/policy/evaluate';
import type { JobPolicySpec } from '../../../src/model/policy/spec';
import { policySubject } from '../../../src/model/policy/subject';
import { NODE_ACCESS } from '../../support/node-access';
import { errorsOf } from '../../support/synth-errors';
import { applyObjects, collectionOf, removeObjects, requestAs } from '../support/apply-objects';
import { clusterAccess, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

/** Rules about queues and deadlines, in a namespace of their own. */
const QUEUED: JobRules = { queues: ['team-a'], queuePriorityClasses: ['low'], maxDeadline: Duration.hours(1) };
const RULES: JobRules = { allowedImages: ['registry.example/*'], requiredLabels: { team: ['a'] }, maxReplicas: 4, maxGpus: 8 };
const IMAGE = 'registry.example/train:1';

let namespace: string;
let policy: JobPolicySpec;
let queued: JobPolicySpec;
let confined: JobPolicySpec;
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
  const queues = await createNamespace('bypasses');
  queued = { name: `${name}-queues`, namespaces: [queues], queues: ['team-a'], queuePriorityClasses: ['low'], maxDeadlineSeconds: 3600 };
  const nodes = await createNamespace('bypasses');
  confined = { name: `${name}-nodes`, namespaces: [nodes], hostAccess: false, serviceAccounts: ['trainer'] };
  const chart = new Chart(Testing.app(), 'bypasses');
  new JobPolicy(chart, 'Policy', { name, namespaces: [namespace], ...RULES });
  new JobPolicy(chart, 'Queues', { name: queued.name, namespaces: [queues], ...QUEUED });
  new JobPolicy(chart, 'Nodes', { name: confined.name, namespaces: [nodes], hostAccess: false, serviceAccounts: ['trainer'] });
  applied = Testing.synth(chart) as TestObject[];
  await applyObjects(applied);
  // A pod whose account is not there is refused for that.
  await applyObjects(['admin', 'trainer'].map((account) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace: nodes } })));
  await eventually('the policy to be in force', async () => {
    const marked = [pod({}, { image: 'other' }), of('apps/v1', 'Deployment', { ...deployment(5).spec }), job({ image: 'other' })];
    const verdicts = await Promise.all(marked.map(async (object) => judge(collectionOf(object), object)));
    return verdicts.every(({ message }) => message.includes('ValidatingAdmissionPolicy'));
  });
  await eventually('the policy on queues to be in force', async () => {
    const verdicts = await Promise.all(KUEUE_KINDS.map(async ([, object]) => judge(collectionOf(inQueues(object())), inQueues(object()))));
    return verdicts.every(({ message }) => message.includes('ValidatingAdmissionPolicy'));
  });
  await eventually('the policy on nodes to be in force', async () => {
    const verdicts = await Promise.all(PLACES.map(async ([, of]) => judge(collectionOf(of({ hostNetwork: true })), of({ hostNetwork: true }))));
    return verdicts.every(({ message }) => message.includes('ValidatingAdmissionPolicy'));
  });
}, 120_000);
afterAll(async () => {
  await removeObjects(applied);
  await Promise.all([namespace, ...queued.namespaces!, ...confined.namespaces!].map(deleteNamespace));
});

/** Of each kind one that may not be there without a queue. Those whose definitions are not at hand stand in the other test of policies. */
const KUEUE_KINDS: readonly [string, () => TestObject][] = [
  ['a Pod', () => pod({}, gpus(1))],
  ['a Deployment', () => deployment(1)],
  ['a StatefulSet', () => of('apps/v1', 'StatefulSet', { ...deployment(1).spec, serviceName: 's' })],
  ['a ReplicaSet', () => of('apps/v1', 'ReplicaSet', deployment(1).spec!)],
  ['a DaemonSet', () => of('apps/v1', 'DaemonSet', { ...deployment(1).spec, replicas: undefined })],
  ['a Job', () => of('batch/v1', 'Job', batch())],
  ['a CronJob', () => of('batch/v1', 'CronJob', { schedule: '@daily', jobTemplate: { spec: batch() } })],
  ['a training job', () => job({})],
];
/** Every place in which a pod's spec may stand, with a spec there. */
const PLACES: readonly [string, (spec: object) => TestObject][] = [
  ['a Pod', (spec) => confinedTo(pod(spec))],
  ['a Deployment', (spec) => confinedTo(withTemplate(deployment(1), spec))],
  ['a Job', (spec) => confinedTo(of('batch/v1', 'Job', { template: { spec: { ...pod(spec).spec, restartPolicy: 'Never' } } }))],
  ['a CronJob', (spec) => confinedTo(of('batch/v1', 'CronJob', { schedule: '@daily', jobTemplate: { spec: { template: { spec: { ...pod(spec).spec, restartPolicy: 'Never' } } } } }))],
  ['a training job', (spec) => confinedTo(job({ template: { spec } }))],
  ['a role', (spec) => confinedTo(job({ replicas: undefined, roles: [{ name: 'master' }, { name: 'worker', template: { spec } }] }))],
  ['a helper', (spec) => confinedTo(job({ helpers: [{ name: 'one', command: ['x'], template: { spec } }] }))],
];
const confinedTo = (object: TestObject): TestObject => JSON.parse(JSON.stringify({ ...object, metadata: { name: 'any', namespace: confined.namespaces![0] } })) as TestObject;
const withTemplate = ({ spec, ...rest }: TestObject, pods: object): TestObject => (
  { ...rest, spec: { ...spec, template: { ...spec!.template, spec: { ...spec!.template.spec, ...pods } } } }
);
const batch = () => ({ template: { spec: { ...pod({}, gpus(1)).spec, restartPolicy: 'Never' } } });
const inQueues = (object: TestObject, labels?: object): TestObject => JSON.parse(JSON.stringify({ ...object, metadata: { name: 'any', namespace: queued.namespaces![0], labels } })) as TestObject;

describe.each(KUEUE_KINDS)('g: %s', (what, object) => {
  const [label, priority] = [QUEUE_NAME_LABEL, PRIORITY_CLASS_LABEL];
  /** With labels where Kueue looks for them, and with a deadline where the kind has one. */
  const labelled = (labels: { readonly [label: string]: string }): TestObject => {
    const { spec = {}, ...rest } = object();
    const activeDeadlineSeconds = 3600;
    switch (what) {
      case 'a training job': return inQueues({ ...rest, spec: { ...spec, runPolicy: { activeDeadlineSeconds }, scheduling: { queueName: labels[label], queuePriorityClassName: labels[priority] } } });
      case 'a CronJob': return inQueues({ ...rest, spec: { ...spec, jobTemplate: { metadata: { labels }, spec: { ...batch(), activeDeadlineSeconds } } } });
      case 'a ReplicaSet': case 'a DaemonSet': return inQueues({ ...rest, spec: { ...spec, template: { ...spec.template, metadata: { labels: { app: 'a', ...labels } } } } });
      default: return inQueues({ ...rest, spec: { ...spec, ...(['a Pod', 'a Job'].includes(what) && { activeDeadlineSeconds }) } }, labels);
    }
  };
  const answers = async (manifest: TestObject, words?: string) => {
    const problems = policyProblems(queued, policySubject(manifest)!);
    expect(problems).toEqual(words === undefined ? [] : [expect.stringContaining(words)]);
    const answer = words === undefined ? { status: 201 } : { status: 422, message: expect.stringContaining(problems[0]) };
    expect(await judge(collectionOf(manifest), manifest)).toMatchObject(answer);
  };

  test('in no queue is refused', async () => answers(labelled({}), 'requires the job to wait in a queue'));
  test('in another queue is refused', async () => answers(labelled({ [label]: 'team-b' }), 'requires the job to wait in a queue'));
  test('of a priority class of its own choice is refused', async () => answers(labelled({ [label]: 'team-a', [priority]: 'urgent' }), "queue priority class 'urgent'"));
  test('of its queue is taken', async () => answers(labelled({ [label]: 'team-a', [priority]: 'low' })));
});

test.each([
  ['a Pod', () => pod()],
  ['a Job', () => of('batch/v1', 'Job', { template: { spec: { ...pod().spec, restartPolicy: 'Never' } } })],
])('g: %s without a deadline is refused, and without GPUs it needs no queue', async (_what, object) => {
  const manifest = inQueues(object());
  const problems = policyProblems(queued, policySubject(manifest)!);
  expect(problems).toEqual([`policy '${queued.name}' requires activeDeadlineSeconds, at most 3600`]);
  expect(await judge(collectionOf(manifest), manifest)).toMatchObject({ status: 422, message: expect.stringContaining(problems[0]) });
});

describe.each(PLACES)('j: in %s', (place, of) => {
  // What the API server refuses in a pod of Linux whatever policies say.
  const access = NODE_ACCESS.filter(([name]) => !['procMount', 'hostProcess'].includes(name) || ['a training job', 'a role', 'a helper'].includes(place));

  test('access to the node is refused, whatever it is', async () => {
    for (const [name, spec] of access) {
      const manifest = of(spec);
      const problems = policyProblems(confined, policySubject(manifest)!);
      expect(problems).toEqual([`policy '${confined.name}' forbids access to the node: ${name}`]);
      expect(await judge(collectionOf(manifest), manifest)).toMatchObject({ status: 422, message: expect.stringContaining(problems[0]) });
    }
  });

  test('a service account that is not allowed is refused, and one that is allowed is taken', async () => {
    const manifest = of({ serviceAccountName: 'admin' });
    const problems = policyProblems(confined, policySubject(manifest)!);
    expect(problems).toEqual([`service account 'admin' is not allowed by policy '${confined.name}': allowed are default, trainer`]);
    expect(await judge(collectionOf(manifest), manifest)).toMatchObject({ status: 422, message: expect.stringContaining(problems[0]) });
    for (const serviceAccountName of ['trainer', 'default']) {
      const fine = of({ serviceAccountName });
      expect(policyProblems(confined, policySubject(fine)!)).toEqual([]);
      expect((await judge(collectionOf(fine), fine)).status).toBe(201);
    }
  });
});

test('j: a container for debugging is refused access to the node', async () => {
  const made = confinedTo(pod());
  await mustRequest('POST', collectionOf(made), made);
  const patch = { spec: { ephemeralContainers: [{ name: 'debug', image: IMAGE, securityContext: { privileged: true } }] } };
  const { body } = await apiRequest<{ message?: string }>(clusterAccess(), 'PATCH', `${collectionOf(made)}/any/ephemeralcontainers`, { body: patch, contentType: 'application/strategic-merge-patch+json' });
  expect(body.message).toContain(`policy '${confined.name}' forbids access to the node: privileged`);
});

test('g: what a controller makes for its job has neither a queue nor a deadline of its own, and no other queue', async () => {
  const controller = { user: 'system:serviceaccount:kube-system:job-controller', groups: ['system:masters', 'system:serviceaccounts'] };
  const ask = async (object: TestObject, metadata: object) => {
    const made = { ...object, metadata: { ...object.metadata, ...metadata } };
    return (await requestAs(controller, 'POST', `${collectionOf(made)}?dryRun=All`, made)).status;
  };
  const { ownerReferences } = owned({ controller: true });
  expect(await ask(inQueues(pod({}, gpus(1))), { ownerReferences })).toBe(201);
  expect(await ask(inQueues(of('batch/v1', 'Job', batch())), { ownerReferences })).toBe(201);
  expect(await ask(inQueues(pod({}, gpus(1)), { [QUEUE_NAME_LABEL]: 'team-a' }), { ownerReferences })).toBe(201);
  expect(await ask(inQueues(pod({}, gpus(1)), { [QUEUE_NAME_LABEL]: 'team-b' }), { ownerReferences })).toBe(422);
  expect(await ask(inQueues(pod({}, gpus(1))), {})).toBe(422);
});

test.each<[string, () => TestObject, string]>([
  ['a: an owner that is none', () => pod({}, {}, owned({})), 'requires the label team'],
  ['a: an owner that controls, as it says', () => pod({}, {}, owned({ controller: true })), 'requires the label team'],
  ['c: GPUs in the template of a job', () => job({ replicas: 4, ...templated(gpus(8)) }), '32 GPUs'],
  ['c: GPUs in a sidecar of a role', () => job({ replicas: undefined, roles: [{ name: 'master' }, { name: 'worker', replicas: 3, template: { spec: { containers: [{ name: 'side', image: IMAGE, ...gpus(4) }] } } }] }), '12 GPUs'],
  ['c: GPUs in the template of a helper', () => job({ helpers: [{ name: 'actor', replicas: 2, command: ['x'], ...templated(gpus(5)) }] }), '10 GPUs'],
  ['c: GPUs in the template, and in the job', () => job({ replicas: 1, resources: { gpu: 8 }, template: { spec: { containers: [{ name: 'side', image: IMAGE, ...gpus(1) }] } } }), '9 GPUs'],
  ['c: GPUs of a job by the name of their resource', () => job({ replicas: 4, resources: { gpu: 1, extended: { 'nvidia.com/mig-1g.5gb': '7' } } }), '32 GPUs'],
  ['c: GPUs of a role by the name of their resource', () => job({ replicas: undefined, roles: [{ name: 'master' }, { name: 'worker', replicas: 2, resources: { extended: { 'nvidia.com/gpu': '8' } } }] }), '16 GPUs'],
  ['c: GPUs of a helper by the name of their resource', () => job({ helpers: [{ name: 'actor', replicas: 2, command: ['x'], resources: { extended: { 'amd.com/gpu': '5' } } }] }), '10 GPUs'],
  ['c: TPUs of a job', () => job({ replicas: 4, resources: { tpu: 4 } }), '16 GPUs'],
  ['e: an image that fetches the code', () => job({ code: { url: 'https://registry.example/a.tgz', digest: `sha256:${'a'.repeat(64)}`, fetchImage: 'docker.io/miner' } }), "image 'docker.io/miner'"],
  ...['nvidia.com/mig-1g.5gb', 'nvidia.com/gpu.shared', 'google.com/tpu', 'aws.amazon.com/neuron', 'habana.ai/gaudi', 'amd.com/gpu', 'gpu.intel.com/i915'].map(
    (resource): [string, () => TestObject, string] => [`d: ${resource}`, () => pod({}, gpus(9, resource)), '9 GPUs']),
  ['d: an init container', () => pod({ initContainers: [{ name: 'i', image: IMAGE, ...gpus(9) }] }), '9 GPUs'],
  ['d: a sidecar', () => pod({ initContainers: [{ name: 'i', image: IMAGE, restartPolicy: 'Always', ...gpus(4) }] }, gpus(5)), '9 GPUs'],
  ['d: a DaemonSet, which has a pod on each node', () => of('apps/v1', 'DaemonSet', { ...deployment(1).spec, replicas: undefined }), '2147483647 GPUs'],
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
    expect((await scale(3)).body.message).toContain(`policy '${policy.name}' counts GPUs, which a change of the scale alone does not show`);
    const autoscaler = { user: 'system:serviceaccount:kube-system:horizontal-pod-autoscaler', groups: ['system:masters'] };
    const { body } = await mustRequest('GET', `${at()}/scale`);
    expect((await requestAs(autoscaler, 'PUT', `${at()}/scale?dryRun=All`, { ...body, spec: { replicas: 3 } })).status).toBe(200);
  });

  test('may fall', async () => {
    expect((await scale(1)).status).toBe(200);
  });
});

test.each(['registry.example*', '*/train', 'registry*'])('f: the pattern %s is refused, as it stands for several registries', (image) => {
  const app = new App();
  new JobPolicy(new Chart(app, 'chart'), 'Policy', { name: 'org', allowedImages: [image] });
  expect(errorsOf(app)).toEqual([expect.stringContaining(`allowedImages: "${image}": allows images of other registries`)]);
});

test('h: owner references that go away are looked at', async () => {
  const controller = { user: 'system:serviceaccount:kube-system:replicaset-controller', groups: ['system:masters', 'system:serviceaccounts'] };
  // The garbage collector takes away what belongs to nothing.
  const owner: TestObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace } };
  const { body: { metadata: { uid } } } = await mustRequest('POST', collectionOf(owner), owner);
  const made = pod({}, {}, { ...owned({ controller: true, uid }), name: 'adopted' });
  expect((await requestAs(controller, 'POST', collectionOf(made), made)).status).toBe(201);
  const { status, body } = await apiRequest<{ message?: string }>(clusterAccess(), 'PATCH', `${collectionOf(made)}/adopted`, { body: { metadata: { ownerReferences: null } }, contentType: 'application/merge-patch+json' });
  expect({ status, message: body.message }).toEqual({ status: 422, message: expect.stringContaining('requires the label team') });
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
