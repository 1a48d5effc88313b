/** What a policy sums up: amounts below zero, which would make room for others, devices by the name of their class, and minimums. */
import { randomBytes } from 'node:crypto';
import { Chart, Testing } from 'cdk8s';
import { JobPolicy } from '../../../src';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { policyProblems } from '../../../src/model/policy/evaluate';
import type { JobPolicySpec } from '../../../src/model/policy/spec';
import { policySubject } from '../../../src/model/policy/subject';
import { upstreamCrds } from '../../support/upstream-definitions';
import { applyObjects, collectionOf, removeObjects } from '../support/apply-objects';
import { eventually, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

let namespace: string;
let policy: JobPolicySpec;
let applied: TestObject[] = [];

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds('jobset', 'kubeflow-training-operator', 'kuberay', 'volcano')]);
  namespace = await createNamespace('offsets');
  policy = { name: `offsets-${randomBytes(3).toString('hex')}`, namespaces: [namespace], maxReplicas: 10, maxGpus: 8 };
  const chart = new Chart(Testing.app(), 'offsets');
  new JobPolicy(chart, 'Policy', { name: policy.name, namespaces: [namespace], maxReplicas: 10, maxGpus: 8 });
  applied = Testing.synth(chart) as TestObject[];
  await applyObjects(applied);
  await eventually('the policies to be in force', async () => {
    const verdicts = await Promise.all(KINDS.map(async ([, kind]) => judge(collectionOf(named(kind([[2, gpus(9)]]))), named(kind([[2, gpus(9)]])))));
    return verdicts.every(({ message }) => message.includes(policy.name));
  });
}, 120_000);
afterAll(async () => {
  await removeObjects(applied);
  await deleteNamespace(namespace);
});

const gpus = (count: number, resource = 'nvidia.com/gpu') => ({ containers: [{ name: 'training', image: 'i', resources: { limits: { [resource]: String(count) } } }], restartPolicy: 'Never' });
const of = (apiVersion: string, kind: string, spec: object) => ({ apiVersion, kind, spec });
const named = (object: object): TestObject => JSON.parse(JSON.stringify({ ...object, metadata: { name: 'any', namespace } })) as TestObject;
const head = { headGroupSpec: { rayStartParams: {}, template: { spec: gpus(0) } } };
const group = { groupName: 'a', replicas: 0, minReplicas: 0, maxReplicas: 1000, rayStartParams: {} };

/** Pods of a set, and how many of them. */
type Sets = readonly (readonly [count: number, spec: object])[];

/** Each kind of several sets of pods, made of those sets. */
const KINDS: readonly [string, (sets: Sets) => object][] = [
  ['JobSet', (sets) => of('jobset.x-k8s.io/v1alpha2', 'JobSet', {
    replicatedJobs: sets.map(([replicas, spec], index) => ({ name: `r${index}`, replicas, template: { spec: { template: { spec } } } })),
  })],
  ['JobSet of parallel pods', (sets) => of('jobset.x-k8s.io/v1alpha2', 'JobSet', {
    replicatedJobs: sets.map(([parallelism, spec], index) => ({ name: `r${index}`, template: { spec: { parallelism, template: { spec } } } })),
  })],
  ['PyTorchJob', (sets) => of('kubeflow.org/v1', 'PyTorchJob', {
    pytorchReplicaSpecs: Object.fromEntries(sets.map(([replicas, spec], index) => [['Worker', 'Master'][index], { replicas, template: { spec } }])),
  })],
  ['RayCluster', (sets) => of('ray.io/v1', 'RayCluster', {
    ...head, workerGroupSpecs: sets.map(([replicas, spec], index) => ({ ...group, groupName: `g${index}`, replicas, template: { spec } })),
  })],
  ['Volcano job', (sets) => of('batch.volcano.sh/v1alpha1', 'Job', { tasks: sets.map(([replicas, spec], index) => ({ name: `t${index}`, replicas, template: { spec } })) })],
  ['training job', (sets) => of(GROUP_VERSION, TRAINING_JOB_KIND, {
    framework: 'plain', image: 'i', roles: [{ name: 'worker' }], helpers: sets.map(([replicas, spec], index) => ({ name: `h${index}`, command: ['x'], replicas, template: { spec } })),
  })],
];

const refused = async (object: object, words: string) => {
  const manifest = named(object);
  expect(policyProblems(policy, policySubject(manifest)!)).toContainEqual(expect.stringContaining(words));
  expect(await judge(collectionOf(manifest), manifest)).toMatchObject({ status: 422, message: expect.stringContaining(words) });
};

test.each(KINDS)('GPUs below zero make no room for others in a %s', async (_name, kind) => {
  await refused(kind([[2, gpus(8)], [2, gpus(-8)]]), '16 GPUs are more than');
});

// The definitions of the others have a minimum.
test.each(KINDS.slice(0, 4))('fewer pods than none make no room for others in a %s', async (_name, kind) => {
  await refused(kind([[3, gpus(8)], [-3, gpus(8)]]), '24 GPUs are more than');
  await refused(kind([[20, gpus(0)], [-20, gpus(0)]]), 'replicas are more than');
});

test.each(KINDS)('devices that a %s asks for by the name of their class are counted', async (_name, kind) => {
  await refused(kind([[2, gpus(8, 'deviceclass.resource.kubernetes.io/gpu.nvidia.com')]]), '16 GPUs are more than');
});

test('a group of Ray has at least its minimum of workers', async () => {
  const ofRay = (fields: object) => of('ray.io/v1', 'RayCluster', { ...head, workerGroupSpecs: [{ ...group, ...fields, template: { spec: gpus(8) } }] });
  await refused(ofRay({ minReplicas: 3 }), '24 GPUs are more than');
  await refused(ofRay({ replicas: undefined, minReplicas: 3 }), '24 GPUs are more than');
  const fine = named(ofRay({ replicas: 3, maxReplicas: 1 }));
  expect(policyProblems(policy, policySubject(fine)!)).toEqual([]);
  expect((await judge(collectionOf(fine), fine)).status).toBe(201);
});
