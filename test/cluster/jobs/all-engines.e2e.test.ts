/**
 * The commands on jobs of every engine and on services, against a real API server with the definitions of their systems. Nobody runs the jobs here:
 * statuses and pods are as their controllers write them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { COMMAND_KINDS } from '../../../src/cli/jobs/kinds';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { engines } from '../../../src/manifests/engines/registry';
import { collectionPath } from '../../../src/operator/runtime/resource-kind';
import { trainyard, type Finished } from '../../cli/support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { upstreamCrds } from '../../support/upstream-definitions';
import { clusterKubeconfig, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { NOBODY } from '../support/submit';

const MERGE = 'application/merge-patch+json';
const folder = temporaryFolder();
let namespace: string;

beforeAll(async () => {
  await installCrds([
    constructTrainingJobCrd(), ...upstreamCrds('kubeflow-trainer', 'kubeflow-training-operator', 'jobset', 'volcano', 'kuberay', 'spark-operator', 'kserve', 'katib', 'lws', 'kueue'),
  ]);
  namespace = await createNamespace('commands');
});

afterAll(async () => deleteNamespace(namespace));

const run = async (...args: string[]): Promise<Finished> => trainyard([...args, '-n', namespace, '--kubeconfig', clusterKubeconfig()], { cwd: folder });

/** What each engine's own controller writes of a job that runs, has failed, or was suspended: the status, and the state in a list. */
interface Statuses {
  readonly kind: string;
  readonly running: object;
  readonly failed: object;
  /** Field of the spec; none where the kind has none. */
  readonly suspend?: string;
}

const STATUSES: { readonly [engine: string]: Statuses } = {
  'operator': { kind: 'MLTrainingJob', running: { phase: 'Running', ready: '2/2' }, failed: { phase: 'Failed' }, suspend: 'suspend' },
  'trainer': { kind: 'TrainJob', running: { jobsStatus: [{ name: 'node', ready: 1, active: 1, succeeded: 0, failed: 0, suspended: 0 }] }, failed: failedCondition('JobsFailed'), suspend: 'suspend' },
  'training-operator-v1': { kind: 'PyTorchJob', running: { conditions: [condition('Running')], replicaStatuses: { Master: { active: 1 } } }, failed: failedCondition('PyTorchJobFailed'), suspend: 'runPolicy.suspend' },
  'jobset': { kind: 'JobSet', running: { replicatedJobsStatus: [{ name: 'worker', ready: 1, active: 1, succeeded: 0, failed: 0, suspended: 0 }] }, failed: failedCondition('FailedJobs'), suspend: 'suspend' },
  'job': { kind: 'Job', running: { active: 2, ready: 2 }, failed: {}, suspend: 'suspend' },
  'volcano': { kind: 'Job', running: { state: { phase: 'Running' }, running: 2 }, failed: { state: { phase: 'Failed' } } },
  'ray': { kind: 'RayJob', running: { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' }, failed: { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', reason: 'AppFailed' }, suspend: 'suspend' },
  'spark': { kind: 'SparkApplication', running: { applicationState: { state: 'RUNNING' }, lastSubmissionAttemptTime: null, terminationTime: null, driverInfo: {} }, failed: { applicationState: { state: 'FAILED' }, lastSubmissionAttemptTime: null, terminationTime: null, driverInfo: {} }, suspend: 'suspend' },
};

function condition(type: string, reason = 'Test'): object {
  return { type, status: 'True', reason, message: `${type} as a controller says it`, lastTransitionTime: new Date().toISOString(), lastUpdateTime: new Date().toISOString() };
}

function failedCondition(reason: string): object {
  return { conditions: [condition('Failed', reason)] };
}

test('every engine is here', () => {
  expect(Object.keys(STATUSES).sort()).toEqual(engines().map(({ name }) => name).sort());
});

describe.each(Object.entries(STATUSES))('a job on %s', (engine, { kind, running, failed, suspend }) => {
  const name = `on-${engine.replace('training-operator-', '')}`;
  const resource = COMMAND_KINDS.find((candidate) => candidate.kind === kind && (kind !== 'Job' || candidate.group === (engine === 'volcano' ? 'batch.volcano.sh' : 'batch')))!;
  const named = `${resource.plural}.${resource.group}/${name}`;
  const place = (job = name) => `${collectionPath(resource, namespace)}/${job}`;
  const get = async (job = name): Promise<TestObject> => (await mustRequest('GET', place(job))).body;
  const setStatus = async (status: object, job = name) => mustRequest('PATCH', `${place(job)}/status`, { status }, MERGE);

  test('is submitted', async () => {
    const spec = { framework: 'pytorch', image: 'registry.example/train:1', command: ['python3', 'train.py'], replicas: 2, resources: { cpu: '1', memory: '1Gi' } };
    const file = path.join(folder, `${engine}.json`);
    fs.writeFileSync(file, JSON.stringify({
      apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name, labels: { team: 'vision' } }, spec: engine === 'operator' ? { ...spec, managedBy: NOBODY } : spec,
    }));
    expect(await run('submit', file, '--engine', engine)).toMatchObject({ code: 0, out: `${kind} ${namespace}/${name} is created.\n` });
    expect((await get()).metadata.labels).toMatchObject({ team: 'vision' });
  });

  test('is listed, with the state that its controller writes', async () => {
    await setStatus(running);
    const rows = JSON.parse((await run('list', '--kind', `${resource.plural}.${resource.group}`, '-o', 'json')).out) as readonly { readonly name: string }[];
    expect(rows).toEqual([expect.objectContaining({ name, kind, state: 'Running' })]);
    expect((await run('list')).out).toMatch(new RegExp(`^${name} +${kind} +\\w+`, 'm'));
    const { out } = await run('status', named);
    expect(out).toContain(`${kind} ${namespace}/${name}: `);
    expect(out).toContain('What happened:');
  });

  test('has logs of its pods only', async () => {
    const { err, code } = await run('logs', named);
    expect({ err, code }).toEqual({ err: `trainyard: ${kind} ${namespace}/${name} has no pods, so there are no logs here.\n`, code: 2 });
  });

  test(suspend === undefined ? 'cannot be suspended' : 'is suspended and resumed', async () => {
    const suspended = await run('suspend', named);
    const field = (object: TestObject) => (suspend ?? '').split('.').reduce<unknown>((value, step) => (value as { readonly [step: string]: unknown } | undefined)?.[step], object.spec);
    if (suspend === undefined) {
      expect(suspended).toMatchObject({ code: 2, err: expect.stringContaining('cannot be suspended') as string });
      return;
    }
    expect(suspended).toMatchObject({ code: 0, out: `${kind} ${namespace}/${name} is suspended.\n` });
    expect(field(await get())).toBe(true);
    expect(await run('resume', named)).toMatchObject({ code: 0 });
    expect(field(await get())).toBe(false);
  });

  test('runs again, under the next name or its own', async () => {
    if (kind !== 'Job' || engine === 'volcano') {
      await setStatus(failed);
      expect(await run('wait', named)).toMatchObject({ code: 1 });
    }
    const again = await run('rerun', named);
    if (again.code === 2) {
      // Engines without an operator of ours write host names into the job.
      expect(again.err).toContain('has a host name with the job\'s name in it');
      expect(again.err).toContain(`use trainyard rerun ${name} --replace`);
      expect(['job', 'jobset', 'trainer', 'volcano']).toContain(engine);
      const { uid } = (await get()).metadata;
      if (kind !== 'Job' || engine === 'volcano') {
        // The garbage collector, which takes what is deleted in the foreground, does not know kinds that came later.
        return;
      }
      expect(await run('rerun', named, '--replace')).toMatchObject({ code: 0 });
      expect((await get()).metadata.uid).not.toBe(uid);
    } else {
      expect(again.out).toBe(`${kind} ${namespace}/${name}-2 is created from ${name}.\n`);
      expect((await get(`${name}-2`)).status ?? {}).not.toMatchObject(running);
      expect(await run('delete', `${resource.plural}.${resource.group}/${name}-2`)).toMatchObject({ code: 0 });
    }
  });

  test('is deleted', async () => {
    expect(await run('delete', named)).toMatchObject({ code: 0, out: `${kind} ${namespace}/${name} is deleted.\n` });
    expect((await run('status', named)).err).toContain(`There is no job '${named}'`);
  });
});

test('a TrainJob with a runtime of its own, which has the host names, runs again under its name only', async () => {
  const file = path.join(folder, 'roles.json');
  const spec = { framework: 'tensorflow', image: 'registry.example/train:1', command: ['python3', 'train.py'], roles: [{ name: 'chief' }, { name: 'worker' }] };
  fs.writeFileSync(file, JSON.stringify({ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'roles' }, spec }));
  expect(await run('submit', file, '--engine', 'trainer')).toMatchObject({ code: 0 });
  const { code, err } = await run('rerun', 'trainjobs/roles');
  expect(code).toBe(2);
  expect(err).toContain('spec.runtimeRef is the job\'s own TrainingRuntime, roles, which has the names of its hosts. To delete it and run it again under its own name, use '
    + 'trainyard rerun roles --replace.');
  expect(await run('delete', 'trainjobs/roles')).toMatchObject({ code: 0 });
});

describe('services', () => {
  const SERVICES: readonly (readonly [resource: string, object: TestObject, status: object])[] = [
    ['inferenceservices.serving.kserve.io', { apiVersion: 'serving.kserve.io/v1beta1', kind: 'InferenceService', metadata: { name: 'model' }, spec: { predictor: { minReplicas: 1, maxReplicas: 4, model: { modelFormat: { name: 'onnx' }, storageUri: 'gs://b/m' } } } } as TestObject,
      { conditions: [{ type: 'Ready', status: 'True' }], url: 'http://model.example.com' }],
    ['rayclusters.ray.io', { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'cluster' }, spec: {
      headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: 'ray-head', image: 'ray' }] } } },
      workerGroupSpecs: [{ groupName: 'gpus', replicas: 1, minReplicas: 0, maxReplicas: 4, rayStartParams: {}, template: { spec: { containers: [{ name: 'ray-worker', image: 'ray' }] } } }],
    } } as TestObject, { state: 'ready', desiredWorkerReplicas: 1, readyWorkerReplicas: 1 }],
  ];

  test.each(SERVICES)('%s', async (resource, object, status) => {
    const { name } = object.metadata;
    const kind = COMMAND_KINDS.find(({ plural, group }) => `${plural}.${group}` === resource)!;
    await mustRequest('POST', collectionPath(kind, namespace), object);
    await mustRequest('PATCH', `${collectionPath(kind, namespace)}/${name}/status`, { status }, MERGE);
    expect(JSON.parse((await run('list', '-k', resource, '-o', 'json')).out)).toEqual([expect.objectContaining({ name, state: 'Running' })]);
    expect(await run('scale', `${resource}/${name}`, '3')).toMatchObject({ code: 0, err: '' });
    expect(JSON.stringify((await mustRequest('GET', `${collectionPath(kind, namespace)}/${name}`)).body.spec)).toMatch(/"(?:minReplicas|replicas)":3/);
    expect(await run('suspend', `${resource}/${name}`)).toMatchObject({ code: 0 });
    expect(await run('resume', `${resource}/${name}`)).toMatchObject({ code: 0 });
    expect(await run('rerun', `${resource}/${name}`)).toMatchObject({ code: 2, err: expect.stringContaining('serves until it is deleted') as string });
    expect(await run('delete', `${resource}/${name}`)).toMatchObject({ code: 0 });
  });
});

test('in a queue of Kueue, a job of another kind is suspended through its Workload', async () => {
  const labels = { 'kueue.x-k8s.io/queue-name': 'research' };
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'image' }] } };
  const { body: job } = await mustRequest('POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'queued', labels }, spec: { suspend: true, template } });
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'queued', uid: job.metadata.uid, controller: true };
  const workloads = `/apis/kueue.x-k8s.io/v1beta2/namespaces/${namespace}/workloads`;
  await mustRequest('POST', workloads, {
    apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload', metadata: { name: 'job-queued', ownerReferences: [owner] },
    spec: { active: true, queueName: 'research', podSets: [{ name: 'main', count: 1, template }] },
  });
  expect(JSON.parse((await run('list', '-q', 'research', '-o', 'json')).out)).toEqual([expect.objectContaining({ name: 'queued', queue: 'research' })]);
  expect((await run('suspend', 'job/queued')).out).toContain('through its Workload job-queued');
  expect((await mustRequest('GET', `${workloads}/job-queued`)).body.spec).toMatchObject({ active: false });
  await run('resume', 'job/queued');
  expect((await mustRequest('GET', `${workloads}/job-queued`)).body.spec).toMatchObject({ active: true });
});

test('who may not read a kind is told so, and sees the others', async () => {
  await mustRequest('POST', `/apis/ml.collabnix.io/v1alpha1/namespaces/${namespace}/mltrainingjobs`, {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'visible' }, spec: { framework: 'jax', image: 'i', replicas: 1, managedBy: NOBODY },
  });
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const rules = [{ apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['get', 'list'] }];
  await mustRequest('POST', `${rbac}/roles`, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'reader' }, rules });
  await mustRequest('POST', `${rbac}/rolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }, subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
  });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { body: { status: { token } } } = await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, request);
  const config = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8')) as { users: { user: object }[] };
  config.users[0].user = { token };
  const file = path.join(folder, 'reader.json');
  fs.writeFileSync(file, JSON.stringify(config));
  const as = async (...args: string[]) => trainyard([...args, '-n', namespace, '--kubeconfig', file]);
  const list = await as('list');
  expect(list.out).toMatch(/^visible +MLTrainingJob/m);
  expect(list.err).toContain('You do not have permission to read jobs.batch');
  expect(await as('suspend', 'visible')).toMatchObject({ code: 2, err: expect.stringContaining('mltrainingjobs.ml.collabnix.io "visible" is forbidden') as string });
});
