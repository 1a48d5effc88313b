/** Where the real scheduler places the replicas of a job that asks for a topology level, for a spread, or for both. */
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { eventually } from '../support/cluster';
import { describeScheduled } from '../support/operator-suite';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const NODES = 6;
/** Two nodes each. */
const ZONES = ['a', 'b', 'c'];

const suite = describeScheduled({
  title: 'placement',
  fakeNodes: { count: NODES, capacity: { cpu: '4', memory: '64Gi', pods: '100' } },
  prepare: (api) => Promise.all(Array.from({ length: NODES }, async (_, node) => {
    const labels = { [ZONE]: ZONES[node % ZONES.length], [HOST]: `fake-${node}` };
    await api.send('PATCH', `/api/v1/nodes/fake-${node}`, { metadata: { labels } }, 'application/merge-patch+json');
  })),
});

const job = (replicas: number, scheduling: TrainingJobSpec['scheduling']): Partial<TrainingJobSpec> => ({
  framework: 'jax', replicas, resources: { cpu: '1' }, scheduling,
});

/** Numbers of placed pods by a label of their nodes, the largest first, when each of them has a node. */
async function placedBy(name: string, label: string, replicas: number): Promise<number[]> {
  const labels = new Map((await suite.api.list('nodes')).map(({ metadata }) => [metadata.name, (metadata.labels as { [name: string]: string })[label]]));
  return eventually(`the pods of ${name} to be placed`, async () => {
    const nodes = (await suite.api.list('pods', suite.namespace, `job=${name}`)).map(({ spec }) => spec.nodeName as string | undefined);
    if (nodes.length < replicas || nodes.includes(undefined)) {
      return false;
    }
    const domains = nodes.map((node) => labels.get(node!)!);
    return [...new Set(domains)].map((domain) => domains.filter((other) => other === domain).length).sort((one, other) => other - one);
  });
}

/** How many pods the scheduler has looked at and found no node for. */
async function waiting(name: string): Promise<number> {
  return (await suite.api.list('pods', suite.namespace, `job=${name}`)).filter(({ spec, status }) => spec.nodeName === undefined
    && (status?.conditions ?? []).some(({ reason }: { reason: string }) => reason === 'Unschedulable')).length;
}

async function removed(name: string): Promise<void> {
  await suite.jobs.remove(name);
  // Nothing here ends pods of a job that is gone but the operator.
  await eventually('its pods to be gone', async () => (await suite.api.list('pods', suite.namespace, `job=${name}`)).length === 0);
}

test('a spread job has as many replicas in each zone, also where one zone had room for all', async () => {
  await suite.jobs.create('spread', job(6, { spread: { key: ZONE } }));
  expect(await placedBy('spread', ZONE, 6)).toEqual([2, 2, 2]);
  await removed('spread');
});

test('a spread over nodes, by the label that every node has', async () => {
  await suite.jobs.create('hosts', job(NODES, { spread: { key: HOST } }));
  expect(await placedBy('hosts', HOST, NODES)).toEqual([1, 1, 1, 1, 1, 1]);
  await removed('hosts');
});

test('a job with a topology level is within one zone, where it fits exactly', async () => {
  await suite.jobs.create('together', job(8, { topology: { key: ZONE } }));
  expect(await placedBy('together', ZONE, 8)).toEqual([8]);
  await removed('together');
});

test('both together: within one zone, spread over its nodes', async () => {
  await suite.jobs.create('both', job(4, { topology: { key: ZONE }, spread: { key: HOST, mode: 'Preferred' } }));
  expect(await placedBy('both', ZONE, 4)).toEqual([4]);
  expect(await placedBy('both', HOST, 4)).toEqual([2, 2]);
  await removed('both');
});

test('the empty nodes of other zones count where the spread is required: a node gets no more than the skew', async () => {
  await suite.jobs.create('skew-1', job(4, { topology: { key: ZONE }, spread: { key: HOST } }));
  await eventually('two pods to be found without a place', async () => (await waiting('skew-1')) === 2);
  await removed('skew-1');
  await suite.jobs.create('skew-2', job(4, { topology: { key: ZONE }, spread: { key: HOST, maxSkew: 2 } }));
  expect(await placedBy('skew-2', HOST, 4)).toEqual([2, 2]);
  await removed('skew-2');
});

test('what must be together and does not fit waits, and what should be is placed apart', async () => {
  await suite.jobs.create('must', job(9, { topology: { key: ZONE } }));
  await eventually('the ninth pod to be found without a place', async () => (
    (await suite.api.list('pods', suite.namespace, 'job=must')).length === 9 && (await waiting('must')) === 1));
  await removed('must');
  await suite.jobs.create('should', job(9, { topology: { key: ZONE, mode: 'Preferred' } }));
  expect((await placedBy('should', ZONE, 9)).reduce((one, other) => one + other)).toBe(9);
  await removed('should');
});
