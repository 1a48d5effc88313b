import { makeJob, type JobBuilder } from '../support/builders';
import { PlannedJob } from '../support/planned-job';

/** A PyTorch job of `replicas` that may have 2 to 6. */
const elastic = (replicas: number): JobBuilder => makeJob().pytorch(replicas).restartPolicy('OnFailure').spec({ elastic: { minReplicas: 2, maxReplicas: 6 } });

/** The same with all of its pods running. */
const running = (replicas: number): PlannedJob => new PlannedJob(elastic(replicas)).run();

describe('an elastic job that loses a worker', () => {
  test('goes on with the others while the lost one is replaced by itself', () => {
    const job = running(4);
    job.lose('train-worker-1').pass();
    expect(job.created).toEqual(['train-worker-1']);
    expect(job.deleted).toEqual([]);
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 0, disruptions: 1, worldSize: { replicas: 3, processes: 3 } });
    expect(job.condition('Running')).toMatchObject({ status: 'True', reason: 'RunningBelowDesired' });
    expect(job.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'ReplicaReplaced' });

    job.set((pod) => pod.running(), 'train-worker-1').pass();
    expect(job.condition('Running')).toMatchObject({ status: 'True', reason: 'AllReplicasRunning' });
    expect(job.status).toMatchObject({ worldSize: { replicas: 4, processes: 4 }, replacing: undefined });
  });

  test('is not hurt by a replacement that finds no node', () => {
    const job = running(3);
    job.lose('train-worker-1').pass().set((pod) => pod.waiting('Unschedulable: 0/3 nodes are available'), 'train-worker-1').pass();
    expect(job.status.phase).toBe('Running');
    expect(job.condition('Running')!.message).toContain('train-worker-1 waits: Unschedulable');
  });

  test('is not ended by a replacement whose image cannot be pulled on its node', () => {
    const job = running(3);
    job.lose('train-worker-1').pass().set((pod) => pod.stuck('ImagePullFailed'), 'train-worker-1').pass();
    expect(job.after(3_600).pass().status).toMatchObject({ phase: 'Running', disruptions: 1 });
  });

  test('fails for a replacement that cannot start once nobody runs any more', () => {
    const job = new PlannedJob(elastic(3).runPolicy({ successPolicy: 'AllReplicas', restartPolicy: 'OnFailure', startTimeoutSeconds: 60 })).run();
    job.lose('train-worker-1').pass().set((pod) => pod.stuck('ImagePullFailed'), 'train-worker-1').pass();
    job.set((pod) => pod.succeeded(), 'train-master', 'train-worker-0').pass();
    expect(job.status.phase).toBe('Running');

    expect(job.after(62).pass().condition('Failed')).toMatchObject({ reason: 'ImagePullFailed' });
  });

  test('waits when fewer are left than it needs, and keeps those that are', () => {
    const job = running(2);
    job.lose('train-worker-0').pass();
    expect(job.deleted).toEqual([]);
    expect(job.created).toEqual(['train-worker-0']);
    expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 0, disruptions: 1 });
    job.set((pod) => pod.running(), 'train-worker-0').pass();
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 0 });
  });

  test('replaces an agent that was killed, counted, after the pause', () => {
    const job = running(4);
    job.set((pod) => pod.failed(137), 'train-worker-2').pass();
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 1, disruptions: 0 });
    expect(job.created).toEqual([]);
    job.after(10).settle();
    expect([...job.pods.keys()]).toContain('train-worker-2');
    expect(job.pods.get('train-worker-2')!.state).toBe('Waiting');
  });
});

describe('an elastic job starts again as a whole', () => {
  test('when it loses the replica that the others meet at', () => {
    const job = running(4);
    job.lose('train-master').pass();
    expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 1, disruptions: 1, restarts: 0 });
    expect(job.deleted.sort()).toEqual(['train-worker-0', 'train-worker-1', 'train-worker-2']);
    expect(job.settle().pods.size).toBe(4);
    expect([...job.pods.values()].map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
  });

  test('when an agent has given up, which closes the rendezvous for all', () => {
    const job = running(4);
    job.set((pod) => pod.failed(1), 'train-worker-2').pass();
    expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 1, restarts: 1, disruptions: 0 });
  });

  test('but no pod of the new attempt is made beside one of the old', () => {
    const job = running(3);
    job.lose('train-master').set((pod) => pod.running().deleting(), 'train-worker-0', 'train-worker-1').pass();
    expect(job.created).toEqual([]);
    expect(job.lose('train-worker-0', 'train-worker-1').pass().created).toHaveLength(3);
  });

  test('nor beside one whose place was given up meanwhile', () => {
    const job = running(4);
    job.lose('train-master').set((pod) => pod.running().deleting(), 'train-worker-0', 'train-worker-1', 'train-worker-2').pass();
    job.edit({ replicas: 3 }).lose('train-worker-0', 'train-worker-1').pass();
    expect(job.created).toEqual([]);
    expect(job.lose('train-worker-2').pass().created).toHaveLength(3);
  });

  test('and fails where the restart policy does not let it', () => {
    const job = new PlannedJob(elastic(3).restartPolicy('Never')).run();
    job.set((pod) => pod.failed(1), 'train-worker-0').pass();
    expect(job.status.phase).toBe('Failed');
  });
});

describe('the start of an elastic job', () => {
  test('is over as soon as the fewest run', () => {
    const job = new PlannedJob(elastic(4)).settle();
    job.set((pod) => pod.running(), 'train-master').pass();
    expect(job.status.phase).toBe('Pending');
    job.set((pod) => pod.running(), 'train-worker-2').pass();
    expect(job.status).toMatchObject({ phase: 'Running', attemptStarted: true, worldSize: { replicas: 2 }, ready: '2/4' });
  });

  test('needs the master, however many workers run', () => {
    const job = new PlannedJob(elastic(4)).settle();
    job.set((pod) => pod.running(), 'train-worker-0', 'train-worker-1', 'train-worker-2').pass();
    expect(job.status.phase).toBe('Pending');
  });

  test('does not take pods for lost that were never made', () => {
    const job = new PlannedJob(elastic(4)).settle();
    job.set((pod) => pod.running(), 'train-master', 'train-worker-0').lose('train-worker-1', 'train-worker-2').pass();
    expect(job.status).toMatchObject({ phase: 'Running', elastic: { replicas: 4, unseen: '2-3' } });
    job.pass();
    expect(job.status).toMatchObject({ disruptions: 0, elastic: { replicas: 4 } });
    job.pass();
    expect(job.status.elastic).toEqual({ replicas: 4 });
  });
});

describe('another number of replicas', () => {
  test('adds pods at the top, and nobody is deleted', () => {
    const job = running(2);
    job.edit({ replicas: 4 }).pass();
    expect(job.events.at(-1)).toMatchObject({ reason: 'JobScaled', message: 'scaled from 2 to 4 replicas' });
    expect(job.created).toEqual(['train-worker-1', 'train-worker-2']);
    expect(job.deleted).toEqual([]);
    job.pass();
    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 0, replicas: 4, elastic: { replicas: 4 } });
  });

  test('removes the highest indexes, which is nobody\'s failure', () => {
    const job = running(4);
    job.edit({ replicas: 2 }).pass();
    expect(job.deleted).toEqual(['train-worker-1', 'train-worker-2']);
    job.pass();
    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 0, restarts: 0, replicas: 2, ready: '2/2', worldSize: { replicas: 2 } });
  });

  test('is decided on before anything follows', () => {
    const job = running(4);
    job.edit({ replicas: 2 });
    expect(job.plan()).toMatchObject({ decided: true, actions: [], status: { elastic: { replicas: 2 } } });
  });

  test('gives a place out again only when its last pod is gone', () => {
    const job = running(4);
    job.edit({ replicas: 2 }).pass();
    job.pods.set('train-worker-2', { ...job.pods.get('train-worker-1') ?? job.pods.get('train-worker-0')!, name: 'train-worker-2', uid: 'leaving', deleting: true });
    job.edit({ replicas: 4 }).pass();
    expect(job.status.elastic).toEqual({ replicas: 2 });
    expect(job.created).toEqual([]);
    job.lose('train-worker-2').pass();
    expect(job.created).toEqual(['train-worker-1', 'train-worker-2']);
    expect(job.pass().status).toMatchObject({ disruptions: 0, restarts: 0 });
  });

  test('forgets replacements of places that are given up', () => {
    const job = running(4);
    job.set((pod) => pod.failed(137), 'train-worker-2').pass();
    expect(job.status.replacing).toEqual([expect.objectContaining({ pod: 'train-worker-2' })]);
    job.edit({ replicas: 3 }).after(10).settle();
    expect(job.status.replacing).toBeUndefined();
    expect([...job.pods.keys()]).toEqual(['train-master', 'train-worker-0', 'train-worker-1']);
  });

  test('takes effect while the job is suspended', () => {
    const job = running(4);
    job.edit({ suspend: true }).settle();
    expect(job.pods.size).toBe(0);
    expect(job.status.worldSize).toEqual({ replicas: 0, processes: 0 });
    job.edit({ suspend: false, replicas: 3 }).settle();
    expect(job.pods.size).toBe(3);
  });

  test('refuses one that is out of range, however it came in', () => {
    expect(running(4).edit({ replicas: 9 }).pass().condition('Failed')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining('from 2 to 6') });
  });
});

describe('the end of an elastic job', () => {
  test('comes with the first replica that succeeds', () => {
    const job = running(3);
    job.set((pod) => pod.succeeded(), 'train-worker-1').pass();
    expect(job.condition('Succeeded')).toMatchObject({ status: 'True', message: 'train-worker-1 has succeeded' });
    expect(job.status.worldSize).toBeUndefined();
  });
});

describe('elastic Horovod', () => {
  const horovod = makeJob().framework('horovod', 2).restartPolicy('OnFailure').spec({ elastic: { minReplicas: 1, maxReplicas: 4 }, nprocPerNode: 2 });

  test('counts workers, and its scale selects them', () => {
    expect(new PlannedJob(horovod).run().status).toMatchObject({
      replicas: 2, ready: '3/3', selector: 'job=train,role=worker', worldSize: { replicas: 2, processes: 4 },
    });
  });

  test('replaces a worker by itself however it ended, and starts again as a whole with its launcher', () => {
    const job = new PlannedJob(horovod).run();
    job.set((pod) => pod.failed(255), 'train-worker-1').pass();
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 1 });
    job.set((pod) => pod.failed(1), 'train-launcher').pass();
    expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 1, restarts: 2 });
  });
});
