import fc from 'fast-check';
import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import type { JobSetEngineSettings } from '../../../src/manifests/engines/jobset/capabilities';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { ConfigMap } from '../../../src/manifests/kubernetes';
import { OPERATOR_NAME } from '../../../src/model/labels';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { PLAIN_JOB } from './indexed/support/asking-for';
import { validSpec } from '../../model/training-job/arbitraries';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

function render(over: Partial<TrainingJobSpec> = {}, settings: JobSetEngineSettings = {}) {
  const engine = jobSetEngine(settings);
  const spec = { ...PLAIN_JOB, ...over };
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', labels: { owner: 'me' }, spec });
  const jobs = Object.fromEntries((job.spec as Rendered).replicatedJobs.map((part: Rendered) => [part.name, part])) as { [name: string]: Rendered };
  return { job: job as Rendered, spec: job.spec as Rendered, jobs, companions };
}

/** Sizes of the replicated jobs: child Jobs times pods. */
function sizes(jobs: { [name: string]: Rendered }) {
  return Object.fromEntries(Object.entries(jobs).map(([name, { replicas, template }]) => [name, `${replicas}x${template.spec.completions}`]));
}

function envOf({ template }: Rendered) {
  return Object.fromEntries(template.spec.template.spec.containers[0].env.map((entry: Rendered) => [entry.name, entry.value ?? entry.valueFrom]));
}

describe('a JobSet', () => {
  test('is whole', () => {
    const { job, companions } = render({ framework: 'pytorch', replicas: 3, command: undefined });
    expect([job, ...companions]).toMatchSnapshot();
  });

  test('has one Indexed Job for a role whose ranks are indexes', () => {
    const { spec, jobs, companions } = render({ replicas: 4 });
    expect(sizes(jobs)).toEqual({ worker: '1x4' });
    expect(jobs.worker).not.toHaveProperty('groupName');
    expect(jobs.worker.template.spec).toMatchObject({ completionMode: 'Indexed', completions: 4, parallelism: 4, podReplacementPolicy: 'Failed' });
    expect(envOf(jobs.worker)).toMatchObject({ JAX_PROCESS_ID: '$(JOB_COMPLETION_INDEX)', JAX_COORDINATOR_ADDRESS: 'net-worker-0-0.net:29500' });
    expect(spec.network).toEqual({ enableDNSHostnames: true, publishNotReadyAddresses: true });
    // JobSet makes the service.
    expect(companions).toEqual([]);
  });

  test('has a child Job for each replica where ranks go on behind a master, and no shell', () => {
    const { jobs } = render({ framework: 'pytorch', replicas: 4 });
    expect(sizes(jobs)).toEqual({ master: '1x1', worker: '3x1' });
    expect(jobs.worker.groupName).toBe('ranks');
    expect(jobs.worker.template.spec.template.spec.containers[0].command).toEqual(['train']);
    expect(envOf(jobs.worker)).toMatchObject({ RANK: '$(JOBSET_JOB_GROUP_INDEX)', TRAINYARD_REPLICA_INDEX: '$(JOBSET_JOB_INDEX)', ROLE: 'worker' });
  });

  test('counts ranks through all ranked roles, and leaves the others indexed', () => {
    const roles = [{ name: 'ps', replicas: 2 }, { name: 'worker', replicas: 2 }, { name: 'chief' }];
    const { jobs } = render({ framework: 'tensorflow', replicas: undefined, roles });
    expect(sizes(jobs)).toEqual({ chief: '1x1', worker: '2x1', ps: '1x2' });
    expect(jobs.ps).not.toHaveProperty('groupName');
    expect(envOf(jobs.worker).TF_CONFIG).toContain('"ps":["net-ps-0-0.net:2222","net-ps-0-1.net:2222"]');
    expect(envOf(jobs.worker).TF_CONFIG).toContain('"task":{"type":"worker","index":$(JOBSET_JOB_INDEX)}');
  });

  test('counts ranks through roles of several replicas each', () => {
    const roles = [{ name: 'actor', replicas: 2 }, { name: 'learner', replicas: 3 }];
    const { jobs } = render({ framework: 'plain', replicas: undefined, roles });
    expect(sizes(jobs)).toEqual({ actor: '2x1', learner: '3x1' });
    // In the first of them both numbers are the same.
    expect([envOf(jobs.actor).RANK, envOf(jobs.learner).RANK]).toEqual(['$(JOBSET_JOB_INDEX)', '$(JOBSET_JOB_GROUP_INDEX)']);
  });

  test('needs a shell for no job of any framework', () => {
    const engine = jobSetEngine({ sshSecretName: 'keys' });
    fc.assert(fc.property(validSpec, (spec) => {
      expect(validateForEngine(engine, 'net', { ...spec, command: undefined })).toEqual([]);
      expect(JSON.stringify(engine.render({ name: 'net', spec: { ...spec, command: ['train'] } }).job)).not.toContain('"trainyard","train"');
    }), { numRuns: 150 });
  });

  test('has a coordinator apart that is unlike the others of its role', () => {
    const { jobs, spec } = render({ framework: 'paddle', replicas: 3 });
    expect(sizes(jobs)).toEqual({ 'worker-coordinator': '1x1', 'worker': '2x1' });
    expect(envOf(jobs['worker-coordinator']).PADDLE_MASTER).toBe('$(POD_IP_DUMMY):29500');
    expect(envOf(jobs.worker)).toMatchObject({ PADDLE_MASTER: 'net-worker-coordinator-0-0.net:29500', PADDLE_RANK: '$(JOBSET_JOB_GROUP_INDEX)' });
    expect(spec.coordinator).toEqual({ replicatedJob: 'worker-coordinator', jobIndex: 0, podIndex: 0 });
    expect(jobs.worker.template.spec.template.metadata.labels.role).toBe('worker');
  });

  test('has a coordinator apart where its success alone counts', () => {
    const roles = [{ name: 'actor', replicas: 2 }, { name: 'actor-coordinator', replicas: 2 }];
    const { jobs, spec } = render({ framework: 'plain', replicas: undefined, roles, runPolicy: { successPolicy: 'Coordinator' } });
    expect(sizes(jobs)).toEqual({ 'actor-coordinator-0': '1x1', 'actor': '1x1', 'actor-coordinator': '2x1' });
    expect(spec.successPolicy).toEqual({ operator: 'All', targetReplicatedJobs: ['actor-coordinator-0'] });
  });

  test('has a Job a role and a shell where the engine is told so', () => {
    const { jobs } = render({ framework: 'pytorch', replicas: 4 }, { jobPerRole: true });
    expect(sizes(jobs)).toEqual({ master: '1x1', worker: '1x3' });
    expect(jobs.worker.template.spec.template.spec.containers[0].command.slice(0, 4)).toEqual([
      '/bin/sh', '-c', 'export RANK="$$((JOB_COMPLETION_INDEX + 1))"\nexport PET_NODE_RANK="$$((JOB_COMPLETION_INDEX + 1))"\nexec "$@"\n', 'trainyard',
    ]);
  });

  test('tells its pods the number of the attempt', () => {
    expect(envOf(render().jobs.worker).TRAINYARD_ATTEMPT).toEqual({ fieldRef: { fieldPath: 'metadata.labels[\'jobset.sigs.k8s.io/restart-attempt\']' } });
  });

  test.each([
    ['Coordinator', { operator: 'All', targetReplicatedJobs: ['chief'] }],
    ['AllWorkers', { operator: 'All', targetReplicatedJobs: ['chief', 'worker'] }],
    ['AllReplicas', { operator: 'All' }],
    ['AnyWorker', { operator: 'Any', targetReplicatedJobs: ['chief', 'worker'] }],
  ] as const)('succeeds by the policy %s', (successPolicy, expected) => {
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }];
    expect(render({ framework: 'tensorflow', replicas: undefined, roles, runPolicy: { successPolicy } }).spec.successPolicy).toEqual(expected);
  });

  test('succeeds with some pods of a Job by the Job\'s own policy', () => {
    const first = render({ runPolicy: { successPolicy: 'Coordinator' } });
    expect(first.spec.successPolicy).toEqual({ operator: 'All' });
    expect(first.jobs.worker.template.spec.successPolicy).toEqual({ rules: [{ succeededIndexes: '0' }] });
    const any = render({ runPolicy: { successPolicy: 'AnyWorker' } });
    expect(any.spec.successPolicy).toEqual({ operator: 'Any' });
    expect(any.jobs.worker.template.spec.successPolicy).toEqual({ rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] });
  });

  test('has time to live, suspension, another controller and deadlines as the job has them', () => {
    const { spec, jobs } = render({
      suspend: true, managedBy: 'kueue.x-k8s.io/multikueue', runPolicy: { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 },
    });
    expect(spec).toMatchObject({ suspend: true, managedBy: 'kueue.x-k8s.io/multikueue', ttlSecondsAfterFinished: 5 });
    expect(jobs.worker.template.spec.activeDeadlineSeconds).toBe(60);
    expect(spec.failurePolicy.rules).toContainEqual({ name: 'deadline', action: 'FailJobSet', onJobFailureReasons: ['DeadlineExceeded'] });
    expect(render({ managedBy: OPERATOR_NAME }).spec).not.toHaveProperty('managedBy');
  });

  test('is queued by Kueue, which then suspends and resumes it, and places its pods', () => {
    const { job, spec, jobs } = render({ suspend: false, scheduling: { queueName: 'research', topology: { key: 'rack' } } });
    expect(job.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'research' });
    expect(spec).not.toHaveProperty('suspend');
    expect(jobs.worker.template.spec.template.metadata.annotations).toEqual({ 'kueue.x-k8s.io/podset-required-topology': 'rack' });
  });

  test('has exclusive topologies, with a Job for each role', () => {
    const { job, jobs } = render({ framework: 'pytorch', replicas: 3 }, { exclusiveTopology: 'cloud.google.com/gke-nodepool' });
    expect(job.metadata.annotations).toEqual({ 'alpha.jobset.sigs.k8s.io/exclusive-topology': 'cloud.google.com/gke-nodepool' });
    expect(sizes(jobs)).toEqual({ master: '1x1', worker: '1x2' });
  });

  test('starts roles behind those that they wait for, whatever their ranks are', () => {
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }];
    const dependsOn = [{ role: 'chief', on: 'ps', status: 'Ready' }, { role: 'worker', on: 'ps', status: 'Ready' }] as const;
    const { spec, jobs } = render({ framework: 'tensorflow', replicas: undefined, roles }, { dependsOn });
    expect(spec.replicatedJobs.map(({ name }: Rendered) => name)).toEqual(['ps', 'chief', 'worker']);
    expect(jobs.worker.dependsOn).toEqual([{ name: 'ps', status: 'Ready' }]);
    expect(jobs.ps).not.toHaveProperty('dependsOn');
    // The number in the group is the rank still.
    expect(envOf(jobs.worker).RANK).toBe('$(JOBSET_JOB_GROUP_INDEX)');
  });

  test('names its coordinator where a label can hold the name', () => {
    const long = jobSetEngine().render({ name: 'n'.repeat(40), spec: PLAIN_JOB });
    expect((long.job.spec as Rendered)).not.toHaveProperty('coordinator');
    expect(render().spec.coordinator).toEqual({ replicatedJob: 'worker', jobIndex: 0, podIndex: 0 });
  });

  test('takes the keys of MPI from a Secret', () => {
    const { jobs, companions } = render({ framework: 'mpi', replicas: 2 }, { sshSecretName: 'keys' });
    expect(sizes(jobs)).toEqual({ launcher: '1x1', worker: '1x2' });
    for (const { template } of Object.values(jobs)) {
      expect(template.spec.template.spec.volumes).toContainEqual({ name: 'trainyard-mpi-secret', secret: { secretName: 'keys', defaultMode: 0o444 } });
    }
    const [files] = companions as [ConfigMap];
    expect(files.data!.hostfile).toBe('net-worker-0-0.net slots=1\nnet-worker-0-1.net slots=1\n');
  });

  test('is a gang by a group beside it', () => {
    const { jobs, companions } = render({ framework: 'pytorch', scheduling: { gang: { scheduler: 'Volcano', queue: 'q' } } });
    expect(companions).toMatchObject([{ kind: 'PodGroup', metadata: { name: 'net' }, spec: { minMember: 2, queue: 'q' } }]);
    const { metadata, spec } = jobs.worker.template.spec.template;
    expect(metadata.annotations).toMatchObject({ 'scheduling.k8s.io/group-name': 'net', 'volcano.sh/task-spec': 'worker' });
    expect(spec.schedulerName).toBe('volcano');
  });
});

describe('failures of a JobSet', () => {
  const rule = (index: number) => ({ onJobFailureReasons: ['PodFailurePolicy'], onJobFailureMessagePatterns: [`matching FailJob rule at index ${index}$`] });
  const disruption = { name: 'disruption', action: 'RestartJobSetAndIgnoreMaxRestarts', ...rule(0) };

  test('end it by default, and disruptions do not', () => {
    const { spec, jobs } = render();
    expect(spec.failurePolicy).toEqual({
      maxRestarts: 0, restartStrategy: 'BlockingRecreate',
      rules: [disruption, { name: 'never', action: 'FailJobSet', onJobFailureReasons: ['BackoffLimitExceeded'] }],
    });
    expect(jobs.worker.template.spec).toMatchObject({
      backoffLimit: 0, podFailurePolicy: { rules: [{ action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
    });
  });

  test('start all again up to the limit', () => {
    expect(render({ runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3 } }).spec.failurePolicy).toMatchObject({
      maxRestarts: 3, rules: [disruption, { name: 'retry', action: 'RestartJobSet', onJobFailureReasons: ['BackoffLimitExceeded'] }],
    });
  });

  test('by a disruption end it where none is allowed', () => {
    expect(render({ runPolicy: { disruptionLimit: 0 } }).spec.failurePolicy.rules[0].action).toBe('FailJobSet');
  });

  test('are judged by exit codes in the operator\'s order: fatal ones before those that are counted, and free ones last', () => {
    const { spec, jobs } = render({ runPolicy: { restartPolicy: 'OnFailure', exitCodes: { fail: [1], recover: [75], retry: [4] } } });
    expect(spec.failurePolicy.rules).toEqual([
      disruption,
      { name: 'exitCodesFail', action: 'FailJobSet', ...rule(1) },
      { name: 'exitCodesRetry', action: 'RestartJobSet', ...rule(3) },
      { name: 'retry', action: 'RestartJobSet', onJobFailureReasons: ['BackoffLimitExceeded'] },
      { name: 'exitCodesRecover', action: 'RestartJobSetAndIgnoreMaxRestarts', ...rule(2) },
    ]);
    const [, ...rules] = jobs.worker.template.spec.podFailurePolicy.rules;
    expect(rules.map(({ onExitCodes }: Rendered) => onExitCodes.values)).toEqual([[1], [75], [4]]);
  });

  test('are judged by ranges of exit codes with ExitCode', () => {
    const { spec, jobs } = render({ runPolicy: { restartPolicy: 'ExitCode', backoffLimit: 2 } });
    expect(spec.failurePolicy).toMatchObject({ maxRestarts: 2, rules: [disruption, { name: 'permanent', action: 'FailJobSet', ...rule(1) }, { name: 'retry' }] });
    expect(jobs.worker.template.spec.podFailurePolicy.rules[1].onExitCodes.values).toHaveLength(127);
  });

  test('are judged by role where roles have restart policies of their own', () => {
    const roles = [{ name: 'master', restartPolicy: 'Never' as const }, { name: 'worker', replicas: 2, restartPolicy: 'OnFailure' as const }];
    expect(render({ framework: 'pytorch', replicas: undefined, roles }).spec.failurePolicy.rules).toEqual([
      disruption,
      { name: 'never', action: 'FailJobSet', onJobFailureReasons: ['BackoffLimitExceeded'], targetReplicatedJobs: ['master'] },
      { name: 'retry', action: 'RestartJobSet', onJobFailureReasons: ['BackoffLimitExceeded'], targetReplicatedJobs: ['worker'] },
    ]);
  });

  test('of independent replicas are answered by their Job alone', () => {
    const { spec, jobs } = render({ framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 4 } });
    expect(spec).not.toHaveProperty('failurePolicy');
    expect(jobs.worker.template.spec).toMatchObject({ backoffLimit: 4, podFailurePolicy: { rules: [{ action: 'Ignore' }] } });
  });
});
