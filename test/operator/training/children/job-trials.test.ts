/** Trials as the operator sees, makes and removes them, against an API server that does what it is told. */
import { FakeApiServer } from '../../runtime/support/fake-api-server';
import { TRIAL_LABEL } from '../../../../src/model/labels';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { controllerReference, type KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { PODS } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { JobTrials } from '../../../../src/operator/training/children/job-trials';
import { LiveOwner } from '../../../../src/operator/training/cleanup/orphans';
import { CHILD_INDEXES, TRAINING_JOBS, trimJob, type TrainingJobObject } from '../../../../src/operator/training/resources';

const SPEC: TrainingJobSpec = {
  framework: 'pytorch', image: 'image', replicas: 1, autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', values: [0.1, 0.2] } } },
};

let server: FakeApiServer;
let client: KubeClient;
let jobs: Store<TrainingJobObject>;
let trials: JobTrials;
let job: TrainingJobObject;

const create = async (object: KubeObject) => jobs.applyWritten(await client.create(TRAINING_JOBS, object as TrainingJobObject));
const refresh = async () => {
  const begun = jobs.beginList();
  const { items, resourceVersion } = await client.list<TrainingJobObject>(TRAINING_JOBS);
  jobs.commitList(begun, items.map((item) => jobs.trim(item)), resourceVersion);
};

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  jobs = new Store<TrainingJobObject>({ transform: trimJob, indexes: CHILD_INDEXES });
  trials = new JobTrials(client, jobs, Logger.silent());
  await refresh();
  job = await client.create<TrainingJobObject>(TRAINING_JOBS, {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { namespace: 'ns', name: 'net' }, spec: SPEC,
    status: { tuning: { trials: 1, running: 1, succeeded: 0, failed: 0, stopped: 0, active: [{ trial: 1, point: 'AAB' }] } },
  });
  jobs.applyWritten(job);
});
afterEach(async () => {
  client.close();
  await server.stop();
});

async function begin(): Promise<{ readonly name: string; readonly uid: string }> {
  await trials.execute(job, { type: 'createTrial', trial: { number: 1, point: [1] } }, create);
  const [{ name, uid }] = trials.observe(job)!;
  return { name, uid };
}

test('a trial is made with its values, belongs to its search, and is seen at once', async () => {
  const { name } = await begin();
  const made = await client.get<TrainingJobObject>(TRAINING_JOBS, { namespace: 'ns', name });
  expect(made.spec.hyperparameters).toEqual({ lr: '0.2', LR: '0.2' });
  expect(made.metadata!.ownerReferences).toEqual([controllerReference(job)]);
  expect(trials.observe(job)).toMatchObject([{ number: 1, name: 'net-trial-1', deleting: false, suspended: false, status: {} }]);
});

test('a job that is no search has no trials, and a job that somebody put under a search is none of them', async () => {
  expect(trials.observe({ ...job, spec: { ...SPEC, autoTuning: { ...SPEC.autoTuning!, enabled: false } } })).toBeUndefined();
  await create({ ...job, metadata: { namespace: 'ns', name: 'foreign', ownerReferences: [controllerReference(job)] } } as KubeObject);
  expect(trials.observe(job)).toEqual([]);
});

test('the objective is the last in the log of the first replica, and is forgotten when it stands in the status', async () => {
  const { name, uid } = await begin();
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: `${name}-master` } });
  server.setLog('ns', `${name}-master`, 'loss=0.5\nloss=0.25\n');
  await trials.execute(job, { type: 'readObjective', trial: 1, name, uid }, create);
  expect(trials.observe(job)![0].logged).toEqual({ value: 0.25 });
  expect(server.requests.at(-1)).toMatchObject({ subresource: 'log', name: `${name}-master` });
  expect(server.requests.at(-1)!.query.get('container')).toBe('training');

  const settled = { ...job, status: { tuning: { ...job.status!.tuning!, active: [] } } };
  trials.observe(settled);
  expect(trials.observe(job)![0].logged).toBeUndefined();
});

test('a log that is gone with its pod is an answer too', async () => {
  const { name, uid } = await begin();
  await trials.execute(job, { type: 'readObjective', trial: 1, name, uid }, create);
  expect(trials.observe(job)![0].logged).toMatchObject({ reason: 'ObjectiveMissing', message: expect.stringContaining(`log of ${name}-master cannot be read`) });
});

test('a log that cannot be read at this moment is no answer', async () => {
  const { name, uid } = await begin();
  server.faults.push(({ subresource }) => (subresource === 'log' ? { status: 403 } as never : undefined));
  await expect(trials.execute(job, { type: 'readObjective', trial: 1, name, uid }, create)).rejects.toThrow();
  expect(trials.observe(job)![0].logged).toBeUndefined();
});

test('a trial is suspended, resumed and deleted; when it is gone already, that is right', async () => {
  const { name, uid } = await begin();
  await trials.execute(job, { type: 'suspendTrial', name, uid, suspend: true }, create);
  expect(trials.observe(job)).toMatchObject([{ suspended: true }]);
  await trials.execute(job, { type: 'suspendTrial', name, uid, suspend: false }, create);
  expect(trials.observe(job)).toMatchObject([{ suspended: false }]);
  await trials.execute(job, { type: 'deleteTrial', name, uid, reason: 'the test' }, create);
  expect(trials.observe(job)).toEqual([]);
  expect(await client.tryGet(TRAINING_JOBS, { namespace: 'ns', name })).toBeUndefined();
  await trials.execute(job, { type: 'deleteTrial', name, uid, reason: 'the test' }, create);
  await trials.execute(job, { type: 'suspendTrial', name, uid, suspend: true }, create);
});

test('trials of a search that is gone are deleted, after the API server was asked', async () => {
  await begin();
  const clearUp = async (search?: TrainingJobObject) => trials.deleteOrphans('ns/net', search, new LiveOwner(client, 'ns/net'));
  await clearUp(job);
  expect(await client.list(TRAINING_JOBS)).toMatchObject({ items: [{}, {}] });
  // A cache that has lost sight of the search proves nothing.
  await clearUp();
  expect(await client.list(TRAINING_JOBS)).toMatchObject({ items: [{}, {}] });
  await client.delete(TRAINING_JOBS, { namespace: 'ns', name: 'net' });
  await clearUp();
  expect((await client.list(TRAINING_JOBS)).items).toEqual([]);
});

test('a cache keeps whose trial a job is', () => {
  const trimmed = trimJob({ ...job, metadata: { ...job.metadata, labels: { [TRIAL_LABEL]: '3', other: 'x' }, ownerReferences: [controllerReference(job)] } });
  expect(trimmed.metadata).toMatchObject({ labels: { [TRIAL_LABEL]: '3' }, ownerReferences: [controllerReference(job)] });
});

test('what a log said is forgotten with the trial', async () => {
  const { name, uid } = await begin();
  await trials.execute(job, { type: 'readObjective', trial: 1, name, uid }, create);
  expect(trials.unsettled).toBe(1);
  jobs.markDeleted({ namespace: 'ns', name, uid });
  expect(trials.unsettled).toBe(0);
});

test('a job of another namespace that names this one as its controller is none of its trials', async () => {
  const { name } = await begin();
  const made = await client.get<TrainingJobObject>(TRAINING_JOBS, { namespace: 'ns', name });
  await create({ ...made, metadata: { ...made.metadata, namespace: 'elsewhere', name: 'forged', uid: undefined, resourceVersion: undefined } });
  expect(jobs.list()).toHaveLength(3);
  expect(trials.observe(job)!.map((trial) => trial.name)).toEqual([name]);
});
