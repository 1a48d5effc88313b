import { ControlPlane } from '../../../src/local/control-plane';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { eventually } from '../support/cluster';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../support/operator';
import { TestApi } from '../support/test-api';
import { TestJobs } from '../support/training-jobs';

/**
 * Kubernetes' own gang scheduling: the real scheduler with its feature gates on, and a fake node that has room for three pods.
 */
const SCHEDULING = '/apis/scheduling.k8s.io/v1alpha2';

let plane: ControlPlane;
let api: TestApi;
let installation: Installation;
let operator: OperatorProcess;
let namespace: string;
let jobs: TestJobs;

beforeAll(async () => {
  plane = await ControlPlane.start({
    featureGates: { GenericWorkload: true, GangScheduling: true },
    runtimeConfig: { 'scheduling.k8s.io/v1alpha2': true },
    scheduler: true,
    // Nodes are let in by one of its controllers; the garbage collector stays out.
    controllerManager: { controllers: ['node-lifecycle-controller'] },
    disableAdmissionPlugins: ['ServiceAccount'],
    fakeNodes: { count: 1, capacity: { cpu: '3', memory: '64Gi', pods: '100' } },
  });
  api = new TestApi(plane.access());
  await api.create('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trainyard-system' } });
  installation = await installOperator(api, 'trainyard-system');
  operator = startOperator(installation, { STATUS_COUNTS_SECONDS: '1' });
  await operator.logs('controller started');
  await eventually('the node to be let in', async () => ((await api.send('GET', '/api/v1/nodes/fake-0')).spec.taints ?? []).length === 0);
  namespace = await api.createNamespace('gang', false);
  jobs = new TestJobs(api, namespace);
});
afterAll(async () => {
  const complaints = operator?.complaints();
  await operator?.kill();
  await plane?.stop();
  installation?.removeFiles();
  expect(complaints).toEqual([]);
});

const native = (replicas: number, more: Partial<TrainingJobSpec> = {}): Partial<TrainingJobSpec> => ({
  framework: 'jax', replicas, resources: { cpu: '1' }, scheduling: { gang: { scheduler: 'Native' } }, ...more,
});
const pods = async (job: string) => api.list('pods', namespace, `job=${job}`);
const placed = async (job: string) => (await pods(job)).filter(({ spec }) => spec.nodeName !== undefined).length;
const group = async (plural: 'workloads' | 'podgroups', name: string) => api.send('GET', `${SCHEDULING}/namespaces/${namespace}/${plural}/${name}`);

test('of a gang that does not fit nothing is placed, while the same pods without a gang take what room there is', async () => {
  await jobs.create('all', native(4));
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
  const { status } = await jobs.until('all', 'Pending', ({ phase }) => phase === 'Pending');
  expect(status).toMatchObject({ attempt: 0 });
  expect(status?.gang).toBeUndefined();

  await jobs.create('loose', { ...native(4), scheduling: {} });
  await eventually('three of the loose pods to be placed', async () => (await placed('loose')) === 3);
  expect(await placed('all')).toBe(0);
  await jobs.remove('loose');
  await jobs.remove('all');
  // No garbage collector runs here: what goes, the operator removed. A finalizer of Kubernetes' own protects pod groups that are in use.
  const isGoing = async (plural: 'workloads' | 'podgroups') => group(plural, 'all').then(({ metadata }) => metadata.deletionTimestamp !== undefined, () => true);
  await eventually('pods and groups to be gone', async () => (await pods('all')).length + (await pods('loose')).length === 0
    && await isGoing('podgroups') && await isGoing('workloads'));
});

test('a gang that fits runs, and one with a smaller minimum starts with what there is', async () => {
  await jobs.create('fits', native(3));
  await jobs.untilCondition('fits', 'Running');
  await jobs.remove('fits');
  await eventually('its pods to be gone', async () => (await pods('fits')).length === 0);
  await jobs.create('some', native(4, { scheduling: { gang: { scheduler: 'Native', minAvailable: 2 } } }));
  await eventually('three of four to be placed', async () => (await placed('some')) === 3);
  await jobs.until('some', 'known to be placed', (status) => status.gang?.belowSince === undefined && status.gang?.releases === undefined);
  await jobs.remove('some');
});
