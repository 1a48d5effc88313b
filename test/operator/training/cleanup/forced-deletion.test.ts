/** Pods that the planner wants gone by force, on nodes that are not what the cache says any more. */
import { FakeApiServer } from '../../runtime/support/fake-api-server';
import { makeJob } from '../support/builders';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { controllerReference, type KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { NODES, PODS } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { addressBooks } from '../../../../src/operator/training/addresses';
import type { OperatorConfig } from '../../../../src/operator/training/config';
import { Executor, type Execution } from '../../../../src/operator/training/executor';
import { ForcedDeletion } from '../../../../src/operator/training/cleanup/stuck-orphans';
import { NodeCache, type NodeObject } from '../../../../src/operator/training/nodes/nodes';
import { POD_INDEXES, trimPod, type PodObject, type TrainingJobObject } from '../../../../src/operator/training/resources';

const NOW = Date.parse('2026-03-01T13:00:00Z');
const LONG_AGO = '2026-03-01T12:00:00Z';
const JOB = {
  apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { namespace: 'ml', name: 'net', uid: 'job-1' }, spec: makeJob().pytorch(2).build().spec,
} as TrainingJobObject;

let server: FakeApiServer;
let client: KubeClient;
let nodes: NodeCache;
let executor: Executor;
let pod: PodObject;

const node = (ready: string, more: object = {}): NodeObject => ({
  metadata: { name: 'gpu-7' }, status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: LONG_AGO }] }, ...more,
});

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  nodes = new NodeCache({ client, config: { resyncSeconds: 600 } as OperatorConfig, logger: Logger.silent() });
  const pods = new Store<PodObject>({ transform: trimPod, indexes: POD_INDEXES });
  const services = new Store<KubeObject>();
  pods.commitList(pods.beginList(), [], '0');
  await client.create<KubeObject>(NODES, node('Unknown'));
  await client.create<KubeObject>(NODES, node('True', { metadata: { name: 'gpu-8' } }));
  await nodes.catchUp();
  pod = await client.create<PodObject>(PODS, {
    metadata: { namespace: 'ml', name: 'net-worker-0', ownerReferences: [controllerReference(JOB)], finalizers: ['test/kubelet'] },
    spec: { nodeName: 'gpu-7', containers: [] },
    status: { phase: 'Running' },
  });
  await client.delete(PODS, { namespace: 'ml', name: 'net-worker-0' });
  pod = await client.get<PodObject>(PODS, { namespace: 'ml', name: 'net-worker-0' });
  // Its grace period is over, too.
  pods.applyWritten({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: LONG_AGO } });
  const forced = new ForcedDeletion(nodes, pods, { now: () => NOW });
  executor = new Executor(client, { pods, services }, addressBooks('pods'), Logger.silent(), undefined, undefined, undefined, forced);
  server.requests.length = 0;
});
afterEach(async () => {
  client.close();
  await server.stop();
});

const force = async (job = JOB): Promise<Execution> => executor.execute(job, [
  { type: 'deletePod', name: 'net-worker-0', uid: pod.metadata!.uid!, force: true, reason: 'hangs on a lost node' },
]);
const requests = () => server.requests.map(({ verb, resource }) => `${verb} ${resource}`);
const reread = ['get nodes', 'get leases.coordination.k8s.io'];
const deleted = ['get nodes', 'get leases.coordination.k8s.io', 'delete pods'];

async function replaceNode(next?: NodeObject): Promise<void> {
  await client.delete(NODES, { name: 'gpu-7' });
  if (next !== undefined) {
    await client.create<KubeObject>(NODES, next);
  }
  server.requests.length = 0;
}

test('a pod is deleted by force when its node is still lost', async () => {
  await force();
  expect(requests()).toEqual(deleted);
});

test('a pod is left to its kubelet when no node at all is ready', async () => {
  await client.delete(NODES, { name: 'gpu-8' });
  await nodes.catchUp();
  server.requests.length = 0;
  await force();
  expect(requests()).toEqual(reread);
});

test('a pod is deleted by force when its node is gone by now', async () => {
  await replaceNode();
  await force();
  expect(requests()).toEqual(['get nodes', 'delete pods']);
  expect(nodes.states.of('gpu-7')?.health).toBe('Gone');
});

test('a pod is left to its kubelet when its node is ready again, and the cache knows it from then on', async () => {
  await client.patch(NODES, { name: 'gpu-7' }, { status: node('True').status }, { subresource: 'status' });
  server.requests.length = 0;
  expect(nodes.states.of('gpu-7')?.health).toBe('NotReady');
  expect(await force()).toEqual({ problems: [], errors: [] });
  expect(requests()).toEqual(reread);
  expect(nodes.states.of('gpu-7')?.health).toBe('Ready');
});

test('a pod is left alone when another node bears the name by now', async () => {
  await replaceNode(node('True'));
  await force();
  expect(requests()).toEqual(reread);
});

test('a node that was back in between has its grace again', async () => {
  const justNow = { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-03-01T12:59:50Z' }] };
  await client.patch(NODES, { name: 'gpu-7' }, { status: justNow }, { subresource: 'status' });
  server.requests.length = 0;
  await force();
  expect(requests()).toEqual(reread);
});

test('nothing is deleted when nobody can say what the node is like', async () => {
  server.failNext(({ resource }) => resource === 'nodes', { status: 403, reason: 'Forbidden' });
  await force();
  expect(requests()).toEqual(['get nodes']);
});

test('an administrator who vouches that the node is off is believed', async () => {
  await client.patch(NODES, { name: 'gpu-7' }, { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service' }] } });
  server.requests.length = 0;
  await force();
  expect(requests()).toEqual(deleted);
});
