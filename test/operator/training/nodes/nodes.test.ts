import { NodeCache, NodeStates, nodeSource, nodeState, trimNode, type NodeObject } from '../../../../src/operator/training/nodes/nodes';
import { POD_INDEXES, type PodObject } from '../../../../src/operator/training/resources';
import type { OperatorConfig } from '../../../../src/operator/training/config';
import type { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import type { ResourceKind, ResourceRef } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';

const SINCE = '2026-03-01T12:00:00Z';

function node(ready: string | undefined, more: Partial<NodeObject> = {}, resourceVersion = '1'): NodeObject {
  return {
    metadata: { name: 'n', uid: 'u', resourceVersion, ...more.metadata },
    spec: more.spec,
    status: ready === undefined ? {} : { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: SINCE }] },
  };
}

describe('the state of a node', () => {
  const since = Date.parse(SINCE);

  it.each<[string, NodeObject, object]>([
    ['ready', node('True'), { health: 'Ready', since }],
    ['not ready', node('False'), { health: 'NotReady', since }],
    ['silent', node('Unknown'), { health: 'NotReady', since }],
    ['new', node(undefined), { health: 'Ready' }],
    ['out of service', node('Unknown', { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service' }] } }), { health: 'NotReady', since, outOfService: true }],
    ['a spot machine that is taken away', node('True', { spec: { taints: [{ key: 'cloud.google.com/impending-node-termination' }] } }),
      { health: 'Ready', since, leaving: 'taint cloud.google.com/impending-node-termination' }],
    ['being deleted', node('True', { metadata: { deletionTimestamp: SINCE } }), { health: 'Ready', since, leaving: 'it is being deleted' }],
    ['cordoned or tainted for something else', node('True', { spec: { taints: [{ key: 'nvidia.com/gpu' }] } }), { health: 'Ready', since }],
  ])('%s', (_, object, state) => {
    expect(nodeState(object)).toEqual(state);
    expect(nodeState(trimNode(object))).toEqual(state);
  });

  it('is kept in a few bytes', () => {
    const big = { ...node('True'), metadata: { name: 'n', uid: 'u', resourceVersion: '1', labels: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`l${i}`, 'x'])) } };
    expect(JSON.stringify(trimNode(big)).length).toBeLessThan(250);
  });
});

describe('what is known of nodes', () => {
  it('is gone when it was seen to go, and nothing of a node that was never seen', () => {
    const store = new Store<NodeObject>({ transform: trimNode });
    const states = new NodeStates(store, () => 42);
    store.commitList(store.beginList(), [node('True')], '1');

    expect(states.of('n')?.health).toBe('Ready');
    expect(states.of('other')).toBeUndefined();
    expect(states.of(undefined)).toBeUndefined();
    store.applyEvent({ type: 'DELETED', object: node('True', {}, '2') });
    expect(states.of('n')).toEqual({ health: 'Gone', since: 42 });
    store.applyEvent({ type: 'ADDED', object: { ...node('True', {}, '3'), metadata: { name: 'n', uid: 'u2', resourceVersion: '3' } } });
    expect(states.of('n')?.health).toBe('Ready');
  });
});

describe('news of a node', () => {
  it('wake the jobs with pods on it, and a heartbeat wakes nobody', () => {
    const nodes = new Store<NodeObject>({ transform: trimNode });
    const pods = new Store<PodObject>({ indexes: POD_INDEXES });
    const pod = (name: string, job: string, nodeName: string): PodObject => ({
      metadata: {
        name, namespace: 'ml', uid: name, resourceVersion: '1',
        ownerReferences: [{ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: job, uid: job, controller: true }],
      },
      spec: { nodeName, containers: [] },
    });
    pods.commitList(pods.beginList(), [pod('a-0', 'a', 'n'), pod('a-1', 'a', 'n'), pod('b-0', 'b', 'other')], '1');
    nodes.commitList(nodes.beginList(), [node('True')], '1');
    const woken: string[] = [];
    nodeSource({ store: nodes, states: new NodeStates(nodes, Date.now) }, { pods, services: new Store() })
      .subscribe((keys) => woken.push(...keys), (error) => { throw error as Error; });

    nodes.applyEvent({ type: 'MODIFIED', object: node('True', {}, '2') });
    expect(woken).toEqual([]);
    nodes.applyEvent({ type: 'MODIFIED', object: node('Unknown', {}, '3') });
    expect(woken).toEqual(['ml/a']);
    nodes.applyEvent({ type: 'DELETED', object: node('Unknown', {}, '4') });
    expect(woken).toEqual(['ml/a', 'ml/a']);
  });
});

describe('an outage of nodes', () => {
  const SINCE_MS = Date.parse(SINCE);

  /** A cluster of so many nodes that are ready, named n0, n1 and so on, with a job on each; answers how nodes are and who was woken. */
  function cluster(count: number) {
    let now = SINCE_MS;
    let version = 1;
    const store = new Store<NodeObject>({ transform: trimNode });
    const pods = new Store<PodObject>({ indexes: POD_INDEXES });
    const states = new NodeStates(store, () => now);
    const woken: string[] = [];
    nodeSource({ store, states }, { pods, services: new Store() }).subscribe((keys) => woken.push(...keys), (error) => { throw error as Error; });
    const names = Array.from({ length: count }, (_, index) => `n${index}`);
    pods.commitList(pods.beginList(), names.map((name): PodObject => ({
      metadata: {
        name, namespace: 'ml', uid: name, resourceVersion: '1',
        ownerReferences: [{ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: `on-${name}`, uid: `on-${name}`, controller: true }],
      },
      spec: { nodeName: name, containers: [] },
    })), '1');
    const said = (name: string, ready: string) => node(ready, { metadata: { name, uid: name, resourceVersion: String(++version) } }, String(version));
    store.commitList(store.beginList(), names.map((name) => said(name, 'True')), String(++version));
    woken.length = 0;
    return {
      states,
      woken,
      becomes: async (ready: 'True' | 'Unknown', ...indexes: number[]) => {
        indexes.forEach((index) => store.applyEvent({ type: 'MODIFIED', object: said(`n${index}`, ready) }));
        await Promise.resolve();
      },
      goes: async (index: number) => {
        store.applyEvent({ type: 'DELETED', object: said(`n${index}`, 'Unknown') });
        await Promise.resolve();
      },
      after: (seconds: number) => { now += seconds * 1000; },
    };
  }

  it.each([
    [1, 1, true], [2, 1, false], [2, 2, true], [3, 2, false], [4, 2, false], [5, 3, true], [6, 3, false], [100, 54, false], [100, 55, true],
  ])('of %i nodes, %i of which are not ready: %s', async (count, notReady, isOutage) => {
    const { states, becomes } = cluster(count);
    await becomes('Unknown', ...Array.from({ length: notReady }, (_, index) => index));
    expect(states.outage.lasts).toBe(isOutage);
    expect(states.of('n0')).toEqual({ health: 'NotReady', since: SINCE_MS, ...(isOutage && { inOutage: true }) });
  });

  it('is nothing that an empty cluster has, nor one whose nodes were deleted', async () => {
    expect(cluster(0).states.outage.lasts).toBe(false);
    const { states, becomes, goes } = cluster(3);
    await becomes('Unknown', 0, 1, 2);
    expect(states.outage.lasts).toBe(true);
    await Promise.all([0, 1, 2].map(goes));
    expect(states.outage.lasts).toBe(false);
    expect(states.of('n0')).toEqual({ health: 'Gone', since: SINCE_MS });
  });

  it('is not seen in the first nodes of a list', async () => {
    const { states, becomes, after } = cluster(4);
    after(600);
    await becomes('Unknown', 0);
    const store = new Store<NodeObject>({ transform: trimNode });
    const later = new NodeStates(store, () => SINCE_MS + 600_000);
    const named = (name: string, ready: string) => node(ready, { metadata: { name, uid: name, resourceVersion: '1' } });
    store.commitList(store.beginList(), [named('n0', 'Unknown'), named('n1', 'True'), named('n2', 'True')], '1');
    await Promise.resolve();
    expect([states, later].map((each) => each.of('n0'))).toEqual([{ health: 'NotReady', since: SINCE_MS }, { health: 'NotReady', since: SINCE_MS }]);
  });

  it('wakes at its end the jobs on all nodes that are not ready yet, which have their grace from then on', async () => {
    const { states, becomes, after, woken } = cluster(5);
    await becomes('Unknown', 0, 1, 2, 3);
    woken.length = 0;
    after(600);
    await becomes('True', 3);
    expect(states.of('n0')).toEqual({ health: 'NotReady', since: SINCE_MS, inOutage: true });
    expect(woken).toEqual(['ml/on-n3']);

    await becomes('True', 2);
    expect(woken).toEqual(['ml/on-n3', 'ml/on-n2', 'ml/on-n0', 'ml/on-n1']);
    expect(states.of('n0')).toEqual({ health: 'NotReady', since: SINCE_MS + 600_000 });
    expect(states.of('n2')).toEqual({ health: 'Ready', since: SINCE_MS });
  });
});

describe('the node of a pod', () => {
  const pod = { namespace: 'sys', name: 'operator-0' };
  /** A cache whose client answers with these objects, by path, and what it was asked for. */
  function cacheOf(objects: { readonly [path: string]: object }) {
    const asked: string[] = [];
    const tryGet = async ({ plural }: ResourceKind, { namespace, name }: ResourceRef) => {
      const path = `${plural} ${namespace}/${name}`;
      asked.push(path);
      if (objects[path] instanceof Error) {
        throw objects[path];
      }
      return objects[path];
    };
    const options = { client: { tryGet } as unknown as KubeClient, config: { resyncSeconds: 600 } as OperatorConfig, logger: Logger.silent() };
    return { asked, nodes: new NodeCache(options) };
  }

  it('has its Lease looked at, so that whoever asks later knows since when it is silent', async () => {
    const lease = { metadata: { uid: 'u', resourceVersion: '7' } };
    const { nodes, asked } = cacheOf({ 'pods sys/operator-0': { spec: { nodeName: 'n' } }, 'leases kube-node-lease/n': lease });
    await nodes.lookAtNodeOf(pod);
    expect(asked).toEqual(['pods sys/operator-0', 'leases kube-node-lease/n']);
    expect(nodes.leases.of('n')).toMatchObject({ exists: true });
  });

  it.each<[string, { readonly [path: string]: object }]>([
    ['a pod that is gone', {}],
    ['a pod that is on no node yet', { 'pods sys/operator-0': { spec: {} } }],
    ['a pod that may not be read', { 'pods sys/operator-0': new Error('forbidden') }],
  ])('is not looked at for %s', async (_, objects) => {
    const { nodes, asked } = cacheOf(objects);
    await expect(nodes.lookAtNodeOf(pod)).resolves.toBeUndefined();
    expect(asked).toEqual(['pods sys/operator-0']);
  });
});
