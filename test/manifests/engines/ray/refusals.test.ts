import { rayEngine, type RayEngineSettings } from '../../../../src/manifests/engines/ray';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../../src/model/training-job/fields/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { launchedFieldRefusals, launchedFrameworkRefusals, type EngineWords } from '../support/launched-refusals';
import { jobWith, limitedFields, limitedFrameworks, refusals, type Refusal } from '../support/refusals';

const ENGINE = rayEngine();

const WORDS: EngineWords = { title: 'KubeRay', members: 'nodes', onEach: 'on each of its nodes', places: 'pods' };

const QUEUED = { queueName: 'research' };

const FRAMEWORKS = launchedFrameworkRefusals(WORDS);

const FIELDS: { readonly [field in FieldPath]?: Refusal } = {
  ...launchedFieldRefusals(WORDS),
  'runPolicy.ttlSecondsAfterFinished': {
    spec: { runPolicy: { ttlSecondsAfterFinished: 60 }, scheduling: QUEUED },
    says: 'spec.runPolicy.ttlSecondsAfterFinished: 60: KubeRay is queued by Kueue only if its cluster is shut down at its end, and then KubeRay does not delete the job '
      + 'after a TTL. Remove it.',
  },
  'runPolicy.cleanPodPolicy': {
    spec: { runPolicy: { cleanPodPolicy: 'None' }, scheduling: QUEUED },
    says: 'spec.runPolicy.cleanPodPolicy: "None": KubeRay is queued by Kueue only if its pods are deleted at the end of the job. Remove it.',
  },
  'scheduling.gang.scheduler': {
    spec: { scheduling: { gang: { scheduler: 'Volcano' } } },
    says: 'spec.scheduling.gang.scheduler: "Volcano": KubeRay creates gangs only if it was started with --batch-scheduler=volcano; if yours was, set '
      + 'batchScheduler in the engine\'s options. Remove it.',
  },
  'scheduling.gang.minAvailable': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', minAvailable: 2 } } },
    says: 'spec.scheduling.gang.minAvailable: 2: KubeRay places the head and all workers together, never only some of them. Remove it.',
  },
  'managedBy': {
    spec: { managedBy: 'somebody' }, says: 'spec.managedBy: "somebody": KubeRay is managed by itself or by kueue.x-k8s.io/multikueue. Remove it.',
  },
};

function complaints(over: Partial<TrainingJobSpec>, settings: RayEngineSettings = {}, name = 'net') {
  return validateForEngine(rayEngine(settings), name, { ...jobWith(over), command: ['run'], ...over });
}

describe('KubeRay refuses', () => {
  test.each(Object.entries(FIELDS))('%s', (_field, { spec, says }) => {
    expect(refusals(ENGINE, { command: ['run'], ...spec })).toContainEqual(expect.stringContaining(says));
  });

  test('no field that is not in this table', () => {
    expect(limitedFields(ENGINE).filter((field) => !(field in FIELDS))).toEqual(['runPolicy.preRunningDeadlineSeconds', 'debug']);
  });

  test.each(Object.entries(FRAMEWORKS))('%s', (framework, says) => {
    expect(refusals(ENGINE, { framework: framework as FrameworkName, command: ['run'], replicas: 2 })).toEqual([says]);
  });

  test('no framework that is not in this table', () => {
    expect(limitedFrameworks(ENGINE)).toEqual(Object.keys(FRAMEWORKS));
    expect(refusals(ENGINE, { framework: 'mxnet', command: ['run'], roles: [{ name: 'scheduler' }, { name: 'server' }, { name: 'worker' }] })).toEqual([]);
  });

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['a job that is to be deleted later and is suspended', { runPolicy: { ttlSecondsAfterFinished: 60 }, suspend: true }, 'suspends only jobs whose cluster is shut down at their end, and then'],
    ['pods that are kept and a job that is suspended', { runPolicy: { cleanPodPolicy: 'None' }, suspend: true }, 'suspends only jobs whose pods are deleted at their end'],
    ['a gang for a gate that is alpha', { scheduling: { gang: { scheduler: 'Native' } } }, 'does not create gangs for Native (its own gate for it is alpha)'],
  ])('%s', (_what, over, says) => {
    expect(complaints(over).map(({ message }) => message)).toContainEqual(expect.stringContaining(says));
  });

  test('a gang of another scheduler than its own', () => {
    expect(complaints({ scheduling: { gang: { scheduler: 'Kai' } } }, { batchScheduler: 'volcano' })).toMatchObject([{
      path: 'spec.scheduling.gang.scheduler', message: expect.stringContaining('was started with --batch-scheduler=volcano, so it does not create gangs for Kai'),
    }]);
  });

  test('a name that is too long for what KubeRay makes of it', () => {
    expect(complaints({}, {}, 'n'.repeat(47))).toEqual([]);
    expect(complaints({}, {}, 'n'.repeat(48))).toEqual([{
      path: 'metadata.name', value: 'n'.repeat(48), message: 'has 48 characters, and KubeRay allows a RayJob 47. Use at most 47 characters.',
    }]);
  });

  test('a job that leaves its program to the image', () => {
    expect(complaints({ command: undefined, args: ['--epochs=3'] })).toMatchObject([
      { path: 'spec.command', message: 'is required on KubeRay: the containers run Ray, and the image\'s entry point is not known. Set the command.' },
    ]);
  });

  test.each([[8080, 'its metrics'], [10_002, 'its workers'], [19_999, 'its workers'], [52_365, 'its agent']])('port %d, which is Ray\'s', (port, what) => {
    expect(complaints({ port })).toEqual([{
      path: 'spec.port', value: port,
      message: `is among those that Ray uses for ${what} in the same pod (8080, 10002 to 19999, 52365). Choose another, such as 29500.`,
    }]);
  });

  test('a variable that KubeRay sets', () => {
    expect(complaints({ env: [{ name: 'RAY_ADDRESS', value: 'auto' }] })).toContainEqual({
      path: 'spec.env[\'RAY_ADDRESS\']', value: 'auto', message: 'is set by KubeRay, so that Ray\'s nodes find each other. Rename it.',
    });
  });

  test('a hook that is no program', () => {
    const template = { spec: { containers: [{ name: 'training', lifecycle: { preStop: { httpGet: { port: 80 } } } }] } };
    expect(complaints({ template })).toMatchObject([{
      path: 'spec.template.spec.containers[\'training\'].lifecycle.preStop', value: ['httpGet'],
      message: 'is not a command, and pods of KubeRay have one that stops the program. Use an exec or a sleep.',
    }, {}]);
  });

  test('more replicas than one driver can be told of', () => {
    const helpers = ['actor', 'buffer', 'critic', 'display'].map((name) => ({ name, replicas: 2400, command: ['run'] }));
    expect(complaints({ helpers, replicas: 2 })).toEqual([expect.objectContaining({
      path: 'spec.replicas', value: 9602, message: expect.stringMatching(/^are too many for one driver: their variables would take \d+ bytes in its ConfigMap/),
    })]);
  });

  test.each<[string, RayEngineSettings, object]>([
    ['tokens of a Ray that is too old', { tokenAuthentication: true, rayVersion: '2.51.0' }, { path: 'engine.rayVersion', value: '2.51.0' }],
    ['tokens of a Ray that nobody knows', { tokenAuthentication: true }, { path: 'engine.rayVersion', value: undefined }],
    ['a version that is none', { rayVersion: 'latest' }, { path: 'engine.rayVersion', value: 'latest' }],
    ['retries that are no number', { clusterRetries: -1 }, { path: 'engine.clusterRetries', value: -1 }],
  ])('%s', (_what, settings, violation) => {
    expect(complaints({}, settings)).toMatchObject([violation]);
  });

  test('restrictions that a container of KubeRay\'s does not keep', () => {
    expect(complaints({ security: { restricted: true } }, { submissionMode: 'SidecarMode' })).toMatchObject([{ path: 'spec.security.restricted' }]);
    expect(complaints({ security: { restricted: true } }, { tokenAuthentication: true, rayVersion: '3.0.0' })).toEqual([]);
  });
});
