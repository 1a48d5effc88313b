/** Answers about a job are kept until it changes: they have to be those that a job would get that nobody has asked about before. */
import { App, Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import fc from 'fast-check';
import { Checkpoint, Engine, Framework, Gpu, RestartPolicy, TrainingJob, type TrainingRole } from '../../src/constructs/training-job';

const ENGINES: { readonly [name: string]: () => Engine } = {
  operator: () => Engine.operator(), job: () => Engine.job(), jobset: () => Engine.jobSet(), trainer: () => Engine.trainer(),
};

/** What can be done to a job; some of it breaks rules. */
type Change =
  | { readonly does: 'addRole'; readonly role: TrainingRole }
  | { readonly does: 'addEnv'; readonly name: string; readonly value: string }
  | { readonly does: 'addVolumeMount'; readonly path: string; readonly volume: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    does: fc.constant('addRole' as const),
    role: fc.record({ name: fc.constantFrom('master', 'worker', 'workr'), replicas: fc.constantFrom(1, 2, 0) }),
  }),
  fc.record({ does: fc.constant('addEnv' as const), name: fc.constantFrom('A', 'B', 'RANK', 'A=B'), value: fc.constantFrom('1', '2') }),
  fc.record({ does: fc.constant('addVolumeMount' as const), path: fc.constantFrom('/a', '/b'), volume: fc.constantFrom('one', 'two', 'trainyard-x') }),
);

function apply(job: TrainingJob, change: Change): void {
  switch (change.does) {
    case 'addRole': return job.addRole(change.role);
    case 'addEnv': return job.addEnv(change.name, kplus.EnvValue.fromValue(change.value));
    case 'addVolumeMount':
      // Refuses a second volume at a path, and a second one of the same name.
      return ignoreRefusal(() => job.addVolumeMount(change.path, kplus.Volume.fromEmptyDir(job, `Volume${job.node.children.length}`, change.volume)));
  }
}

function ignoreRefusal(act: () => void): void {
  try {
    act();
  } catch (error) {
    expect((error as Error).message).toMatch(/^TrainingJob at .*: cannot mount/);
  }
}

/** What cdk8s finds when it asks: objects, or what is wrong. */
function ask(chart: Chart): unknown {
  try {
    return Testing.synth(chart);
  } catch (error) {
    return (error as Error).message;
  }
}

function makeJob(engine: () => Engine): { readonly chart: Chart; readonly job: TrainingJob } {
  const chart = new Chart(Testing.app(), 'jobs');
  return { chart, job: new TrainingJob(chart, 'Job', { metadata: { name: 'job' }, framework: Framework.pytorch(), image: 'trainer:1', engine: engine() }) };
}

test.each(Object.entries(ENGINES))('a job that is asked about after each change ends as one that is asked about once: %s', (_name, engine) => {
  fc.assert(fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
    const [often, once] = [makeJob(engine), makeJob(engine)];
    for (const change of changes) {
      apply(often.job, change);
      apply(once.job, change);
      ask(often.chart);
    }
    expect(ask(often.chart)).toEqual(ask(once.chart));
    expect(ask(often.chart)).toEqual(ask(often.chart));
  }), { numRuns: 60 });
});

test('rules and the renderer are asked once for each job, in however many charts the app has', () => {
  const engine = Engine.trainer();
  const [validate, render] = [jest.spyOn(engine._definition, 'validate'), jest.spyOn(engine._definition, 'render')];
  const app = new App();
  const jobs = ['a', 'b', 'c', 'd', 'e'].map((id) => new TrainingJob(new Chart(app, `chart-${id}`), 'Job', {
    metadata: { name: `job-${id}` }, framework: Framework.pytorch(), image: 'trainer:1', replicas: 2, engine,
  }));
  app.synthYaml();
  app.synthYaml();
  expect(validate.mock.calls.map(([name]) => name)).toEqual(jobs.map(({ name }) => name));
  expect(render.mock.calls.map(([{ name }]) => name)).toEqual(jobs.map(({ name }) => name));

  jobs[3].addEnv('A', kplus.EnvValue.fromValue('1'));
  app.synthYaml();
  expect(validate.mock.calls.slice(5).map(([name]) => name)).toEqual(['job-d']);
  expect(render.mock.calls.slice(5).map(([{ name }]) => name)).toEqual(['job-d']);
});

test('rules are asked of one job of a series, and of each that is not as the others', () => {
  const engine = Engine.job();
  const validate = jest.spyOn(engine._definition, 'validate');
  const chart = Testing.chart();
  const add = (index: number, fields: object = {}) => new TrainingJob(chart, `Job${index}`, {
    metadata: { name: `job-${index}` }, framework: Framework.pytorch(), image: 'trainer:1', replicas: 2, command: ['train'], engine,
    checkpoint: Checkpoint.at(`s3://bucket/run-${index}`), hyperparameters: { LR: `0.${index}` }, ...fields,
  });
  [1, 2, 3].forEach((index) => add(index));
  add(4, { image: 'trainer:2' });
  add(5, { replicas: 3 });
  Testing.synth(chart);
  expect(validate.mock.calls.map(([name]) => name)).toEqual(['job-1', 'job-4', 'job-5']);
  add(6, { hyperparameters: { RANK: '6' } });
  expect(() => Testing.synth(chart)).toThrow('spec.hyperparameters.RANK');
});

test('a job keeps what it was given, whatever its author does with the objects afterwards', () => {
  const chart = Testing.chart();
  const props = {
    metadata: { name: 'job', labels: { team: 'vision' } },
    framework: Framework.pytorch(),
    image: 'trainer:1',
    roles: [{ name: 'master', command: ['python'], env: { A: kplus.EnvValue.fromValue('1') } }],
    args: ['--fast'],
    env: { B: kplus.EnvValue.fromValue('2') },
    resources: { gpu: Gpu.nvidia(1), memory: Size.gibibytes(8), extended: { 'rdma/hca': 1 } },
    hyperparameters: { LR: '0.1' },
    checkpoint: Checkpoint.at('/checkpoints'),
    podTemplate: { metadata: { annotations: { owner: 'a' } }, spec: { containers: [{ name: 'sidecar', image: 'sidecar:1' }] } },
    runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, exitCodes: { retry: [130] } },
    scheduling: { nodeSelector: { zone: 'a' } },
  };
  const worker = { name: 'worker', replicas: 2, command: ['python'] };
  const job = new TrainingJob(chart, 'Job', props);
  job.addRole(worker);
  const before = JSON.stringify(Testing.synth(chart));

  spoil(props);
  spoil(worker);
  expect(JSON.stringify(Testing.synth(chart))).toBe(before);
  job.addEnv('C', kplus.EnvValue.fromValue('3'));
  const [{ spec }] = Testing.synth(chart);
  expect(JSON.stringify(spec)).not.toContain('spoilt');
  expect(spec.env).toEqual([{ name: 'B', value: '2' }, { name: 'C', value: '3' }]);
});

/** Writes another text into each text of an object and of all objects and lists below it. */
function spoil(value: object): void {
  const fields = value as { [name: string]: unknown };
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'string') {
      fields[name] = 'spoilt';
    } else if (Array.isArray(field) || (typeof field === 'object' && field !== null && Object.getPrototypeOf(field) === Object.prototype)) {
      spoil(field);
    }
  }
}

test('jobs that are made in a loop from one object that changes are different jobs', () => {
  const chart = Testing.chart();
  const hyperparameters = { LR: '0' };
  for (const [index, rate] of ['0.1', '0.2'].entries()) {
    hyperparameters.LR = rate;
    new TrainingJob(chart, `Job${index}`, { framework: Framework.pytorch(), image: 'trainer:1', replicas: 1, hyperparameters });
  }
  expect(Testing.synth(chart).map(({ spec }) => spec.hyperparameters.LR)).toEqual(['0.1', '0.2']);
});
