import { jobEngine } from '../../../src/manifests/engines/job';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { ConfigMap, Service } from '../../../src/manifests/kubernetes';
import { OPERATOR_NAME } from '../../../src/model/labels';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { type Asking, fieldOf, frameworkRefusal, limitedFields, limitedFrameworks, PLAIN_JOB, refusal } from './indexed/support/asking-for';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const ENGINE = jobEngine();

function render(over: Partial<TrainingJobSpec> = {}, engine = ENGINE) {
  const spec = { ...PLAIN_JOB, ...over };
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', labels: { owner: 'me' }, spec });
  return { job: job as Rendered, spec: job.spec as Rendered, pod: (job.spec as Rendered).template.spec, companions };
}

function complaints(over: Partial<TrainingJobSpec>, name = 'net') {
  return validateForEngine(ENGINE, name, { ...PLAIN_JOB, ...over });
}

describe('a plain Job', () => {
  test('has a pod for each replica, with an index', () => {
    const { job, spec } = render({ replicas: 3 });
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'net', namespace: 'team', labels: { job: 'net' } } });
    expect(spec).toMatchObject({ completionMode: 'Indexed', completions: 3, parallelism: 3, podReplacementPolicy: 'Failed' });
  });

  test('is whole', () => {
    const { job, companions } = render({ framework: 'pytorch', replicas: 3 });
    expect([job, ...companions]).toMatchSnapshot();
  });

  test('reaches its pods by a headless service that is there before', () => {
    const { pod, companions } = render();
    expect(pod.subdomain).toBe('net');
    const [service] = companions as [Service];
    expect(service).toMatchObject({
      kind: 'Service',
      metadata: { name: 'net', namespace: 'team', labels: { owner: 'me', job: 'net', 'app.kubernetes.io/managed-by': 'trainyard' } },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { job: 'net' } },
    });
  });

  test('has the role on its pods where there is one, and none where there are several', () => {
    expect(render().spec.template.metadata.labels).toEqual({ job: 'net', role: 'worker', 'app.kubernetes.io/managed-by': 'trainyard', 'sidecar.istio.io/inject': 'false' });
    expect(render({ framework: 'pytorch' }).spec.template.metadata.labels).toEqual({ job: 'net', 'app.kubernetes.io/managed-by': 'trainyard', 'sidecar.istio.io/inject': 'false' });
  });

  test('retries nothing by default, and takes no disruption for a failure', () => {
    const { spec, pod } = render();
    expect(pod.restartPolicy).toBe('Never');
    expect(spec.backoffLimit).toBe(0);
    expect(spec.podFailurePolicy.rules).toEqual([{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }]);
  });

  test('fails with the first disruption where none is allowed', () => {
    expect(render({ runPolicy: { disruptionLimit: 0 } }).spec.podFailurePolicy.rules[0].action).toBe('FailJob');
  });

  test('replaces independent replicas up to the limit of all', () => {
    const { spec } = render({ framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 4 } });
    expect(spec).toMatchObject({ backoffLimit: 4 });
    expect(spec.backoffLimitPerIndex).toBeUndefined();
  });

  test('replaces each replica up to a limit of its own where the engine is told so, and says the number of its failures', () => {
    const { spec, pod } = render({ framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 4 } }, jobEngine({ retryPerReplica: true }));
    expect(spec).toMatchObject({ backoffLimitPerIndex: 4, maxFailedIndexes: 0 });
    expect(spec.backoffLimit).toBeUndefined();
    expect(pod.containers[0].env).toContainEqual({
      name: 'TRAINYARD_ATTEMPT', valueFrom: { fieldRef: { fieldPath: 'metadata.annotations[\'batch.kubernetes.io/job-index-failure-count\']' } },
    });
  });

  test('judges exit codes as the operator does', () => {
    const codes = (operator: string, values: number[]) => ({ containerName: 'training', operator, values });
    const [, ...rules] = render({
      framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', exitCodes: { retry: [5, 4], fail: [1], recover: [75] } },
    }).spec.podFailurePolicy.rules;
    expect(rules).toEqual([
      { action: 'FailJob', onExitCodes: codes('In', [1]) }, { action: 'Ignore', onExitCodes: codes('In', [75]) }, { action: 'Count', onExitCodes: codes('In', [4, 5]) },
    ]);
    // What is retried although nothing else is gives the Job a limit, which is not for the others.
    const never = render({ framework: 'plain', runPolicy: { backoffLimit: 2, exitCodes: { retry: [4] } } }).spec;
    expect(never.backoffLimit).toBe(2);
    expect(never.podFailurePolicy.rules[2]).toEqual({ action: 'FailJob', onExitCodes: codes('NotIn', [0]) });
    const byCode = render({ framework: 'plain', runPolicy: { restartPolicy: 'ExitCode', exitCodes: { recover: [75] } } }).spec.podFailurePolicy.rules;
    const permanent = byCode[2].onExitCodes.values as number[];
    expect({ length: permanent.length, first: permanent[0], last: permanent.at(-1), has75: permanent.includes(75) })
      .toEqual({ length: 126, first: 1, last: 127, has75: false });
  });

  test.each([
    ['Coordinator', { rules: [{ succeededIndexes: '0' }] }],
    ['AllReplicas', undefined],
    ['AllWorkers', { rules: [{ succeededIndexes: '0-2' }] }],
    ['AnyWorker', { rules: [{ succeededIndexes: '0-2', succeededCount: 1 }] }],
  ] as const)('succeeds by the policy %s', (successPolicy, expected) => {
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }];
    expect(render({ framework: 'tensorflow', replicas: undefined, roles, runPolicy: { successPolicy } }).spec.successPolicy).toEqual(expected);
  });

  test('needs no success policy where it has one replica', () => {
    expect(render({ framework: 'pytorch', replicas: 1 }).spec.successPolicy).toBeUndefined();
  });

  test('has deadline, time to live, suspension and another controller as the job has them', () => {
    const { spec } = render({
      suspend: true, managedBy: 'kueue.x-k8s.io/multikueue', runPolicy: { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 },
    });
    expect(spec).toMatchObject({ activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5, suspend: true, managedBy: 'kueue.x-k8s.io/multikueue' });
    expect(render({ managedBy: OPERATOR_NAME }).spec).not.toHaveProperty('managedBy');
  });

  test('is queued by Kueue, which then suspends and resumes it, and places its pods', () => {
    const { job, spec } = render({
      suspend: false, scheduling: { queueName: 'research', queuePriorityClassName: 'high', topology: { key: 'rack', mode: 'Preferred' } },
    });
    expect(job.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'research', 'kueue.x-k8s.io/priority-class': 'high' });
    expect(spec).not.toHaveProperty('suspend');
    expect(spec.template.metadata.annotations).toEqual({ 'kueue.x-k8s.io/podset-preferred-topology': 'rack' });
    expect(spec.template.spec).not.toHaveProperty('affinity');
  });

  test('keeps its pods together by itself where it is in no queue', () => {
    const { pod } = render({ scheduling: { topology: { key: 'rack' } } });
    expect(pod.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution).toEqual([{
      labelSelector: { matchLabels: { job: 'net', 'app.kubernetes.io/managed-by': 'trainyard' } }, topologyKey: 'rack',
    }]);
  });

  test('is a gang by a group beside it', () => {
    const { spec, companions } = render({ resources: { cpu: '1' }, scheduling: { gang: { scheduler: 'Coscheduling', minAvailable: 2, scheduleTimeoutSeconds: 9 } } });
    expect(companions.at(-1)).toMatchObject({
      kind: 'PodGroup', metadata: { name: 'net', labels: { 'app.kubernetes.io/managed-by': 'trainyard' } },
      spec: { minMember: 2, scheduleTimeoutSeconds: 9, minResources: { cpu: '2' } },
    });
    expect(spec.template.metadata.labels['scheduling.x-k8s.io/pod-group']).toBe('net');
    expect(spec.template.spec.schedulerName).toBe('scheduler-plugins-scheduler');
  });

  test('brings a firewall and the scripts of its tools along', () => {
    const { companions, pod } = render({ debug: {}, preflight: {}, resources: { gpu: 1 }, security: { networkPolicy: {} } });
    expect(companions.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Service net', 'NetworkPolicy net', 'ConfigMap net-tools']);
    expect(Object.keys((companions[2] as ConfigMap).data!)).toEqual(['sitecustomize.py', 'stacks.py', 'preflight.py']);
    const [preflight] = pod.initContainers;
    expect(preflight.name).toBe('trainyard-preflight');
    const settings = preflight.env.find(({ name }: { name: string }) => name === 'TRAINYARD_PREFLIGHT').value;
    expect(settings).toContain('"rank":$(JOB_COMPLETION_INDEX),"size":2,"host":"net-0.net"');
  });

  test('has the pods that the job describes', () => {
    const { pod } = render({
      resources: { gpu: 8, sharedMemory: '8Gi' },
      checkpointPath: '/ckpt',
      checkpoint: { claimName: 'runs', gracePeriodSeconds: 120 },
      security: { restricted: true, runAsUser: 1000 },
      template: { spec: { serviceAccountName: 'trainer', containers: [{ name: 'training', securityContext: { readOnlyRootFilesystem: true } }] } },
      scheduling: { priorityClassName: 'high', schedulerName: 'other', nodeSelector: { pool: 'a' }, tolerations: [{ key: 'spot', operator: 'Exists' }] },
    });
    expect(pod).toMatchObject({
      serviceAccountName: 'trainer', terminationGracePeriodSeconds: 120, priorityClassName: 'high', schedulerName: 'other', nodeSelector: { pool: 'a' },
      securityContext: { runAsNonRoot: true, runAsUser: 1000 },
    });
    expect(pod.tolerations).toHaveLength(2);
    expect(pod.volumes.map(({ name }: { name: string }) => name)).toEqual(['trainyard-shared-memory', 'trainyard-checkpoints']);
    expect(pod.containers[0]).toMatchObject({
      resources: { limits: { 'nvidia.com/gpu': '8' } }, securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
  });

  test('ends when training does: what runs beside it is a sidecar', () => {
    const { pod } = render({ template: { spec: { containers: [{ name: 'logs', image: 'logs' }], initContainers: [{ name: 'fetch', image: 'fetch' }] } } });
    expect(pod.containers.map(({ name }: { name: string }) => name)).toEqual(['training']);
    expect(pod.initContainers).toEqual([{ name: 'fetch', image: 'fetch' }, { name: 'logs', image: 'logs', restartPolicy: 'Always' }]);
  });

  test('renders the same twice, and shares nothing with the spec', () => {
    const spec: TrainingJobSpec = { ...PLAIN_JOB, scheduling: { nodeSelector: { pool: 'a' } } };
    const [one, other] = [0, 1].map(() => ENGINE.render({ name: 'net', spec }));
    expect(one).toEqual(other);
    expect((one.job as Rendered).spec.template.spec.nodeSelector).not.toBe(spec.scheduling!.nodeSelector);
  });
});

const OR_OPERATOR = 'Remove it, or choose the Trainyard operator.';
const ALIKE = (what: string) => `a plain Job creates all its pods from one template, so roles cannot differ in their ${what}. ${OR_OPERATOR}`;
const ONE_BY_ONE = `a plain Job replaces failed pods one by one, and replicas of JAX must restart together. ${OR_OPERATOR}`;
const BACKOFF = `a plain Job pauses 10 seconds before a retry, doubled up to 10 minutes, and has no other settings. ${OR_OPERATOR}`;
const LOST = `a plain Job leaves pods on lost nodes to Kubernetes. ${OR_OPERATOR}`;
const SUSPECT = `a plain Job does not remember on which nodes a job has failed. ${OR_OPERATOR}`;
const STALL = `a plain Job does not track the progress of a job. ${OR_OPERATOR}`;
const SIZE = `a plain Job cannot change the number of replicas of a running job. ${OR_OPERATOR}`;

const REFUSALS: readonly (readonly [key: Asking, message: string])[] = [
  ['roles[].image', ALIKE('image')],
  ['roles[].command', ALIKE('command')],
  ['roles[].args', ALIKE('arguments')],
  ['roles[].resources', ALIKE('resources')],
  ['roles[].template', ALIKE('template')],
  ['roles[].restartPolicy', ALIKE('restart policy')],
  ['roles[].restartPolicy Always', `a plain Job never restarts successful replicas. ${OR_OPERATOR}`],
  ['runPolicy.restartPolicy OnFailure', ONE_BY_ONE],
  ['runPolicy.restartPolicy Always', `a plain Job never restarts successful replicas. ${OR_OPERATOR}`],
  ['runPolicy.backoff.initialSeconds', BACKOFF],
  ['runPolicy.backoff.maxSeconds', BACKOFF],
  ['runPolicy.backoff.resetAfterSeconds', BACKOFF],
  ['runPolicy.exitCodes.recover', ONE_BY_ONE],
  ['runPolicy.exitCodes.retry', ONE_BY_ONE],
  ['runPolicy.restartInPlace', `a plain Job starts new pods and never restarts a container in place. ${OR_OPERATOR}`],
  ['runPolicy.preRunningDeadlineSeconds', `a plain Job waits without limit for its pods to run. ${OR_OPERATOR}`],
  ['runPolicy.startTimeoutSeconds', `a plain Job waits forever for a pod that cannot start. ${OR_OPERATOR}`],
  ['runPolicy.nodeLoss.graceSeconds', LOST],
  ['runPolicy.nodeLoss.leaseGraceSeconds', LOST],
  ['runPolicy.nodeLoss.stuckPods', LOST],
  ['runPolicy.nodeLoss.forceDeleteAfterSeconds', LOST],
  ['runPolicy.nodeAvoidance.afterFailures', SUSPECT],
  ['runPolicy.nodeAvoidance.forSeconds', SUSPECT],
  ['runPolicy.disruptionLimit', `a plain Job does not count disruptions: it allows them all, or with 0 none. ${OR_OPERATOR}`],
  ['runPolicy.cleanPodPolicy', `a plain Job only removes pods that are still running. ${OR_OPERATOR}`],
  ['runPolicy.stall.timeoutSeconds', STALL],
  ['runPolicy.stall.action', STALL],
  ['scheduling.queueMode', `a plain Job is queued as a whole and not as a group of pods. ${OR_OPERATOR}`],
  ['scheduling.gang.scheduler', `a plain Job supports gangs only with Coscheduling and Volcano. ${OR_OPERATOR}`],
  ['scheduling.gang.scheduleTimeoutSeconds', `a plain Job never releases a partially placed gang. ${OR_OPERATOR}`],
  ['elastic.minReplicas', SIZE],
  ['elastic.maxReplicas', SIZE],
  ['elastic.maxRestarts', SIZE],
  ['autoTuning', `a plain Job runs one job and has no hyperparameter search. ${OR_OPERATOR}`],
  ['array', `a plain Job numbers the copies of an array by pod index, so each has one replica, but these have 2. ${OR_OPERATOR}`],
  ['array in a gang', `a plain Job would create one gang of all copies of an array (scheduling.gang). ${OR_OPERATOR}`],
  ['array that keeps few jobs', `a plain Job keeps the pods of all copies until it is deleted (array.keepJobs). ${OR_OPERATOR}`],
  ['helpers', `a plain Job creates all its pods from one template, and helpers differ from the training pods. ${OR_OPERATOR}`],
  ...(['hooks.before', 'hooks.after', 'hooks.onExit'] as const)
    .map((hook) => [hook, `a plain Job creates all its pods from one template and starts them together. ${OR_OPERATOR}`] as const),
  ['idle', `a plain Job does not monitor the utilization of accelerators. ${OR_OPERATOR}`],
  ['suspend in a queue', `a plain Job is suspended and resumed by Kueue while it is in a queue. ${OR_OPERATOR}`],
  ['managedBy', 'a plain Job requires the name of a controller as a domain and a path of at most 63 characters, such as kueue.x-k8s.io/multikueue. '
    + OR_OPERATOR],
];

describe('a plain Job is refused', () => {
  test.each(REFUSALS)('what it cannot do: %s', (key, message) => {
    expect(refusal(ENGINE, key)).toBe(message);
  });

  test('nothing else: every limit has its message above, or no value goes beyond it', () => {
    const told = new Set<string>(REFUSALS.map(([key]) => fieldOf(key)));
    expect(limitedFields(ENGINE).filter((field) => !told.has(field))).toEqual(['preflight', 'debug']);
  });

  test.each([
    ['mpi', 'a plain Job creates all its pods from one template, and a launcher differs from its workers. Choose the Trainyard operator.'],
    ['horovod', 'a plain Job creates all its pods from one template, and a launcher differs from its workers. Choose the Trainyard operator.'],
    ['deepspeed', 'a plain Job creates all its pods from one template, and a launcher differs from its workers. Choose the Trainyard operator.'],
    ['mxnet', 'a plain Job creates all its pods from one template, and an MXNet master has two more containers than its workers. Choose the Trainyard operator.'],
  ] as const)('a framework that it cannot run: %s', (framework, message) => {
    expect(frameworkRefusal(ENGINE, framework)).toBe(message);
  });

  test('no other framework', () => {
    expect(limitedFrameworks(ENGINE)).toEqual(['mxnet', 'mpi', 'horovod', 'deepspeed']);
    const roles = [{ name: 'scheduler' }, { name: 'server' }, { name: 'worker', replicas: 2 }];
    expect(complaints({ framework: 'mxnet', replicas: undefined, roles })).toEqual([]);
  });

  test('roles that the framework makes unlike each other', () => {
    const roles = [{ name: 'worker', replicas: 2 }, { name: 'ps' }];
    expect(complaints({ framework: 'tensorflow', replicas: undefined, roles, resources: { gpu: 1, sharedMemory: '0' } })[0]).toEqual({
      path: 'spec.roles', value: ['worker', 'ps'],
      message: 'a plain Job creates all replicas of a template alike, but role worker and role ps differ in tolerations of the pod. '
        + 'Make them the same, or choose JobSet or the Trainyard operator.',
    });
  });

  test('roles without a command for the shell that tells them apart', () => {
    expect(complaints({ framework: 'pytorch', replicas: 3, command: undefined })).toEqual([{
      path: 'spec.command', value: undefined,
      message: 'is required on a plain Job: ROLE and TRAINYARD_REPLICA_INDEX differ between replicas of one template in a way that $(NAME) cannot express, so a shell has to '
        + 'set them before the program starts, and the image\'s entry point is not known. Set the command, or choose JobSet or the Trainyard operator.',
    }]);
    expect(complaints({ framework: 'pytorch', replicas: 1, command: undefined })).toEqual([]);
    expect(complaints({ command: undefined })).toEqual([]);
  });

  test('an argument that Kubernetes would have to fill in before that shell runs', () => {
    expect(complaints({ framework: 'pytorch', args: ['--role=$(ROLE)', '--rank=$(RANK)'], replicas: 3 })).toEqual([{
      path: 'spec.args', value: '$(ROLE)',
      message: 'cannot be replaced on a plain Job: ROLE is set by a shell inside the container training, after Kubernetes has read args. '
        + 'Let the program read the variable, or choose JobSet or the Trainyard operator.',
    }]);
  });

  test('a variable that the shell would lose', () => {
    expect(complaints({ framework: 'pytorch', replicas: 3, hyperparameters: { 'learning.rate': '0.1' } })).toEqual([{
      path: 'spec.hyperparameters[\'learning.rate\']', value: 'learning.rate',
      message: 'would be lost on a plain Job: ROLE and TRAINYARD_REPLICA_INDEX are set by a shell, and a shell does not keep a variable with this name. '
        + 'Use letters, digits and \'_\' only, or choose JobSet or the Trainyard operator.',
    }]);
    expect(complaints({ hyperparameters: { 'learning.rate': '0.1' } })).toEqual([]);
  });

  test('a variable with the name of the index', () => {
    expect(complaints({ env: [{ name: 'JOB_COMPLETION_INDEX', value: '1' }] })).toEqual([{
      path: 'spec.env[\'JOB_COMPLETION_INDEX\']', value: 'JOB_COMPLETION_INDEX',
      message: 'is the name that a plain Job uses for the index of a pod, from which other variables are derived. Rename it, or choose JobSet or the Trainyard operator.',
    }]);
  });

  test('a list of hosts that is too long for the shell', () => {
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 600 }, { name: 'ps', replicas: 299 }];
    const [complaint, ...others] = complaints({ framework: 'tensorflow', replicas: undefined, roles }, 'n'.repeat(40));
    expect(others).toEqual([]);
    expect(complaint).toMatchObject({ path: 'spec.roles', value: 900 });
    expect(complaint.message).toMatch(/^are too many for TensorFlow on a plain Job: .*TF_CONFIG would take \d+ KiB of shell, and Linux starts no program/);
  });
});
