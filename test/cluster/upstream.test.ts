/** Definitions that are made of the facts in `upstream/`: a real API server takes all of them, and judges objects as by the published ones. */
import type { TestObject } from './support/cluster';
import { installDefinition, readYaml } from './support/crds';
import { apiRequest, ControlPlane } from '../../src/local/control-plane';
import { readUpstreamCrds } from '../support/upstream-definitions';

const MADE = readUpstreamCrds({ ...process.env, TRAINYARD_CRDS: '' });

const QUEUES = '/apis/kueue.x-k8s.io/v1beta2/clusterqueues';
const LOCAL_QUEUES = '/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await ControlPlane.start();
  for (const file of MADE.flatMap(({ files }) => files).filter((name) => /\/(cluster|local)queues\.kueue/.test(name))) {
    await installDefinition(plane.access(), readYaml(file)[0]);
  }
});
afterAll(async () => plane?.stop());

const send = async (method: string, path: string, body: object) => apiRequest<TestObject>(plane.access(), method, path, { body, ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }) });

/** As kube-apiserver says that it does not know a format: it takes what stands there. */
const UNKNOWN_FORMAT = /unrecognized format/;

test.each(MADE.map(({ system, files }) => [system, files] as const))('the API server takes those of %s', async (_system, files) => {
  for (const crd of files.flatMap(readYaml)) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { status, body, warnings } = await send('POST', `${path}?dryRun=All&fieldValidation=Strict`, crd);
    const isThere = status === 409 && (body as { readonly reason?: string }).reason === 'AlreadyExists';
    expect([crd.metadata.name, status === 201 || isThere ? '' : body.message, warnings.filter((text) => !UNKNOWN_FORMAT.test(text))]).toEqual([crd.metadata.name, '', []]);
  }
});

const quota = (name: string, more: object = {}) => ({ name, nominalQuota: '4', ...more });
const group = (...resources: object[]) => ({ coveredResources: resources.map((_resource, index) => `r${index}`), flavors: [{ name: 'spot', resources }] });
const queue = (spec: object): object => ({ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ClusterQueue', metadata: { name: 'team' }, spec });

test.each<readonly [what: string, spec: object, words: string]>([
  ['another type', { resourceGroups: 'all' }, 'spec.resourceGroups: Invalid value: "string": spec.resourceGroups in body must be of type array: "string"'],
  ['a field that is required', { resourceGroups: [group({ name: 'cpu' })] }, 'spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Required value'],
  ['a value that is not of the list', { stopPolicy: 'Never' }, 'spec.stopPolicy: Unsupported value: "Never": supported values: "None", "Hold", "HoldAndDrain"'],
  ['a text of another form', { cohortName: 'A' }, 'spec.cohortName in body should match'],
  ['a text that is too long', { cohortName: 'a'.repeat(254) }, 'spec.cohortName: Too long: may not be more than 253 bytes'],
  ['a list that is too short', { resourceGroups: [{ coveredResources: [], flavors: [] }] }, 'spec.resourceGroups[0].coveredResources in body should have at least 1 items'],
  ['two items with one key', { resourceGroups: [group(quota('cpu'), quota('cpu'))] }, 'spec.resourceGroups[0].flavors[0].resources[1]: Duplicate value: {"name":"cpu"}'],
  ['a rule', { resourceGroups: [group(quota('cpu', { borrowingLimit: 1 }))] }, 'failed rule: !has(self.cohortName) && has(self.resourceGroups)'],
  ['a field that is none', { quota: 1 }, 'unknown field "spec.quota"'],
])('it refuses what has against it %s', async (_what, spec, words) => {
  const { status, body } = await send('POST', `${QUEUES}?fieldValidation=Strict&dryRun=All`, queue(spec));
  expect([status >= 400, body.message]).toEqual([true, expect.stringContaining(words)]);
});

test('it writes defaults, keeps the status apart, and holds new objects against old ones', async () => {
  const { status, body, warnings } = await send('POST', `${QUEUES}?fieldValidation=Strict`, { ...queue({ resourceGroups: [group(quota('cpu'))] }), status: { reservingWorkloads: 3 } });
  expect([status, warnings]).toEqual([201, []]);
  expect(body.spec).toMatchObject({ queueingStrategy: 'BestEffortFIFO', flavorFungibility: { whenCanBorrow: 'MayStopSearch' }, preemption: { borrowWithinCohort: { policy: 'Never' } } });
  expect(body.status?.reservingWorkloads).toBeUndefined();
  expect((await send('PATCH', `${QUEUES}/team/status`, { status: { reservingWorkloads: 3 } })).body.status).toMatchObject({ reservingWorkloads: 3 });
  await send('POST', LOCAL_QUEUES, { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'LocalQueue', metadata: { name: 'team' }, spec: { clusterQueue: 'team' } });
  const changed = await send('PATCH', `${LOCAL_QUEUES}/team`, { spec: { clusterQueue: 'others' } });
  expect([changed.status, changed.body.message]).toEqual([422, expect.stringContaining('spec.clusterQueue: Invalid value')]);
});
