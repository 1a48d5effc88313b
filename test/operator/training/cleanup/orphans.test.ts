/** What a vanished job leaves behind, and how many requests its removal takes. */
import { FakeApiServer } from '../../runtime/support/fake-api-server';
import { GANG_LABEL } from '../../../../src/model/labels';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { constructJobObjects } from '../../../../src/manifests/job/job-objects';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { controllerReference, type KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { PODS, SERVICES } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { CHILD_KINDS, gangKindOf } from '../../../../src/operator/training/children/children';
import { FormerJobs } from '../../../../src/operator/training/children/former-jobs';
import { deleteOrphans, LiveOwner, removeLeftBehind } from '../../../../src/operator/training/cleanup/orphans';
import { CHILD_INDEXES, TRAINING_JOBS, trimJob, trimPod, type PodObject, type TrainingJobObject } from '../../../../src/operator/training/resources';

const KEY = 'ml/net';

let server: FakeApiServer;
let client: KubeClient;
let jobs: Store<TrainingJobObject>;
let pods: Store<PodObject>;
let services: Store<KubeObject>;
let former: FormerJobs;

beforeEach(async () => {
  server = await FakeApiServer.start();
  server.storage.garbageCollection = false;
  client = new KubeClient({ connection: server.connection() });
  jobs = new Store<TrainingJobObject>({ transform: trimJob, indexes: CHILD_INDEXES });
  pods = new Store<PodObject>({ transform: trimPod, indexes: CHILD_INDEXES });
  services = new Store<KubeObject>({ indexes: CHILD_INDEXES });
  [jobs, pods, services].forEach((store) => store.commitList(store.beginList(), [], '0'));
  former = new FormerJobs(jobs);
});
afterEach(async () => {
  client.close();
  await server.stop();
});

/** A job with two pods and everything that belongs to it. */
async function makeJob(fields: Partial<TrainingJobSpec> = {}): Promise<TrainingJobObject> {
  const spec: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 2, ...fields };
  const job = await client.create<TrainingJobObject>(TRAINING_JOBS, {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { namespace: 'ml', name: 'net' }, spec,
  });
  jobs.applyWritten(job);
  const owner = controllerReference(job);
  const objects = constructJobObjects({ job: resolveTrainingJob('net', spec), namespace: 'ml', owner });
  for (const index of [0, 1]) {
    const { gang } = spec.scheduling ?? {};
    const labels: Record<string, string> = gang ? { [GANG_LABEL]: gang.scheduler } : {};
    pods.applyWritten(await client.create<PodObject>(PODS, {
      metadata: { namespace: 'ml', name: `net-worker-${index}`, labels, ownerReferences: [owner] }, spec: { containers: [] }, status: { phase: 'Succeeded' },
    }));
  }
  for (const service of objects.services as readonly KubeObject[]) {
    services.applyWritten(await client.create(SERVICES, service));
  }
  const others = [...objects.configMaps, ...objects.networkPolicies, ...objects.gangObjects];
  for (const object of others as unknown as KubeObject[]) {
    await client.create(gangKindOf(object) ?? CHILD_KINDS[object.kind!], object);
  }
  server.requests.length = 0;
  return job;
}

/** The job goes, and the cache hears of it. */
async function deleteJob({ metadata }: TrainingJobObject, isSeen = true): Promise<void> {
  await client.delete(TRAINING_JOBS, { namespace: 'ml', name: 'net' });
  if (isSeen) {
    jobs.markDeleted({ namespace: 'ml', name: 'net', uid: metadata!.uid });
  }
  server.requests.length = 0;
}

const clearUp = async (remembered = former): Promise<void> => deleteOrphans(KEY, jobs.get(KEY), {
  client, stores: { pods, services }, former: remembered, owner: new LiveOwner(client, KEY), logger: Logger.silent(),
});
const requests = () => server.requests.map(({ verb, resource }) => `${verb} ${resource}`).sort();
const RESOURCES = ['pods', 'services', 'configmaps', 'networkpolicies.networking.k8s.io', 'podgroups.scheduling.volcano.sh'];
const left = () => RESOURCES.flatMap((resource) => server.storage.list(resource).map(({ metadata }) => `${resource}/${metadata!.name}`));

test('one question, and one request for each object that there is', async () => {
  await deleteJob(await makeJob());
  await clearUp();
  expect(requests()).toEqual(['delete pods', 'delete pods', 'delete services', 'get mltrainingjobs.ml.collabnix.io']);
  expect(left()).toEqual([]);
  server.requests.length = 0;
  await clearUp();
  expect(requests()).toEqual([]);
});

test.each<[string, Partial<TrainingJobSpec>, string[]]>([
  ['files of MPI', { framework: 'mpi' }, ['configmaps']],
  ['a firewall', { security: { networkPolicy: {} } }, ['networkpolicies.networking.k8s.io']],
  ['the object of its gang', { scheduling: { gang: { scheduler: 'Volcano' } } }, ['podgroups.scheduling.volcano.sh']],
])('%s go with the job that had them, and nothing else is looked for', async (_, fields, kinds) => {
  await deleteJob(await makeJob(fields));
  await clearUp();
  expect(left()).toEqual([]);
  const asked = new Set(server.requests.filter(({ verb }) => verb === 'get').map(({ resource }) => resource));
  expect([...asked].sort()).toEqual([...kinds, 'mltrainingjobs.ml.collabnix.io'].sort());
});

test('after a restart of the operator everything is looked for that there may be', async () => {
  await deleteJob(await makeJob({ framework: 'mpi', scheduling: { gang: { scheduler: 'Volcano' } } }));
  await clearUp(new FormerJobs(jobs));
  expect(left()).toEqual([]);
});

test('what may not be deleted keeps nothing else, and is not tried again and again', async () => {
  await deleteJob(await makeJob({ framework: 'mpi', scheduling: { gang: { scheduler: 'Volcano' } } }));
  server.faults.push(({ resource }) => (resource.startsWith('podgroups') || resource === 'services' ? { status: 403, reason: 'Forbidden' } : undefined));
  await clearUp();
  expect(new Set(left().map((object) => object.split('/')[0]))).toEqual(new Set(['services', 'podgroups.scheduling.volcano.sh']));
  expect(former.of(KEY)).toBeUndefined();
});

test('a failure that passes keeps nothing else either, and is tried again although nothing reminds of it', async () => {
  await deleteJob(await makeJob({ framework: 'mpi' }));
  const refuse = server.faults.push(({ resource, verb }) => (resource === 'configmaps' && verb === 'delete' ? { status: 405 } : undefined));
  await expect(clearUp()).rejects.toThrow('405');
  expect(left()).toHaveLength(1);
  server.faults.splice(refuse - 1);
  await clearUp();
  expect(left()).toEqual([]);
});

test('nothing is deleted of a job that only the cache has lost, nor of one that bears the name now', async () => {
  const job = await makeJob({ framework: 'mpi' });
  const before = left();
  jobs.markDeleted({ namespace: 'ml', name: 'net', uid: job.metadata!.uid });
  await clearUp();
  expect(left()).toEqual(before);

  await deleteJob(job);
  const successor = await client.create<TrainingJobObject>(TRAINING_JOBS, { ...job, metadata: { namespace: 'ml', name: 'net' } });
  const own = await client.create<PodObject>(PODS, { metadata: { namespace: 'ml', name: 'own', ownerReferences: [controllerReference(successor)] }, spec: { containers: [] } });
  pods.applyWritten(own);
  await clearUp();
  expect(left()).toEqual(['pods/own']);
});

test.each<[string, object]>([
  ['of another kind', { kind: 'Deployment' }],
  ['of another group', { apiVersion: 'apps/v1' }],
  ['of another name', { name: 'other' }],
])('a file goes with its job only: a controller %s keeps it, whatever uid pods name as theirs', async (_, owner) => {
  const job = await makeJob({ framework: 'mpi' });
  const [file] = (await client.list(CHILD_KINDS.ConfigMap)).items;
  const ref = { namespace: 'ml', name: file.metadata!.name! };
  await client.patch(CHILD_KINDS.ConfigMap, ref, { metadata: { ownerReferences: [{ ...file.metadata!.ownerReferences![0], ...owner }] } });
  await deleteJob(job);
  await clearUp();
  expect(left()).toEqual([`configmaps/${ref.name}`]);
});

test('a file of the same name that belongs to somebody else is left alone', async () => {
  const job = await makeJob({ framework: 'mpi' });
  const [configMap] = (await client.list(CHILD_KINDS.ConfigMap)).items;
  await client.patch(CHILD_KINDS.ConfigMap, { namespace: 'ml', name: configMap.metadata!.name! }, { metadata: { ownerReferences: null } });
  await deleteJob(job);
  await clearUp();
  expect(left()).toEqual([`configmaps/${configMap.metadata!.name}`]);
});

describe('a file that bears the name that a new job of the same name needs', () => {
  const fileOf = async () => (await client.list(CHILD_KINDS.ConfigMap)).items[0];

  test('is removed when the job that it belonged to is gone', async () => {
    const former = await makeJob({ framework: 'mpi' });
    await deleteJob(former);
    const successor = await client.create<TrainingJobObject>(TRAINING_JOBS, { ...former, metadata: { namespace: 'ml', name: 'net' } });
    const file = await fileOf();
    expect(await removeLeftBehind(client, CHILD_KINDS.ConfigMap, file, successor)).toBe(true);
    expect(left()).not.toContain(`configmaps/${file.metadata!.name}`);
  });

  test('stays when it is the job that asks which is gone', async () => {
    const successor = await makeJob({ framework: 'mpi' });
    const gone = { ...successor, metadata: { ...successor.metadata, uid: 'an-older-one' } };
    expect(await removeLeftBehind(client, CHILD_KINDS.ConfigMap, await fileOf(), gone)).toBe(false);
  });

  test('stays when it is its own, somebody else\'s, or on its way out', async () => {
    const job = await makeJob({ framework: 'mpi' });
    const file = await fileOf();
    const reference = file.metadata!.ownerReferences![0];
    const owned = (by: object) => ({ ...file, metadata: { ...file.metadata, ownerReferences: [{ ...reference, uid: 'another', ...by }] } });
    const others = [
      file, owned({ name: 'other' }), owned({ kind: 'Deployment' }), owned({ apiVersion: 'apps/v1' }), owned({ controller: false }),
      { ...owned({}), metadata: { ...owned({}).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ];
    for (const other of others) {
      expect(await removeLeftBehind(client, CHILD_KINDS.ConfigMap, other, job)).toBe(false);
    }
    expect(await fileOf()).toBeDefined();
  });
});
