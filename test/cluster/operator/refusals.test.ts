import { describeOperator } from '../support/operator-suite';
import { eventually } from '../support/cluster';
import { conditionOf, type TestJob } from '../support/training-jobs';

const suite = describeOperator();

/** Messages of the job's events, by reason. */
async function eventsOf(job: TestJob): Promise<Map<string, string>> {
  const events = await suite.api.list('events', suite.namespace);
  return new Map(events.filter(({ involvedObject }) => involvedObject.uid === job.metadata.uid).map(({ reason, message }) => [reason, message]));
}

test('a spec that the schema lets through and the model does not fails with a condition that names the field', async () => {
  const { api, jobs, namespace } = suite;
  await jobs.create('net', { env: [{ name: 'RANK', value: '7' }] });
  const failed = await jobs.untilCondition('net', 'Failed');
  expect(failed.status).toMatchObject({ phase: 'Failed', completionTime: expect.any(String) });
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining('spec.env[\'RANK\']') });
  expect(await api.list('pods', namespace)).toEqual([]);
  await eventually('the event', async () => (await eventsOf(failed)).get('InvalidSpec')?.includes('RANK'));
});

test('a pod that the API server refuses fails the job with the server\'s words', async () => {
  const { jobs } = suite;
  await jobs.create('net', { replicas: 2, template: { spec: { dnsPolicy: 'Sometimes' } } });
  const failed = await jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'InvalidPod', message: expect.stringMatching(/dnsPolicy.*Sometimes/) });
  await eventually('the event', async () => (await eventsOf(failed)).get('InvalidPod')?.includes('dnsPolicy'));
});

test('a quota that is used up holds the job up, says so, and lets it go on when it is raised', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  const quota = (pods: string, used: string) => ({
    spec: { hard: { pods } },
    status: { hard: { pods }, used: { pods: used } },
  });
  await api.create('resourcequotas', namespace, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'limit' }, spec: quota('1', '0').spec });
  // No resource quota controller runs here: the test says what has been used.
  await api.patch('resourcequotas', namespace, 'limit', { status: quota('1', '0').status }, 'status');
  await eventually('the quota to be enforced', async () => (await api.get('resourcequotas', namespace, 'limit')).status.hard.pods === '1');

  await jobs.create('net', { replicas: 3 });
  const held = await jobs.untilCondition('net', 'Created', 'False');
  expect(conditionOf(held, 'Created')).toMatchObject({ reason: 'Forbidden', message: expect.stringContaining('exceeded quota: limit') });
  expect(held.status!.phase).toBe('Pending');
  expect((await kubelet.pods('net', 1))).toHaveLength(1);
  await eventually('the event', async () => (await eventsOf(held)).get('Forbidden')?.includes('exceeded quota'));

  await api.patch('resourcequotas', namespace, 'limit', { spec: quota('5', '1').spec });
  await api.patch('resourcequotas', namespace, 'limit', { status: quota('5', '1').status }, 'status');
  await kubelet.runAll('net', 3);
  await jobs.untilCondition('net', 'Created');
  await jobs.untilCondition('net', 'Running');
  expect((await jobs.get('net')).status).toMatchObject({ restarts: 0, disruptions: 0 });
});

test('a name that somebody else\'s pod holds is left to it, said so, and taken when it is free', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  const foreign = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'net-worker-0' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
  const { metadata: { uid } } = await api.create('pods', namespace, foreign);
  await jobs.create('net', { replicas: 2 });
  const held = await jobs.untilCondition('net', 'Created', 'False');
  expect(conditionOf(held, 'Created')).toMatchObject({ reason: 'NameTaken', message: expect.stringContaining(`Pod ${namespace}/net-worker-0`) });
  expect((await api.get('pods', namespace, 'net-worker-0')).metadata.uid).toBe(uid);

  await api.remove('pods', namespace, 'net-worker-0');
  await kubelet.runAll('net', 2);
  await jobs.untilCondition('net', 'Created');
  await jobs.untilCondition('net', 'Running');
});

test('a service of somebody else under the job\'s name is not taken over either', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  const foreign = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'net-master' }, spec: { ports: [{ port: 80 }] } };
  await api.create('services', namespace, foreign);
  await jobs.create('net', { replicas: 2 });
  const held = await jobs.untilCondition('net', 'Created', 'False');
  expect(conditionOf(held, 'Created')).toMatchObject({ reason: 'NameTaken', message: expect.stringContaining(`Service ${namespace}/net-master`) });
  // Pods without their service would wait for each other in vain.
  expect(await api.list('pods', namespace)).toEqual([]);
  await api.remove('services', namespace, 'net-master');
  await kubelet.pods('net', 2);
});

test('an admission policy that refuses a pod holds the job up, says so, and lets it go on when it is gone', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  const group = 'admissionregistration.k8s.io/v1';
  await api.create('validatingadmissionpolicies', undefined, {
    apiVersion: group,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: namespace },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
      validations: [{ expression: 'has(object.metadata.labels) && "team" in object.metadata.labels', message: 'pods need the label team' }],
    },
  });
  await api.create('validatingadmissionpolicybindings', undefined, {
    apiVersion: group,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: namespace },
    spec: {
      policyName: namespace,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'probe-' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
  await eventually('the policy to be enforced', async () => api.create('pods', namespace, pod).then(() => false, (error: Error) => /team/.test(error.message)));
  try {
    await jobs.create('net', { replicas: 2 });
    const held = await jobs.untilCondition('net', 'Created', 'False');
    expect(conditionOf(held, 'Created')).toMatchObject({ reason: 'Forbidden', message: expect.stringContaining('pods need the label team') });
    expect(held.status!.phase).toBe('Pending');
  } finally {
    await api.remove('validatingadmissionpolicybindings', undefined, namespace);
    await api.remove('validatingadmissionpolicies', undefined, namespace);
  }
  await kubelet.runAll('net', 2);
  await jobs.untilCondition('net', 'Running');
});
