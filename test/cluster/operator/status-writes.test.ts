/** What the status writer and the API server make of each other, with no operator about: the spec goes neither way, and the lock holds. */
import { StatusWriter } from '../../../src/operator/training/status-writer';
import { TRAINING_JOBS, trimJob, type TrainingJobObject } from '../../../src/operator/training/resources';
import { isApiError } from '../../../src/operator/runtime/http/api-error';
import { SYSTEM_CLOCK } from '../../../src/operator/runtime/process/clock';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { Store } from '../../../src/operator/runtime/watch/store';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';
import { clusterAccess, clusterKubeconfig } from '../support/cluster';
import { installCrds } from '../support/crds';
import { TestApi } from '../support/test-api';
import { TestJobs } from '../support/training-jobs';

const CONDITION = { type: 'Running', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;

let api: TestApi;
let namespace: string;
let client: KubeClient;
let jobs: TestJobs;
let store: Store<TrainingJobObject>;
let statuses: StatusWriter;

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  api = new TestApi(clusterAccess());
  client = new KubeClient({ connection: await loadConnection({ kubeconfig: clusterKubeconfig() }) });
});
beforeEach(async () => {
  namespace = await api.createNamespace();
  jobs = new TestJobs(api, namespace);
  store = new Store<TrainingJobObject>({ transform: trimJob });
  statuses = new StatusWriter(client, store, SYSTEM_CLOCK);
});
afterEach(async () => api.remove('namespaces', undefined, namespace));
afterAll(() => client.close());

/** The job as the cache of the operator has it. */
async function read(name: string): Promise<TrainingJobObject> {
  store.applyWritten(await client.get<TrainingJobObject>(TRAINING_JOBS, { namespace, name }));
  return store.get(`${namespace}/${name}`)!;
}

test('what is written stands, also what is taken away, and what the cache has is what stands', async () => {
  await jobs.create('net', { env: [{ name: 'A', value: 'x' }] });
  const first: TrainingJobStatus = { phase: 'Restarting', restarts: 1, nextRetryTime: '2026-01-01T00:00:00Z', conditions: [CONDITION, { ...CONDITION, type: 'Created' }] };
  const second: TrainingJobStatus = { phase: 'Running', restarts: 1, nextRetryTime: undefined, conditions: [CONDITION] };
  for (const status of [first, second]) {
    await statuses.write(store.get(`${namespace}/net`) ?? await read('net'), status);
    const live = await jobs.get('net');
    expect(live.status).toEqual(JSON.parse(JSON.stringify(status)));
    expect(store.get(`${namespace}/net`)).toEqual(trimJob(live as TrainingJobObject));
  }
});

test('the answer has nothing of a large spec', async () => {
  await jobs.create('large', { suspend: true, env: Array.from({ length: 400 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) })) });
  const job = await read('large');
  const { name, resourceVersion } = job.metadata!;
  const answer = await client.patch<TrainingJobObject>(TRAINING_JOBS, { namespace, name: name! }, { metadata: { resourceVersion }, status: { phase: 'Pending' } }, {
    subresource: 'status', metadataOnly: true,
  });
  expect([answer.kind, answer.spec, answer.status]).toEqual(['PartialObjectMetadata', undefined, undefined]);
  // Each variable has its owner in the metadata.
  expect(JSON.stringify(answer).length).toBeLessThan(100_000);
});

test('a job that has changed since it was read is left alone, and so is another one of its name', async () => {
  await jobs.create('net');
  const before = await read('net');
  await api.patch('mltrainingjobs', namespace, 'net', { metadata: { labels: { changed: 'yes' } } });
  const conflict = await statuses.write(before, { phase: 'Running' }).catch((error: unknown) => error);
  expect(isApiError(conflict, 'isConflict')).toBe(true);
  const stands = await read('net');
  await jobs.remove('net');
  await jobs.create('net');
  const another = await statuses.write(stands, { phase: 'Running' }).catch((error: unknown) => error);
  expect(isApiError(another, 'isConflict')).toBe(true);
  expect((await jobs.get('net')).status).toBeUndefined();
  await statuses.write(await read('net'), { phase: 'Running' });
  expect((await jobs.get('net')).status).toEqual({ phase: 'Running' });
});

test('what a report of progress owns stays its own when the rest is written', async () => {
  await jobs.create('net');
  const report = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'net', namespace }, status: { trainerStatus: { progressPercentage: 50 } } };
  await client.apply(TRAINING_JOBS, report as unknown as TrainingJobObject, { fieldManager: 'trainer-status', subresource: 'status' });
  const job = await read('net');
  await statuses.write(job, { ...job.status, phase: 'Running' });
  const live = await jobs.get('net');
  expect(live.status).toEqual({ phase: 'Running', trainerStatus: { progressPercentage: 50 } });
  const owners = (live.metadata as unknown as { managedFields: { manager: string; fieldsV1: object }[] }).managedFields;
  const reports = owners.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:trainerStatus'));
  expect(reports.map(({ manager }) => manager)).toEqual(['trainer-status']);
});
