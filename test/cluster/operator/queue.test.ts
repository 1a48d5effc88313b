import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { upstreamCrds } from '../../support/upstream-definitions';
import { eventually } from '../support/cluster';
import { installCrds, removeCrd } from '../support/crds';
import { FakeKueue } from '../support/fake-kueue';
import { describeOperator } from '../support/operator-suite';
import { conditionOf } from '../support/training-jobs';

/** The operator with Kueue's real definitions, and a test double for its controllers. test/faults/kueue.test.ts has the real ones. */
const suite = describeOperator();
let kueue: FakeKueue;
let installed = false;

beforeEach(() => {
  kueue = new FakeKueue(suite.api, suite.namespace);
});

const queued = (more: Partial<TrainingJobSpec['scheduling']> = {}, fields: Partial<TrainingJobSpec> = {}): Partial<TrainingJobSpec> => ({
  framework: 'jax', replicas: 2, resources: { cpu: '1' }, scheduling: { queueName: 'team', ...more }, ...fields,
});

/** Pods of a job that are not on their way out. */
const pods = async (job: string) => suite.api.list('pods', suite.namespace, `job=${job}`);

/** A test that needs Kueue's definitions. */
function withKueue(name: string, body: () => Promise<void>): void {
  test(name, async () => {
    if (!installed) {
      await installCrds(upstreamCrds('kueue'));
      installed = true;
    }
    await body();
  });
}

test('a queued job says what is missing where Kueue is not installed, and goes on by itself once it is', async () => {
  const { jobs } = suite;
  // Another file may have left it here.
  await removeCrd('workloads.kueue.x-k8s.io', 'v1beta2');
  await jobs.create('net', queued());
  const told = await jobs.until('net', 'told', (_status, job) => conditionOf(job, 'Admitted')?.reason === 'KueueMissing');
  expect(conditionOf(told, 'Admitted')?.message).toContain('Install Kueue');
  expect(await pods('net')).toEqual([]);
  await installCrds(upstreamCrds('kueue'));
  installed = true;
  expect((await kueue.workloadOf('net')).spec).toMatchObject({ queueName: 'team', podSets: [{ name: 'worker', count: 2 }] });
});

withKueue('a queued job has pods only while it is admitted, on the nodes that its flavor names', async () => {
  const { jobs, kubelet } = suite;
  await kueue.flavor('spot', { nodeLabels: { pool: 'spot' }, tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }] });
  await jobs.create('net', queued());
  const workload = await kueue.workloadOf('net');
  expect(workload.metadata).toMatchObject({
    labels: { 'job': 'net', 'kueue.x-k8s.io/job-uid': (await jobs.get('net')).metadata.uid },
    ownerReferences: [{ kind: 'MLTrainingJob', name: 'net', controller: true }],
  });
  await kueue.pend('net', 'WaitingForQuota', 'insufficient unused quota for cpu in flavor spot, 1 more needed');
  const waiting = await jobs.until('net', 'told why it waits', (_status, job) => conditionOf(job, 'Admitted')?.reason === 'WaitingForQuota');
  expect(waiting.status).toMatchObject({ phase: 'Pending', queue: { name: 'team', workload: workload.metadata.name, admitted: false } });
  expect(waiting.status?.startTime).toBeUndefined();
  expect(await pods('net')).toEqual([]);

  await kueue.admit('net', { flavor: 'spot' }, {
    admissionChecks: [{
      name: 'provision', state: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z',
      podSetUpdates: [{ name: 'worker', annotations: { 'autoscaler/consume': 'request-1' }, nodeSelector: { zone: 'a' } }],
    }],
  });
  const [pod] = await kubelet.pods('net', 2);
  expect(pod.spec).toMatchObject({ nodeSelector: { pool: 'spot', zone: 'a' }, tolerations: expect.arrayContaining([expect.objectContaining({ key: 'spot' })]) });
  expect(pod.metadata).toMatchObject({
    labels: { 'kueue.x-k8s.io/podset': 'worker' },
    annotations: { 'autoscaler/consume': 'request-1', 'kueue.x-k8s.io/workload': workload.metadata.name },
  });
  await kubelet.run('net-worker-0', 'net-worker-1');
  const running = await jobs.untilCondition('net', 'Running');
  expect(running.status).toMatchObject({ queue: { admitted: true, clusterQueue: 'all' }, startTime: expect.any(String) });
  await eventually('Kueue to hear that all pods are running', async () => (await kueue.conditionOf('net', 'PodsReady'))?.status === 'True');

  await kubelet.end('net-worker-0');
  await kubelet.end('net-worker-1');
  await jobs.untilCondition('net', 'Succeeded');
  await eventually('Kueue to hear of the end', async () => (await kueue.conditionOf('net', 'Finished'))?.reason === 'Succeeded');
});

withKueue('an eviction is a disruption: the pods go first, then the quota, and the next admission is the next attempt', async () => {
  const { jobs, kubelet } = suite;
  await kueue.flavor('any', {});
  await jobs.create('net', queued({}, { runPolicy: { backoffLimit: 0 } }));
  await kueue.workloadOf('net');
  await kueue.admit('net', { flavor: 'any' });
  await kubelet.runAll('net', 2);
  await kubelet.pods('net', 2);
  await jobs.untilCondition('net', 'Running');
  await kueue.evict('net', 'Preempted', 'Preempted to accommodate a workload of higher priority');
  const evicted = await jobs.until('net', 'evicted', (status) => status.queue?.evictions === 1);
  expect(evicted.status).toMatchObject({ phase: 'Pending', attempt: 1, restarts: 0, disruptions: 1, queue: { admitted: false } });
  await eventually('the quota to be given back', async () => (await kueue.conditionOf('net', 'QuotaReserved'))?.status === 'False');
  expect(await pods('net')).toEqual([]);
  expect((await kueue.workloadOf('net')).status.admission).toBeUndefined();
  expect(await kueue.conditionOf('net', 'Requeued')).toMatchObject({ status: 'True', reason: 'Preempted' });
  expect(await kueue.conditionOf('net', 'Admitted')).toMatchObject({ status: 'False', reason: 'NoReservation' });

  await kueue.admit('net', { flavor: 'any' });
  const again = await kubelet.pods('net', 2);
  expect(again.map(({ metadata }) => (metadata.labels as Record<string, string>)['ml.collabnix.io/attempt'])).toEqual(['1', '1']);
});

withKueue('a suspended job is in no queue, and stands in line anew when it is resumed', async () => {
  const { jobs } = suite;
  await jobs.create('net', queued({}, { suspend: true }));
  await jobs.untilCondition('net', 'Suspended');
  expect(await kueue.workloads()).toEqual([]);
  await jobs.change('net', { suspend: false });
  const { metadata: { uid } } = await kueue.workloadOf('net');
  await jobs.change('net', { suspend: true });
  await eventually('the Workload to be gone', async () => (await kueue.workloads()).length === 0);
  await jobs.change('net', { suspend: false });
  expect((await kueue.workloadOf('net')).metadata.uid).not.toBe(uid);
  expect((await jobs.get('net')).spec.suspend).toBe(false);
});

withKueue('a Workload is refused room without its class of priority, and has its value with it', async () => {
  const { jobs, api } = suite;
  await jobs.create('net', queued({ queuePriorityClassName: 'urgent' }));
  const told = await jobs.until('net', 'told', (_status, job) => conditionOf(job, 'Created')?.reason === 'PriorityClassMissing');
  expect(conditionOf(told, 'Created')?.message).toContain('WorkloadPriorityClass urgent');
  const cls = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'WorkloadPriorityClass', metadata: { name: 'urgent' }, value: 1000 };
  await api.send('PATCH', '/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses/urgent?fieldManager=test&force=true', cls, 'application/apply-patch+yaml');
  expect((await kueue.workloadOf('net')).spec).toMatchObject({
    priority: 1000, priorityClassRef: { group: 'kueue.x-k8s.io', kind: 'WorkloadPriorityClass', name: 'urgent' },
  });
});

withKueue('the pods of a job with queueMode PodGroup are a group of Kueue\'s own, one for each attempt', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', queued({ queueMode: 'PodGroup', topology: { key: 'rack' } }));
  const [pod] = await kubelet.pods('net', 2);
  expect(pod.metadata).toMatchObject({
    labels: { 'kueue.x-k8s.io/queue-name': 'team', 'kueue.x-k8s.io/pod-group-name': 'net-0' },
    annotations: {
      'kueue.x-k8s.io/pod-group-total-count': '2', 'kueue.x-k8s.io/podset-required-topology': 'rack',
      'kueue.x-k8s.io/pod-group-pod-index-label': 'ml.collabnix.io/replica-index',
    },
  });
  expect(await kueue.workloads()).toEqual([]);
  await kubelet.runAll('net', 2);
  await jobs.untilCondition('net', 'Running');
  // Kueue preempts by deleting the pods.
  await suite.api.remove('pods', suite.namespace, 'net-worker-0');
  const restarted = await jobs.until('net', 'disrupted', (status) => status.attempt === 1);
  expect(restarted.status).toMatchObject({ restarts: 0, disruptions: 1 });
  await eventually('pods of the next group', async () => (await pods('net')).length === 2 && (await pods('net'))
    .every(({ metadata }) => (metadata.labels as Record<string, string>)['kueue.x-k8s.io/pod-group-name'] === 'net-1'));
});
