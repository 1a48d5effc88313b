import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeOperator } from '../support/operator-suite';
import { eventually, type TestObject } from '../support/cluster';
import { conditionOf } from '../support/training-jobs';

/** Use of GPUs by `namespace/pod`, as DCGM's exporter has it. */
const utilization = new Map<string, number>();

/** A Prometheus that answers the one query. */
const prometheus = http.createServer((request, response) => {
  const result = [...utilization].map(([key, percent]) => {
    const [namespace, pod] = key.split('/');
    // As scraped without honorLabels: the exporter's own pod stands where the measured one belongs.
    return { metric: { namespace: 'gpu-operator', pod: 'dcgm-0', exported_namespace: namespace, exported_pod: pod }, value: [Date.now() / 1000, String(percent)] };
  });
  response.writeHead(request.url!.startsWith('/api/v1/query?query=') ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
});

const env: { PROMETHEUS_URL?: string; PROMETHEUS_POLL_SECONDS: string } = { PROMETHEUS_POLL_SECONDS: '1' };
beforeAll(async () => {
  await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve));
  env.PROMETHEUS_URL = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
});
afterAll(() => prometheus.close());

const suite = describeOperator(env as { readonly [name: string]: string });

/** The checks of a pod begin, or end so. */
async function check(name: string, end?: { exitCode: number; message?: string }): Promise<void> {
  const { api, namespace } = suite;
  const pod = await api.get('pods', namespace, name);
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const state = end ? { terminated: { ...end, reason: end.exitCode === 0 ? 'Completed' : 'Error', startedAt: time, finishedAt: time } } : { running: { startedAt: time } };
  await api.patch('pods', namespace, name, {
    metadata: { uid: pod.metadata.uid },
    status: {
      phase: end && end.exitCode !== 0 ? 'Failed' : 'Pending',
      initContainerStatuses: [{ name: 'trainyard-preflight', image: 'i', imageID: '', restartCount: 0, ready: false, started: false, state }],
    },
  }, 'status');
}

const attemptOf = ({ metadata }: TestObject) => (metadata.labels as { [label: string]: string })['ml.collabnix.io/attempt'];

/** Waits for the pods of an attempt. */
async function podsOf(job: string, attempt: number, count: number): Promise<TestObject[]> {
  return eventually(`${count} pods of attempt ${attempt}`, async () => {
    const pods = (await suite.api.list('pods', suite.namespace, `job=${job}`)).filter((pod) => attemptOf(pod) === String(attempt));
    return pods.length === count && pods;
  });
}

describe('a job that stalls', () => {
  test('starts again, with the stacks that its pods left when they were taken away', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', {
      replicas: 2, command: ['python3', 'train.py'], debug: {},
      runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0 }, stall: { timeoutSeconds: 2 } },
    });
    await kubelet.pods('net', 2);
    // Only a pod on a node has a last status: without one its deletion takes one step.
    await kubelet.bind('net-worker-0');
    await kubelet.run('net-master', 'net-worker-0');
    await eventually('the worker\'s deletion to be asked for', async () => (await api.get('pods', namespace, 'net-worker-0')).metadata.deletionTimestamp !== undefined);
    const stacks = 'trainyard stacks: 1 of 1 processes\nprocess 7: python3 train.py\nmain thread:\n  File "train.py", line 3 in all_reduce\n';
    await kubelet.end('net-worker-0', { exitCode: 143, message: stacks });
    await kubelet.remove('net-worker-0');

    await podsOf('net', 1, 2);
    const { status } = await eventually('the stacks in the status', async () => {
      const job = await jobs.get('net');
      return job.status?.lastFailure?.stackDumps && job;
    });
    expect(status).toMatchObject({
      attempt: 1, restarts: 1, disruptions: 0, lastRestart: { cause: 'Stall', reason: 'Stalled' },
      lastFailure: { reason: 'Stalled', stackDumps: [{ role: 'worker', indexes: '0', stacks: expect.stringContaining('in all_reduce') as string }] },
    });
  });

  test('does not, while its script reports progress', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 1, runPolicy: { stall: { timeoutSeconds: 2, action: 'Fail' } } });
    await kubelet.runAll('net', 1);
    await jobs.untilCondition('net', 'Running');
    // Longer than the policy's time, and each report within it.
    for (let report = 0; report < 4; report++) {
      const lastProgressTime = new Date().toISOString();
      await api.patch('mltrainingjobs', namespace, 'net', { status: { lastProgressTime } }, 'status');
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    expect((await jobs.get('net')).status).toMatchObject({ phase: 'Running' });
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'Stalled' });
  });

  test('is not taken for one because no operator ran: silence is counted from when reports could arrive', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    const timeoutSeconds = 3;
    await jobs.create('net', { replicas: 1, runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0 }, stall: { timeoutSeconds } } });
    await kubelet.runAll('net', 1);
    await jobs.untilCondition('net', 'Running');
    const lastProgressTime = new Date().toISOString();
    await api.patch('mltrainingjobs', namespace, 'net', { status: { lastProgressTime } }, 'status');
    await suite.operator.kill();
    await new Promise((resolve) => setTimeout(resolve, (timeoutSeconds + 2) * 1000));
    expect((await jobs.get('net')).status).toMatchObject({ restarts: 0 });

    await suite.restart();
    // It goes on saying nothing, which is a stall now; the time of the decision tells what was counted.
    const { status } = await eventually('the job to start again', async () => {
      const job = await jobs.get('net');
      return job.status?.attempt === 1 && job;
    });
    const startedAt = Date.parse(suite.operator.log().find(({ msg }) => msg === 'controller started')!.ts as string);
    expect(Date.parse(status!.lastFailure!.time)).toBeGreaterThanOrEqual(startedAt + (timeoutSeconds - 1) * 1000);
  });
});

describe('preflight', () => {
  test('that finds a sick node starts the job again elsewhere, and counts nothing', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2, preflight: {}, runPolicy: { backoff: { initialSeconds: 0 } } });
    const pods = await kubelet.pods('net', 2);
    expect((pods[0].spec.initContainers as { name: string }[])[0].name).toBe('trainyard-preflight');
    expect(await suite.api.tryGet('configmaps', suite.namespace, 'net-tools')).toMatchObject({ data: { 'preflight.py': expect.stringContaining('all-reduce') as string } });
    await kubelet.bind('net-worker-0', 'sick');
    await check('net-master');
    await check('net-worker-0', { exitCode: 1, message: JSON.stringify({ message: 'GPU 3 has 2 uncorrected memory errors (ECC)', blames: [1] }) });

    const again = await podsOf('net', 1, 2);
    expect((await jobs.get('net')).status).toMatchObject({
      attempt: 1, restarts: 0, disruptions: 0, preflight: { failures: 1 }, suspectNodes: [{ node: 'sick', avoided: true, reason: 'PreflightFailed' }],
      lastFailure: { pod: 'net-worker-0', node: 'sick', reason: 'PreflightFailed', message: 'GPU 3 has 2 uncorrected memory errors (ECC)' },
    });
    expect(JSON.stringify(again[0].spec.affinity)).toContain('sick');
    await Promise.all(again.map(async ({ metadata }) => check(metadata.name, { exitCode: 0 })));
    await kubelet.run(...again.map(({ metadata }) => metadata.name));
    expect((await jobs.untilCondition('net', 'Running')).status!.preflight).toBeUndefined();
  });

  test('that nobody comes to ends the attempt when the checks of all have begun, and rank 0 says who was missing', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 2, preflight: { timeoutSeconds: 1 }, runPolicy: { backoff: { initialSeconds: 0 } } });
    await kubelet.pods('net', 2);
    await kubelet.bind('net-master', 'good');
    await kubelet.bind('net-worker-0', 'cut-off');
    await check('net-master');
    await check('net-worker-0');
    await eventually('the deletions to be asked for', async () => (await api.list('pods', namespace, 'job=net')).every(({ metadata }) => metadata.deletionTimestamp !== undefined));
    await check('net-worker-0', { exitCode: 143 });
    await kubelet.remove('net-worker-0');
    await check('net-master', { exitCode: 143, message: JSON.stringify({ message: 'rank 0 waited for rank 1, which did not come', blames: [1] }) });
    await kubelet.remove('net-master');

    await podsOf('net', 1, 2);
    expect((await jobs.get('net')).status).toMatchObject({
      attempt: 1, restarts: 0, disruptions: 0,
      lastFailure: { reason: 'PreflightFailed', message: expect.stringMatching(/within 1 s .*; rank 0 waited for rank 1, which did not come$/) as string },
      suspectNodes: [{ node: 'cut-off', avoided: true }],
    });
  });
});

describe('a job that leaves its GPUs unused, as Prometheus has it', () => {
  test('is suspended without a change of its spec, until its annotation changes', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    utilization.set(`${namespace}/net-master`, 2);
    await jobs.create('net', { replicas: 1, idle: { belowPercent: 10, forSeconds: 2, action: 'Suspend' } });
    await kubelet.runAll('net', 1);
    const suspended = await jobs.untilCondition('net', 'Suspended');
    expect(conditionOf(suspended, 'Suspended')).toMatchObject({ reason: 'JobIdle', message: expect.stringContaining('utilization of accelerators is 2 %') as string });
    expect(suspended.spec).not.toHaveProperty('suspend', true);
    expect(suspended.status).toMatchObject({ phase: 'Suspended', idle: { percent: 2, suspended: { generation: 1 } }, restarts: 0 });
    await kubelet.pods('net', 0);

    utilization.set(`${namespace}/net-master`, 95);
    await api.patch('mltrainingjobs', namespace, 'net', { metadata: { annotations: { 'ml.collabnix.io/resume': 'now' } } });
    await kubelet.runAll('net', 1);
    expect((await jobs.untilCondition('net', 'Running')).status).toMatchObject({ phase: 'Running' });
  });

  test('is warned of', async () => {
    const { jobs, kubelet, namespace } = suite;
    utilization.set(`${namespace}/net-master`, 0);
    await jobs.create('net', { replicas: 1, idle: { belowPercent: 10, forSeconds: 1 } });
    await kubelet.runAll('net', 1);
    expect(conditionOf(await jobs.untilCondition('net', 'Idle'), 'Idle')).toMatchObject({ reason: 'AcceleratorsIdle' });
    expect((await jobs.get('net')).status!.phase).toBe('Running');
  });
});
