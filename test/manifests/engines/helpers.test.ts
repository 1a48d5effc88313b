/** Jobs with helpers on the engines that have them: who decides on success, what a failed helper means, and who finds whom. */
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import { trainerEngine } from '../../../src/manifests/engines/trainer';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import { volcanoEngine } from '../../../src/manifests/engines/volcano';
import type { HelperSpec } from '../../../src/model/training-job/replicas/role-specs';
import type { FrameworkName, TrainingJobSpec } from '../../../src/model/training-job/spec';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const HELPERS: readonly HelperSpec[] = [
  { name: 'actor', replicas: 2, image: 'actor' },
  { name: 'buffer', image: 'redis', port: 6379, onFailure: 'Fail' },
];
const GROUP: TrainingJobSpec = { framework: 'jax', image: 'image', replicas: 3, command: ['train'], helpers: HELPERS, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 4 } };

function render(engine: EngineDefinition, over: Partial<TrainingJobSpec> = {}) {
  const spec = { ...GROUP, ...over };
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  return engine.render({ name: 'net', namespace: 'team', spec });
}

function environmentOf(engine: EngineDefinition, role: string, index: number, spec: TrainingJobSpec = GROUP) {
  const { env } = engine.environments({ name: 'net', spec }).find((candidate) => candidate.role === role && candidate.index === index)!;
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

describe('JobSet', () => {
  const jobSet = (over: Partial<TrainingJobSpec> = {}) => render(jobSetEngine(), over).job.spec as Rendered;
  const jobOf = (spec: Rendered, name: string) => spec.replicatedJobs.find((job: Rendered) => job.name === name);

  test('has a child Job for each role, and succeeds with the primary', () => {
    const spec = jobSet();
    expect(spec.replicatedJobs.map(({ name }: Rendered) => name)).toEqual(['worker', 'actor', 'buffer']);
    expect(spec.successPolicy).toEqual({ operator: 'All', targetReplicatedJobs: ['worker'] });
    expect(jobOf(spec, 'actor').template.spec).toMatchObject({ completions: 2, parallelism: 2, template: { spec: { containers: [{ image: 'actor' }] } } });
  });

  test('succeeds with a coordinator where that is the framework\'s way', () => {
    expect(jobSet({ framework: 'pytorch' }).successPolicy).toEqual({ operator: 'All', targetReplicatedJobs: ['master'] });
  });

  test('replaces helpers one by one, as often as the run policy says, and fails with the one that is not replaced', () => {
    const spec = jobSet();
    expect(jobOf(spec, 'actor').template.spec.backoffLimit).toBe(4);
    expect(jobOf(spec, 'buffer').template.spec.backoffLimit).toBe(0);
    expect(spec.failurePolicy.rules[0]).toEqual({ name: 'helpers', action: 'FailJobSet', onJobFailureReasons: [], targetReplicatedJobs: ['actor', 'buffer'] });
    spec.failurePolicy.rules.slice(1).forEach((rule: Rendered) => expect(rule.targetReplicatedJobs).toEqual(['worker']));
  });

  test('does not restart those that train for the sake of a helper that may be restarted', () => {
    expect(jobSet({ runPolicy: { backoffLimit: 4 } }).failurePolicy.maxRestarts).toBe(0);
  });

  test('of independent replicas, too', () => {
    const spec = jobSet({ framework: 'plain' });
    expect(spec.failurePolicy).toBeUndefined();
    expect(spec.successPolicy).toEqual({ operator: 'All', targetReplicatedJobs: ['worker'] });
  });

  test('lets all find each other', () => {
    const lists = { TRAINYARD_ACTOR_HOSTS: 'net-actor-0-0.net:29600,net-actor-0-1.net:29600', TRAINYARD_BUFFER_HOSTS: 'net-buffer-0-0.net:6379' };
    const actor = environmentOf(jobSetEngine(), 'actor', 1);
    expect(actor).toMatchObject({ ...lists, ROLE: 'actor', TRAINYARD_REPLICA_INDEX: '1', TRAINYARD_PORT: '29600' });
    expect(actor).not.toHaveProperty('RANK');
    expect(environmentOf(jobSetEngine(), 'worker', 2)).toMatchObject({ ...lists, RANK: '2', WORLD_SIZE: '3' });
  });

  test('makes one gang of all', () => {
    const { companions } = render(jobSetEngine(), { scheduling: { gang: { scheduler: 'Coscheduling' } } });
    expect(companions.find(({ kind }) => kind === 'PodGroup')).toMatchObject({ spec: { minMember: 6 } });
  });
});

describe('Volcano', () => {
  const volcano = (over: Partial<TrainingJobSpec> = {}) => render(volcanoEngine(), over).job.spec as Rendered;
  const policiesOf = (spec: Rendered, name: string) => spec.tasks.find((task: Rendered) => task.name === name).policies;

  test('places all as one gang, and completes with the primary', () => {
    const spec = volcano();
    expect(spec.minAvailable).toBe(6);
    expect(spec.tasks.map(({ name, replicas }: Rendered) => [name, replicas])).toEqual([['worker', 3], ['actor', 2], ['buffer', 1]]);
    expect(policiesOf(spec, 'worker')).toContainEqual({ event: 'TaskCompleted', action: 'CompleteJob' });
    ['actor', 'buffer'].forEach((name) => expect(policiesOf(spec, name)).not.toContainEqual(expect.objectContaining({ event: 'TaskCompleted' })));
  });

  test('replaces a helper by itself, or ends the job with it', () => {
    const spec = volcano();
    expect(policiesOf(spec, 'worker')).toContainEqual({ event: 'PodFailed', action: 'RestartJob' });
    expect(policiesOf(spec, 'actor')).toEqual([{ event: 'PodFailed', action: 'RestartPod' }]);
    expect(policiesOf(spec, 'buffer')).toEqual([{ event: 'PodFailed', action: 'TerminateJob' }]);
  });

  test('refuses a primary whose success no task tells', () => {
    const [violation] = validateForEngine(volcanoEngine(), 'net', { ...GROUP, framework: 'plain', replicas: undefined, roles: [{ name: 'a' }, { name: 'b' }] });
    expect(violation).toMatchObject({ path: 'spec.runPolicy.successPolicy', message: expect.stringContaining('AllReplicas means different pods here') });
  });

  test('lets all find each other', () => {
    expect(environmentOf(volcanoEngine(), 'buffer', 0)).toMatchObject({
      TRAINYARD_PRIMARY_HOSTS: 'net-worker-0.net:29600,net-worker-1.net:29600,net-worker-2.net:29600', TRAINYARD_PORT: '6379',
    });
  });
});

describe('Kubeflow Trainer', () => {
  test('starts the JobSet of the group from a runtime of its own', () => {
    const { job, companions } = render(trainerEngine({}));
    const runtime = companions.find(({ kind }) => kind === 'TrainingRuntime') as Rendered;
    const template = runtime.spec.template.spec;
    expect(template.replicatedJobs.map(({ name }: Rendered) => name)).toEqual(['worker', 'actor', 'buffer']);
    expect(template.successPolicy).toEqual({ operator: 'All', targetReplicatedJobs: ['worker'] });
    expect(job.spec).toMatchObject({ trainer: { numNodes: 3 } });
  });

  const REFUSED: readonly (readonly [what: string, engine: EngineDefinition, framework: FrameworkName, says: string])[] = [
    ['in a runtime that exists', trainerEngine({ runtime: 'torch-distributed' }), 'pytorch', 'takes the roles from the runtime torch-distributed'],
    ['with Flux', trainerEngine({ flux: true }), 'plain', 'runs all replicas in one Flux cluster'],
    ['beside a launcher', trainerEngine({}), 'mpi', 'supports only a launcher and nodes in its MPI jobs'],
  ];
  test.each(REFUSED)('refuses helpers %s', (_what, engine, framework, says) => {
    const found = validateForEngine(engine, 'net', { ...GROUP, framework, runPolicy: undefined }).filter(({ path }) => path === 'spec.helpers');
    expect(found).toEqual([{ path: 'spec.helpers', value: HELPERS, message: expect.stringContaining(`Kubeflow Trainer ${says}`) }]);
  });
});
