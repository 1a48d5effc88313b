import fc from 'fast-check';
import { parse } from 'yaml';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { OPERATOR_NAME } from '../../../src/model/labels';
import { RUN_POLICY_DEFAULTS } from '../../../src/model/training-job/run-policy';
import { FRAMEWORK_NAMES } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { jobName, validSpec } from '../../model/training-job/arbitraries';
import { mustRequest } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge, jobManifest, jobsPath } from '../support/submit';

/** The blog's manifest, as it was published. */
const BLOG_JOB = `
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata:
  name: pytorch-distributed-training
spec:
  framework: pytorch
  image: pytorch/pytorch:2.0.0-cuda11.8-cudnn8-runtime
  replicas: 4
  resources:
    gpu: 1
    memory: "16Gi"
    cpu: "4"
  hyperparameters:
    BATCH_SIZE: "32"
    LEARNING_RATE: "0.001"
    EPOCHS: "100"
  checkpointPath: "s3://ml-checkpoints/pytorch-training/"
`;

/** The blog's second manifest. */
const BLOG_TUNING_JOB = `
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata:
  name: autotuned-training
spec:
  framework: pytorch
  image: pytorch/pytorch:2.0.0-cuda11.8-cudnn8-runtime
  replicas: 4
  autoTuning:
    enabled: true
    algorithm: "bayesian"
    maxTrials: 20
    objective: "val_accuracy"
    parameters:
      learningRate:
        type: float
        min: 0.0001
        max: 0.1
      batchSize:
        type: int
        values: [16, 32, 64, 128]
`;

let namespace: string;
let jobs: string;
let installWarnings: string[];

beforeAll(async () => {
  installWarnings = await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('crd');
  jobs = jobsPath(namespace);
});

afterAll(async () => deleteNamespace(namespace));

describe('the CRD', () => {
  test('is accepted without a warning, its names and its structural schema too', async () => {
    const { body } = await mustRequest('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/mltrainingjobs.ml.collabnix.io');
    const conditions = Object.fromEntries(body.status.conditions.map(({ type, status }: { type: string; status: string }) => [type, status]));

    expect(installWarnings).toEqual([]);
    expect(conditions).toMatchObject({ Established: 'True', NamesAccepted: 'True' });
    expect(conditions).not.toHaveProperty('NonStructuralSchema');
    expect(body.status.acceptedNames).toMatchObject({ shortNames: ['mltj'], categories: ['ml'] });
  });

  test('explains every field', async () => {
    const undescribed: string[] = [];
    const walk = (schema: { [key: string]: any }, path: string) => { // eslint-disable-line @typescript-eslint/no-explicit-any
      if (schema.type !== undefined && !schema.description && path !== '.metadata' && path !== '.metadata.name') {
        undescribed.push(path);
      }
      Object.entries(schema.properties ?? {}).forEach(([name, field]) => walk(field as object, `${path}.${name}`));
      [schema.items, schema.additionalProperties].filter(Boolean).forEach((field) => walk(field, `${path}[]`));
    };
    const crd = constructTrainingJobCrd().spec as { versions: { schema: { openAPIV3Schema: object } }[] };
    walk(crd.versions[0].schema.openAPIV3Schema, '');
    expect(undescribed).toEqual([]);
  });
});

describe('accepted jobs', () => {
  test('the blog\'s manifest, unchanged', async () => {
    const manifest = parse(BLOG_JOB);
    const verdict = await judge(jobs, manifest);
    expect(verdict).toMatchObject({ status: 201, warnings: [] });
    expect(verdict.object.spec).toMatchObject(manifest.spec);
  });

  test('the blog\'s manifest with auto tuning, unchanged', async () => {
    const manifest = parse(BLOG_TUNING_JOB);
    const verdict = await judge(jobs, manifest);
    expect(verdict).toMatchObject({ status: 201, warnings: [] });
    expect(verdict.object.spec).toMatchObject(manifest.spec);
  });

  test('a search with all that there is to say, and the defaults of one that says little', async () => {
    const parameters = {
      lr: { type: 'float', min: 0.001, max: 1, scale: 'log' }, layers: { type: 'int', min: 1, max: 8, step: 1, scale: 'linear' }, kind: { type: 'categorical', values: ['a', 1.5] },
    };
    const full = {
      enabled: true, algorithm: 'hyperband', maxTrials: 100_000, parallelTrials: 64, objective: 'loss', goal: 'minimize', target: 0.1, seed: 1, maxFailedTrials: 0,
      keepTrials: 0, budget: { parameter: 'EPOCHS', min: 1, max: 81, reductionFactor: 3 }, parameters,
    };
    const { object, status } = await judge(jobs, jobManifest('net', { framework: 'jax', image: 'image', replicas: 1, autoTuning: full }));
    expect(status).toBe(201);
    expect(object.spec.autoTuning).toMatchObject(full);
    const little = await judge(jobs, jobManifest('net', {
      framework: 'jax', image: 'image', replicas: 1, autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0, max: 1 } }, earlyStopping: {} },
    }));
    expect(little.object.spec.autoTuning).toEqual({
      objective: 'loss', parameters: { lr: { type: 'float', min: 0, max: 1, scale: 'linear' } }, enabled: true, algorithm: 'bayesian', maxTrials: 20,
      parallelTrials: 1, goal: 'maximize', keepTrials: 20, earlyStopping: { enabled: true, minTrials: 3, minProgressPercentage: 20 },
    });
  });

  test('an array and helpers with all that there is to say, and the defaults of those that say little', async () => {
    const array = { count: 10_000, parallelism: 10_000, maxFailedIndexes: 0, keepJobs: 0 };
    const helper = {
      name: 'actor', replicas: 16, image: 'actor', command: ['act'], args: ['--fast'], env: [{ name: 'A', value: '1' }], resources: { cpu: '1' },
      template: { metadata: { labels: { a: 'b' } } }, port: 6379, onFailure: 'Ignore',
    };
    const full = await judge(jobs, jobManifest('net', { framework: 'jax', image: 'image', replicas: 1, array, helpers: [helper] }));
    expect(full).toMatchObject({ status: 201, warnings: [], object: { spec: { array, helpers: [helper] } } });
    const little = await judge(jobs, jobManifest('net', { framework: 'jax', image: 'image', replicas: 1, array: { count: 1 }, helpers: [{ name: 'actor', image: 'x' }] }));
    expect(little.object.spec).toMatchObject({
      array: { count: 1, keepJobs: 100 }, helpers: [{ name: 'actor', image: 'x', replicas: 1, port: 29600, onFailure: 'Restart' }],
    });
  });

  test.each(FRAMEWORK_NAMES)('a job of %s in short form', async (framework) => {
    expect(await judge(jobs, jobManifest('net', { framework, image: 'image', replicas: 3 }))).toMatchObject({ status: 201, warnings: [] });
  });

  test('get their defaults from the API server', async () => {
    const { object } = await judge(jobs, jobManifest('net', {
      framework: 'jax', image: 'image', roles: [{ name: 'worker' }], scheduling: { gang: { scheduler: 'Volcano' }, topology: { key: 'rack' } },
    }));
    expect(object.spec).toEqual({
      framework: 'jax',
      image: 'image',
      roles: [{ name: 'worker', replicas: 1 }],
      port: 29500,
      suspend: false,
      managedBy: OPERATOR_NAME,
      runPolicy: { ...RUN_POLICY_DEFAULTS },
      scheduling: {
        gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 60 },
        topology: { key: 'rack', mode: 'Required' },
      },
    });
  });

  test('keep defaults that they do not name beside those that they do', async () => {
    const { object } = await judge(jobs, jobManifest('net', {
      framework: 'jax', image: 'image', replicas: 1, runPolicy: { backoffLimit: 0, backoff: { maxSeconds: 60 } },
    }));
    expect(object.spec.runPolicy).toEqual({
      ...RUN_POLICY_DEFAULTS, backoffLimit: 0, backoff: { ...RUN_POLICY_DEFAULTS.backoff, maxSeconds: 60 },
    });
  });

  test('keep whatever stands in their pod templates', async () => {
    const template = {
      metadata: { labels: { team: 'vision' }, annotations: { 'a/b': 'c' } },
      spec: {
        containers: [{ name: 'training', securityContext: { runAsUser: 1000 }, envFrom: [{ secretRef: { name: 's3' } }] }],
        volumes: [{ name: 'data', nfs: { server: 'nas', path: '/data' } }],
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
        aFieldOfTomorrow: { deep: [1, 'two', { three: true }] },
      },
    };
    const { object, status } = await judge(jobs, jobManifest('net', { framework: 'jax', image: 'image', replicas: 1, template }));
    expect(status).toBe(201);
    expect(object.spec.template).toEqual(template);
  });

  test('every job that the model accepts, whatever its framework and form', async () => {
    await fc.assert(fc.asyncProperty(jobName, validSpec, async (name, spec) => {
      fc.pre(validateTrainingJob(name, spec).length === 0);
      const verdict = await judge(jobs, JSON.parse(JSON.stringify(jobManifest(name, spec))));
      expect({ ...verdict, object: undefined }).toEqual({ status: 201, message: '', complaints: [], warnings: [], object: undefined });
    }), { numRuns: 150 });
  });
});
