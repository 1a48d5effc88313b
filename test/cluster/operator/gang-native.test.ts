import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { eventually } from '../support/cluster';
import { describeScheduled } from '../support/operator-suite';

/**
 * Kubernetes' own gang scheduling: the real scheduler with its feature gates on, and a fake node that has room for three pods.
 */
const SCHEDULING = '/apis/scheduling.k8s.io/v1alpha2';

const suite = describeScheduled({
  title: 'gang',
  featureGates: { GenericWorkload: true, GangScheduling: true },
  runtimeConfig: { 'scheduling.k8s.io/v1alpha2': true },
  fakeNodes: { count: 1, capacity: { cpu: '3', memory: '64Gi', pods: '100' } },
});

const native = (replicas: number, more: Partial<TrainingJobSpec> = {}): Partial<TrainingJobSpec> => ({
  framework: 'jax', replicas, resources: { cpu: '1' }, scheduling: { gang: { scheduler: 'Native' } }, ...more,
});
const pods = async (job: string) => suite.api.list('pods', suite.namespace, `job=${job}`);
const placed = async (job: string) => (await pods(job)).filter(({ spec }) => spec.nodeName !== undefined).length;
const group = async (plural: 'workloads' | 'podgroups', name: string) => suite.api.send('GET', `${SCHEDULING}/namespaces/${suite.namespace}/${plural}/${name}`);

test('of a gang that does not fit nothing is placed, while the same pods without a gang take what room there is', async () => {
  await suite.jobs.create('all', native(4));
  await eventually('the scheduler to have looked at all four pods', async () => (await pods('all')).filter(({ status }) => (
    (status?.conditions ?? []).some(({ type, reason }: { type: string; reason: string }) => type === 'PodScheduled' && reason === 'Unschedulable'))).length === 4);
  expect(await placed('all')).toBe(0);
  const [workload, podGroup] = [await group('workloads', 'all'), await group('podgroups', 'all')];
  expect(workload.spec).toMatchObject({
    controllerRef: { apiGroup: 'ml.collabnix.io', kind: 'MLTrainingJob', name: 'all' },
    podGroupTemplates: [{ name: 'replicas', schedulingPolicy: { gang: { minCount: 4 } } }],
  });
  expect(podGroup.spec).toMatchObject({
    podGroupTemplateRef: { workload: { workloadName: 'all', podGroupTemplateName: 'replicas' } }, schedulingPolicy: { gang: { minCount: 4 } },
  });
  expect((await pods('all')).map(({ spec }) => [spec.schedulingGroup, spec.schedulerName])).toEqual(Array(4).fill([{ podGroupName: 'all' }, 'default-scheduler']));
  // Waiting is no fault: the gang holds nothing, so it is not released either.
  const { status } = await suite.jobs.until('all', 'Pending', ({ phase }) => phase === 'Pending');
  expect(status).toMatchObject({ attempt: 0 });
  expect(status?.gang).toBeUndefined();

  await suite.jobs.create('loose', { ...native(4), scheduling: {} });
  await eventually('three of the loose pods to be placed', async () => (await placed('loose')) === 3);
  expect(await placed('all')).toBe(0);
  await suite.jobs.remove('loose');
  await suite.jobs.remove('all');
  // No garbage collector runs here: what goes, the operator removed. A finalizer of Kubernetes' own protects pod groups that are in use.
  const isGoing = async (plural: 'workloads' | 'podgroups') => group(plural, 'all').then(({ metadata }) => metadata.deletionTimestamp !== undefined, () => true);
  await eventually('pods and groups to be gone', async () => (await pods('all')).length + (await pods('loose')).length === 0
    && await isGoing('podgroups') && await isGoing('workloads'));
});

test('a gang that fits runs, and one with a smaller minimum starts with what there is', async () => {
  await suite.jobs.create('fits', native(3));
  await suite.jobs.untilCondition('fits', 'Running');
  await suite.jobs.remove('fits');
  await eventually('its pods to be gone', async () => (await pods('fits')).length === 0);
  await suite.jobs.create('some', native(4, { scheduling: { gang: { scheduler: 'Native', minAvailable: 2 } } }));
  await eventually('three of four to be placed', async () => (await placed('some')) === 3);
  await suite.jobs.until('some', 'known to be placed', (status) => status.gang?.belowSince === undefined && status.gang?.releases === undefined);
  await suite.jobs.remove('some');
});
