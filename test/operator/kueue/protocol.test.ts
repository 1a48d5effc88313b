import { afterStep, condition, makeQueuedJob, makeWorkload, NOW } from './support';
import { admissionOf, nextStep, type QueuedJob, type WorkloadStep } from '../../../src/operator/kueue/protocol';
import type { Workload } from '../../../src/operator/kueue/workload';

const step = (workload: Workload | undefined, job: Partial<QueuedJob> = {}) => nextStep(workload, makeQueuedJob(job), NOW);
const patched = (found: WorkloadStep | undefined) => {
  expect(found).toMatchObject({ type: 'patchStatus', resourceVersion: '7' });
  return (found as Extract<WorkloadStep, { type: 'patchStatus' }>).status;
};
const conditions = (found: WorkloadStep | undefined) => (patched(found).conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);

const ADMITTED = ['QuotaReserved=True/QuotaReserved', 'Admitted=True/Admitted'];

describe('a job may have pods', () => {
  test.each<[string, Workload | undefined, string]>([
    ['not before its Workload is there', undefined, 'Waiting'],
    ['not before Kueue has looked at it', makeWorkload(), 'Waiting'],
    ['not while quota is missing', makeWorkload(['QuotaReserved=False/WaitingForQuota']), 'Waiting'],
    ['not while admission checks are open', makeWorkload(['QuotaReserved=True/QuotaReserved']), 'Waiting'],
    ['once it is admitted', makeWorkload(ADMITTED), 'Admitted'],
    ['not when it is evicted, although it is admitted still', makeWorkload([...ADMITTED, 'Evicted=True/Preempted']), 'Evicted'],
    ['again when the eviction is over', makeWorkload([...ADMITTED, 'Evicted=False/QuotaReserved']), 'Admitted'],
    ['not when an administrator deactivates it', makeWorkload(ADMITTED, { spec: { active: false } }), 'Evicted'],
    ['not when its Workload is being deleted', makeWorkload(ADMITTED, { deleting: true }), 'Evicted'],
    ['not when it was admitted as another one', makeWorkload(ADMITTED, { hash: 'old' }), 'Evicted'],
    ['not when its Workload is finished', makeWorkload([...ADMITTED, 'Finished=True/Failed']), 'Ended'],
  ])('%s', (_, workload, state) => {
    expect(admissionOf(workload, 'h').state).toBe(state);
  });

  test('and hears in Kueue\'s words why it waits', () => {
    expect(admissionOf(makeWorkload(['QuotaReserved=False/ExceedsMaxQuota']), 'h')).toEqual({ state: 'Waiting', reason: 'ExceedsMaxQuota', message: 'QuotaReserved is False' });
    const checks = [{ name: 'a', state: 'Ready' }, { name: 'capacity', state: 'Pending', message: 'asked for nodes' }];
    expect(admissionOf(makeWorkload(['QuotaReserved=True/QuotaReserved'], { status: { conditions: [condition('QuotaReserved=True')], admissionChecks: checks } }), 'h'))
      .toMatchObject({ reason: 'AdmissionCheck', message: 'Quota is reserved; admission check capacity is Pending: asked for nodes' });
  });
});

describe('the owner of a job', () => {
  test('makes a Workload for a job that wants to run and has no pods', () => {
    expect(step(undefined)).toEqual({ type: 'create' });
    expect(step(undefined, { active: true })).toBeUndefined();
    expect(step(undefined, { wanted: false })).toBeUndefined();
    expect(step(undefined, { finished: { succeeded: true, message: '' } })).toBeUndefined();
  });

  test('waits while Kueue has the word', () => {
    expect(step(makeWorkload())).toBeUndefined();
    expect(step(makeWorkload(['QuotaReserved=False/WaitingForQuota']))).toBeUndefined();
    expect(step(makeWorkload(ADMITTED, { deleting: true }), { active: true })).toBeUndefined();
  });

  test('gives quota back when the last pod of an evicted job is gone, and never before', () => {
    const evicted = makeWorkload([...ADMITTED, 'Evicted=True/Preempted'], { status: {
      conditions: [...ADMITTED, 'Evicted=True/Preempted'].map(condition), admission: { clusterQueue: 'c', podSetAssignments: [] }, accumulatedPastExecutionTimeSeconds: 40,
    } });
    expect(step(evicted, { active: true })).toBeUndefined();
    const found = step(evicted);
    expect(conditions(found)).toEqual(['QuotaReserved=False/Pending', 'Admitted=False/NoReservation', 'Evicted=True/Preempted', 'Requeued=True/Preempted']);
    expect(patched(found)).toMatchObject({ admission: null, accumulatedPastExecutionTimeSeconds: 40 + 3600 });
    expect(step(afterStep(evicted, found!))).toBeUndefined();
  });

  test('leaves it to Kueue to queue it again when it was not preempted', () => {
    for (const reason of ['PodsReadyTimeout', 'AdmissionCheck', 'ClusterQueueStopped', 'Deactivated']) {
      expect(conditions(step(makeWorkload([...ADMITTED, `Evicted=True/${reason}`])))).toContain(`Requeued=False/${reason}`);
    }
    expect(conditions(step(makeWorkload([...ADMITTED, 'Evicted=True/NodeFailures'])))).toContain('Requeued=True/NodeFailures');
    // Deactivated by hand: Kueue evicts it, and says so itself.
    expect(step(makeWorkload(ADMITTED, { spec: { active: false } }))).toBeUndefined();
  });

  test('takes a suspended job out of the queue when its pods are gone', () => {
    expect(step(makeWorkload(ADMITTED), { wanted: false, active: true })).toBeUndefined();
    expect(step(makeWorkload(ADMITTED), { wanted: false })).toMatchObject({ type: 'delete', uid: 'w-1' });
  });

  test('replaces the Workload of a job that has changed, and of one that Kueue has finished before its time', () => {
    expect(step(makeWorkload(ADMITTED, { hash: 'old' }), { active: true })).toBeUndefined();
    expect(step(makeWorkload(ADMITTED, { hash: 'old' }))).toMatchObject({ type: 'delete', reason: 'the job has changed' });
    expect(step(makeWorkload(['Finished=True/OutOfSync']))).toMatchObject({ type: 'delete' });
  });

  test('tells the end once, in success and in failure', () => {
    const found = step(makeWorkload(ADMITTED), { wanted: false, finished: { succeeded: true, message: 'All done' } });
    expect(patched(found).conditions).toContainEqual(expect.objectContaining({ type: 'Finished', status: 'True', reason: 'Succeeded', message: 'All done', observedGeneration: 1 }));
    expect(conditions(step(makeWorkload(), { finished: { succeeded: false, message: 'no' } }))).toContain('Finished=True/Failed');
    expect(step(makeWorkload(['Finished=True/Succeeded']), { finished: { succeeded: true, message: '' } })).toBeUndefined();
  });

  test('tells of all pods running, of a loss after that, and of the recovery', () => {
    expect(step(makeWorkload(ADMITTED))).toBeUndefined();
    expect(conditions(step(makeWorkload(ADMITTED), { podsReady: true, active: true }))).toContain('PodsReady=True/Started');
    expect(step(makeWorkload([...ADMITTED, 'PodsReady=True/Started']), { podsReady: true })).toBeUndefined();
    expect(conditions(step(makeWorkload([...ADMITTED, 'PodsReady=True/Started'])))).toContain('PodsReady=False/WaitForRecovery');
    expect(step(makeWorkload([...ADMITTED, 'PodsReady=False/WaitForRecovery']))).toBeUndefined();
    expect(conditions(step(makeWorkload([...ADMITTED, 'PodsReady=False/WaitForRecovery']), { podsReady: true }))).toContain('PodsReady=True/Recovered');
  });

  test('reports pods that are done, never fewer than before and never more than there are', () => {
    const told = makeWorkload([...ADMITTED], { status: { conditions: ADMITTED.map(condition), reclaimablePods: [{ name: 'worker', count: 2 }] } });
    expect(step(told, { reclaimable: [{ name: 'worker', count: 1 }] })).toBeUndefined();
    expect(patched(step(told, { reclaimable: [{ name: 'worker', count: 3 }] }))).toEqual({ reclaimablePods: [{ name: 'worker', count: 3 }] });
    expect(patched(step(told, { reclaimable: [{ name: 'worker', count: 9 }] }))).toEqual({ reclaimablePods: [{ name: 'worker', count: 4 }] });
    expect(step(makeWorkload(['QuotaReserved=False/Pending']), { reclaimable: [{ name: 'worker', count: 3 }] })).toBeUndefined();
  });
});
