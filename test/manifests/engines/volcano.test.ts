import { volcanoEngine } from '../../../src/manifests/engines/volcano';
import type { VolcanoEngineSettings } from '../../../src/manifests/engines/volcano/capabilities';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { ConfigMap } from '../../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { type Asking, fieldOf, limitedFields, limitedFrameworks, PLAIN_JOB, refusal } from './indexed/support/asking-for';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const ENGINE = volcanoEngine();

function render(over: Partial<TrainingJobSpec> = {}, settings: VolcanoEngineSettings = {}) {
  const engine = volcanoEngine(settings);
  const spec = { ...PLAIN_JOB, ...over };
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', labels: { owner: 'me' }, spec });
  const tasks = Object.fromEntries((job.spec as Rendered).tasks.map((task: Rendered) => [task.name, task])) as { [name: string]: Rendered };
  return { job: job as Rendered, spec: job.spec as Rendered, tasks, companions };
}

function complaints(over: Partial<TrainingJobSpec>, settings: VolcanoEngineSettings = {}, name = 'net') {
  return validateForEngine(volcanoEngine(settings), name, { ...PLAIN_JOB, ...over });
}

const trainingOf = (task: Rendered) => task.template.spec.containers[0];
const envOf = (task: Rendered) => Object.fromEntries(trainingOf(task).env.map((entry: Rendered) => [entry.name, entry.value ?? entry.valueFrom]));

describe('a Volcano Job', () => {
  test('is whole', () => {
    const { job, companions } = render({ framework: 'pytorch', replicas: 3 });
    expect([job, ...companions]).toMatchSnapshot();
  });

  test('has a task for each role, all placed together', () => {
    const { job, spec, tasks } = render({ framework: 'pytorch', replicas: 4 });
    expect(job).toMatchObject({ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'net', namespace: 'team', labels: { job: 'net' } } });
    expect(spec).toMatchObject({ schedulerName: 'volcano', queue: 'default', minAvailable: 4 });
    expect(Object.values(tasks).map(({ name, replicas, minAvailable }) => [name, replicas, minAvailable])).toEqual([['master', 1, 1], ['worker', 3, 3]]);
  });

  test('says of its tasks all that Volcano\'s webhook would add, so that a second apply changes nothing', () => {
    const { tasks } = render({ framework: 'xgboost', replicas: 3, template: { spec: { hostNetwork: true } } });
    for (const task of Object.values(tasks)) {
      expect(task).toMatchObject({ name: expect.any(String), minAvailable: expect.any(Number), maxRetry: 3 });
      expect(task.template.spec.dnsPolicy).toBe('ClusterFirstWithHostNet');
    }
    const chosen = render({ template: { spec: { hostNetwork: true, dnsPolicy: 'Default' } } });
    expect(chosen.tasks.worker.template.spec.dnsPolicy).toBe('Default');
    expect(render().tasks.worker.template.spec).not.toHaveProperty('dnsPolicy');
  });

  test('requests its devices, because Volcano sums up what the gang needs from requests of templates', () => {
    const template = { spec: { containers: [{ name: 'logs', image: 'logs', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } } }] } };
    const { spec } = render({ resources: { gpu: 8, cpu: '4', extended: { 'rdma/hca': '1' } }, template }).tasks.worker.template;
    expect(spec.containers[0].resources.requests).toEqual({ 'cpu': '4', 'nvidia.com/gpu': '8', 'rdma/hca': '1' });
    expect(spec.containers[0].resources.limits).toEqual({ 'cpu': '4', 'nvidia.com/gpu': '8', 'rdma/hca': '1' });
    expect(spec.initContainers[0].resources.requests).toEqual({ cpu: '100m', memory: '1Gi' });
  });

  test('has host names by the svc plugin, without its firewall', () => {
    const { spec, tasks, companions } = render();
    expect(spec.plugins).toEqual({ svc: ['--publish-not-ready-addresses=true', '--disable-network-policy=true'] });
    expect(envOf(tasks.worker).MASTER_ADDR).toBe('net-worker-0.net');
    expect(tasks.worker.template.spec).not.toHaveProperty('hostname');
    expect(companions).toEqual([]);
  });

  test('shows the index by a label of the pod, in front of what refers to it', () => {
    const [first] = trainingOf(render().tasks.worker).env;
    expect(first).toEqual({ name: 'VC_TASK_INDEX', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'volcano.sh/task-index\']' } } });
    expect(envOf(render().tasks.worker)).toMatchObject({
      RANK: '$(VC_TASK_INDEX)', TRAINYARD_ATTEMPT: { fieldRef: { fieldPath: 'metadata.annotations[\'volcano.sh/job-retry-count\']' } },
    });
  });

  test('computes ranks behind a master by a shell', () => {
    const { tasks } = render({ framework: 'xgboost', replicas: 3 });
    expect(trainingOf(tasks.master).command).toEqual(['train']);
    expect(trainingOf(tasks.worker).command[2]).toBe('export RANK="$$((VC_TASK_INDEX + 1))"\nexport DMLC_TASK_ID="$$((VC_TASK_INDEX + 1))"\nexec "$@"\n');
  });

  test('takes queue, scheduler, priority and the size of the gang from the job', () => {
    const scheduling = { priorityClassName: 'high', schedulerName: 'other', gang: { scheduler: 'Volcano' as const, queue: 'research', minAvailable: 2 } };
    const { spec, tasks, companions } = render({ framework: 'pytorch', replicas: 4, scheduling }, { queue: 'team' });
    expect(spec).toMatchObject({ priorityClassName: 'high', schedulerName: 'other', queue: 'research', minAvailable: 2 });
    // The first by rank, because the others wait for them.
    expect([tasks.master.minAvailable, tasks.worker.minAvailable]).toEqual([1, 1]);
    // Volcano makes the group itself.
    expect(companions).toEqual([]);
    expect(tasks.worker.template.metadata).not.toHaveProperty('annotations');
  });

  test('takes queue and network tiers from the engine', () => {
    const networkTopology = { mode: 'hard', highestTierAllowed: 2 } as const;
    expect(render({}, { queue: 'team', networkTopology }).spec).toMatchObject({ queue: 'team', networkTopology: { mode: 'hard', highestTierAllowed: 2 } });
  });

  test('keeps its pods together by a node label', () => {
    expect(render({ scheduling: { topology: { key: 'rack' } } }).tasks.worker.template.spec.affinity.podAffinity
      .requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey).toBe('rack');
  });

  test('has keys for MPI by the ssh plugin, of which the containers have copies', () => {
    const { spec, tasks, companions } = render({ framework: 'mpi', replicas: 2 });
    expect(spec.plugins.ssh).toEqual(['--ssh-key-file-path=/etc/volcano-ssh', '--ssh-port=2222']);
    for (const name of ['launcher', 'worker']) {
      expect(tasks[name].template.spec.volumes).toContainEqual({
        name: 'trainyard-mpi-secret',
        secret: { secretName: 'net-ssh', defaultMode: 0o444, items: [{ key: 'id_rsa', path: 'ssh-privatekey' }, { key: 'id_rsa.pub', path: 'ssh-publickey' }] },
      });
    }
    const [files] = companions as [ConfigMap];
    expect(files.data!.hostfile).toBe('net-worker-0.net slots=1\nnet-worker-1.net slots=1\n');
  });

  test('has a time to live as the job has it', () => {
    expect(render({ runPolicy: { ttlSecondsAfterFinished: 5 } }).spec.ttlSecondsAfterFinished).toBe(5);
  });

  test.each([
    ['all pods', { framework: 'jax' }, undefined, []],
    ['the master\'s task', { framework: 'pytorch' }, undefined, ['master']],
    ['the launcher\'s task', { framework: 'mpi' }, undefined, ['launcher']],
    ['the workers\' task', { framework: 'mxnet', replicas: undefined, roles: [{ name: 'scheduler' }, { name: 'server' }, { name: 'worker', replicas: 2 }] }, undefined, ['worker']],
    ['any pod', { framework: 'pytorch', runPolicy: { successPolicy: 'AnyWorker' } }, 1, []],
  ] as const)('succeeds with %s', (_what, over, minSuccess, tasks) => {
    const rendered = render(over as Partial<TrainingJobSpec>);
    expect(rendered.spec.minSuccess).toBe(minSuccess);
    const completing = Object.values(rendered.tasks).filter(({ policies }) => policies.some(({ action }: Rendered) => action === 'CompleteJob'));
    expect(completing.map(({ name }) => name)).toEqual(tasks);
  });
});

describe('failures of a Volcano Job', () => {
  const policiesOf = (over: Partial<TrainingJobSpec>) => render(over).tasks.worker.policies;

  test('end it by default, and evictions start it again without end', () => {
    const { spec, tasks } = render();
    expect(tasks.worker.policies).toEqual([{ event: 'PodFailed', action: 'TerminateJob' }, { event: 'PodEvicted', action: 'RestartJob' }]);
    expect(spec.maxRetry).toBe(2_147_483_647);
    expect(render({ runPolicy: { disruptionLimit: 3 } }).spec.maxRetry).toBe(4);
    expect(render({ runPolicy: { disruptionLimit: 0 } }).spec.maxRetry).toBe(1);
  });

  test('start all again up to the limit, which Volcano reaches one restart early', () => {
    const over: Partial<TrainingJobSpec> = { runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3 } };
    expect(policiesOf(over)).toEqual([{ event: 'PodFailed', action: 'RestartJob' }, { event: 'PodEvicted', action: 'RestartJob' }]);
    expect(render(over).spec.maxRetry).toBe(4);
  });

  test('of independent replicas start these again alone', () => {
    expect(policiesOf({ framework: 'plain', runPolicy: { restartPolicy: 'OnFailure' } })).toEqual([{ event: 'PodFailed', action: 'RestartPod' }]);
    const { spec, tasks } = render({ framework: 'plain' });
    expect(tasks.worker.policies).toEqual([{ event: 'PodFailed', action: 'TerminateJob' }]);
    expect(spec).not.toHaveProperty('maxRetry');
  });

  test('are judged by exit codes before the event', () => {
    expect(policiesOf({ runPolicy: { restartPolicy: 'OnFailure', exitCodes: { fail: [2, 1] } } }).slice(0, 3)).toEqual([
      { exitCode: 1, action: 'TerminateJob' }, { exitCode: 2, action: 'TerminateJob' }, { event: 'PodFailed', action: 'RestartJob' },
    ]);
    const never = render({ runPolicy: { backoffLimit: 2, exitCodes: { retry: [4] } } });
    expect(never.tasks.worker.policies.slice(0, 2)).toEqual([{ exitCode: 4, action: 'RestartJob' }, { event: 'PodFailed', action: 'TerminateJob' }]);
    expect(never.spec.maxRetry).toBe(3);
  });

  test('are judged by role', () => {
    const roles = [{ name: 'master' }, { name: 'worker', replicas: 2, restartPolicy: 'OnFailure' as const }];
    const { tasks } = render({ framework: 'pytorch', replicas: undefined, roles });
    expect([tasks.master.policies[0], tasks.worker.policies[0]]).toEqual([
      { event: 'PodFailed', action: 'TerminateJob' }, { event: 'PodFailed', action: 'RestartJob' },
    ]);
  });
});

const OR_OPERATOR = 'Remove it, or choose the Trainyard operator.';
const AT_ONCE = `Volcano restarts immediately, without a pause. ${OR_OPERATOR}`;
const LOST = `Volcano leaves pods on lost nodes to Kubernetes. ${OR_OPERATOR}`;
const SUSPECT = `Volcano does not remember on which nodes a job has failed. ${OR_OPERATOR}`;
const STALL = `Volcano does not track the progress of a job. ${OR_OPERATOR}`;
const SIZE = `Volcano cannot change the number of replicas of a running job. ${OR_OPERATOR}`;
const ENDED = `Volcano never restarts successful replicas. ${OR_OPERATOR}`;
const NO_KUEUE = `Volcano is not queued by Kueue; its own queues are in scheduling.gang.queue. ${OR_OPERATOR}`;

const REFUSALS: readonly (readonly [key: Asking, message: string])[] = [
  ['roles[].restartPolicy Always', ENDED],
  ['runPolicy.restartPolicy Always', ENDED],
  ['runPolicy.restartPolicy ExitCode', `Volcano handles single exit codes but no ranges; use OnFailure with runPolicy.exitCodes instead. ${OR_OPERATOR}`],
  ['runPolicy.backoff.initialSeconds', AT_ONCE],
  ['runPolicy.backoff.maxSeconds', AT_ONCE],
  ['runPolicy.backoff.resetAfterSeconds', AT_ONCE],
  ['runPolicy.exitCodes.recover', `Volcano counts every restart. ${OR_OPERATOR}`],
  ['runPolicy.restartInPlace', `Volcano starts new pods and never restarts a container in place. ${OR_OPERATOR}`],
  ['runPolicy.preRunningDeadlineSeconds', `Volcano waits without limit for its pods to run. ${OR_OPERATOR}`],
  ['runPolicy.startTimeoutSeconds', `Volcano waits forever for a pod that cannot start. ${OR_OPERATOR}`],
  ['runPolicy.nodeLoss.graceSeconds', LOST],
  ['runPolicy.nodeLoss.leaseGraceSeconds', LOST],
  ['runPolicy.nodeLoss.stuckPods', LOST],
  ['runPolicy.nodeLoss.forceDeleteAfterSeconds', LOST],
  ['runPolicy.nodeAvoidance.afterFailures', SUSPECT],
  ['runPolicy.nodeAvoidance.forSeconds', SUSPECT],
  ['runPolicy.disruptionLimit beside retries', `Volcano counts failures and disruptions together, up to runPolicy.backoffLimit. ${OR_OPERATOR}`],
  ['runPolicy.disruptionLimit of independent replicas', `Volcano replaces pods lost to disruptions without counting them. ${OR_OPERATOR}`],
  ['runPolicy.activeDeadlineSeconds', `Volcano has no deadline. ${OR_OPERATOR}`],
  ['runPolicy.cleanPodPolicy', `Volcano only removes pods that are still running. ${OR_OPERATOR}`],
  ['runPolicy.successPolicy',
    `Volcano waits for all pods, for a number of them or for all pods of one task, but Coordinator means different pods here. ${OR_OPERATOR}`],
  ['runPolicy.stall.timeoutSeconds', STALL],
  ['runPolicy.stall.action', STALL],
  ['scheduling.queueName', NO_KUEUE],
  ['scheduling.queuePriorityClassName', NO_KUEUE],
  ['scheduling.queueMode', NO_KUEUE],
  ['scheduling.gang.scheduler', `Volcano creates its gangs itself. ${OR_OPERATOR}`],
  ['scheduling.gang.scheduleTimeoutSeconds', `Volcano places its gangs as a whole or not at all, so a timeout does not apply. ${OR_OPERATOR}`],
  ['elastic.minReplicas', SIZE],
  ['elastic.maxReplicas', SIZE],
  ['elastic.maxRestarts', SIZE],
  ['autoTuning', `Volcano runs one job and has no hyperparameter search. ${OR_OPERATOR}`],
  ['array', `Volcano runs one job and no arrays: it cannot count copies or start them one after the other. ${OR_OPERATOR}`],
  ['helpers that are ignored', `Volcano cannot continue after a helper fails (onFailure: Ignore). ${OR_OPERATOR}`],
  ...(['hooks.before', 'hooks.after', 'hooks.onExit'] as const)
    .map((hook) => [hook, `Volcano starts a task when another one runs (dependsOn), but cannot wait until it has ended. ${OR_OPERATOR}`] as const),
  ['idle', `Volcano does not monitor the utilization of accelerators. ${OR_OPERATOR}`],
  ['suspend', `Volcano is suspended by a command (vcctl job suspend), not by a field. ${OR_OPERATOR}`],
  ['managedBy', `Volcano is managed only by Volcano. ${OR_OPERATOR}`],
];

describe('a Volcano Job is refused', () => {
  test.each(REFUSALS)('what it cannot do: %s', (key, message) => {
    expect(refusal(ENGINE, key)).toBe(message);
  });

  test('nothing else: every limit has its message above, or no value goes beyond it', () => {
    const told = new Set<string>(REFUSALS.map(([key]) => fieldOf(key)));
    expect(limitedFields(ENGINE).filter((field) => !told.has(field))).toEqual(['preflight', 'debug']);
    expect(limitedFrameworks(ENGINE)).toEqual([]);
  });

  test('a success policy of the framework that it cannot be told', () => {
    expect(complaints({ framework: 'tensorflow', replicas: undefined, roles: [{ name: 'worker', replicas: 2 }] })).toEqual([{
      path: 'spec.runPolicy.successPolicy', value: undefined,
      message: 'Volcano waits for all pods, for a number of them or for all pods of one task, but Coordinator means different pods here. '
        + 'Set another policy, or choose JobSet or the Trainyard operator.',
    }]);
  });

  test('ranks behind a master without a command for the shell', () => {
    expect(complaints({ framework: 'pytorch', replicas: 3, command: undefined })).toEqual([{
      path: 'spec.command', value: undefined,
      message: 'is required on Volcano: RANK and PET_NODE_RANK differ between replicas of one template in a way that $(NAME) cannot express, so a shell has to set them before '
        + 'the program starts, and the image\'s entry point is not known. Set the command, or choose JobSet or the Trainyard operator.',
    }]);
    expect(complaints({ framework: 'pytorch', replicas: 2, command: undefined })).toEqual([]);
  });

  test('a name with which its last pod has no host name', () => {
    const roles = [{ name: 'master' }, { name: 'evaluator-of-models', replicas: 101 }];
    const job: Partial<TrainingJobSpec> = { framework: 'plain', replicas: undefined, roles };
    expect(complaints(job, {}, 'n'.repeat(39))).toEqual([]);
    expect(complaints(job, {}, 'n'.repeat(40))).toEqual([expect.objectContaining({ path: 'metadata.name' })]);
    // The master of the operator has no index in its name, and here it has.
    expect(complaints({ framework: 'pytorch', replicas: 1 }, {}, 'n'.repeat(55))).toEqual([{
      path: 'metadata.name', value: 'n'.repeat(55),
      message: `is too long for Volcano: the host name of its last pod would be '${'n'.repeat(55)}-master-0' with 64 characters, and a host name has at most 63. `
        + 'Use at most 54 characters.',
    }]);
  });

  test('more hosts than a variable can hold, because Volcano tells every pod all of them', () => {
    const [complaint, ...others] = complaints({ framework: 'jax', replicas: 2500 }, {}, 'a-name-of-twenty-two-c');
    expect(others).toEqual([]);
    expect(complaint).toMatchObject({ path: 'spec.replicas', value: 2500 });
    expect(complaint.message).toMatch(/^are too many for Volcano: its variable VC_WORKER_HOSTS would have \d+ KiB, and Linux starts no program/);
    expect(complaints({ framework: 'jax', replicas: 2000 }, {}, 'a-name-of-twenty-two-c')).toEqual([]);
  });

  test('two highest tiers', () => {
    expect(complaints({}, { networkTopology: { mode: 'hard', highestTierAllowed: 1, highestTierName: 'rack' } })).toEqual([{
      path: 'engine.networkTopology.highestTierName', value: 'rack', message: 'cannot be combined with highestTierAllowed (1): Volcano accepts only one of them. Remove the other.',
    }]);
  });
});
