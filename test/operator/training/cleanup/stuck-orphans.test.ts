/** Pods that deleted jobs left on lost nodes: which of them are deleted by force, and when somebody looks again. */
import { FakeApiServer } from '../../runtime/support/fake-api-server';
import type { RunPolicySpec } from '../../../../src/model/training-job/run-policy';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { controllerReference, type KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { PODS } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { addressBooks } from '../../../../src/operator/training/addresses';
import { Executor } from '../../../../src/operator/training/executor';
import { FormerJobs } from '../../../../src/operator/training/children/former-jobs';
import { LiveOwner } from '../../../../src/operator/training/cleanup/orphans';
import type { NodeState } from '../../../../src/operator/training/plan/types';
import { TrainingJobReconciler } from '../../../../src/operator/training/reconciler';
import {
  CHILD_INDEXES, POD_INDEXES, TRAINING_JOBS, trimJob, trimPod, type PodObject, type TrainingJobObject,
} from '../../../../src/operator/training/resources';
import { StatusWriter } from '../../../../src/operator/training/status-writer';
import { ForcedDeletion, endStuckOrphans } from '../../../../src/operator/training/cleanup/stuck-orphans';

const KEY = 'ml/net';
/** When the pod should have gone. All else happens long after it. */
const DEADLINE = Date.parse('2026-03-01T12:00:00Z');
const REF = { namespace: 'ml', name: 'net' };

let server: FakeApiServer;
let client: KubeClient;
let jobs: Store<TrainingJobObject>;
let pods: Store<PodObject>;
let former: FormerJobs;
let now: number;
/** What the cache and the API server say of the node. */
let cached: NodeState | undefined;
let live: NodeState;
let looks: string[];

const nodes = () => ({
  states: { of: () => cached },
  leases: { look: async (node: string) => { looks.push(node); } },
  forced: new ForcedDeletion({ read: async () => live }, pods, { now: () => now }),
});
const lost = (): NodeState => ({ health: 'NotReady', since: now - 60_000 });

beforeEach(async () => {
  server = await FakeApiServer.start();
  server.storage.garbageCollection = false;
  client = new KubeClient({ connection: server.connection() });
  jobs = new Store<TrainingJobObject>({ transform: trimJob, indexes: CHILD_INDEXES });
  pods = new Store<PodObject>({ transform: trimPod, indexes: POD_INDEXES });
  [jobs, pods].forEach((store) => store.commitList(store.beginList(), [], '0'));
  former = new FormerJobs(jobs);
  looks = [];
  now = DEADLINE + 3_600_000;
  cached = lost();
  live = lost();
});
afterEach(async () => {
  client.close();
  await server.stop();
});

/** A job with a pod that was asked to go and does not. */
async function makeJob(nodeLoss?: RunPolicySpec['nodeLoss']): Promise<TrainingJobObject> {
  const job = await client.create<TrainingJobObject>(TRAINING_JOBS, {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: REF,
    spec: { framework: 'pytorch', image: 'image', replicas: 1, ...(nodeLoss && { runPolicy: { nodeLoss } }) },
  });
  jobs.applyWritten(job);
  const pod = await client.create<PodObject>(PODS, {
    metadata: { namespace: 'ml', name: 'net-master', ownerReferences: [controllerReference(job)] },
    spec: { nodeName: 'gpu-7', containers: [] },
    status: { phase: 'Running' },
  });
  pods.applyWritten({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(DEADLINE).toISOString() } });
  return job;
}

/** The job goes, and the cache hears of it. */
async function deleteJob({ metadata }: TrainingJobObject): Promise<void> {
  await client.delete(TRAINING_JOBS, REF);
  jobs.markDeleted({ ...REF, uid: metadata!.uid });
  server.requests.length = 0;
}

const end = async (): Promise<number | undefined> => endStuckOrphans(KEY, jobs.get(KEY), {
  ...nodes(), client, stores: { pods }, former, owner: new LiveOwner(client, KEY), clock: { now: () => now }, logger: Logger.silent(),
});
const left = () => server.storage.list('pods').map(({ metadata }) => metadata!.uid);

test('a pod of a deleted job that hangs on a lost node is deleted by force', async () => {
  await deleteJob(await makeJob());
  expect(await end()).toBeUndefined();
  expect(left()).toEqual([]);
  expect(server.requests.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['get mltrainingjobs.ml.collabnix.io', 'delete pods']);
});

test('a new job of that name has its pod in the same pass', async () => {
  const old = await makeJob();
  await deleteJob(old);
  const [uid] = left();
  const job = await client.create<TrainingJobObject>(TRAINING_JOBS, { ...old, metadata: REF, status: undefined });
  jobs.applyWritten(job);
  const services = new Store<KubeObject>({ indexes: CHILD_INDEXES });
  services.commitList(services.beginList(), [], '0');
  const clock = { now: () => now, monotonic: () => now } as ConstructorParameters<typeof StatusWriter>[2];
  const reconciler = new TrainingJobReconciler({
    client, jobs, clock, children: { pods, services }, logger: Logger.silent(), publish: () => undefined,
    executor: new Executor(client, { pods, services }, addressBooks('pods'), Logger.silent()),
    statuses: new StatusWriter(client, jobs, clock),
    nodeKnowledge: nodes(),
  });
  await reconciler.reconcile(KEY);
  expect(left()).toEqual([expect.not.stringMatching(`^${uid}$`)]);
});

test('the rules of the deleted job hold where it was seen, and the defaults where it was not', async () => {
  await deleteJob(await makeJob({ stuckPods: 'Wait' }));
  former.forget(KEY);
  expect(await end()).toBeUndefined();
  expect(left()).toHaveLength(1);
  former = new FormerJobs(jobs);
  await end();
  expect(left()).toEqual([]);
});

test('a pod waits until its node counts as lost, and somebody comes back for that', async () => {
  await deleteJob(await makeJob());
  cached = { health: 'NotReady', since: now - 10_000, lease: { exists: false, silentSince: now, lookedAt: now } };
  expect(await end()).toBe(20_001);
  expect(left()).toHaveLength(1);
  expect(server.requests).toEqual([]);
});

test('a node that is not ready has its Lease looked at until it counts as lost, because a silent Lease is known sooner', async () => {
  await deleteJob(await makeJob());
  cached = { health: 'NotReady', since: now - 10_000 };
  expect(await end()).toBe(3_000);
  expect(left()).toHaveLength(1);
});

test('while the node is ready its Lease is looked at, from the end of the grace period on, and a silent one is enough', async () => {
  await deleteJob(await makeJob());
  cached = { health: 'Ready' };
  now = DEADLINE - 5_000;
  expect(await end()).toBe(5_001);
  expect(looks).toEqual([]);
  now = DEADLINE + 5_000;
  expect(await end()).toBe(3_000);
  expect(looks).toEqual(['gpu-7']);
  cached = { health: 'Ready', lease: { exists: true, silentSince: now - 21_000, lookedAt: now } };
  live = cached;
  await end();
  expect(left()).toEqual([]);
});

test('a pod is left to its kubelet when the API server says that its node is ready again', async () => {
  await deleteJob(await makeJob());
  live = { health: 'Ready' };
  expect(await end()).toBe(3_000);
  expect(left()).toHaveLength(1);
});

test('nothing is done about the pods of a job that only the cache has lost, nor about those of one that is there', async () => {
  const job = await makeJob();
  expect(await end()).toBeUndefined();
  jobs.markDeleted({ ...REF, uid: job.metadata!.uid });
  await end();
  expect(left()).toHaveLength(1);
});

test('a job that waits for the end of its pods before it goes is a deleted one', async () => {
  const job = await makeJob();
  jobs.applyWritten({ ...job, metadata: { ...job.metadata, resourceVersion: '999999', deletionTimestamp: '2026-01-01T00:00:00Z' } });
  await end();
  expect(left()).toEqual([]);
});

test('a pod on a node of which nothing is known is left alone', async () => {
  await deleteJob(await makeJob());
  cached = undefined;
  expect(await end()).toBeUndefined();
  expect(left()).toHaveLength(1);
  expect(looks).toEqual([]);
});
