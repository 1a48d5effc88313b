/** Which changes of pods wake the planner. */
import { isNewsOfPod, trimPod, type PodObject, type TrainingJobObject } from '../../../src/operator/training/resources';
import type { PodCondition } from '../../../src/manifests/kubernetes';

const OWNER = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: 'job-1', controller: true };

/** Jobs as the cache has them: `a/net` with a uid. */
const jobs = (uid?: string) => ({
  get: (key: string) => (key === 'a/net' && uid !== undefined ? { metadata: { uid }, spec: {} } as TrainingJobObject : undefined),
});

function pod(version: string, status: PodObject['status'], more: Partial<PodObject['metadata']> = {}): PodObject {
  return trimPod({
    metadata: { namespace: 'a', name: 'net-worker-0', uid: 'pod-1', resourceVersion: version, ownerReferences: [OWNER], ...more }, spec: { containers: [] }, status,
  } as PodObject);
}

const ready = { type: 'Ready', status: 'True' } as PodCondition;
const running: PodObject['status'] = { phase: 'Running' };

test('a condition that nobody reads is no news, also where the version is another', () => {
  const change = { key: 'a/net-worker-0', origin: 'watch', previous: pod('1', running), current: pod('2', { ...running, conditions: [ready] }) } as const;
  expect(isNewsOfPod(change, jobs('job-1'))).toBe(false);
});

test.each([
  ['another phase', pod('2', { phase: 'Failed' })],
  ['that it is asked to go', pod('2', running, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ['a disruption', pod('2', { ...running, conditions: [{ type: 'DisruptionTarget', status: 'True' } as PodCondition] })],
  ['another owner', pod('2', running, { ownerReferences: [] })],
])('%s is', (_what, current) => {
  expect(isNewsOfPod({ key: 'a/net-worker-0', origin: 'watch', previous: pod('1', running), current }, jobs('job-1'))).toBe(true);
});

test('that a pod comes or goes is', () => {
  const one = pod('1', running);
  expect(isNewsOfPod({ key: 'a/net-worker-0', origin: 'watch', current: one }, jobs('job-1'))).toBe(true);
  expect(isNewsOfPod({ key: 'a/net-worker-0', origin: 'watch', previous: one }, jobs('job-1'))).toBe(true);
});

test.each([['that is gone', undefined], ['whose name another one bears', 'job-2']])('of a pod of a job %s each version is', (_which, uid) => {
  const change = { key: 'a/net-worker-0', origin: 'watch', previous: pod('1', running), current: pod('2', running) } as const;
  expect(isNewsOfPod(change, jobs(uid))).toBe(true);
});
