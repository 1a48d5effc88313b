import { jobSetEngine } from '../../../../src/manifests/engines/jobset';
import type { JobSetEngineSettings } from '../../../../src/manifests/engines/jobset/capabilities';
import { trainerEngine } from '../../../../src/manifests/engines/trainer';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { HookSpec } from '../../../../src/model/training-job/hooks';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { PLAIN_JOB } from '../indexed/support/asking-for';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const HOOK: HookSpec = { command: ['prepare'], args: ['--all'] };
const EXCLUSIVE = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

function render(over: Partial<TrainingJobSpec>, settings: JobSetEngineSettings = {}) {
  const engine = jobSetEngine(settings);
  const spec = { ...PLAIN_JOB, ...over };
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  return engine.render({ name: 'net', labels: { owner: 'me' }, spec }).job as Rendered;
}

/** Each replicated job with those on which it depends. */
function order({ spec }: Rendered): { [name: string]: string[] } {
  return Object.fromEntries(spec.replicatedJobs.map(({ name, dependsOn = [] }: Rendered) => [name, dependsOn.map((on: Rendered) => `${on.name} ${on.status}`)]));
}

function hookOf({ spec }: Rendered, name: string) {
  const job = spec.replicatedJobs.find((part: Rendered) => part.name === name);
  const pod = job.template.spec.template;
  const [container] = pod.spec.containers;
  const env = Object.fromEntries(container.env.map((entry: Rendered) => [entry.name, entry.value ?? entry.valueFrom.fieldRef.fieldPath]));
  return { job, pod, container, env };
}

describe('hooks on JobSet', () => {
  test('the roles wait for the end of before, and after waits for that of all roles', () => {
    const job = render({ framework: 'pytorch', replicas: 3, runPolicy: { successPolicy: 'AllWorkers' }, hooks: { before: HOOK, after: HOOK } });
    expect(order(job)).toEqual({
      'hook-before': [], 'master': ['hook-before Complete'], 'worker': ['hook-before Complete'], 'hook-after': ['master Complete', 'worker Complete'],
    });
    expect(job.spec.successPolicy).toEqual({ operator: 'All', targetReplicatedJobs: ['hook-after'] });
    expect(job.spec.failurePolicy.rules[0]).toEqual({
      name: 'hooks', action: 'FailJobSet', onJobFailureReasons: [], targetReplicatedJobs: ['hook-before', 'hook-after'],
    });
    expect(job.spec.coordinator.replicatedJob).toBe('master');
  });

  test('a role that waits for another one waits for before with it', () => {
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps' }];
    const job = render({ framework: 'tensorflow', replicas: undefined, roles, hooks: { before: HOOK } }, { dependsOn: [{ role: 'worker', on: 'ps', status: 'Ready' }] });
    expect(order(job)).toEqual({ 'hook-before': [], 'chief': ['hook-before Complete'], 'ps': ['hook-before Complete'], 'worker': ['ps Ready'] });
  });

  test('before does not count as success, also where any replica does', () => {
    const job = render({ framework: 'plain', runPolicy: { successPolicy: 'AnyWorker' }, hooks: { before: HOOK } });
    expect(job.spec.successPolicy).toEqual({ operator: 'Any', targetReplicatedJobs: ['worker'] });
  });

  test('a hook is a Job of one pod with its limits, which replaces pods that the cluster removes', () => {
    const { job, pod } = hookOf(render({ hooks: { before: { ...HOOK, timeoutSeconds: 60, backoffLimit: 2 } } }), 'hook-before');
    expect(job).toMatchObject({ replicas: 1, template: { metadata: { labels: { owner: 'me', job: 'net' } } } });
    expect(job.template.spec).toMatchObject({
      completions: 1, parallelism: 1, backoffLimit: 2, activeDeadlineSeconds: 60, podReplacementPolicy: 'Failed',
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
    });
    expect(pod.metadata.labels).toMatchObject({ 'job': 'net', 'role': 'hook', 'ml.collabnix.io/hook': 'before', 'app.kubernetes.io/managed-by': 'trainyard' });
    expect(pod.spec.restartPolicy).toBe('Never');
    const defaults = hookOf(render({ hooks: { after: HOOK } }), 'hook-after').job.template.spec;
    expect(defaults).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 3600 });
  });

  test('its environment is the operator\'s, with what only the running pod knows', () => {
    const job = render({
      hyperparameters: { LR: '0.1' },
      checkpointPath: '/runs',
      checkpoint: { resumeFrom: '/runs/1' },
      env: [{ name: 'A', value: 'job' }],
      hooks: { before: HOOK, after: { ...HOOK, env: [{ name: 'A', value: 'hook' }] } },
    });
    expect(hookOf(job, 'hook-before').env).toEqual({
      A: 'job', LR: '0.1', TRAINYARD_HYPERPARAMETERS: '{"LR":"0.1"}', PYTHONUNBUFFERED: '1', TRAINYARD_HOOK: 'before', TRAINYARD_JOB_NAME: 'net', TRAINYARD_JOB_NAMESPACE: 'metadata.namespace',
      TRAINYARD_ATTEMPT: 'metadata.labels[\'jobset.sigs.k8s.io/restart-attempt\']', CHECKPOINT_PATH: '/runs', RESUME_FROM: '/runs/1',
    });
    expect(hookOf(job, 'hook-after').env).toMatchObject({ A: 'hook', TRAINYARD_HOOK: 'after', TRAINYARD_JOB_OUTCOME: 'Succeeded' });
    expect(hookOf(job, 'hook-after').env).not.toHaveProperty('TRAINYARD_JOB_REASON');
  });

  test('before has a shell that ends it on later attempts, where there can be some', () => {
    const command = (over: Partial<TrainingJobSpec>) => hookOf(render({ ...over, hooks: { before: HOOK, after: HOOK } }), 'hook-before').container.command;
    expect(command({})).toEqual(['/bin/sh', '-c', 'if [ "$TRAINYARD_ATTEMPT" != 0 ]; then exit 0; fi\nexec "$@"\n', 'trainyard', 'prepare']);
    expect(command({ runPolicy: { disruptionLimit: 0 } })).toEqual(['prepare']);
    expect(command({ framework: 'plain', runPolicy: { successPolicy: 'AllReplicas' } })).toEqual(['prepare']);
    expect(hookOf(render({ hooks: { after: HOOK } }), 'hook-after').container).toMatchObject({ command: ['prepare'], args: ['--all'] });
  });

  test('exclusive domains are those of the roles', () => {
    const job = render({ hooks: { before: HOOK } }, { exclusiveTopology: 'pool' });
    expect(job.metadata).not.toHaveProperty('annotations');
    expect(job.spec.replicatedJobs.map(({ template }: Rendered) => template.metadata.annotations)).toEqual([undefined, { [EXCLUSIVE]: 'pool' }]);
  });

  test('a gang is the replicas alone', () => {
    const spec: TrainingJobSpec = { ...PLAIN_JOB, scheduling: { gang: { scheduler: 'Coscheduling' } }, hooks: { before: HOOK } };
    const { companions } = jobSetEngine().render({ name: 'net', spec });
    expect(companions.find(({ kind }) => kind === 'PodGroup')).toMatchObject({ spec: { minMember: 2 } });
    expect(hookOf(render(spec), 'hook-before').pod.metadata.labels).not.toHaveProperty('scheduling.x-k8s.io/pod-group');
  });
});

test('Kubeflow Trainer has the same hooks in a runtime of the job, where a replica and not a hook is its trainer', () => {
  const spec: TrainingJobSpec = { ...PLAIN_JOB, hooks: { before: HOOK, after: HOOK }, runPolicy: { activeDeadlineSeconds: 60 } };
  expect(validateForEngine(trainerEngine(), 'net', spec)).toEqual([]);
  const { job, companions } = trainerEngine().render({ name: 'net', spec });
  const runtime = companions.find(({ kind }) => kind === 'TrainingRuntime') as Rendered;
  const set = runtime.spec.template;
  expect(order(set)).toEqual({ 'hook-before': [], 'worker': ['hook-before Complete'], 'hook-after': ['worker Complete'] });
  expect(set.spec.replicatedJobs.map(({ template }: Rendered) => [template.metadata.labels['trainer.kubeflow.org/trainjob-ancestor-step'], template.spec.template.spec.containers[0].name]))
    .toEqual([[undefined, 'hook'], ['trainer', 'node'], [undefined, 'hook']]);
  expect(runtime.spec.mlPolicy).toEqual({ numNodes: 2 });
  expect(job.spec).toMatchObject({ trainer: { numNodes: 2 }, activeDeadlineSeconds: 60 });
});
