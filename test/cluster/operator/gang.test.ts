import { apiRequest } from '../../../src/local/control-plane';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { upstreamCrds } from '../../support/upstream-definitions';
import { clusterAccess, eventually, type TestObject } from '../support/cluster';
import { installCrds, removeCrd } from '../support/crds';
import { describeOperator } from '../support/operator-suite';
import { conditionOf } from '../support/training-jobs';

const suite = describeOperator();

const GROUPS = { Coscheduling: '/apis/scheduling.x-k8s.io/v1alpha1', Volcano: '/apis/scheduling.volcano.sh/v1beta1' } as const;

const gang = (scheduler: 'Coscheduling' | 'Volcano' | 'Native' | 'YuniKorn' | 'Kai', more: object = {}): Partial<TrainingJobSpec> => ({
  framework: 'plain', replicas: 3, resources: { cpu: '500m', memory: '1Gi' }, scheduling: { gang: { scheduler, ...more } },
});

const podGroup = async (scheduler: keyof typeof GROUPS, name: string): Promise<TestObject | undefined> => {
  const { status, body } = await apiRequest<TestObject>(clusterAccess(), 'GET', `${GROUPS[scheduler]}/namespaces/${suite.namespace}/podgroups/${name}`);
  return status === 200 ? body : undefined;
};

test('the status says what is missing when the gang\'s scheduler is not installed, and the job starts once it is', async () => {
  const { jobs, kubelet, api, namespace } = suite;
  // Another file may have left it here.
  await removeCrd('podgroups.scheduling.x-k8s.io', 'v1alpha1');
  await jobs.create('net', gang('Coscheduling', { minAvailable: 2, scheduleTimeoutSeconds: 120 }));
  const told = await jobs.until('net', 'told', (_status, job) => conditionOf(job, 'Created')?.reason === 'GangSchedulerMissing');
  expect(conditionOf(told, 'Created')?.message).toContain('podgroups.scheduling.x-k8s.io');
  expect(await api.list('pods', namespace, 'job=net')).toEqual([]);
  await installCrds(upstreamCrds('coscheduling'));
  const pods = await kubelet.pods('net', 3);
  expect((await podGroup('Coscheduling', 'net'))?.spec).toEqual({ minMember: 2, scheduleTimeoutSeconds: 120, minResources: { cpu: '1', memory: '2147483648' } });
  expect(pods.map(({ spec, metadata }) => [spec.schedulerName, (metadata.labels as Record<string, string>)['scheduling.x-k8s.io/pod-group']]))
    .toEqual(Array(3).fill(['scheduler-plugins-scheduler', 'net']));
  await jobs.until('net', 'accepted', (_status, job) => conditionOf(job, 'Created')?.status === 'True');
  await jobs.remove('net');
  await eventually('the pod group to be gone', async () => await podGroup('Coscheduling', 'net') === undefined);
});

test('Volcano gets its PodGroup and its annotations, and the user\'s own scheduler name stands', async () => {
  const { jobs, kubelet } = suite;
  await installCrds(upstreamCrds('volcano'));
  await jobs.create('net', { ...gang('Volcano', { queue: 'research' }), scheduling: { schedulerName: 'my-volcano', gang: { scheduler: 'Volcano', queue: 'research' } } });
  const pods = await kubelet.pods('net', 3);
  expect((await podGroup('Volcano', 'net'))?.spec).toMatchObject({ minMember: 3, queue: 'research', minResources: { cpu: '1500m', memory: '3221225472' } });
  expect(pods.map(({ spec, metadata }) => [spec.schedulerName, metadata.annotations])).toEqual(Array(3).fill(['my-volcano', expect.objectContaining({
    'scheduling.k8s.io/group-name': 'net', 'volcano.sh/task-spec': 'worker', 'scheduling.volcano.sh/queue-name': 'research',
  })]));
});

test('pods of KAI and of YuniKorn say to which gang and queue they belong, and need no object beside them', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('kai', gang('Kai', { queue: 'research' }));
  await jobs.create('yuni', gang('YuniKorn', { queue: 'root.research' }));
  const [kai] = await kubelet.pods('kai', 3);
  expect([kai.spec.schedulerName, kai.metadata.labels]).toEqual(['kai-scheduler', expect.objectContaining({ 'kai.scheduler/queue': 'research' })]);
  const [yuni] = await kubelet.pods('yuni', 3);
  expect([yuni.spec.schedulerName, yuni.metadata.labels]).toEqual(['yunikorn', expect.objectContaining({ queue: 'root.research' })]);
  const groups = (yuni.metadata.annotations as Record<string, string>)['yunikorn.apache.org/task-groups'];
  expect(JSON.parse(groups)).toMatchObject([{ name: 'worker', minMember: 3, minResource: { cpu: '500m' } }]);
});

test('a gang that stays placed in part is released as a whole, starts again after a pause, and nothing is counted against it', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', {
    ...gang('YuniKorn', { scheduleTimeoutSeconds: 1 }), runPolicy: { backoff: { initialSeconds: 1, maxSeconds: 2 }, disruptionLimit: 0, backoffLimit: 0 },
  });
  const [first] = await kubelet.pods('net', 3);
  await kubelet.run(first.metadata.name);
  const released = await jobs.until('net', 'released', (status) => status.gang?.releases === 1);
  expect(released.status).toMatchObject({ phase: 'Pending', attempt: 1, restarts: 0, disruptions: 0 });
  expect(conditionOf(released, 'Running')).toMatchObject({ status: 'False' });
  const again = await eventually('three new pods', async () => {
    const pods = await kubelet.pods('net', 3);
    return pods.every(({ metadata }) => (metadata.labels as Record<string, string>)['ml.collabnix.io/attempt'] === '1') && pods;
  });
  const applications = again.map(({ metadata }) => (metadata.labels as Record<string, string>)['yunikorn.apache.org/app-id']);
  expect(new Set(applications).size).toBe(1);
  expect(applications[0]).toMatch(/-1$/);
  await kubelet.run(...again.map(({ metadata }) => metadata.name));
  const running = await jobs.untilCondition('net', 'Running');
  expect(running.status?.gang).toEqual({ releases: 1 });
});
