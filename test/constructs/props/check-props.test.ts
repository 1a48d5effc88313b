import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Duration, Lazy, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { describeProps, DESCRIPTIONS } from '../../../scripts/generate-props';
import { jobProperties, PROPERTIES } from '../../../scripts/job-properties';
import { Checkpoint, Framework, JobGroup, TrainingJob, TrainingOperator } from '../../../src';
import { Notebook, NotebookServer } from '../../../src/constructs/workbench';
import { STRUCTS } from '../../../src/constructs/props/generated/structs';
import { HUGGING_FACE_TOKEN } from '../../model/secrets/sample-tokens';
import { EVERYTHING } from '../../support/library';

/** What a JavaScript program may write. */
type Written = { readonly [name: string]: unknown };

const JOB = { framework: Framework.pytorch(), image: 'train:1', replicas: 2 };

const job = (props: Written) => () => new TrainingJob(Testing.chart(), 'Job', { ...JOB, ...props } as never);

describe('properties of another type are refused with construct, field and what to write:', () => {
  test.each<[string, Written, string]>([
    ['a text for a class', { framework: 'pytorch' }, 'framework: "pytorch": must be a Framework, such as Framework.pytorch().'],
    ['a text for a size', { resources: { memory: '4Gi' } }, 'resources.memory: "4Gi": must be a Size, such as Size.gibibytes(4).'],
    ['a number for cores', { resources: { cpu: 2 } }, 'resources.cpu: 2: must be a Cpu, such as Cpu.units(2).'],
    ['request and limit', { resources: { memory: { request: Size.gibibytes(1), limit: Size.gibibytes(2) } } }, 'must be a Size, such as Size.gibibytes(4). It is both the request and the limit.'],
    ['a number as text', { replicas: '2' }, 'replicas: "2": must be a number. Write it without quotes: 2.'],
    ['a boolean as text', { debug: 'true' }, 'debug: "true": must be a boolean. Write it without quotes: true.'],
    ['a number for a text', { command: ['train', 5] }, 'command[1]: 5: must be text. Write it in quotes: \'5\'.'],
    ['a text for a list', { command: 'python train.py' }, 'command: "python train.py": must be a list. Put it in [ ].'],
    ['a text for a value of a variable', { env: { DEBUG: '1' } }, 'env[\'DEBUG\']: "1": must be an EnvValue, such as EnvValue.fromValue(\'text\').'],
    ['a list for an object', { runPolicy: [] }, 'runPolicy: []: must be an object with'],
    ['null', { image: null }, 'image: null: must be text.'],
    ['a duration for a size', { resources: { memory: Duration.minutes(1) } }, 'must be a Size, such as Size.gibibytes(4).'],
    ['a text for an option', { framework: 'mpi' }, 'framework: "mpi": must be a Framework, such as Framework.mpi().'],
    ['an unknown value of an enum', { runPolicy: { cleanup: 'Al' } }, 'runPolicy.cleanup'],
  ])('%s', (_what, props, message) => {
    expect(job(props)).toThrow('TrainingJob at \'test/Job\': ');
    expect(job(props)).toThrow(message);
  });

  test.each<[string, Written, string]>([
    ['a misspelled one', { imge: 'train:1' }, 'imge: "train:1": is not a property of TrainingJobProps. Did you mean \'image\'?'],
    ['one of the framework', { nprocPerNode: 16 }, 'nprocPerNode: 16: is not a property of TrainingJobProps. Set it in framework: Framework.pytorch({ nprocPerNode }).'],
    ['one of a role', { restartPolicy: 'Never' }, 'restartPolicy: "Never": is not a property of TrainingJobProps. Set it in '],
    ['one of the run policy', { backoffLimit: 2 }, 'backoffLimit: 2: is not a property of TrainingJobProps. Set it in runPolicy.backoffLimit.'],
    ['the field of the pod template', { template: {} }, 'template: {}: is not a property of TrainingJobProps. Did you mean \'podTemplate\'?'],
    ['one of the metadata', { name: 'train' }, 'name: "train": is not a property of TrainingJobProps. Set it in metadata.name.'],
    ['one that is nowhere', { colour: 'red' }, 'colour: "red": is not a property of TrainingJobProps.'],
    ['one of an inner object', { resources: { memori: Size.gibibytes(1) } }, 'resources.memori: '],
  ])('an unknown property: %s', (_what, props, message) => {
    expect(job(props)).toThrow(message);
  });

  test('all at once', () => {
    expect(job({ replicas: '2', imge: 'x' })).toThrow('TrainingJob at \'test/Job\': 2 properties are wrong:\nimge: "x": is not a property of TrainingJobProps. Did you mean \'image\'?\nreplicas: ');
  });

  test('in other constructs, and in those that pass their properties on', () => {
    expect(() => new Notebook(Testing.chart(), 'Notebook', { server: NotebookServer.jupyter('j:1'), resources: { memory: '4Gi' } } as never)).toThrow('Notebook at \'test/Notebook\': resources.memory: "4Gi"');
    expect(() => new JobGroup(Testing.chart(), 'Group', { primary: { ...JOB, imge: 'x' }, helpers: [] } as never)).toThrow('JobGroup at \'test/Group\': primary.imge');
    expect(() => new TrainingOperator(Testing.chart(), 'Operator', { replica: 3 } as never)).toThrow('TrainingOperator at \'test/Operator\': replica: 3: is not a property of TrainingOperatorProps. Did you mean \'replicas\'?');
  });
});

test('options of functions that make a value, and of methods, are checked too', () => {
  expect(() => Framework.pytorch({ nprocPerNode: 16 } as never)).toThrow('Framework.pytorch: nprocPerNode: 16: must be a ProcessesPerNode');
  expect(() => Checkpoint.at('/checkpoints', { keepLats: 3 } as never)).toThrow('Checkpoint.at: keepLats: 3: is not a property of CheckpointOptions. Did you mean \'keepLast\'?');
  expect(() => new TrainingJob(Testing.chart(), 'Job', { framework: Framework.plain(), image: 'x', roles: [] }).addRole({ name: 'worker', replicas: '2' } as never))
    .toThrow('TrainingJob.addRole: replicas: "2": must be a number.');
});

test('a token is not shown', () => {
  const message = expect.not.stringContaining(HUGGING_FACE_TOKEN) as string;
  expect(job({ env: { HF_TOKEN: HUGGING_FACE_TOKEN } })).toThrow(expect.objectContaining({ message }));
});

test.each<[string, Written]>([
  ['values that are computed at synth', { image: Lazy.any({ produce: () => 'train:2' }), replicas: Lazy.any({ produce: () => 2 }) }],
  ['undefined ones', { command: undefined, resources: { memory: undefined } }],
  ['further metadata', { metadata: { name: 'train', generateName: 'x' } }],
  ['values of cdk8s-plus', { env: { A: kplus.EnvValue.fromValue('1') }, resources: { cpu: kplus.Cpu.units(1) } }],
])('accepts %s', (_what, props) => {
  expect(job(props)).not.toThrow();
});

test('the properties of a job are those of the tables of its fields (npm run props)', () => {
  const files = jobProperties();
  expect(readdirSync(PROPERTIES).sort()).toEqual(Object.keys(files).sort());
  Object.entries(files).forEach(([file, text]) => expect(readFileSync(path.join(PROPERTIES, file), 'utf8')).toBe(text));
});

test('the descriptions are those of the types (npm run props), and every construct checks its properties', () => {
  Object.entries(describeProps()).forEach(([file, text]) => expect(readFileSync(path.join(DESCRIPTIONS, file), 'utf8')).toBe(text));
  // Made by others, by functions that check.
  const made = ['Environment', 'SparkMonitoring'];
  const constructs = Object.values(EVERYTHING)
    .filter((exported): exported is new (...args: unknown[]) => unknown => typeof exported === 'function' && !made.includes(exported.name) && STRUCTS[`${exported.name}Props`] !== undefined);
  expect(constructs.length).toBeGreaterThan(50);
  const unchecked = constructs.filter((type) => {
    try {
      const props = { thisIsNoProperty: 1 };
      new type(...type.length < 2 ? [props] : [Testing.chart(), 'X', props]);
      return true;
    } catch (error) {
      return !/is not a property of \w+Props/.test((error as Error).message);
    }
  });
  expect(unchecked.map(({ name }) => name)).toEqual([]);
}, 120_000);
