/**
 * Kueue's own manager admits, preempts and admits again the Workloads that the operator makes, on a real control plane with kube-scheduler and KWOK
 * nodes: the protocol is held against the program that it was read from. Skipped, and said so, where that program is not there.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testWith } from './support/with-programs';
import type { Child } from '../../src/local/control-plane/child-process';
import { ControlPlane } from '../../src/local/control-plane';
import { API_GROUP, API_VERSION, TRAINING_JOB_KIND } from '../../src/model/labels';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../cluster/support/operator';
import { TestApi } from '../cluster/support/test-api';
import { findKueueManager, startKueueManager } from '../cluster/support/upstream/kueue';
import { upstreamCrds } from '../support/upstream-definitions';
import { conditionOf, TestJobs } from '../cluster/support/training-jobs';

const KUEUE = '/apis/kueue.x-k8s.io/v1beta2';

const found = findKueueManager();
const withKueue = testWith(found.missing, 'Kueue\'s own manager', () => [manager]);

let plane: ControlPlane | undefined;
let api: TestApi;
let installation: Installation | undefined;
let operator: OperatorProcess | undefined;
let manager: Child | undefined;
let namespace: string;
let jobs: TestJobs;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-kueue-'));

beforeAll(async () => {
  plane = await ControlPlane.start({ controllerManager: true, scheduler: true, fakeNodes: { count: 2, labels: { pool: 'a' } } });
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('kueue').flatMap(readYaml));
  await api.create('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kueue-system' } });
  manager = await startKueueManager(found.program!, folder, plane.kubeconfigPath, {
    integrations: { frameworks: ['batch/job', 'pod'], externalFrameworks: [`${TRAINING_JOB_KIND}.${API_VERSION}.${API_GROUP}`] },
  }, api);
  const operatorNamespace = await api.createNamespace('operator');
  installation = await installOperator(api, operatorNamespace);
  operator = startOperator(installation, { LOG_LEVEL: 'debug' });
  await operator.logs('controller started');
  namespace = await api.createNamespace('team');
  jobs = new TestJobs(api, namespace);
  await setUpQueue();
});
afterAll(async () => {
  const complaints = operator?.complaints();
  await operator?.stop();
  await manager?.stop(10_000);
  await plane?.stop();
  installation?.removeFiles();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(complaints ?? []).toEqual([]);
});

/** A queue with room for four cores, in which more important jobs take the room of others. */
async function setUpQueue(): Promise<void> {
  const make = async (plural: string, object: object, where = '') => api.send('POST', `${KUEUE}${where}/${plural}`, { apiVersion: 'kueue.x-k8s.io/v1beta2', ...object });
  await make('resourceflavors', {
    kind: 'ResourceFlavor', metadata: { name: 'pool-a' }, spec: { nodeLabels: { pool: 'a' }, tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
  });
  await make('clusterqueues', {
    kind: 'ClusterQueue',
    metadata: { name: 'all' },
    spec: {
      namespaceSelector: {},
      preemption: { withinClusterQueue: 'LowerPriority' },
      resourceGroups: [{ coveredResources: ['cpu'], flavors: [{ name: 'pool-a', resources: [{ name: 'cpu', nominalQuota: '4' }] }] }],
    },
  });
  await make('localqueues', { kind: 'LocalQueue', metadata: { name: 'team' }, spec: { clusterQueue: 'all' } }, `/namespaces/${namespace}`);
  for (const [name, value] of [['low', 10], ['high', 1000]] as const) {
    await make('workloadpriorityclasses', { kind: 'WorkloadPriorityClass', metadata: { name }, value });
  }
}

const queued = (replicas: number, cls: string, more: Partial<TrainingJobSpec> = {}): Partial<TrainingJobSpec> => ({
  replicas, resources: { cpu: '1' }, scheduling: { queueName: 'team', queuePriorityClassName: cls }, ...more,
});

const workloads = async (): Promise<TestObject[]> => (await api.send('GET', `${KUEUE}/namespaces/${namespace}/workloads`)).items as TestObject[];

withKueue('Kueue itself admits a job, preempts it for a more important one, admits it again, and is told of its end', async () => {
  await jobs.create('small', queued(3, 'low'));
  const running = await jobs.untilCondition('small', 'Running');
  expect(conditionOf(running, 'Admitted')).toMatchObject({ status: 'True', reason: 'Admitted' });
  expect(running.status?.queue).toMatchObject({ name: 'team', clusterQueue: 'all', admitted: true });
  const pods = await api.list('pods', namespace, 'job=small');
  expect(pods.map((pod) => [pod.spec.nodeSelector, pod.spec.tolerations.some(({ key }: { key?: string }) => key === 'dedicated')]))
    .toEqual(pods.map(() => [{ pool: 'a' }, true]));

  await jobs.create('big', queued(4, 'high'));
  await jobs.untilCondition('big', 'Running');
  const waiting = await jobs.until('small', 'back in the queue', (status) => status.queue?.admitted === false && status.attempt === 1);
  expect(waiting.status).toMatchObject({ phase: 'Pending', disruptions: 1, restarts: 0, queue: { evictions: 1 } });
  expect((await api.list('pods', namespace, 'job=small'))).toEqual([]);

  await jobs.remove('big');
  const again = await jobs.until('small', 'running again', (status) => status.phase === 'Running');
  expect(again.status).toMatchObject({ attempt: 1, disruptions: 1, restarts: 0, queue: { admitted: true, evictions: 1 } });
  expect((await workloads()).filter(({ metadata }) => (metadata.ownerReferences as { name: string }[])[0].name === 'big')).toEqual([]);

  await jobs.change('small', { suspend: true });
  await jobs.untilCondition('small', 'Suspended');
  await eventually('the Workload of the suspended job to be gone', async () => (await workloads()).length === 0);
  await jobs.change('small', { suspend: false });
  await jobs.until('small', 'running after it was resumed', (status) => status.phase === 'Running' && status.attempt === 2);
  await jobs.remove('small');
});

withKueue('a job that does not fit says so in Kueue\'s words, and runs when there is room', async () => {
  await jobs.create('first', queued(3, 'low', { runPolicy: { cleanPodPolicy: 'All' } }));
  await jobs.untilCondition('first', 'Running');
  await jobs.create('second', queued(2, 'low'));
  const pending = await jobs.until('second', 'told why it waits', (_status, job) => /insufficient|quota/i.test(conditionOf(job, 'Admitted')?.message ?? ''));
  expect(pending.status).toMatchObject({ phase: 'Pending', queue: { admitted: false } });
  expect(pending.status?.startTime).toBeUndefined();
  // The master last: with its success the job is over, and the others go.
  for (const { metadata } of (await api.list('pods', namespace, 'job=first')).reverse()) {
    const ended = { containerStatuses: [{ name: 'training', image: 'image', imageID: '', restartCount: 0, ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } }] };
    await api.patch('pods', namespace, metadata.name, { status: { phase: 'Succeeded', ...ended } }, 'status');
  }
  await jobs.untilCondition('first', 'Succeeded');
  await eventually('Kueue to hear of the end', async () => (await workloads()).some(({ status }) => status?.conditions?.some(
    ({ type, status: value, reason }: { type: string; status: string; reason: string }) => type === 'Finished' && value === 'True' && reason === 'Succeeded',
  )));
  await jobs.untilCondition('second', 'Running');
  await Promise.all(['first', 'second'].map(async (name) => jobs.remove(name)));
  await eventually('their Workloads to be gone', async () => (await workloads()).length === 0);
});

describe('as plain pods', () => {
  const grouped = (replicas: number, cls: string): Partial<TrainingJobSpec> => ({
    replicas, resources: { cpu: '1' }, scheduling: { queueName: 'team', queueMode: 'PodGroup', queuePriorityClassName: cls },
  });

  withKueue('a job runs when all of its pods are admitted, is preempted and admitted again, and goes', async () => {
    await jobs.create('pods', grouped(3, 'low'));
    await jobs.untilCondition('pods', 'Running');
    const first = await workloads();
    expect(first.map(({ metadata, status }) => [metadata.name, status.admission.clusterQueue])).toEqual([['pods-0', 'all']]);
    expect((await api.list('pods', namespace, 'job=pods')).map(({ spec }) => spec.nodeSelector)).toEqual(Array(3).fill({ pool: 'a' }));

    await jobs.create('urgent', grouped(4, 'high'));
    await jobs.untilCondition('urgent', 'Running');
    // Each pod that is lost counts, and Kueue deletes them one by one.
    const waiting = await jobs.until('pods', 'disrupted', ({ attempt, phase }) => attempt === 1 && phase !== 'Running');
    expect(waiting.status).toMatchObject({ restarts: 0, lastFailure: { reason: 'PodLost', attempt: 0 } });
    expect(waiting.status!.disruptions).toBeGreaterThanOrEqual(1);
    await jobs.remove('urgent');
    await jobs.until('pods', 'running again', ({ attempt, phase }) => attempt === 1 && phase === 'Running');
    await jobs.remove('pods');
    await eventually('pods and Workloads to be gone', async () => (await api.list('pods', namespace)).length + (await workloads()).length === 0);
  });

  withKueue('a job that does not fit has pods that wait at their gates', async () => {
    await jobs.create('large', grouped(5, 'low'));
    await eventually('its Workload to wait', async () => (await workloads()).some(({ metadata, status }) => metadata.name === 'large-0'
      && status?.conditions?.some(({ type, status: value }: { type: string; status: string }) => type === 'QuotaReserved' && value === 'False')));
    const gates = (await api.list('pods', namespace, 'job=large')).map(({ spec }) => (spec.schedulingGates as { name: string }[]).map(({ name }) => name));
    expect(gates).toEqual(Array(5).fill(expect.arrayContaining(['kueue.x-k8s.io/admission'])));
    await jobs.remove('large');
    await eventually('pods and Workloads to be gone', async () => (await api.list('pods', namespace)).length + (await workloads()).length === 0);
  });
});

describe('with topologies', () => {
  const onRacks = (replicas: number, mode: 'Required' | 'Preferred'): Partial<TrainingJobSpec> => ({
    replicas, resources: { cpu: '1', gpu: 1 }, scheduling: { queueName: 'racks', topology: { key: 'rack', mode } },
  });
  const nodesOf = async (job: string) => {
    const pods = await api.list('pods', namespace, `job=${job}`);
    return Object.fromEntries(pods.map(({ metadata, spec }) => [metadata.name, spec.nodeName as string | undefined]));
  };

  beforeAll(async () => {
    if (manager === undefined) {
      return;
    }
    await api.patch('nodes', '', 'fake-0', { metadata: { labels: { rack: 'a' } } });
    await api.patch('nodes', '', 'fake-1', { metadata: { labels: { rack: 'b' } } });
    const make = async (plural: string, object: object, where = '') => api.send('POST', `${KUEUE}${where}/${plural}`, { apiVersion: 'kueue.x-k8s.io/v1beta2', ...object });
    await make('topologies', { kind: 'Topology', metadata: { name: 'racks' }, spec: { levels: [{ nodeLabel: 'rack' }, { nodeLabel: 'kubernetes.io/hostname' }] } });
    await make('resourceflavors', { kind: 'ResourceFlavor', metadata: { name: 'racks' }, spec: { nodeLabels: { pool: 'a' }, topologyName: 'racks' } });
    const quotas = ['cpu', 'nvidia.com/gpu'].map((name) => ({ name, nominalQuota: '100' }));
    await make('clusterqueues', {
      kind: 'ClusterQueue', metadata: { name: 'racks' },
      spec: { namespaceSelector: {}, resourceGroups: [{ coveredResources: ['cpu', 'nvidia.com/gpu'], flavors: [{ name: 'racks', resources: quotas }] }] },
    });
    await make('localqueues', { kind: 'LocalQueue', metadata: { name: 'racks' }, spec: { clusterQueue: 'racks' } }, `/namespaces/${namespace}`);
  });

  withKueue('a job runs within one rack, although its quota and the nodes would allow more', async () => {
    await jobs.create('near', onRacks(6, 'Required'));
    await jobs.untilCondition('near', 'Running');
    const nodes = await nodesOf('near');
    expect(Object.keys(nodes)).toHaveLength(6);
    expect(new Set(Object.values(nodes)).size).toBe(1);
    await jobs.remove('near');
  });

  withKueue('a job that no rack has room for waits, and says why; with Preferred it runs on both', async () => {
    await jobs.create('wide', onRacks(12, 'Required'));
    const waiting = await jobs.until('wide', 'told why it waits', (_status, job) => /topology/i.test(conditionOf(job, 'Admitted')?.message ?? ''));
    expect(waiting.status).toMatchObject({ phase: 'Pending', queue: { admitted: false } });
    await jobs.remove('wide');
    await jobs.create('spread', onRacks(12, 'Preferred'));
    await jobs.untilCondition('spread', 'Running');
    expect(new Set(Object.values(await nodesOf('spread')))).toEqual(new Set(['fake-0', 'fake-1']));
    await jobs.remove('spread');
  });

  withKueue('a job of plain pods runs within one rack', async () => {
    await jobs.create('group', { ...onRacks(6, 'Required'), scheduling: { queueName: 'racks', queueMode: 'PodGroup', topology: { key: 'rack', mode: 'Required' } } });
    await jobs.untilCondition('group', 'Running');
    expect(new Set(Object.values(await nodesOf('group'))).size).toBe(1);
    await jobs.remove('group');
  });

  withKueue('a job that asks for no topology runs in a queue that has one', async () => {
    await jobs.create('any', { ...onRacks(2, 'Required'), scheduling: { queueName: 'racks' } });
    await jobs.untilCondition('any', 'Running');
    await jobs.remove('any');
  });
});
