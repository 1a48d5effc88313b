import { execFileSync } from 'node:child_process';
import { findKubectl } from '../../../src/local/control-plane';
import { describeOperator } from '../support/operator-suite';
import { clusterKubeconfig, eventually } from '../support/cluster';

/** How a job looks to those who read it: kubectl, the scale subresource, events, and etcd, which takes no object without bounds. */
const suite = describeOperator();

const kubectl = findKubectl();
const kubectlTest = kubectl ? test : test.skip;

kubectlTest('kubectl get shows the columns, and kubectl wait ends with the job', async () => {
  const { jobs, kubelet, namespace } = suite;
  const run = (...args: string[]) => execFileSync(kubectl!, ['--kubeconfig', clusterKubeconfig(), '--namespace', namespace, ...args], { encoding: 'utf8' });
  await jobs.create('net', { replicas: 2 });
  await kubelet.runAll('net', 2);
  await jobs.untilCondition('net', 'Running');
  const [header, row] = run('get', 'mltj').split('\n').map((line) => line.trim().split(/\s{2,}/));
  expect(header).toEqual(['NAME', 'FRAMEWORK', 'REPLICAS', 'READY', 'PHASE', 'PROGRESS', 'RESTARTS', 'AGE']);
  // Nothing has reported progress, so the column is empty.
  expect(row.slice(0, -1)).toEqual(['net', 'pytorch', '2', '2/2', 'Running', '0']);
  await kubelet.end('net-master');
  expect(run('wait', '--for=condition=Succeeded', '--timeout=60s', 'mltj/net')).toContain('condition met');
});

test('the scale subresource tells the replicas and how to select their pods', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('net', { replicas: 3 });
  await kubelet.runAll('net', 3);
  await jobs.untilCondition('net', 'Running');
  const scale = await api.get('mltrainingjobs', namespace, 'net', 'scale');
  expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 3, selector: 'job=net' } });
});

test('events tell the story of a job under reasons that stay the same', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  const runPolicy = { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1, maxSeconds: 1 } } as const;
  const job = await jobs.create('net', { runPolicy });
  await kubelet.runAll('net', 1);
  await jobs.untilCondition('net', 'Running');
  await kubelet.end('net-master', { exitCode: 9 });
  await eventually('the second attempt', async () => (await api.list('pods', namespace, 'ml.collabnix.io/attempt=1')).length === 1);
  await kubelet.run('net-master');
  await jobs.untilCondition('net', 'Running');
  await kubelet.end('net-master');
  await jobs.untilCondition('net', 'Succeeded');

  const events = await eventually('all events', async () => {
    const found = await api.list('events', namespace);
    return found.length >= 3 && found;
  });
  const stories = events.map(({ type, reason, message, involvedObject, source, reportingComponent }) => {
    expect(involvedObject).toMatchObject({ kind: 'MLTrainingJob', name: 'net', uid: job.metadata.uid });
    expect(source?.component || reportingComponent).toBe('trainyard-operator');
    return [type, reason, message];
  });
  expect(stories.sort(([, one], [, other]) => (one < other ? -1 : 1))).toEqual([
    ['Warning', 'JobRestarting', 'net-master (rank 0, master) exited with code 9: Error; all 1 replicas start again as attempt 1'],
    ['Normal', 'JobRunning', 'All 1 replicas are running again'],
    ['Normal', 'JobSucceeded', 'net-master has succeeded'],
  ]);
});

test('the status does not grow with the replicas', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('small', { framework: 'plain', replicas: 2 });
  await jobs.create('large', { framework: 'plain', replicas: 96 });
  const names = await kubelet.runAll('large', 96);
  await kubelet.runAll('small', 2);
  const odd = names.filter((name) => Number(name.split('-').at(-1)) % 2 === 1);
  await Promise.all([...odd, 'small-worker-1'].map(async (name) => kubelet.end(name)));
  const large = await jobs.until('large', 'half done', (status) => status.workerStatuses?.[0].succeeded === 48);
  const small = await jobs.until('small', 'half done', (status) => status.workerStatuses?.[0].succeeded === 1);
  const { succeededIndexes, ...counts } = large.status!.workerStatuses![0];
  expect(counts).toEqual({ role: 'worker', replicas: 96, pending: 0, running: 48, succeeded: 48, failed: 0 });
  expect(succeededIndexes).toBe(odd.map((name) => Number(name.split('-').at(-1))).sort((one, other) => one - other).join(','));
  const size = (status: unknown) => JSON.stringify(status).length;
  expect(size({ ...large.status, workerStatuses: [counts] }) - size({ ...small.status, workerStatuses: [counts] })).toBeLessThan(100);
  expect(await api.list('pods', namespace, 'job=large')).toHaveLength(96);
});
