import { describeOperator } from '../support/operator-suite';
import { eventually, type TestObject } from '../support/cluster';
import { conditionOf } from '../support/training-jobs';

const suite = describeOperator();

const namesOf = (objects: readonly TestObject[]) => objects.map(({ metadata }) => metadata.name);

/** Waits until nothing of the job is left, nor the job. */
async function untilNothingIsLeft(job: string): Promise<void> {
  const { api, namespace } = suite;
  await eventually(`nothing of job ${job} to be left`, async () => {
    const kinds = ['pods', 'services', 'configmaps', 'secrets'] as const;
    const children = await Promise.all(kinds.map(async (kind) => api.list(kind, namespace, `job=${job}`)));
    return children.flat().length === 0 && await api.tryGet('mltrainingjobs', namespace, job) === undefined;
  });
}

describe('when a job has ended', () => {
  /** Three pods: the master has succeeded, one worker has, one still runs. */
  async function end(cleanPodPolicy: 'None' | 'Running' | 'All'): Promise<void> {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 3, runPolicy: { cleanPodPolicy } });
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    await kubelet.end('net-worker-0');
    await kubelet.end('net-master');
    await jobs.untilCondition('net', 'Succeeded');
  }

  test('cleanPodPolicy Running removes the pods that still run and keeps the others for their logs', async () => {
    await end('Running');
    expect(namesOf(await suite.kubelet.pods('net', 2))).toEqual(['net-master', 'net-worker-0']);
  });

  test('cleanPodPolicy All removes every pod', async () => {
    await end('All');
    await suite.kubelet.pods('net', 0);
    expect((await suite.jobs.get('net')).status!.workerStatuses).toMatchObject([{ role: 'master', succeeded: 1 }, { role: 'worker', succeeded: 1 }]);
  });

  test('cleanPodPolicy None removes none', async () => {
    await end('None');
    const { api, jobs, namespace } = suite;
    // A later job has been through all passes: so has this one.
    await jobs.create('later');
    await jobs.untilCondition('later', 'Created');
    expect(await api.list('pods', namespace, 'job=net')).toHaveLength(3);
  });

  test('ttlSecondsAfterFinished removes the job with all that it owned', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { framework: 'mpi', replicas: 1, runPolicy: { ttlSecondsAfterFinished: 1, cleanPodPolicy: 'None' } });
    await kubelet.runAll('net', 2);
    await kubelet.end('net-launcher');
    await untilNothingIsLeft('net');
  });

  test('activeDeadlineSeconds has failed it when it ran for too long', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2, runPolicy: { activeDeadlineSeconds: 2 } });
    await kubelet.runAll('net', 2);
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
    await kubelet.pods('net', 0);
  });

  test('preRunningDeadlineSeconds has failed it when its replicas did not run in time', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2, runPolicy: { preRunningDeadlineSeconds: 2 } });
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'PreRunningDeadlineExceeded' });
    await kubelet.pods('net', 0);
  });

  test('no pod is ever made for it again', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await end('Running');
    for (const pod of await kubelet.pods('net', 2)) {
      await api.remove('pods', namespace, pod.metadata.name);
    }
    await jobs.create('later');
    await jobs.untilCondition('later', 'Created');
    expect(await api.list('pods', namespace, 'job=net')).toEqual([]);
    expect((await jobs.get('net')).status!.phase).toBe('Completed');
  });
});

describe('suspend', () => {
  test('removes the pods of a running job and keeps the job, until it is resumed', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2 });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');

    await jobs.change('net', { suspend: true });
    const suspended = await jobs.untilCondition('net', 'Suspended');
    expect(suspended.status).toMatchObject({ phase: 'Suspended' });
    await kubelet.pods('net', 0);

    await jobs.change('net', { suspend: false });
    await kubelet.runAll('net', 2);
    const running = await jobs.untilCondition('net', 'Running');
    expect(running.status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 0 });
    expect(conditionOf(running, 'Suspended')!.status).toBe('False');
  });

  test('keeps a job that is created suspended from starting', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { suspend: true });
    expect((await jobs.untilCondition('net', 'Suspended')).status!.phase).toBe('Suspended');
    expect(await api.list('pods', namespace)).toEqual([]);
    await jobs.change('net', { suspend: false });
    await kubelet.pods('net', 1);
  });
});

describe('a job of another controller', () => {
  test('is left alone', async () => {
    const { api, jobs, namespace } = suite;
    await jobs.create('other', { managedBy: 'kueue.x-k8s.io/multikueue' });
    await jobs.create('ours', { managedBy: 'ml.collabnix.io/trainyard-operator' });
    await jobs.untilCondition('ours', 'Created');
    expect((await jobs.get('other')).status).toBeUndefined();
    expect(await api.list('pods', namespace, 'job=other')).toEqual([]);
  });
});

describe('deletion', () => {
  test('of a running job leaves nothing behind, pods on nodes included', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { framework: 'mpi', replicas: 2 });
    await kubelet.pods('net', 3);
    await kubelet.bind('net-worker-0');
    await kubelet.runAll('net', 3);
    await jobs.remove('net');
    await eventually('the pod\'s deletion to be asked for', async () => {
      const pods = await suite.api.list('pods', suite.namespace, 'job=net');
      return pods.length === 1 && pods[0].metadata.deletionTimestamp !== undefined;
    });
    await kubelet.remove('net-worker-0');
    await untilNothingIsLeft('net');
  });

  test('and creation under the same name at once gives the new job pods of its own', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 2 });
    await kubelet.runAll('net', 2);
    // One pod of the first job stays for a while.
    await kubelet.pods('net', 2);
    await kubelet.bind('net-worker-0');
    await jobs.remove('net');
    const second = await jobs.create('net', { replicas: 2 });
    const isOfSecond = ({ metadata }: TestObject) => (metadata.ownerReferences as { uid: string }[])[0].uid === second.metadata.uid;

    await eventually('the name to be reported as taken', async () => conditionOf(await jobs.get('net'), 'Created')?.reason === 'NameTaken');
    await kubelet.remove('net-worker-0');
    await eventually('both pods of the second job', async () => {
      const pods = await api.list('pods', namespace, 'job=net');
      return pods.length === 2 && pods.every(isOfSecond);
    });
    await eventually('the service of the second job', async () => (await api.list('services', namespace, 'job=net')).every(isOfSecond));
    await kubelet.runAll('net', 2);
    await kubelet.end('net-master');
    const done = await jobs.untilCondition('net', 'Succeeded');
    expect(done.status).toMatchObject({ restarts: 0, disruptions: 0 });
  });

  test('that orphans leaves the pods to run without the job', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 2 });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    await api.remove('mltrainingjobs', namespace, 'net', { propagationPolicy: 'Orphan' });
    await eventually('the job to be gone', async () => await api.tryGet('mltrainingjobs', namespace, 'net') === undefined);
    await jobs.create('later');
    await jobs.untilCondition('later', 'Created');
    const pods = await api.list('pods', namespace, 'job=net');
    expect(pods.map(({ metadata }) => [metadata.name, metadata.ownerReferences, metadata.deletionTimestamp])).toEqual([
      ['net-master', undefined, undefined], ['net-worker-0', undefined, undefined],
    ]);
  });
});
