/** Copies as the operator sees, makes and removes them, against an API server that does what it is told. */
import { FakeApiServer } from '../../runtime/support/fake-api-server';
import { ARRAY_INDEX_LABEL, ARRAY_LABEL } from '../../../../src/model/labels';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { controllerReference, type KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { ChildJobs, JobCopies } from '../../../../src/operator/training/children/child-jobs';
import { LiveOwner } from '../../../../src/operator/training/cleanup/orphans';
import type { CopyAction } from '../../../../src/operator/training/plan/array/types';
import { CHILD_INDEXES, TRAINING_JOBS, trimJob, type TrainingJobObject } from '../../../../src/operator/training/resources';

let server: FakeApiServer;
let client: KubeClient;
let jobs: Store<TrainingJobObject>;
let children: ChildJobs;
let copies: JobCopies;
let job: TrainingJobObject;
let errors: unknown[];

const create = async (object: KubeObject) => children.written(await client.create(TRAINING_JOBS, object as TrainingJobObject));
const attempt = async (what: () => Promise<void>) => what().then(() => true, (error) => {
  errors.push(error);
  return false;
});
const execute = async (...actions: CopyAction[]) => copies.execute(job, actions, create, attempt);
const get = async (name: string) => client.tryGet<TrainingJobObject>(TRAINING_JOBS, { namespace: 'ns', name });

beforeEach(async () => {
  errors = [];
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  jobs = new Store<TrainingJobObject>({ transform: trimJob, indexes: CHILD_INDEXES });
  children = new ChildJobs(client, jobs, Logger.silent());
  copies = new JobCopies(jobs, children);
  const begun = jobs.beginList();
  const { items, resourceVersion } = await client.list<TrainingJobObject>(TRAINING_JOBS);
  jobs.commitList(begun, items.map((item) => jobs.trim(item)), resourceVersion);
  job = await client.create<TrainingJobObject>(TRAINING_JOBS, {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { namespace: 'ns', name: 'net' },
    spec: { framework: 'pytorch', image: 'image', replicas: 1, array: { count: 40 } },
  });
  jobs.applyWritten(job);
});
afterEach(async () => {
  client.close();
  await server.stop();
});

test('a copy is made with its index, belongs to its array, and is seen at once', async () => {
  await execute({ type: 'createCopy', index: 7 });
  const made = (await get('net-7'))!;
  expect(made.spec.env).toEqual([{ name: 'TRAINYARD_ARRAY_INDEX', value: '7' }, { name: 'TRAINYARD_ARRAY_COUNT', value: '40' }]);
  expect(made.metadata!.ownerReferences).toEqual([controllerReference(job)]);
  expect(made.metadata!.labels).toMatchObject({ [ARRAY_LABEL]: 'net', [ARRAY_INDEX_LABEL]: '7' });
  expect(copies.observe(job)).toEqual([{ index: 7, name: 'net-7', uid: made.metadata!.uid, deleting: false, suspended: false, status: {} }]);
});

test('many are made, suspended and removed', async () => {
  await execute(...Array.from({ length: 40 }, (_, index): CopyAction => ({ type: 'createCopy', index })));
  const seen = copies.observe(job)!;
  expect(seen.map(({ index }) => index).sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  const [first, second] = seen;
  await execute({ type: 'suspendCopy', name: first.name, uid: first.uid, suspend: true });
  expect(copies.observe(job)!.find(({ name }) => name === first.name)).toMatchObject({ suspended: true });
  await execute({ type: 'deleteCopy', name: second.name, uid: second.uid, reason: 'the array has ended' });
  expect(await get(second.name)).toBeUndefined();
  expect(copies.observe(job)).toHaveLength(39);
  expect(errors).toEqual([]);
});

test('what is gone already, or bears the name of a copy and is another job, is left alone', async () => {
  await execute({ type: 'createCopy', index: 0 });
  await execute({ type: 'deleteCopy', name: 'net-0', uid: 'another', reason: '' }, { type: 'deleteCopy', name: 'net-1', uid: 'uid', reason: '' });
  expect(await get('net-0')).toBeDefined();
  expect(errors).toEqual([]);
});

test('a job that is no array has no copies, and jobs of others below an array are none', async () => {
  const { array: _array, ...spec } = job.spec;
  expect(copies.observe({ ...job, spec })).toBeUndefined();
  await create({ apiVersion: job.apiVersion, kind: job.kind, metadata: { namespace: 'ns', name: 'other', ownerReferences: [controllerReference(job)] }, spec } as KubeObject);
  expect(copies.observe(job)).toEqual([]);
});

test('copies of an array that is gone are removed', async () => {
  await execute({ type: 'createCopy', index: 0 });
  await client.delete(TRAINING_JOBS, { namespace: 'ns', name: 'net' });
  jobs.markDeleted({ namespace: 'ns', name: 'net', uid: job.metadata!.uid });
  await children.deleteOrphans('ns/net', undefined, new LiveOwner(client, 'ns/net'));
  expect(await get('net-0')).toBeUndefined();
});
