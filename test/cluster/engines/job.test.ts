import { Testing } from 'cdk8s';
import { PersistentVolumeClaim } from 'cdk8s-plus-28';
import { accepted, collectionOf, edgeEnvironments, pairs, synthesize } from './support/accepted-job';
import { Checkpoint, Engine, Gang, RestartPolicy } from '../../../src';
import { ControlPlane } from '../../../src/local/control-plane';
import { containerEnvironment } from '../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../src/local/process/object-source';
import type { Pod, PodSpec } from '../../../src/manifests/kubernetes';
import { arrayCopySpec } from '../../../src/model/training-job/array';
import { replicaEnvironment } from '../../../src/model/training-job/environment/environment';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { variablesOf } from '../../manifests/engines/support/array-pods';
import { environmentInside, PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { upstreamCrds } from '../../support/upstream-definitions';
import { eventually } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { TestApi } from '../support/test-api';

describe('the API server accepts as a plain Job, whose first and last replica find what the operator gives them:', () => {
  let namespace: string;

  beforeAll(async () => {
    namespace = await createNamespace('job');
    await installCrds(upstreamCrds('coscheduling'));
  });
  afterAll(async () => {
    await deleteNamespace(namespace);
  });

  const supported = pairs(['pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'])
    // In its short form MXNet's master has two containers more than its workers.
    .filter(([title]) => title !== 'mxnet 3');

  test.each(supported)('%s', async (_title, framework, form) => {
    const objects = await accepted(synthesize(Engine.job(), framework, namespace, form), namespace);
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    for (const { found, expected } of await edgeEnvironments(objects.find(({ kind }) => kind === 'Job')!, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  test.each(['pytorch', 'tensorflow', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'] as const)('an array of %s', async (framework) => {
    const form = { replicas: 1, array: { count: 20, parallelism: 4, maxFailedIndexes: 2 }, checkpoint: Checkpoint.at('s3://bucket/run') };
    const objects = await accepted(synthesize(Engine.job(), framework, namespace, form), namespace);
    const job = objects.find(({ kind }) => kind === 'Job')!;
    expect(job.spec).toMatchObject({ completions: 20, parallelism: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 2 });
    for (const index of [0, 19]) {
      const copy = arrayCopySpec({ framework, image: 'image', command: PRINT_ENVIRONMENT, ...form, checkpointPath: form.checkpoint.location } as TrainingJobSpec, index);
      const { found, expected } = await variablesOf(job.spec.template.spec as PodSpec, 'net', copy, index);
      expect(found).toEqual({ ...expected, JOB_COMPLETION_INDEX: String(index) });
    }
  });

  test('an array with checkpoints in a claim', async () => {
    const claim = PersistentVolumeClaim.fromClaimName(Testing.chart(), 'Claim', 'data');
    await accepted(synthesize(Engine.job(), 'plain', namespace, { replicas: 1, array: { count: 3 }, checkpoint: Checkpoint.onClaim(claim, { path: '/ckpt', folder: 'runs' }) }), namespace);
  });

  test('a job with everything that a Job can do', async () => {
    await accepted(synthesize(Engine.job({ retryPerReplica: true }), 'plain', namespace, {
      replicas: 3,
      hyperparameters: { LR: '0.1' },
      checkpoint: Checkpoint.at('/checkpoints'),
      runPolicy: {
        restartPolicy: RestartPolicy.EXIT_CODE, backoffLimit: 3, exitCodes: { fail: [130], retry: [2], recover: [3] }, disruptionLimit: 0,
      },
      security: { restricted: true, runAsUser: 1000, networkPolicy: {} },
      debug: true,
      suspend: true,
    }), namespace);
  });

  test('a gang', async () => {
    await accepted(synthesize(Engine.job(), 'pytorch', namespace, { replicas: 3, scheduling: { gang: Gang.coscheduling() } }), namespace);
  });
});

describe('the Job controller of Kubernetes', () => {
  let plane: ControlPlane | undefined;
  let api: TestApi;

  beforeAll(async () => {
    plane = await ControlPlane.start({ controllerManager: { controllers: ['job-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller'] } });
    api = new TestApi(plane.access());
  });
  afterAll(async () => {
    await plane?.stop();
  });

  test.each([
    ['pytorch', { replicas: 4 }],
    ['tensorflow', { roles: [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps' }] }],
    ['paddle', { replicas: 3 }],
  ] as const)('makes pods of %s that carry the variables', async (framework, form) => {
    const namespace = await api.createNamespace('real');
    for (const object of synthesize(Engine.job(), framework, namespace, form as object)) {
      await api.send('POST', `${collectionOf(object, namespace)}?fieldValidation=Strict`, object);
    }
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    const job = resolveTrainingJob('net', spec);
    const pods = await eventually('all pods of the Job', async () => {
      const found = await api.list('pods', namespace, 'job=net');
      return found.length === job.replicas.length && found;
    });
    const addresses = { host: ({ ordinal }: { ordinal: number }) => `net-${ordinal}.net`, port: (_replica: unknown, _name: string, standard: number) => standard };
    for (const replica of job.replicas) {
      const pod = pods.find(({ metadata }) => (metadata as Pod['metadata'])!.labels!['batch.kubernetes.io/job-completion-index'] === String(replica.ordinal))!;
      const { hostname, subdomain, containers: [training] } = pod.spec as PodSpec;
      expect(`${hostname}.${subdomain}`).toBe(addresses.host(replica));
      const alone = { ...training, env: replicaEnvironment({ job, replica, addresses }, 0) as [] };
      expect(await environmentInside(pod as unknown as Pod, training)).toEqual({
        ...Object.fromEntries(await containerEnvironment(pod as unknown as Pod, alone, new MemoryObjectSource())),
        JOB_COMPLETION_INDEX: String(replica.ordinal),
      });
    }
  });
});
