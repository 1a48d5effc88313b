/** Which changes of pods wake the planner, and how much of objects is kept. */
import { controllingJobKey, isNewsOfPod, trimJob, trimPod, trimService, type PodObject, type TrainingJobObject } from '../../../src/operator/training/resources';
import { MPI_SECRET_VOLUME } from '../../../src/manifests/pod/replica-volumes';
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

const LONG = 'x'.repeat(1_000_000);

test.each([
  ['name', { name: LONG }], ['uid', { uid: LONG }], ['kind', { kind: LONG }], ['apiVersion', { apiVersion: `ml.collabnix.io/${LONG}` }],
])('an owner with a %s of a megabyte is not kept of any object', (_field, reference) => {
  const metadata = { namespace: 'a', name: 'net-worker-0', uid: 'u', resourceVersion: '1', ownerReferences: [{ ...OWNER, ...reference }] };
  const pod = trimPod({ metadata, spec: { containers: [] } } as PodObject);
  const kept = [pod, trimService({ metadata }), trimJob({ metadata, spec: {} } as TrainingJobObject)];
  expect(JSON.stringify(kept).length).toBeLessThan(2_000);
  expect(kept.map(controllingJobKey)).toEqual([undefined, undefined, undefined]);
});

test.each(['net/status', '..', 'Net', 'a b', ''])('a job is not named %j', (name) => {
  expect(controllingJobKey({ metadata: { namespace: 'a', name: 'p', ownerReferences: [{ ...OWNER, name }] } })).toBeUndefined();
});

test('owners that are not the controller, long annotations, volumes and very many sidecars are not kept', () => {
  const metadata = { namespace: 'a', name: 'net-worker-0', uid: 'u', resourceVersion: '1' };
  const others = Array.from({ length: 1000 }, (_, index) => ({ ...OWNER, name: `other-${index}`, controller: false }));
  const initContainers = Array.from({ length: 5_000 }, (_, index) => ({ name: `c${index}`, restartPolicy: 'Always' }));
  const volumes = [{ name: MPI_SECRET_VOLUME, secret: { secretName: LONG } }, { name: MPI_SECRET_VOLUME, secret: { secretName: 's', items: [{ key: LONG }] } }, { name: MPI_SECRET_VOLUME, projected: {} }];
  const pod = trimPod({
    metadata: { ...metadata, ownerReferences: [...others, OWNER], annotations: { 'ml.collabnix.io/avoided-nodes': LONG } }, spec: { containers: [], initContainers, volumes },
  } as unknown as PodObject);
  expect(JSON.stringify(pod).length).toBeLessThan(20_000);
  expect(pod.spec?.volumes?.every(({ secret }) => JSON.stringify(secret) === '{"secretName":"s"}')).toBe(true);
  expect(trimService({ metadata: { ...metadata, ownerReferences: [...others, OWNER] } }).metadata?.ownerReferences).toEqual([OWNER]);
  const job = trimJob({ metadata: { ...metadata, annotations: { 'ml.collabnix.io/resume': LONG } }, spec: {} } as unknown as TrainingJobObject);
  expect(job.metadata?.annotations?.['ml.collabnix.io/resume']).toBe('x'.repeat(253));
});
