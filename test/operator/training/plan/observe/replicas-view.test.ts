import { roleStatuses, viewReplicas } from '../../../../../src/operator/training/plan/observe/replicas-view';
import { makeJob, makePod, type JobBuilder, type PodBuilder } from '../../support/builders';

const view = (job: JobBuilder, ...pods: PodBuilder[]) =>
  viewReplicas(job.resolved(), { job: job.build(), pods: pods.map((pod) => pod.build()), services: [], problems: [], now: 0 });

const MASTER = 'train-master';

describe('the view of a job\'s replicas', () => {
  it('has one entry for every replica, in the order of ranks, each with its pod', () => {
    const { replicas, surplus, later } = view(makeJob().pytorch(3), makePod('train-worker-1'), makePod(MASTER));

    expect(replicas.map(({ replica, pod }) => [replica.podName, replica.rank, pod?.uid])).toEqual([
      [MASTER, 0, 'train-master-uid'], ['train-worker-0', 1, undefined], ['train-worker-1', 2, 'train-worker-1-uid'],
    ]);
    expect(surplus).toEqual([]);
    expect(later).toEqual([]);
  });

  it('takes a pod of an earlier attempt for one that has to go', () => {
    const [entry] = view(makeJob().status({ attempt: 2 }), makePod(MASTER).attempt(1)).replicas;

    expect(entry.pod).toBeUndefined();
    expect(entry.outgoing?.attempt).toBe(1);
  });

  it('names pods of a later attempt, which say that the status is old', () => {
    const later = (job: JobBuilder, pod: PodBuilder) => view(job, pod).later.map(({ uid }) => uid);

    expect(later(makeJob().status({ attempt: 1 }), makePod(MASTER).attempt(2))).toEqual(['train-master-uid']);
    expect(later(makeJob(), makePod(MASTER).attempt(1))).toEqual(['train-master-uid']);
    expect(later(makeJob().status({ attempt: 1 }), makePod(MASTER).attempt(1))).toEqual([]);
  });

  it('takes a pod of a later attempt that the job has not come to for one that has to go', () => {
    const { replicas: [entry], surplus, later } = view(makeJob(), makePod(MASTER).attempt(2).forged(), makePod('train-worker-9').attempt(2).forged());

    expect(entry).toMatchObject({ pod: undefined, outgoing: { uid: 'train-master-uid' } });
    expect(surplus.map(({ uid }) => uid)).toEqual(['train-worker-9-uid']);
    expect(later).toEqual([]);
  });

  it('believes a pod of an attempt that the job has come to after all', () => {
    expect(view(makeJob().status({ attempt: 2 }), makePod(MASTER).attempt(2).forged()).replicas[0]).toMatchObject({ pod: { uid: 'train-master-uid' }, outgoing: undefined });
  });

  it('finds pods that no replica has a place for', () => {
    expect(view(makeJob().pytorch(2), makePod('train-worker-5')).surplus.map((pod) => pod.name)).toEqual(['train-worker-5']);
  });

  it('takes a pod that is being replaced for one that has to go, until its successor is seen', () => {
    const job = makeJob().plain(1).status({ replacing: [{ pod: 'train-worker-0', uid: 'a' }] });
    const pod = makePod('train-worker-0');

    expect(view(job, pod.uid('a'))).toMatchObject({ replicas: [{ replaced: true, outgoing: { uid: 'a' }, pod: undefined }], replacing: [{ uid: 'a' }] });
    expect(view(job)).toMatchObject({ replicas: [{ replaced: true, outgoing: undefined, pod: undefined }], replacing: [{ uid: 'a' }] });
    expect(view(job, pod.uid('b'))).toMatchObject({ replicas: [{ replaced: false, outgoing: undefined, pod: { uid: 'b' } }], replacing: [] });
  });

  it('knows the successor of a pod that had vanished by any uid', () => {
    const job = makeJob().plain(1).status({ replacing: [{ pod: 'train-worker-0', uid: '' }] });

    expect(view(job).replicas[0].replaced).toBe(true);
    expect(view(job, makePod('train-worker-0')).replicas[0]).toMatchObject({ replaced: false, pod: { name: 'train-worker-0' } });
  });

  it('remembers successes whose pods are gone, and sees new ones', () => {
    const status = { workerStatuses: [{ role: 'worker', replicas: 4, pending: 0, running: 0, succeeded: 2, failed: 0, succeededIndexes: '0,2' }] };

    expect(view(makeJob().jax(4).status(status), makePod('train-worker-3').succeeded()).replicas.map((entry) => entry.succeeded)).toEqual([true, false, true, true]);
  });

  it('takes the success of an earlier attempt for none', () => {
    expect(view(makeJob().jax(1).status({ attempt: 1 }), makePod('train-worker-0').succeeded()).replicas[0].succeeded).toBe(false);
  });

  it('knows no success of a role that is always restarted', () => {
    const job = makeJob().spec({ framework: 'pytorch' }).roles({ master: 1, worker: { restartPolicy: 'Always' } });

    expect(view(job, makePod('train-worker-0').succeeded()).replicas[1].succeeded).toBe(false);
  });
});

describe('the counts of roles', () => {
  it('say of each role how many wait, run, have succeeded and have failed', () => {
    const pods = ['waiting', 'running', 'succeeded', 'succeeded', 'failed'].map((state, index) => {
      const pod = makePod(`train-worker-${index}`);
      return state === 'failed' ? pod.failed(1) : pod[state as 'running']();
    });

    expect(roleStatuses(view(makeJob().spec({ framework: 'tensorflow' }).roles({ worker: 6, ps: 2 }), ...pods, makePod('train-ps-1').running()))).toEqual([
      { role: 'worker', replicas: 6, pending: 1, running: 1, succeeded: 2, failed: 1, succeededIndexes: '2-3' },
      { role: 'ps', replicas: 2, pending: 0, running: 1, succeeded: 0, failed: 0, succeededIndexes: undefined },
    ]);
  });

  it('do not count pods that have to go', () => {
    expect(roleStatuses(view(makeJob().status({ attempt: 1 }), makePod(MASTER).running()))).toMatchObject([{ running: 0, pending: 0 }]);
  });
});
