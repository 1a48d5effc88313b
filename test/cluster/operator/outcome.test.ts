import { describeOperator } from '../support/operator-suite';
import { eventually } from '../support/cluster';
import { conditionOf } from '../support/training-jobs';

const suite = describeOperator();

describe('a job that ends well', () => {
  test('is Pending, then Running, then Completed, with conditions that kubectl can wait for', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 3 });
    const pending = await jobs.untilCondition('net', 'Created');
    expect(pending.status).toMatchObject({ phase: 'Pending', ready: '0/3', replicas: 3, attempt: 0, restarts: 0, disruptions: 0, selector: 'job=net' });
    expect(conditionOf(pending, 'Running')).toMatchObject({ status: 'False', reason: 'ReplicasMissing' });

    await kubelet.runAll('net', 3);
    const running = await jobs.untilCondition('net', 'Running');
    expect(running.status).toMatchObject({ phase: 'Running', ready: '3/3' });

    await kubelet.end('net-worker-0');
    await kubelet.end('net-worker-1');
    await kubelet.end('net-master');
    const done = await jobs.untilCondition('net', 'Succeeded');
    expect(done.status).toMatchObject({ phase: 'Completed', attempt: 0, restarts: 0 });
    expect(done.status!.lastFailure).toBeUndefined();
    expect(Date.parse(done.status!.completionTime!)).toBeGreaterThanOrEqual(Date.parse(done.status!.startTime!));
    expect(conditionOf(done, 'Running')).toMatchObject({ status: 'False', reason: 'JobSucceeded' });
    expect(conditionOf(done, 'Failed')).toBeUndefined();
    // The log has a line for what happened, and none for passes that found nothing new.
    const lines = suite.operator.log().filter((line) => JSON.stringify(line).includes(`${suite.namespace}/net`));
    expect(lines.map(({ level, msg, reason }) => [level, msg, reason])).toEqual([['info', 'net-master has succeeded', 'JobSucceeded']]);
  });

  test('has succeeded when its master has, whatever the workers do after that', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2, runPolicy: { cleanPodPolicy: 'None' } });
    await kubelet.runAll('net', 2);
    await kubelet.end('net-master');
    await jobs.untilCondition('net', 'Succeeded');
    await kubelet.end('net-worker-0', { exitCode: 1 });
    await jobs.create('later');
    await jobs.untilCondition('later', 'Created');
    expect((await jobs.get('net')).status).toMatchObject({ phase: 'Completed' });
  });

  test('needs every worker to succeed where all of them train alike', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { framework: 'jax', replicas: 3 });
    await kubelet.runAll('net', 3);
    await kubelet.end('net-worker-0');
    await kubelet.end('net-worker-1');
    const running = await jobs.until('net', 'short of one success', (status) => status.workerStatuses?.[0].succeededIndexes === '0-1');
    expect(running.status).toMatchObject({ phase: 'Running', ready: '3/3', workerStatuses: [{ role: 'worker', replicas: 3, running: 1, succeeded: 2 }] });
    await kubelet.end('net-worker-2');
    await jobs.untilCondition('net', 'Succeeded');
  });

  test('counts a replica by its training container, not by a sidecar that runs on', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { template: { spec: { containers: [{ name: 'proxy', image: 'proxy' }] } } });
    await kubelet.runAll('net', 1);
    await kubelet.endContainer('net-master', 'training');
    await jobs.untilCondition('net', 'Succeeded');
    // cleanPodPolicy Running: the pod still runs, so it goes.
    await kubelet.pods('net', 0);
  });
});

describe('a job that fails', () => {
  test('says which rank failed, in which pod on which node, with the exit code, the reason and the last lines of the log', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 3 });
    await kubelet.pods('net', 3);
    await kubelet.bind('net-worker-1', 'node-7');
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    await kubelet.end('net-worker-1', { exitCode: 3, reason: 'Error', message: 'Traceback:\nValueError: loss is NaN\n' });

    const failed = await jobs.untilCondition('net', 'Failed');
    expect(failed.status).toMatchObject({
      phase: 'Failed',
      completionTime: expect.any(String),
      lastFailure: {
        role: 'worker', index: 1, rank: 2, pod: 'net-worker-1', node: 'node-7', container: 'training', exitCode: 3, reason: 'Error',
        logTail: 'Traceback:\nValueError: loss is NaN\n', attempt: 0,
      },
    });
    expect(conditionOf(failed, 'Failed')).toMatchObject({
      reason: 'ReplicaFailed', message: 'net-worker-1 (rank 2, worker) on node node-7 exited with code 3: Error',
    });
    expect(conditionOf(failed, 'Succeeded')).toBeUndefined();
    // The others are stopped, the one that failed is kept for whoever wants to look at it.
    expect((await kubelet.pods('net', 1))[0].metadata.name).toBe('net-worker-1');
  });

  test('names the signal, and the kernel that was out of memory', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net');
    await kubelet.runAll('net', 1);
    await kubelet.end('net-master', { exitCode: 137, reason: 'OOMKilled' });
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(failed.status!.lastFailure).toMatchObject({ exitCode: 137, signal: 'SIGKILL', reason: 'OOMKilled' });
  });

  test('says why it does not start while a pod cannot', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net');
    await kubelet.pods('net', 1);
    await kubelet.wait('net-master', 'ImagePullBackOff', 'Back-off pulling image "image"');
    const waiting = await jobs.until('net', 'waiting for its image', (_status, job) => Boolean(conditionOf(job, 'Running')?.message.includes('ImagePullBackOff')));
    expect(waiting.status!.phase).toBe('Pending');
    expect(conditionOf(waiting, 'Running')!.message).toBe('0 of 1 replicas are running; net-master waits: ImagePullBackOff: Back-off pulling image "image"');
  });
});

describe('a restart', () => {
  const quick = { initialSeconds: 1, maxSeconds: 1, resetAfterSeconds: 600 };

  test('of a gang waits until every old pod is gone, and counts', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 3, runPolicy: { restartPolicy: 'OnFailure', backoff: quick } });
    await kubelet.pods('net', 3);
    // On a node, so that its deletion waits for the kubelet.
    await kubelet.bind('net-worker-0');
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    const old = new Map((await kubelet.pods('net', 3)).map(({ metadata }) => [metadata.name, metadata.uid]));
    await kubelet.end('net-worker-1', { exitCode: 1 });

    const restarting = await jobs.untilCondition('net', 'Restarting');
    expect(restarting.status).toMatchObject({ phase: 'Restarting', attempt: 1, restarts: 1, lastFailure: { rank: 2, attempt: 0 } });
    expect(conditionOf(restarting, 'Restarting')).toMatchObject({ reason: 'JobRestarting' });
    expect(conditionOf(restarting, 'Running')).toMatchObject({ status: 'False' });
    const held = await eventually('the pod on a node to be all that is left, and to end', async () => {
      const [first, ...others] = await api.list('pods', namespace, 'job=net');
      return others.length === 0 && first?.metadata.deletionTimestamp !== undefined && first;
    });
    expect(held.metadata).toMatchObject({ name: 'net-worker-0', uid: old.get('net-worker-0') });
    // Well past the pause, nothing has started beside the old pod.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await api.list('pods', namespace, 'job=net')).toHaveLength(1);

    await kubelet.remove('net-worker-0');
    const fresh = await kubelet.pods('net', 3);
    expect(fresh.map(({ metadata }) => (metadata.labels as { [name: string]: string })['ml.collabnix.io/attempt'])).toEqual(['1', '1', '1']);
    expect(fresh.filter(({ metadata }) => old.get(metadata.name) === metadata.uid)).toEqual([]);
    await kubelet.runAll('net', 3);
    const running = await jobs.untilCondition('net', 'Running');
    expect(running.status).toMatchObject({ phase: 'Running', attempt: 1, restarts: 1 });
    expect(conditionOf(running, 'Restarting')).toMatchObject({ status: 'False' });
  });

  test('of independent replicas replaces the one that failed and leaves the others alone', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { framework: 'plain', replicas: 3, runPolicy: { restartPolicy: 'OnFailure', backoff: quick } });
    const names = await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    const old = new Map((await kubelet.pods('net', 3)).map(({ metadata }) => [metadata.name, metadata.uid]));
    await kubelet.end(names[1], { exitCode: 1 });
    await jobs.until('net', 'restarted once', (status) => status.restarts === 1);
    const replaced = await eventually('the successor', async () => {
      const pods = await suite.api.list('pods', suite.namespace, 'job=net');
      return pods.length === 3 && pods.every(({ metadata }) => metadata.name !== names[1] || metadata.uid !== old.get(names[1])) && pods;
    });
    const kept = replaced.filter(({ metadata }) => metadata.uid === old.get(metadata.name));
    expect(kept.map(({ metadata }) => metadata.name)).toEqual([names[0], names[2]]);
    await kubelet.run(names[1]);
    await jobs.untilCondition('net', 'Running');
  });

  test('is not made for exit codes that a program chose, when the policy is ExitCode, and is for signals', async () => {
    const { jobs, kubelet } = suite;
    const runPolicy = { restartPolicy: 'ExitCode', backoff: quick } as const;
    await Promise.all([jobs.create('chosen', { runPolicy }), jobs.create('killed', { runPolicy })]);
    await Promise.all([kubelet.runAll('chosen', 1), kubelet.runAll('killed', 1)]);
    await kubelet.end('chosen-master', { exitCode: 2 });
    await kubelet.end('killed-master', { exitCode: 139 });
    expect((await jobs.untilCondition('chosen', 'Failed')).status).toMatchObject({ restarts: 0 });
    expect((await jobs.untilCondition('killed', 'Restarting')).status).toMatchObject({ restarts: 1, attempt: 1 });
  });

  test('is made when a program that should always run has ended well', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    const roles = [{ name: 'chief' }, { name: 'worker' }, { name: 'ps', restartPolicy: 'Always' as const }];
    await jobs.create('net', { framework: 'tensorflow', roles, runPolicy: { backoff: quick } });
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    const { metadata: { uid } } = await api.get('pods', namespace, 'net-ps-0');
    await kubelet.end('net-ps-0');
    await eventually('the successor', async () => {
      const pod = await api.tryGet('pods', namespace, 'net-ps-0');
      return pod !== undefined && pod.metadata.uid !== uid;
    });
    // Nobody has failed.
    expect((await jobs.get('net')).status!.lastFailure).toBeUndefined();
  });

  test('comes to an end at the backoff limit', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 1, backoff: quick } });
    await kubelet.runAll('net', 1);
    await kubelet.end('net-master', { exitCode: 1 });
    await jobs.until('net', 'restarted once', (status) => status.restarts === 1);
    await eventually('the second attempt', async () => {
      const [pod] = await suite.api.list('pods', suite.namespace, 'ml.collabnix.io/attempt=1');
      return pod;
    });
    await kubelet.run('net-master');
    await kubelet.end('net-master', { exitCode: 5 });
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
    expect(failed.status).toMatchObject({ restarts: 1, lastFailure: { exitCode: 5, attempt: 1 } });
  });

  test('after a disruption is made at once, whatever the policy, and is counted apart', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2 });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    await kubelet.evict('net-worker-0');
    const disrupted = await jobs.until('net', 'disrupted', (status) => status.disruptions === 1);
    expect(disrupted.status).toMatchObject({ restarts: 0, attempt: 1, lastFailure: { pod: 'net-worker-0', reason: 'Evicted' } });
    await eventually('the second attempt', async () => (await suite.api.list('pods', suite.namespace, 'ml.collabnix.io/attempt=1')).length === 2);
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
  });

  test('follows when somebody deletes a pod of a running job', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 2 });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    await api.remove('pods', namespace, 'net-master');
    const lost = await jobs.until('net', 'disrupted', (status) => status.disruptions === 1);
    expect(lost.status!.lastFailure).toMatchObject({ pod: 'net-master', reason: 'PodLost' });
    await eventually('the second attempt', async () => (await api.list('pods', namespace, 'ml.collabnix.io/attempt=1')).length === 2);
  });

  test('follows for each of many pods that somebody deletes one after the other', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { framework: 'plain', replicas: 60 });
    const names = await kubelet.runAll('net', 60);
    await jobs.untilCondition('net', 'Running');
    const old = new Set((await kubelet.pods('net', 60)).map(({ metadata }) => metadata.uid));
    for (const name of names) {
      await api.remove('pods', namespace, name);
    }
    await jobs.until('net', 'disrupted sixty times', (status) => status.disruptions === 60);
    await eventually('sixty new pods', async () => {
      const pods = await api.list('pods', namespace, 'job=net');
      return pods.length === 60 && pods.every(({ metadata }) => !old.has(metadata.uid));
    });
    await kubelet.runAll('net', 60);
    await jobs.untilCondition('net', 'Running');
  });
});
