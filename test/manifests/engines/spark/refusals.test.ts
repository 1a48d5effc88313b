import { sparkEngine, type SparkEngineSettings } from '../../../../src/manifests/engines/spark';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../../src/model/training-job/fields/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { launchedFieldRefusals, launchedFrameworkRefusals, type EngineWords } from '../support/launched-refusals';
import { jobWith, limitedFields, limitedFrameworks, refusals, type Refusal } from '../support/refusals';

const ENGINE = sparkEngine();

const WORDS: EngineWords = { title: 'Spark', members: 'executors', onEach: 'in each of its executors', places: 'executors' };

const MEMORY = { resources: { memory: '4Gi' } };
const KUEUE = 'Spark is queued by Kueue only with an alpha feature gate; if yours is on, set kueue in the engine\'s options. Remove it.';

const FRAMEWORKS = launchedFrameworkRefusals(WORDS);

function roles(own: object): Partial<TrainingJobSpec> {
  return { framework: 'plain', roles: [{ name: 'actor' }, { name: 'learner', ...own }] };
}

const FIELDS: { readonly [field in FieldPath]?: Refusal } = {
  ...launchedFieldRefusals(WORDS),
  'helpers': {
    spec: { helpers: [{ name: 'actor', command: ['act'] }] }, says: 'Spark creates its executors from one template, and a helper has its own image and compute. Remove it.',
  },
  'roles[].image': { spec: roles({ image: 'other' }), says: 'spec.roles[1].image: "other": Spark creates its executors from one template, so roles cannot differ in their image. Remove it.' },
  'roles[].resources': {
    spec: roles({ resources: { memory: '8Gi' } }), says: 'Spark creates its executors from one template, so roles cannot differ in their resources. Remove it.',
  },
  'roles[].template': {
    spec: roles({ template: { metadata: { labels: { a: 'b' } } } }), says: 'Spark creates its executors from one template, so roles cannot differ in their template. Remove it.',
  },
  'runPolicy.preRunningDeadlineSeconds': {
    spec: { runPolicy: { preRunningDeadlineSeconds: 60 } }, says: 'spec.runPolicy.preRunningDeadlineSeconds: 60: Spark waits without limit for its pods to run. Remove it.',
  },
  'runPolicy.cleanPodPolicy': {
    spec: { runPolicy: { cleanPodPolicy: 'All' } }, says: 'spec.runPolicy.cleanPodPolicy: "All": Spark removes its executors and keeps its driver. Remove it.',
  },
  'scheduling.queueName': { spec: { scheduling: { queueName: 'team' } }, says: `spec.scheduling.queueName: "team": ${KUEUE}` },
  'scheduling.queuePriorityClassName': {
    spec: { scheduling: { queueName: 'team', queuePriorityClassName: 'high' } }, says: `spec.scheduling.queuePriorityClassName: "high": ${KUEUE}`,
  },
  'scheduling.gang.scheduler': {
    spec: { scheduling: { gang: { scheduler: 'Kai' } } }, says: 'spec.scheduling.gang.scheduler: "Kai": Spark creates gangs only for Volcano, YuniKorn, Coscheduling. Remove it.',
  },
  'scheduling.gang.minAvailable': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', minAvailable: 2 } } },
    says: 'spec.scheduling.gang.minAvailable: 2: Spark requests the driver and all executors together, never only some of them. Remove it.',
  },
  'security.networkPolicy.egress': {
    spec: { security: { networkPolicy: { egress: 'Limited' } } },
    says: 'Spark has its driver create executors through the API server, whose address a policy cannot know. Remove it.',
  },
  'managedBy': { spec: { managedBy: 'somebody' }, says: 'spec.managedBy: "somebody": Spark is managed only by the Spark operator. Remove it.' },
};

function complaints(over: Partial<TrainingJobSpec>, settings: SparkEngineSettings = {}, name = 'net') {
  return validateForEngine(sparkEngine(settings), name, { ...jobWith(over), ...MEMORY, command: ['run'], ...over });
}

describe('Spark refuses', () => {
  test.each(Object.entries(FIELDS))('%s', (_field, { spec, says }) => {
    expect(refusals(ENGINE, { command: ['run'], ...MEMORY, ...spec })).toContainEqual(expect.stringContaining(says));
  });

  test('no field that is not in this table, but for limits that no value goes beyond', () => {
    expect(limitedFields(ENGINE).filter((field) => !(field in FIELDS))).toEqual(['runPolicy.activeDeadlineSeconds', 'debug']);
  });

  test.each(Object.entries(FRAMEWORKS))('%s', (framework, says) => {
    expect(refusals(ENGINE, { framework: framework as FrameworkName, command: ['run'], replicas: 2, ...MEMORY })).toEqual([says]);
  });

  test('no framework that is not in this table', () => {
    expect(limitedFrameworks(ENGINE)).toEqual(Object.keys(FRAMEWORKS));
  });

  test('a name that is too long for executors', () => {
    expect(complaints({}, {}, 'n'.repeat(47))).toEqual([]);
    expect(complaints({}, {}, 'n'.repeat(48))).toEqual([{
      path: 'metadata.name', value: 'n'.repeat(48), message: 'has 48 characters, and Spark\'s executor names have at most 47. Use at most 47 characters.',
    }]);
  });

  test('a job that leaves its program to the image', () => {
    expect(complaints({ command: undefined })).toMatchObject([{ path: 'spec.command', message: expect.stringContaining('is required on Spark: the containers run Spark\'s executors') }]);
  });

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['a job without memory', { resources: { cpu: '1' } }, 'is required on Spark, which limits the memory of every executor: 512Mi of it are for the JVM. Request 1024Mi or more.'],
    ['too little memory', { resources: { memory: '600Mi' } }, 'is too little for a Spark executor: 512Mi of it are for the JVM. Request 1024Mi or more.'],
  ])('%s', (_what, over, message) => {
    expect(complaints(over)).toEqual([{ path: 'spec.resources.memory', value: over.resources?.memory, message }]);
  });

  test('a variable of Spark\'s', () => {
    expect(complaints({ env: [{ name: 'SPARK_HOME', value: '/spark' }] })).toEqual([{
      path: 'spec.env[\'SPARK_HOME\']', value: '/spark', message: 'belongs to Spark, which sets such variables for its executors. Rename it.',
    }]);
  });

  test('roles of whom some have devices and others do not', () => {
    const job: Partial<TrainingJobSpec> = { framework: 'tensorflow', roles: [{ name: 'worker' }, { name: 'ps' }], resources: { memory: '4Gi', gpu: 1, sharedMemory: '0' } };
    expect(complaints(job)).toEqual([
      expect.objectContaining({ path: 'spec.roles', message: expect.stringMatching(/^Spark creates all replicas alike, but role worker and role ps differ in .* Make them the same/) }),
      expect.objectContaining({ path: 'spec.roles', message: expect.stringContaining('resources of the container training') }),
    ]);
  });

  test('a hook that is no program', () => {
    const template = { spec: { containers: [{ name: 'training', lifecycle: { preStop: { httpGet: { port: 80 } } } }] } };
    expect(complaints({ template })).toMatchObject([{ path: 'spec.template.spec.containers[\'training\'].lifecycle.preStop', value: ['httpGet'] }]);
  });

  test.each<[string, SparkEngineSettings, object]>([
    ['a Spark without pod templates', { sparkVersion: '2.4.8' }, { path: 'engine.sparkVersion', value: '2.4.8' }],
    ['a version that is none', { sparkVersion: 'latest' }, { path: 'engine.sparkVersion', value: 'latest' }],
    ['retries that are no number', { applicationRetries: 1.5 }, { path: 'engine.applicationRetries', value: 1.5 }],
    ['a driver that is too small', { driver: { memory: '512Mi' } }, { path: 'engine.driver.memory', value: '512Mi' }],
  ])('%s', (_what, settings, violation) => {
    expect(complaints({}, settings)).toMatchObject([violation]);
  });
});
