import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ControlPlane } from '../../../src/local/control-plane';
import { eventually, type TestObject } from '../support/cluster';
import { TestKubelet } from '../support/kubelet';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../support/operator';
import { TestApi } from '../support/test-api';
import { TestJobs } from '../support/training-jobs';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

/**
 * The operator on a control plane without kube-controller-manager, so without Kubernetes' garbage collection: what goes, the operator removed. The
 * API server writes down each request that it gets.
 */
const OPERATOR_NAMESPACE = 'trainyard-system';

let plane: ControlPlane;
let api: TestApi;
let installation: Installation;
let operator: OperatorProcess;
let namespace: string;
let jobs: TestJobs;
let kubelet: TestKubelet;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-audit-'));
const auditLog = path.join(folder, 'audit.log');

beforeAll(async () => {
  plane = await ControlPlane.start({ auditLogPath: auditLog, apiServerArgs: ['--audit-log-mode=blocking'] });
  api = new TestApi(plane.access());
  await api.create('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATOR_NAMESPACE } });
  installation = await installOperator(api, OPERATOR_NAMESPACE);
});
afterAll(async () => {
  await plane?.stop();
  installation?.removeFiles();
  fs.rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  operator = startOperator(installation);
  await operator.logs('controller started');
  namespace = await api.createNamespace('test', false);
  jobs = new TestJobs(api, namespace);
  kubelet = new TestKubelet(api, namespace);
});
afterEach(async () => {
  await operator.kill();
});

const CHILDREN = ['pods', 'services', 'configmaps'] as const;
const left = async () => (await Promise.all(CHILDREN.map(async (kind) => api.list(kind, namespace, 'job=net')))).flat();

/** An MPI job has every kind of child that the operator removes, and a Secret, which it may not look at. */
const MPI: Partial<TrainingJobSpec> = { framework: 'mpi', replicas: 2 };

describe('without Kubernetes\' garbage collection', () => {
  test('a deleted job leaves nothing behind', async () => {
    await jobs.create('net', MPI);
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    expect((await left()).map(({ kind, metadata }) => kind ?? metadata.name)).toHaveLength(5);
    await jobs.remove('net');
    await eventually('everything to be gone', async () => (await left()).length === 0);
    expect(operator.complaints()).toEqual([]);
    // One line, however many passes it took.
    expect(operator.log().filter(({ job }) => job === `${namespace}/net`).map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'deleting leftovers of a deleted job'],
    ]);
  });

  test('a job that was deleted while no operator ran leaves nothing behind once one starts', async () => {
    await jobs.create('net', MPI);
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    await operator.kill();
    await jobs.remove('net');
    expect(await left()).toHaveLength(5);

    operator = startOperator(installation);
    await eventually('everything to be gone', async () => (await left()).length === 0);
    expect(operator.complaints()).toEqual([]);
  });

  test('a job that was deleted and created again while no operator ran gets children of its own', async () => {
    await jobs.create('net', MPI);
    await kubelet.runAll('net', 3);
    await jobs.untilCondition('net', 'Running');
    const old = new Set((await left()).map(({ metadata }) => metadata.uid));
    const [oldKeys] = await api.list('secrets', namespace, 'job=net');
    await operator.kill();
    await jobs.remove('net');
    const second = await jobs.create('net', MPI);

    operator = startOperator(installation);
    const fresh = await eventually('children of the second job', async () => {
      const children = await left();
      const isFresh = ({ metadata }: TestObject) => !old.has(metadata.uid)
        && (metadata.ownerReferences as { uid: string }[])[0].uid === second.metadata.uid;
      return children.length === 5 && children.every(isFresh) && children;
    });
    expect(fresh).toHaveLength(5);
    // Its keys too, beside those of the first job, which wait for a garbage collector.
    const keys = (await api.list('secrets', namespace, 'job=net')).filter(({ metadata }) => metadata.uid !== oldKeys.metadata.uid);
    expect(keys.map(({ metadata }) => metadata.name)).toEqual([`net-mpi-ssh-auth-${second.metadata.uid}`]);
    const mounted = (await api.list('pods', namespace, 'job=net')).flatMap((pod) => pod.spec.volumes as { secret?: { secretName: string } }[])
      .flatMap(({ secret }) => secret?.secretName ?? []);
    expect(mounted).toEqual(Array.from({ length: 3 }, () => keys[0].metadata.name));
  });

  test('what belongs to nobody, or to somebody else, stays', async () => {
    const foreign = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'foreign',
        labels: { 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard-operator' },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'net', uid: '00000000-0000-0000-0000-000000000000', controller: true }],
      },
      spec: { containers: [{ name: 'main', image: 'image' }] },
    };
    const { ownerReferences: _none, ...metadata } = { ...foreign.metadata, name: 'lonely' };
    await api.create('pods', namespace, foreign);
    await api.create('pods', namespace, { ...foreign, metadata });
    await jobs.create('net');
    await kubelet.pods('net', 3);
    await jobs.remove('net');
    await eventually('the job\'s pod to be gone', async () => (await left()).length === 2);
    expect((await left()).map((pod) => [pod.metadata.name, pod.metadata.deletionTimestamp])).toEqual([['foreign', undefined], ['lonely', undefined]]);
  });
});

describe('faults', () => {
  test('an API server that is killed and comes back finds the operator where it was', async () => {
    await jobs.create('net', { replicas: 2 });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    const before = (await api.list('pods', namespace)).map(({ metadata }) => metadata.uid);
    await plane.restartApiServer(500);
    expect((await api.list('pods', namespace)).map(({ metadata }) => metadata.uid)).toEqual(before);
    await kubelet.end('net-master');
    const done = await jobs.untilCondition('net', 'Succeeded');
    expect(done.status).toMatchObject({ restarts: 0, disruptions: 0, attempt: 0 });
    expect(operator.child.running).toBe(true);
  });

  test('an operator that was away while pods ended, failed and vanished draws the right conclusions', async () => {
    const runPolicy = { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1, maxSeconds: 1 } } as const;
    await Promise.all([jobs.create('done', { replicas: 2 }), jobs.create('failed'), jobs.create('again', { runPolicy }), jobs.create('lost')]);
    await Promise.all([kubelet.runAll('done', 2), kubelet.runAll('failed', 1), kubelet.runAll('again', 1), kubelet.runAll('lost', 1)]);
    await Promise.all(['done', 'failed', 'again', 'lost'].map(async (name) => jobs.untilCondition(name, 'Running')));
    await operator.kill();
    await kubelet.end('done-master');
    await kubelet.end('failed-master', { exitCode: 1 });
    await kubelet.end('again-master', { exitCode: 1 });
    await api.remove('pods', namespace, 'lost-master');

    operator = startOperator(installation);
    await jobs.untilCondition('done', 'Succeeded');
    await jobs.untilCondition('failed', 'Failed');
    expect((await jobs.untilCondition('again', 'Restarting')).status).toMatchObject({ restarts: 1, attempt: 1 });
    expect((await jobs.untilCondition('lost', 'Restarting')).status).toMatchObject({ disruptions: 1, attempt: 1 });
    expect(operator.complaints()).toEqual([]);
  });
});

describe('what it costs', () => {
  interface AuditEntry {
    readonly verb: string;
    readonly user: { readonly username: string };
    readonly objectRef?: { readonly namespace?: string; readonly resource: string; readonly subresource?: string };
  }

  /** Requests of the operator about the test's namespace; watches and lists are about all. */
  function requests(): string[] {
    return fs.readFileSync(auditLog, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as AuditEntry)
      .filter(({ user, objectRef }) => user.username === `system:serviceaccount:${OPERATOR_NAMESPACE}:trainyard-operator` && objectRef?.namespace === namespace)
      .map(({ verb, objectRef }) => [verb, objectRef?.resource, objectRef?.subresource].filter(Boolean).join(' '));
  }

  test('a job from creation to success costs a request for each pod and service, and four', async () => {
    const startedAt = Date.now();
    await jobs.create('net', { replicas: 4, runPolicy: { cleanPodPolicy: 'None' } });
    await kubelet.runAll('net', 4);
    await jobs.untilCondition('net', 'Running');
    for (const pod of ['net-worker-0', 'net-worker-1', 'net-worker-2', 'net-master']) {
      await kubelet.end(pod);
    }
    await jobs.untilCondition('net', 'Succeeded');
    await eventually('the event', async () => (await api.list('events', namespace)).some(({ reason }) => reason === 'JobSucceeded'));
    // Counts that changed are written each five seconds; a slow machine gets that far.
    const counts = Math.floor((Date.now() - startedAt) / 5000);
    const made = requests();
    expect(made.filter((request) => request === 'create pods')).toHaveLength(4);
    expect(made.filter((request) => request === 'create services')).toHaveLength(1);
    expect(made.length <= 4 + 1 + 4 + counts ? [] : made).toEqual([]);
  });

  test('a job that has ended, and one that waits for its image, cost nothing', async () => {
    await jobs.create('done');
    await kubelet.runAll('done', 1);
    await kubelet.end('done-master');
    await jobs.untilCondition('done', 'Succeeded');
    await jobs.create('waits', { replicas: 2 });
    await kubelet.pods('waits', 2);
    await jobs.until('waits', 'pending', ({ workerStatuses }) => workerStatuses?.every(({ pending }) => pending === 1) === true);
    await eventually('the event', async () => (await api.list('events', namespace)).some(({ reason }) => reason === 'JobSucceeded'));
    const before = requests().length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(requests().slice(before)).toEqual([]);
  });
});
