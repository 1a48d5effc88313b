import { FRAMEWORK_NAMES, type FrameworkName } from '../../../src/model/training-job/spec';
import { clusterAccess, eventually, mustRequest, type TestObject } from '../support/cluster';
import { TestKubelet } from '../support/kubelet';
import { LOCAL_ENDPOINT, installOperator, startOperator, type Installation, type OperatorProcess } from '../support/operator';
import { ProgressClient } from '../support/progress-client';
import { TestApi } from '../support/test-api';
import { TestJobs } from '../support/training-jobs';

/** An operator that may do what it has to in two namespaces and nothing elsewhere; one of the two takes restricted pods only. */
let api: TestApi;
let installation: Installation;
let operator: OperatorProcess;
let open: string;
let restricted: string;

beforeAll(async () => {
  api = new TestApi(clusterAccess());
  open = await api.createNamespace('open');
  restricted = await api.createNamespace('restricted');
  await mustRequest('PATCH', `/api/v1/namespaces/${restricted}`, { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    'application/merge-patch+json');
  installation = await installOperator(api, await api.createNamespace('operator'), [open, restricted]);
  operator = startOperator(installation, { WATCH_NAMESPACES: `${open},${restricted}`, ...LOCAL_ENDPOINT });
  await operator.logs('controller started');
});

afterAll(async () => {
  const code = await operator?.stop();
  for (const namespace of [open, restricted, installation.namespace]) {
    await api.remove('namespaces', undefined, namespace);
  }
  const complaints = operator.complaints();
  installation.removeFiles();
  expect(complaints).toEqual([]);
  expect(code).toBe(0);
});

/** How many pods the short form with two replicas has. */
const PODS: Partial<Record<FrameworkName, number>> = { mpi: 3, horovod: 3, deepspeed: 3 };

describe('a namespace that enforces the restricted standard', () => {
  test.each(FRAMEWORK_NAMES)('takes the pods of a restricted job of %s', async (framework) => {
    const jobs = new TestJobs(api, restricted);
    const kubelet = new TestKubelet(api, restricted);
    await jobs.create(framework, { framework, replicas: 2, security: { restricted: true, runAsUser: 1000, fsGroup: 1000 } });
    await kubelet.runAll(framework, PODS[framework] ?? 2);
    const { status } = await jobs.untilCondition(framework, 'Running');
    expect(status!.conditions!.find(({ type }) => type === 'Created')).toMatchObject({ status: 'True' });
    await jobs.remove(framework);
  });

  test('says in the status of a job that is not restricted what is missing', async () => {
    const jobs = new TestJobs(api, restricted);
    await jobs.create('free');
    const job = await jobs.untilCondition('free', 'Created', 'False');
    expect(job.status!.conditions!.find(({ type }) => type === 'Created'))
      .toMatchObject({ reason: 'Forbidden', message: expect.stringMatching(/violates PodSecurity "restricted.*Set spec\.security to \{ restricted: true, runAsUser: UID \}/) });
    await jobs.remove('free');
  });

  test('takes the pods of that job after the change that its status asks for, and no change of it any more', async () => {
    const jobs = new TestJobs(api, restricted);
    const kubelet = new TestKubelet(api, restricted);
    await jobs.create('mended', { replicas: 2 });
    await jobs.untilCondition('mended', 'Created', 'False');
    await jobs.change('mended', { security: { restricted: true, runAsUser: 1000 } });
    await kubelet.runAll('mended', 2);
    await jobs.untilCondition('mended', 'Running');
    await jobs.untilCondition('mended', 'Created');
    await expect(jobs.change('mended', { security: { restricted: true, runAsUser: 1001 } })).rejects.toThrow('cannot change while the job exists');
    await jobs.remove('mended');
  });
});

describe('an operator of namespaces', () => {
  test('has no cluster role', async () => {
    const bindings = await api.list('clusterrolebindings');
    const subjectsOf = (binding: TestObject) => (binding as unknown as { subjects?: { namespace?: string }[] }).subjects ?? [];
    expect(bindings.filter((binding) => subjectsOf(binding).some(({ namespace }) => namespace === installation.namespace))).toEqual([]);
  });

  test('runs a job from its start over a lost pod to its end', async () => {
    const jobs = new TestJobs(api, open);
    const kubelet = new TestKubelet(api, open);
    await jobs.create('net', { replicas: 2, runPolicy: { restartPolicy: 'OnFailure' } });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    await api.remove('pods', open, 'net-worker-0');
    await jobs.until('net', 'in its second attempt', ({ attempt }) => attempt === 1);
    await eventually('pods of the second attempt', async () => (await api.list('pods', open, 'job=net,ml.collabnix.io/attempt=1')).length === 2);
    await kubelet.runAll('net', 2);
    await kubelet.end('net-master');
    expect((await jobs.untilCondition('net', 'Succeeded')).status).toMatchObject({ phase: 'Completed', disruptions: 1 });
  });

  test('leaves jobs of other namespaces alone', async () => {
    const other = await api.createNamespace();
    await new TestJobs(api, other).create('net');
    const jobs = new TestJobs(api, open);
    await jobs.create('later');
    await jobs.untilCondition('later', 'Created');
    expect((await new TestJobs(api, other).get('net')).status).toBeUndefined();
    await api.remove('namespaces', undefined, other);
  });

  test('answers reports of jobs elsewhere with 404, as those of jobs that are gone', async () => {
    const other = await api.createNamespace();
    await new TestJobs(api, other).create('net');
    await new TestJobs(api, open).create('heard');
    const { port } = await operator.logs('progress endpoint is listening');
    const { data } = await api.get('secrets', installation.namespace, 'trainyard-operator-progress-tls');
    const client = new ProgressClient(api, port, Buffer.from(data['ca.crt'], 'base64').toString('utf8'));
    const report = async (namespace: string, name: string, pod?: 'none') => {
      const job = { namespace, name };
      const trainerStatus = { lastUpdatedTime: new Date().toISOString(), progressPercentage: 1 };
      return client.report(job, await client.token(job, { pod }), { trainerStatus });
    };
    expect((await report(open, 'heard')).status).toBe(200);
    expect(await report(other, 'net', 'none')).toMatchObject({ status: 404, body: { reason: 'NotFound', message: 'Train job not found' } });
    await api.remove('namespaces', undefined, other);
  });

  test('puts a firewall around a job before its pods, and takes it away with the job', async () => {
    const jobs = new TestJobs(api, open);
    const kubelet = new TestKubelet(api, open);
    const policies = `/apis/networking.k8s.io/v1/namespaces/${open}/networkpolicies`;
    const job = await jobs.create('walled', { security: { networkPolicy: { egress: 'Limited', toCidrs: ['10.8.0.0/16'] } } });
    const [pod] = await kubelet.pods('walled', 1);
    const { body } = await mustRequest('GET', `${policies}/walled`);
    expect(body.metadata.ownerReferences).toMatchObject([{ uid: job.metadata.uid, controller: true }]);
    expect(body.spec.podSelector.matchLabels).toEqual({ job: 'walled' });
    expect(pod.metadata.labels).toMatchObject(body.spec.podSelector.matchLabels);
    // Reports go to this operator alone.
    expect(body.spec.egress).toContainEqual({
      to: [{
        namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [installation.namespace] }] },
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'trainyard-operator' } },
      }],
      ports: [{ port: 10443, protocol: 'TCP' }],
    });
    expect(Date.parse(body.metadata.creationTimestamp as string)).toBeLessThanOrEqual(Date.parse(pod.metadata.creationTimestamp as string));
    await jobs.remove('walled');
    await eventually('the firewall to be gone', async () => {
      const { body: list } = await mustRequest<{ items: TestObject[] }>('GET', policies);
      return list.items.length === 0;
    });
  });
});
