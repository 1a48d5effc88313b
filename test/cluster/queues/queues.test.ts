/** Queues, as a real API server with Kueue's definitions and strict field validation sees them. */
import { Chart, Testing } from 'cdk8s';
import { constructCohortSpec } from '../../../src/manifests/kueue/queues';
import type { CohortSpec } from '../../../src/model/queues/spec';
import { queueProgram } from '../../support/queues/program';
import { upstreamCrds } from '../../support/upstream-definitions';
import { mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { objectionsTo } from '../support/submit';

const PLURALS: { readonly [kind: string]: string } = { Topology: 'topologies', WorkloadPriorityClass: 'workloadpriorityclasses' };

let namespace: string;
beforeAll(async () => {
  namespace = await createNamespace('queues');
  await installCrds(upstreamCrds('kueue'));
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

/** What the API server says against an object. Those that have a namespace are shown in the test's own. */
async function objections(object: TestObject): Promise<string[]> {
  const plural = PLURALS[object.kind!] ?? `${object.kind!.toLowerCase()}s`;
  const place = object.metadata.namespace === undefined ? '' : `namespaces/${namespace}/`;
  return objectionsTo([{ ...object, metadata: { ...object.metadata, ...(place && { namespace }) } }], () => `/apis/${object.apiVersion}/${place}${plural}`);
}

const objects = (() => {
  const chart = new Chart(Testing.app(), 'queues');
  queueProgram(chart);
  return (Testing.synth(chart) as TestObject[]).filter(({ apiVersion }) => apiVersion!.startsWith('kueue.x-k8s.io/'));
})();

describe('the API server, strictly and without a warning,', () => {
  test.each(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))('accepts %s', async (_name, object) => {
    expect(await objections(object)).toEqual([]);
  });

  test('refuses a field that no definition has, so that the tests above can fail', async () => {
    const queue = objects.find(({ kind }) => kind === 'ClusterQueue')!;
    expect(await objections({ ...queue, spec: { ...queue.spec, quota: 1 } })).toEqual([expect.stringContaining('unknown field "spec.quota"')]);
  });

  test('takes all quotas out of a cohort that has some', async () => {
    const path = `/apis/kueue.x-k8s.io/v1beta2/cohorts/${namespace}`;
    const apply = (groups: CohortSpec['resourceGroups']) => mustRequest('PATCH', `${path}?fieldManager=trainyard-test&force=true&fieldValidation=Strict`, {
      apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Cohort', metadata: { name: namespace },
      spec: constructCohortSpec({ name: namespace, resourceGroups: groups }),
    }, 'application/apply-patch+yaml');
    try {
      await apply([{ flavors: [{ flavor: 'spot', quotas: [{ resource: 'cpu', nominal: '4' }] }] }]);
      expect((await mustRequest('GET', path)).body.spec.resourceGroups).toHaveLength(1);
      await apply([]);
      expect((await mustRequest('GET', path)).body.spec?.resourceGroups).toBeUndefined();
    } finally {
      await mustRequest('DELETE', path);
    }
  });
});
