/** What a policy sees in an object, and what it says. */
import { policyProblems } from '../../../src/model/policy/evaluate';
import { concerns, imageExpression, validateJobPolicy, type JobPolicySpec } from '../../../src/model/policy/spec';
import { policySubject } from '../../../src/model/policy/subject';
import { formatViolation } from '../../../src/model/violations';

const TRAINING = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob' };
const job = (spec: object, labels?: object) => policySubject({ ...TRAINING, metadata: { name: 'j', labels }, spec: { framework: 'pytorch', image: 'a', ...spec } })!;
const policy = (rules: Partial<JobPolicySpec>): JobPolicySpec => ({ name: 'p', ...rules });

test.each<[string, readonly string[], string, boolean]>([
  ['a folder', ['registry.example/*'], 'registry.example/a/b:1', true],
  ['another registry', ['registry.example/*'], 'registryXexample/a', false],
  ['a registry that ends alike', ['registry.example/*'], 'evil/registry.example/a', false],
  ['an exact image', ['a:1'], 'a:1', true],
  ['more than an exact image', ['a:1'], 'a:12', false],
  ['a digest', ['a@sha256:*'], 'a@sha256:00', true],
  ['any digest wherever it is from', ['*@sha256:*'], 'b/c@sha256:00', true],
  ['characters with a meaning', ['a+b(c)[d]^e$f.\\g'], 'a+b(c)[d]^e$f.\\g', true],
])('an image pattern: %s', (_what, patterns, image, matches) => {
  expect(new RegExp(imageExpression(patterns)).test(image)).toBe(matches);
});

test.each<[string, object, number, number]>([
  ['the short form', { replicas: 4, resources: { gpu: 8 } }, 4, 32],
  ['one replica without saying so', { resources: { gpu: 2 } }, 1, 2],
  ['a launcher of MPI beside the workers', { framework: 'mpi', replicas: 4, resources: { gpu: 8 } }, 5, 32],
  ['roles', { resources: { gpu: 8 }, roles: [{ name: 'master' }, { name: 'worker', replicas: 3 }] }, 4, 32],
  ['roles without devices', { framework: 'tensorflow', resources: { gpu: 8 }, roles: [{ name: 'chief' }, { name: 'ps', replicas: 2 }] }, 3, 8],
  ['a role\'s own resources', { resources: { gpu: 8 }, roles: [{ name: 'master', resources: {} }, { name: 'worker', replicas: 2, resources: { gpu: 1 } }] }, 3, 2],
  ['helpers', { replicas: 2, resources: { gpu: 8 }, helpers: [{ name: 'cache', replicas: 2 }, { name: 'eval', resources: { gpu: 1 } }] }, 5, 17],
  ['an elastic job at its largest', { replicas: 2, elastic: { maxReplicas: 8 }, resources: { gpu: 1 } }, 8, 8],
  ['copies of an array', { replicas: 2, array: { count: 10, parallelism: 3 }, resources: { gpu: 1 } }, 6, 6],
  ['an array all at once', { replicas: 2, array: { count: 10 } }, 20, 0],
  ['trials of a search', { replicas: 2, autoTuning: { parallelTrials: 4 }, resources: { gpu: 1 } }, 8, 8],
  ['GPUs by the name of their resource', { replicas: 4, resources: { gpu: 1, extended: { 'nvidia.com/mig-1g.5gb': '7', 'rdma/hca': '8' } } }, 4, 32],
  ['TPUs', { replicas: 4, resources: { tpu: 4 } }, 4, 16],
  ['a role\'s own, by their name', { resources: { gpu: 8 }, roles: [{ name: 'master', resources: { extended: { 'amd.com/gpu': '2' } } }] }, 1, 2],
  ['helpers, by their name', { replicas: 1, helpers: [{ name: 'eval', replicas: 2, resources: { extended: { 'habana.ai/gaudi': '8' } } }] }, 3, 16],
  ['a search that is off', { replicas: 2, autoTuning: { enabled: false, parallelTrials: 4 } }, 2, 0],
])('a training job is as large as what runs of it at a time: %s', (_what, spec, replicas, gpus) => {
  expect(job(spec)).toMatchObject({ replicas, gpus });
});

test('images are those of all containers that a job brings, wherever they stand', () => {
  const template = (image: string) => ({ spec: { containers: [{ name: 'c', image }, { name: 'training' }], initContainers: [{ name: 'i', image: `${image}-init` }] } });
  expect(job({ image: '1', preflight: { image: '2' }, code: { fetchImage: '2-fetch' }, roles: [{ name: 'master', image: '3', template: template('6') }], helpers: [{ name: 'h', image: '4' }], hooks: { before: { image: '4-before' }, onExit: { image: '4-exit' } }, template: template('5') }).images)
    .toEqual(['1', '2', '2-fetch', '4-before', '4-exit', '3', '4', '5', '5-init', '6', '6-init']);
});

const gpus = (count: number) => ({ name: 'c', image: 'x', resources: { limits: { 'nvidia.com/gpu': String(count) } } });

const jobSet = (...deadlines: (number | undefined)[]) => ({ apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', spec: {
  replicatedJobs: deadlines.map((activeDeadlineSeconds) => (
    { template: { spec: { activeDeadlineSeconds, template: { spec: { containers: [] } } } } }
  )),
} });

test.each<[string, object, object]>([
  ['a pod', { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ image: 'a', resources: { limits: { 'nvidia.com/gpu': '2', 'amd.com/gpu': 1 } } }] } }, { images: ['a'], replicas: 1, gpus: 3 }],
  ['a deployment', { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3, template: { spec: { containers: [{ image: 'a', resources: { limits: { 'nvidia.com/gpu': '2' } } }] } } } }, { replicas: 3, gpus: 6 }],
  ['a set of daemons', { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { template: { spec: { containers: [] } } } }, { replicas: 1, gpus: 0 }],
  ['a job', { apiVersion: 'batch/v1', kind: 'Job', spec: { parallelism: 2, activeDeadlineSeconds: 5, template: { spec: { containers: [], priorityClassName: 'p' } } } }, { replicas: 2, deadlineSeconds: 5, priorityClasses: ['p'] }],
  ['a job by the clock', { apiVersion: 'batch/v1', kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec: { containers: [] } } } } } }, { replicas: 1, deadlineSeconds: null }],
  ['a set of jobs', { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', spec: { replicatedJobs: [{ template: { spec: { template: { spec: { containers: [{ image: 'x' }] } } } } }] } }, { images: ['x'], priorityClasses: [] }],
  ['a JobSet at its size', { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', spec: { replicatedJobs: [
    { replicas: 2, template: { spec: { parallelism: 4, template: { spec: { containers: [gpus(8)] } } } } },
    { template: { spec: { template: { spec: { containers: [gpus(1)] } } } } },
  ] } }, { images: ['x'], replicas: 9, gpus: 65 }],
  ['a TrainJob, as far as it says', { apiVersion: 'trainer.kubeflow.org/v1alpha1', kind: 'TrainJob', spec: {
    trainer: { image: 'x', numNodes: 4, resourcesPerNode: { limits: { 'nvidia.com/gpu': '8' } } }, activeDeadlineSeconds: 60,
  } }, { images: ['x'], replicas: 4, gpus: 32, deadlineSeconds: 60 }],
  ['a TrainJob of a runtime', { apiVersion: 'trainer.kubeflow.org/v1alpha1', kind: 'TrainJob', spec: { runtimeRef: { name: 'torch' } } }, { images: [], replicas: 1, gpus: 0, deadlineSeconds: null }],
  ['a job of training-operator v1', { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', spec: {
    pytorchReplicaSpecs: { Master: { template: { spec: { containers: [gpus(8)] } } }, Worker: { replicas: 3, template: { spec: { containers: [gpus(8)], priorityClassName: 'p' } } } },
  } }, { replicas: 4, gpus: 32, priorityClasses: ['p'], deadlineSeconds: null }],
  ['a RayCluster', { apiVersion: 'ray.io/v1', kind: 'RayCluster', spec: { headGroupSpec: { template: { spec: { containers: [gpus(0)] } } }, workerGroupSpecs: [
    { groupName: 'a', replicas: 2, numOfHosts: 2, template: { spec: { containers: [gpus(4)] } } }, { groupName: 'b', template: {} },
  ] } }, { replicas: 5, gpus: 16 }],
  ['a RayJob at its largest', { apiVersion: 'ray.io/v1', kind: 'RayJob', spec: { rayClusterSpec: { enableInTreeAutoscaling: true, headGroupSpec: { template: {} }, workerGroupSpecs: [
    { groupName: 'a', replicas: 2, maxReplicas: 8, template: { spec: { containers: [gpus(4)] } } },
  ] }, submitterPodTemplate: { spec: { containers: [{ name: 's', image: 'submitter' }] } } } }, { images: ['x', 'submitter'], replicas: 9, gpus: 32, deadlineSeconds: null }],
  ['a job of Volcano', { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', spec: { priorityClassName: 'p', tasks: [{ replicas: 3, template: { spec: { containers: [gpus(2)] } } }] } },
    { replicas: 3, gpus: 6, priorityClasses: ['p'] }],
  ['a LeaderWorkerSet, whose leaders are like its workers', { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', spec: {
    replicas: 2, leaderWorkerTemplate: { size: 4, workerTemplate: { spec: { containers: [gpus(8)] } } },
  } }, { images: ['x'], replicas: 8, gpus: 64 }],
  ['a LeaderWorkerSet with leaders of their own', { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', spec: {
    leaderWorkerTemplate: { size: 3, leaderTemplate: { spec: { containers: [gpus(1)] } }, workerTemplate: { spec: { containers: [gpus(4)] } } },
  } }, { replicas: 3, gpus: 9 }],
  ['the deadline of a pod', { apiVersion: 'v1', kind: 'Pod', spec: { containers: [], activeDeadlineSeconds: 5 } }, { deadlineSeconds: 5 }],
  ['the longest deadline of a JobSet\'s jobs', jobSet(5, 7), { deadlineSeconds: 7 }],
  ['no deadline of a JobSet one of whose jobs has none', jobSet(5, undefined), { deadlineSeconds: null }],
  ['no deadline of a JobSet without jobs', jobSet(), { deadlineSeconds: null }],
])('sees %s', (_what, object, seen) => {
  expect(policySubject({ metadata: { name: 'n' }, ...object })).toMatchObject(seen);
});

test('an object without pods is of no interest', () => {
  expect(policySubject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: {} })).toBeUndefined();
});

test.each<[string, Partial<JobPolicySpec>, object, readonly string[]]>([
  ['images', { allowedImages: ['b', 'c/*'] }, {}, ["image 'a' is not allowed by policy 'p': allowed are b, c/*"]],
  ['labels', { requiredLabels: { team: ['a', 'b'], owner: [] } }, {}, ["policy 'p' requires the label team to be a or b", "policy 'p' requires the label owner"]],
  ['priorities', { priorityClasses: [] }, { scheduling: { priorityClassName: 'top' } }, ["priority class 'top' is not allowed by policy 'p': allowed are none"]],
  ['priorities in queues', { queuePriorityClasses: ['low'] }, { scheduling: { queuePriorityClassName: 'top' } }, ["queue priority class 'top' is not allowed by policy 'p': allowed are low"]],
  ['queues', { queues: ['x', 'y'] }, {}, ["policy 'p' requires the job to wait in a queue (scheduling.queueName, or the label kueue.x-k8s.io/queue-name on other kinds): x, y"]],
  ['access to the node', { hostAccess: false }, { template: { spec: { hostPID: true } } }, ["policy 'p' forbids access to the node: hostPID"]],
  ['access to the node, in a helper', { hostAccess: false }, { helpers: [{ name: 'h', template: { spec: { hostIPC: true } } }] }, ["policy 'p' forbids access to the node: hostIPC"]],
  ['service accounts', { serviceAccounts: ['b'] }, { template: { spec: { serviceAccountName: 'b' } }, roles: [{ name: 'master', template: { spec: { serviceAccount: 'c' } } }] },
    ["service account 'c' is not allowed by policy 'p': allowed are default, b"]],
  ['service accounts, none of which is allowed', { serviceAccounts: [] }, { template: { spec: { serviceAccountName: 'b' } } }, ["service account 'b' is not allowed by policy 'p': allowed are default"]],
  ['replicas', { maxReplicas: 3 }, { replicas: 4 }, ["4 replicas are more than policy 'p' allows: at most 3"]],
  ['GPUs', { maxGpus: 8 }, { replicas: 2, resources: { gpu: 8 } }, ["16 GPUs are more than policy 'p' allows: at most 8"]],
  ['a deadline that is not there', { maxDeadlineSeconds: 60 }, {}, ["policy 'p' requires activeDeadlineSeconds, at most 60"]],
  ['a deadline that is too late', { maxDeadlineSeconds: 60 }, { runPolicy: { activeDeadlineSeconds: 61 } }, ["policy 'p' requires activeDeadlineSeconds, at most 60"]],
  ['nothing', { allowedImages: ['a'], priorityClasses: ['x'], queuePriorityClasses: ['x'], queues: ['q'], maxReplicas: 1, maxGpus: 0, maxDeadlineSeconds: 60 },
    { scheduling: { queueName: 'q' }, runPolicy: { activeDeadlineSeconds: 60 } }, []],
])('asks about %s', (_what, rules, spec, words) => {
  expect(policyProblems(policy(rules), job(spec))).toEqual(words);
});

test('what says that another object made it is asked for labels all the same: nobody has looked at that object', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ image: 'a' }] } };
  const rules = policy({ requiredLabels: { team: [] } });
  expect(policyProblems(rules, policySubject({ ...pod, metadata: { name: 'p', ownerReferences: [{ controller: true }] } })!)).toHaveLength(1);
  expect(policyProblems(rules, policySubject({ ...pod, metadata: { name: 'p' } })!)).toHaveLength(1);
});

describe('the queue of', () => {
  const labels = { 'kueue.x-k8s.io/queue-name': 'team-a', 'kueue.x-k8s.io/priority-class': 'low' };
  const of = (apiVersion: string, kind: string, spec: object) => ({ apiVersion, kind, metadata: { name: 'n', labels }, spec });
  const withGpu = { template: { spec: { containers: [gpus(1)] } } };
  const withoutGpu = { template: { spec: { containers: [{ image: 'x' }] } } };

  test.each<[string, object, boolean]>([
    ['a Pod', of('v1', 'Pod', withoutGpu.template.spec), false],
    ['a Pod with GPUs', of('v1', 'Pod', withGpu.template.spec), true],
    ['a Pod with claims', of('v1', 'Pod', { containers: [], resourceClaims: [{ name: 'gpu' }] }), true],
    ['a Deployment', of('apps/v1', 'Deployment', withoutGpu), false],
    ['a StatefulSet with GPUs', of('apps/v1', 'StatefulSet', withGpu), true],
    ['a Job', of('batch/v1', 'Job', withoutGpu), false],
    ['a Job with GPUs', of('batch/v1', 'Job', withGpu), true],
    ['a JobSet', of('jobset.x-k8s.io/v1alpha2', 'JobSet', { replicatedJobs: [] }), true],
    ['a TrainJob', of('trainer.kubeflow.org/v1alpha1', 'TrainJob', {}), true],
    ['a PyTorchJob', of('kubeflow.org/v1', 'PyTorchJob', {}), true],
    ['an MPIJob of the other version', of('kubeflow.org/v2beta1', 'MPIJob', {}), true],
    ['a RayJob', of('ray.io/v1', 'RayJob', { rayClusterSpec: {} }), true],
    ['a RayJob on a cluster that is there', of('ray.io/v1', 'RayJob', { clusterSelector: { 'ray.io/cluster': 'c' } }), false],
    ['a RayCluster', of('ray.io/v1', 'RayCluster', { headGroupSpec: withoutGpu }), false],
    ['a RayCluster with GPUs', of('ray.io/v1', 'RayCluster', { headGroupSpec: withGpu }), true],
    ['a LeaderWorkerSet with GPUs', of('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', { leaderWorkerTemplate: { workerTemplate: withGpu.template } }), true],
    ['a SparkApplication', of('sparkoperator.k8s.io/v1beta2', 'SparkApplication', {}), true],
  ])('%s stands in its labels, where Kueue looks', (_what, object, mustQueue) => {
    expect(policySubject(object)).toMatchObject({ queue: 'team-a', queuePriorityClass: 'low', mustQueue });
    const bare = { ...object, metadata: { name: 'n' } };
    expect(policyProblems(policy({ queues: ['team-a'], queuePriorityClasses: ['low'] }), policySubject(object)!)).toEqual([]);
    expect(policyProblems(policy({ queues: ['team-b'], queuePriorityClasses: [] }), policySubject(object)!)).toEqual([
      "queue priority class 'low' is not allowed by policy 'p': allowed are none", expect.stringContaining('requires the job to wait in a queue'),
    ]);
    expect(policyProblems(policy({ queues: ['team-a'], queuePriorityClasses: [] }), policySubject(bare)!)).toHaveLength(mustQueue ? 1 : 0);
  });

  test.each<[string, object]>([
    ['a CronJob', { apiVersion: 'batch/v1', kind: 'CronJob', spec: { jobTemplate: { metadata: { labels }, spec: withGpu } } }],
    ['a ReplicaSet', { apiVersion: 'apps/v1', kind: 'ReplicaSet', spec: { template: { metadata: { labels }, ...withGpu.template } } }],
    ['a DaemonSet', { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { template: { metadata: { labels }, ...withGpu.template } } }],
  ])('%s stands in the labels of what it makes', (_what, object) => {
    expect(policySubject({ ...object, metadata: { name: 'n', labels: { 'kueue.x-k8s.io/queue-name': 'other' } } })).toMatchObject({ queue: 'team-a', queuePriorityClass: 'low', mustQueue: true });
  });

  test('a job of Volcano is Volcano\'s', () => {
    expect(policySubject(of('batch.volcano.sh/v1alpha1', 'Job', { tasks: [] }))!.queue).toBeUndefined();
  });
});

test('a policy is about its namespaces, or about all but those of the system', () => {
  expect(['a', 'b', undefined].map((namespace) => concerns(policy({ namespaces: ['a'] }), namespace))).toEqual([true, false, false]);
  expect(['a', 'kube-system', undefined].map((namespace) => concerns(policy({}), namespace))).toEqual([true, false, true]);
  expect(['a', 'kube-system'].map((namespace) => concerns(policy({ exceptNamespaces: ['a'] }), namespace))).toEqual([false, true]);
});

test.each<[string, Partial<JobPolicySpec>, string]>([
  ['a name', { name: 'A b', maxGpus: 1 }, 'name: "A b": must be lower-case'],
  ['a policy that asks for nothing', {}, 'has no rules'],
  ['no image at all', { allowedImages: [] }, 'allows nothing'],
  ['an empty pattern', { allowedImages: [''] }, 'has an empty pattern'],
  ...['registry.io*', '*/team/*', 'docker*', '*.example/a'].map((image): [string, Partial<JobPolicySpec>, string] => (
    [`a pattern of several registries: ${image}`, { allowedImages: ['registry.example/*', '*', image] }, `allowedImages: "${image}": allows images of other registries`])),
  ['no queue at all', { queues: [] }, 'queues: []: allows nothing'],
  ['a label', { requiredLabels: { 'a b': [] } }, "requiredLabels['a b']"],
  ['a number', { maxReplicas: 0 }, 'maxReplicas: 0: must be a whole number, 1 or more.'],
  ['no namespace', { maxGpus: 1, namespaces: [] }, 'is an empty list'],
  ['exceptions of a list', { maxGpus: 1, namespaces: ['a'], exceptNamespaces: ['b'] }, 'exceptNamespaces'],
])('a policy is told of %s', (_what, rules, words) => {
  expect(validateJobPolicy(policy(rules)).map(formatViolation)).toEqual([expect.stringContaining(words)]);
});
