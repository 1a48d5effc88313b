/**
 * Policies, at synth and in a real API server: for any object and any policy both say the same, in the same words. The API server has the policies
 * that constructs write, and is asked with dry runs.
 */
import { randomBytes } from 'node:crypto';
import { Chart, Duration, Testing } from 'cdk8s';
import fc from 'fast-check';
import { JobPolicy, type JobRules } from '../../../src';
import { apiRequest } from '../../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../../../src/model/kueue-names';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { policyProblems } from '../../../src/model/policy/evaluate';
import type { JobPolicySpec } from '../../../src/model/policy/spec';
import { policySubject } from '../../../src/model/policy/subject';
import { NODE_ACCESS } from '../../support/node-access';
import { validSpec } from '../../model/training-job/arbitraries';
import { upstreamCrds } from '../../support/upstream-definitions';
import { applyObjects, collectionOf, removeObjects } from '../support/apply-objects';
import { clusterAccess, eventually, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

const IMAGES = ['registry.example/train:1', 'registry.example/a/b@sha256:00', 'docker.io/library/bash', 'registryXexample/train:1', 'evil.example/registry.example/train:1', 'image'];
const MARK = 'trainyard-policy-marker';

/** Rules that are asked, each policy in a namespace of its own. All of them refuse the marker image or a pod without the marker's label. */
const POLICIES: readonly JobRules[] = [
  { allowedImages: ['registry.example/*', 'image'] },
  { allowedImages: ['registry.example/train:1'], priorityClasses: [] },
  { requiredLabels: { 'cost-center': [], 'team': ['a', 'b'] } },
  { requiredLabels: { 'example.com/team': ['a'] }, maxReplicas: 4 },
  { maxGpus: 8, requiredLabels: { team: ['a'] } },
  { maxReplicas: 1, maxGpus: 0, requiredLabels: { team: ['a'] } },
  { maxDeadline: Duration.hours(1), requiredLabels: { team: ['a'] } },
  { queues: ['team-a'], queuePriorityClasses: ['low'], priorityClasses: ['high'], requiredLabels: { team: ['a'] } },
  { hostAccess: false, requiredLabels: { team: ['a', 'b'] } },
  { serviceAccounts: ['trainer'], hostAccess: true, requiredLabels: { team: ['a', 'b'] } },
  { allowedImages: ['*'], requiredLabels: { team: ['a'] }, queues: ['team-a', 'team-b'], maxReplicas: 10, maxGpus: 16, maxDeadline: Duration.minutes(10), priorityClasses: ['high', 'low'] },
];

/** Systems whose jobs policies know the size of. */
const SYSTEMS = ['jobset', 'kubeflow-trainer', 'kubeflow-training-operator', 'kuberay', 'lws', 'spark-operator', 'volcano'];

interface Bound {
  readonly namespace: string;
  readonly spec: JobPolicySpec;
}

const bound: Bound[] = [];
const applied: TestObject[] = [];

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds(...SYSTEMS)]);
  const chart = new Chart(Testing.app(), 'policy');
  for (const [index, rules] of POLICIES.entries()) {
    const namespace = await createNamespace('policy');
    const name = `p${index}-${randomBytes(3).toString('hex')}`;
    new JobPolicy(chart, name, { name, namespaces: [namespace], ...rules });
    const { maxDeadline, ...others } = rules;
    bound.push({ namespace, spec: { name, namespaces: [namespace], ...others, maxDeadlineSeconds: maxDeadline?.toSeconds() } });
  }
  applied.push(...Testing.synth(chart) as TestObject[]);
  await applyObjects(applied);
  // The API server learns of policies a little later.
  for (const { namespace, spec } of bound) {
    await eventually(`the policy ${spec.name} to be in force`, async () => {
      const { status } = await judge(`/api/v1/namespaces/${namespace}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: MARK }, spec: { containers: [{ name: 'c', image: MARK }] } });
      return status === 422 || status === 403;
    });
    await eventually(`the policy ${spec.name} to be in force for all kinds`, async () => {
      const all = [deployment(namespace), job(namespace), cronJob(namespace), trainingJob(namespace),
        ...upstreamJobs(namespace, spec.requiredLabels !== undefined)];
      const verdicts = await Promise.all(all.map(async (object) => judge(collectionOf(object), object)));
      return verdicts.every(({ message }) => message.includes('ValidatingAdmissionPolicy'));
    });
  }
}, 180_000);
afterAll(async () => {
  await removeObjects(applied);
  await Promise.all(bound.map(async ({ namespace }) => deleteNamespace(namespace)));
});

const marked = { containers: [{ name: 'c', image: MARK }], restartPolicy: 'Never' };
const app = { matchLabels: { app: 'a' } };
const deployment = (namespace: string): TestObject => ({
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: MARK, namespace }, spec: { selector: app, template: { metadata: { labels: app.matchLabels }, spec: { ...marked, restartPolicy: 'Always' } } },
});
const job = (namespace: string): TestObject => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: MARK, namespace }, spec: { template: { spec: marked } } });
const cronJob = (namespace: string): TestObject => ({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: MARK, namespace }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: marked } } } } });
const trainingJob = (namespace: string): TestObject => ({ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name: MARK, namespace }, spec: { framework: 'plain', image: MARK, replicas: 1000 } });

/** One of each that every policy of these tests refuses. Images of Spark are looked at in its pods alone. */
function upstreamJobs(namespace: string, hasLabels: boolean): TestObject[] {
  const of = (apiVersion: string, kind: string, spec: object): TestObject => ({ apiVersion, kind, metadata: { name: MARK, namespace }, spec });
  const worker = { groupName: 'w', replicas: 1000, minReplicas: 0, maxReplicas: 1000, rayStartParams: {}, template: { spec: marked } };
  const spark = { type: 'Python', mode: 'cluster', sparkVersion: '4.0.0', mainApplicationFile: 'local:///a.py', driver: {}, executor: {} };
  const cluster = { headGroupSpec: { rayStartParams: {}, template: { spec: marked } }, workerGroupSpecs: [worker] };
  return [
    of('jobset.x-k8s.io/v1alpha2', 'JobSet', { replicatedJobs: [{ name: 'w', replicas: 1000, template: { spec: { template: { spec: marked } } } }] }),
    of('trainer.kubeflow.org/v1alpha1', 'TrainJob', { runtimeRef: { name: 'torch' }, trainer: { image: MARK, numNodes: 1000 } }),
    of('kubeflow.org/v1', 'PyTorchJob', { pytorchReplicaSpecs: { Worker: { replicas: 1000, template: { spec: marked } } } }),
    of('ray.io/v1', 'RayCluster', cluster), of('ray.io/v1', 'RayJob', { entrypoint: 'python a.py', rayClusterSpec: cluster }),
    of('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', { replicas: 1000, leaderWorkerTemplate: { workerTemplate: { spec: marked } } }),
    ...(hasLabels ? [of('sparkoperator.k8s.io/v1beta2', 'SparkApplication', spark)] : []),
    of('batch.volcano.sh/v1alpha1', 'Job', { tasks: [{ name: 'w', replicas: 1000, template: { spec: marked } }] }),
  ];
}

const image = fc.constantFrom(...IMAGES);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const queueLabels = {
  [QUEUE_NAME_LABEL]: fc.option(fc.constantFrom('team-a', 'team-b', 'other', ''), { nil: undefined }),
  [PRIORITY_CLASS_LABEL]: fc.option(fc.constantFrom('low', 'high'), { nil: undefined }),
};
const labels = fc.record({ 'team': maybe(fc.constantFrom('a', 'b', 'c')), 'cost-center': maybe(fc.constant('ml')), 'example.com/team': maybe(fc.constantFrom('a', 'z')), ...queueLabels });
const container = fc.record({ image, gpus: maybe(fc.record({ resource: fc.constantFrom('nvidia.com/gpu', 'amd.com/gpu', 'google.com/tpu'), count: fc.nat(9) })) });
/** Access to the node, and a service account. */
const asked = {
  access: fc.option(fc.constantFrom(...NODE_ACCESS.map(([, pod]) => pod)), { nil: undefined, freq: 2 }),
  serviceAccountName: fc.option(fc.constantFrom('default', 'trainer', 'other'), { nil: undefined, freq: 1 }),
};
const podSpec = fc.record({ containers: fc.array(container, { minLength: 1, maxLength: 3 }),
  initContainers: fc.array(container, { maxLength: 1 }), ...asked }).map(({ containers, initContainers, access, serviceAccountName }) => ({
  restartPolicy: 'Never',
  containers: containers.map(written('c')),
  ...(initContainers.length > 0 && { initContainers: initContainers.map(written('i')) }),
  ...access,
  ...(serviceAccountName !== undefined && { serviceAccountName }),
}));

function written(prefix: string) {
  return ({ image: name, gpus }: { image: string; gpus?: { resource: string; count: number } }, index: number) => ({
    name: `${prefix}${index}`, image: name, ...(gpus && { resources: { limits: { [gpus.resource]: String(gpus.count) } } }),
  });
}

const deadline = maybe(fc.constantFrom(60, 600, 601, 3600, 4000));
const replicas = maybe(fc.nat(5));
const seconds = (activeDeadlineSeconds: number | undefined) => ({ ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }) });

const others = fc.oneof(
  fc.tuple(podSpec, deadline).map(([spec, limit]) => ({ apiVersion: 'v1', kind: 'Pod', spec: { ...spec, ...seconds(limit) } })),
  fc.tuple(podSpec, replicas, fc.constantFrom('Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet'), fc.record(queueLabels)).map(([spec, count, kind, found]) => ({
    apiVersion: 'apps/v1',
    kind,
    spec: {
      selector: app, ...(count !== undefined && kind !== 'DaemonSet' && { replicas: count }), ...(kind === 'StatefulSet' && { serviceName: 's' }),
      template: { metadata: { labels: { ...app.matchLabels, ...found } }, spec: { ...spec, restartPolicy: 'Always' } },
    },
  })),
  fc.tuple(podSpec, replicas, deadline).map(([spec, parallelism, limit]) => ({
    apiVersion: 'batch/v1', kind: 'Job', spec: { ...(parallelism !== undefined && { parallelism }), ...seconds(limit), template: { spec } },
  })),
  fc.tuple(podSpec, replicas, deadline, fc.record(queueLabels)).map(([spec, parallelism, limit, found]) => ({
    apiVersion: 'batch/v1', kind: 'CronJob', spec: { schedule: '0 0 * * *', jobTemplate: { metadata: { labels: found }, spec: { ...(parallelism !== undefined && { parallelism }), ...seconds(limit), template: { spec } } } },
  })),
);

const count = fc.nat(4);
const rayGroup = fc.record({ pod: podSpec, replicas: count, maxReplicas: count, numOfHosts: fc.integer({ min: 1, max: 2 }) });
const upstreamKinds = fc.oneof(
  fc.array(fc.tuple(podSpec, replicas, replicas, deadline), { minLength: 1, maxLength: 2 }).map((sets) => ({
    apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet',
    spec: { replicatedJobs: sets.map(([spec, own, parallelism, limit], index) => ({
      name: `r${index}`, ...(own !== undefined && { replicas: own }), template: { spec: { ...seconds(limit), ...(parallelism !== undefined && { parallelism }), template: { spec } } },
    })) },
  })),
  fc.tuple(podSpec, maybe(podSpec), replicas, maybe(fc.integer({ min: 1, max: 4 }))).map(([spec, leader, groups, size]) => ({
    apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet',
    spec: {
      ...(groups !== undefined && { replicas: groups }),
      leaderWorkerTemplate: {
        ...(size !== undefined && { size }), ...(leader !== undefined && { leaderTemplate: { spec: leader } }), workerTemplate: { spec },
      },
    },
  })),
  fc.constantFrom('SparkApplication', 'ScheduledSparkApplication').map((kind) => {
    const application = { type: 'Python', mode: 'cluster', sparkVersion: '4.0.0', mainApplicationFile: 'local:///a.py', driver: {}, executor: {} };
    return { apiVersion: 'sparkoperator.k8s.io/v1beta2', kind, spec: kind === 'SparkApplication' ? application : { schedule: '@daily', template: application } };
  }),
  fc.tuple(maybe(image), replicas, deadline, fc.nat(9)).map(([name, numNodes, limit, gpus]) => ({
    apiVersion: 'trainer.kubeflow.org/v1alpha1', kind: 'TrainJob',
    spec: { runtimeRef: { name: 'torch' }, ...seconds(limit), trainer: {
      ...(name !== undefined && { image: name }), ...(numNodes !== undefined && { numNodes }), ...(gpus > 0 && { resourcesPerNode: { limits: { 'nvidia.com/gpu': String(gpus) } } }),
    } },
  })),
  // A map has no order, so that both roles have the same pods.
  fc.tuple(podSpec, replicas, replicas, deadline, fc.constantFrom(['PyTorchJob', 'pytorch', 'Master'], ['TFJob', 'tf', 'Chief'], ['MPIJob', 'mpi', 'Launcher'])).map(
    ([spec, first, others2, limit, [kind, field, role]]) => ({
      apiVersion: 'kubeflow.org/v1', kind,
      spec: {
        [`${field}ReplicaSpecs`]: {
          [role]: { ...(first !== undefined && { replicas: first }), template: { spec } },
          Worker: { ...(others2 !== undefined && { replicas: others2 }), template: { spec } },
        },
        runPolicy: seconds(limit),
      },
    })),
  fc.tuple(podSpec, fc.array(rayGroup, { maxLength: 2 }), fc.boolean(),
    deadline, fc.constantFrom('RayCluster', 'RayJob')).map(([head, groups, enableInTreeAutoscaling, limit, kind]) => {
    const cluster = {
      enableInTreeAutoscaling,
      headGroupSpec: { rayStartParams: {}, template: { spec: head } },
      workerGroupSpecs: groups.map(({ pod, ...group }, index) => ({ groupName: `g${index}`, minReplicas: 0, ...group, rayStartParams: {}, template: { spec: pod } })),
    };
    return { apiVersion: 'ray.io/v1', kind, spec: kind === 'RayCluster' ? cluster : { entrypoint: 'python a.py', rayClusterSpec: cluster, ...seconds(limit) } };
  }),
  fc.tuple(fc.array(fc.tuple(podSpec, replicas), { minLength: 1, maxLength: 2 }), maybe(fc.constantFrom('high', 'top'))).map(([tasks, priorityClassName]) => ({
    apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job',
    spec: {
      ...(priorityClassName !== undefined && { priorityClassName }),
      tasks: tasks.map(([spec, own], index) => ({ name: `t${index}`, ...(own !== undefined && { replicas: own }), template: { spec } })),
    },
  })),
);

const scheduling = fc.record({
  queueName: maybe(fc.constantFrom('team-a', 'team-b', 'other')), queuePriorityClassName: maybe(fc.constantFrom('low', 'high')), priorityClassName: maybe(fc.constantFrom('low', 'high', 'top')),
});
const training = fc.record({
  spec: validSpec, image, scheduling: maybe(scheduling), deadline,
  preflight: maybe(fc.record({ image: maybe(image) })),
  hooks: maybe(fc.record({ before: fc.record({ image: maybe(image), command: fc.constant(['prepare']) }) })),
  template: maybe(fc.record({ spec: fc.record({ containers: fc.array(fc.record({ name: fc.constant('sidecar'), image }), { maxLength: 1 }), priorityClassName: maybe(fc.constantFrom('high', 'top')), ...asked })
    .map(({ access, ...fields }) => ({ ...fields, ...access })) })),
  helpers: maybe(fc.array(fc.record({ name: fc.constant('cache'), replicas: maybe(fc.integer({ min: 1, max: 3 })), image: maybe(image), resources: maybe(fc.record({ gpu: fc.nat(2) })) }), { minLength: 1, maxLength: 1 })),
  array: maybe(fc.record({ count: fc.integer({ min: 1, max: 4 }), parallelism: maybe(fc.integer({ min: 1, max: 4 })) })),
  roleResources: maybe(fc.record({ gpu: fc.nat(4) })),
  roleImage: maybe(image),
}).map(({ spec, deadline: limit, roleResources, roleImage, ...fields }) => ({
  apiVersion: GROUP_VERSION,
  kind: TRAINING_JOB_KIND,
  spec: {
    ...spec,
    ...fields,
    ...(spec.roles && { roles: spec.roles.map((role, index) => (index === 0 ? { ...role, resources: roleResources, image: roleImage } : role)) }),
    ...(limit !== undefined && { runPolicy: { activeDeadlineSeconds: limit } }),
  },
}));

const anyKind = fc.oneof(others, training, upstreamKinds);
const objects = fc.tuple(anyKind, labels, fc.boolean(),
  fc.nat(POLICIES.length - 1))
  .map(([object, found, owned, index]) => ({
    index,
    object: {
      ...object,
      metadata: {
        name: 'any', labels: JSON.parse(JSON.stringify(found)),
        ...(owned && { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '00000000-0000-0000-0000-000000000000' }] }),
      },
    },
  }));

test('synth and the API server say the same of any object', async () => {
  const seen = { accepted: 0, refused: 0, invalid: 0 };
  await fc.assert(fc.asyncProperty(objects, async ({ object, index }) => {
    const { namespace, spec } = bound[index];
    const manifest = JSON.parse(JSON.stringify({ ...object, metadata: { ...object.metadata, namespace } })) as TestObject;
    const problems = policyProblems(spec, policySubject(manifest)!);
    const { status, message } = await judge(collectionOf(manifest), manifest);
    // What the API server refuses for another reason, no policy is asked about.
    if (status !== 201 && !message.includes('ValidatingAdmissionPolicy')) {
      seen.invalid += 1;
      fc.pre(false);
    }
    expect({ refused: status !== 201, message }).toEqual(problems.length === 0 ? { refused: false, message: '' } : { refused: true, message: expect.stringContaining(problems[0]) });
    seen[problems.length === 0 ? 'accepted' : 'refused'] += 1;
  }), { numRuns: 900, maxSkipsPerRun: 20 });
  expect(seen.accepted).toBeGreaterThan(90);
  expect(seen.refused).toBeGreaterThan(90);
}, 240_000);

test('training jobs that say nothing get the defaults of a policy, and what they say stays', async () => {
  const namespace = await createNamespace('policy');
  const chart = new Chart(Testing.app(), 'defaults');
  new JobPolicy(chart, 'Defaults', {
    name: `defaults-${namespace}`, namespaces: [namespace], defaults: { labels: { team: 'a' }, deadline: Duration.hours(1), queueName: 'team-a' },
    requiredLabels: { team: ['a', 'b'] }, queues: ['team-a', 'team-b'], maxDeadline: Duration.hours(2),
  });
  const written = Testing.synth(chart) as TestObject[];
  await applyObjects(written);
  const seen = async (labels: object, spec: object) => {
    const { object } = await judge(`/apis/${GROUP_VERSION}/namespaces/${namespace}/mltrainingjobs`, {
      apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name: 'job', labels }, spec: { framework: 'plain', image: 'i', replicas: 1, ...spec },
    });
    return [object.metadata.labels, object.spec?.runPolicy?.activeDeadlineSeconds, object.spec?.scheduling?.queueName];
  };
  await eventually('the defaults to be in force', async () => (await seen({}, {}))[1] === 3600);
  expect(await seen({}, {})).toEqual([{ team: 'a' }, 3600, 'team-a']);
  expect(await seen({ team: 'b', other: 'x' }, { runPolicy: { activeDeadlineSeconds: 60, backoffLimit: 2 }, scheduling: { queueName: 'team-b' } }))
    .toEqual([{ team: 'b', other: 'x' }, 60, 'team-b']);
  await removeObjects(written);
  await deleteNamespace(namespace);
});

test('what an image that comes later would be is asked too: containers for debugging', async () => {
  const [{ namespace }] = bound;
  const pod: TestObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'debugged', namespace }, spec: { containers: [{ name: 'c', image: 'registry.example/a' }] } };
  await applyObjects([pod]);
  const patch = { spec: { ephemeralContainers: [{ name: 'debug', image: 'docker.io/tools' }] } };
  const { body } = await apiRequest(clusterAccess(), 'PATCH', `${collectionOf(pod)}/debugged/ephemeralcontainers`, { body: patch, contentType: 'application/strategic-merge-patch+json' });
  expect(body.message).toContain("image 'docker.io/tools' is not allowed");
});
