import { Duration } from 'cdk8s';
import { Cpu, EnvValue } from 'cdk8s-plus-28';
import { accepted, edgeEnvironments, HELPERS, pairs, synthesize } from './support/accepted-job';
import { Checkpoint, Engine, Gang, JobSetDependencyStatus, RestartPolicy, SuccessPolicy } from '../../../src';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { upstreamCrds } from '../../support/upstream-definitions';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('jobset');
  await installCrds(upstreamCrds('jobset', 'coscheduling'));
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

describe('the API server accepts as a JobSet, whose first and last replica find what the operator gives them:', () => {
  test.each(pairs(FRAMEWORK_NAMES))('%s', async (_title, framework, form) => {
    const engine = Engine.jobSet({ sshSecretName: 'keys' });
    const objects = await accepted(synthesize(engine, framework, namespace, form), namespace);
    const job = objects.find(({ kind }) => kind === 'JobSet')!;
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    for (const { found, expected } of await edgeEnvironments(job, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  test.each(pairs(['pytorch', 'tensorflow', 'paddle']))('%s, with a Job for each role', async (_title, framework, form) => {
    const objects = await accepted(synthesize(Engine.jobSet({ jobPerRole: true }), framework, namespace, form), namespace);
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    for (const { found, expected } of await edgeEnvironments(objects.find(({ kind }) => kind === 'JobSet')!, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  test.each(pairs(FRAMEWORK_NAMES))('%s, and helpers beside it', async (_title, framework, form) => {
    const engine = Engine.jobSet({ sshSecretName: 'keys' });
    const objects = await accepted(synthesize(engine, framework, namespace, { ...form, helpers: HELPERS }), namespace);
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form, helpers: HELPERS } as TrainingJobSpec;
    for (const { found, expected } of await edgeEnvironments(objects.find(({ kind }) => kind === 'JobSet')!, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  test('a job with everything that a JobSet can do', async () => {
    const engine = Engine.jobSet({
      exclusiveTopology: 'cloud.google.com/gke-nodepool', dependsOn: [{ role: 'worker', on: 'ps', status: JobSetDependencyStatus.READY }],
    });
    await accepted(synthesize(engine, 'tensorflow', namespace, {
      roles: [{ name: 'chief', restartPolicy: RestartPolicy.EXIT_CODE }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }],
      hyperparameters: { LR: '0.1' },
      checkpoint: Checkpoint.at('/checkpoints'),
      runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3, exitCodes: { fail: [1], retry: [2], recover: [3] }, disruptionLimit: 0 },
      security: { restricted: true, runAsUser: 1000, networkPolicy: {} },
      hooks: { before: { command: ['prepare'], timeout: Duration.minutes(5), backoffLimit: 1, env: { A: EnvValue.fromValue('b') } } },
      debug: true,
      suspend: true,
    }), namespace);
  });

  test('hooks around all replicas', async () => {
    await accepted(synthesize(Engine.jobSet(), 'pytorch', namespace, {
      replicas: 3,
      runPolicy: { successPolicy: SuccessPolicy.ALL_WORKERS },
      hooks: { before: { command: ['prepare'] }, after: { command: ['register'], image: 'tools', resources: { cpu: Cpu.units(1) } } },
    }), namespace);
  });

  test('a gang', async () => {
    await accepted(synthesize(Engine.jobSet(), 'pytorch', namespace, { replicas: 3, scheduling: { gang: Gang.coscheduling() } }), namespace);
  });
});
