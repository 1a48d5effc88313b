/**
 * Objects of all of Spark's constructs, accepted by the real API server with the operator's definitions, strictly and without a warning; the
 * driver's rights, used.
 */
import { ApiObject, Chart, JsonPatch, Testing } from 'cdk8s';
import { LEAST, SPARK_PROGRAMS } from './support/programs';
import { SparkApplication, SparkIdentity } from '../../../src/constructs/spark';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { mayNow, untilGranted } from '../support/rights';
import { create, judge } from '../support/submit';

const COLLECTIONS: { readonly [kind: string]: string } = {
  SparkApplication: '/apis/sparkoperator.k8s.io/v1beta2/namespaces/NAMESPACE/sparkapplications',
  ScheduledSparkApplication: '/apis/sparkoperator.k8s.io/v1beta2/namespaces/NAMESPACE/scheduledsparkapplications',
  SparkConnect: '/apis/sparkoperator.k8s.io/v1alpha1/namespaces/NAMESPACE/sparkconnects',
  ServiceAccount: '/api/v1/namespaces/NAMESPACE/serviceaccounts',
  ConfigMap: '/api/v1/namespaces/NAMESPACE/configmaps',
  Service: '/api/v1/namespaces/NAMESPACE/services',
  Deployment: '/apis/apps/v1/namespaces/NAMESPACE/deployments',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
};

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('spark');
  await installCrds(upstreamCrds('spark-operator'));
});
afterAll(async () => deleteNamespace(namespace));

function synthesize(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'spark', { namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

const collectionOf = (kind: string) => COLLECTIONS[kind].replace('NAMESPACE', namespace);

/** Pods of the templates, which the definitions of Spark take whatever they say. What Spark and the namespace add is made up. */
function podsOf({ spec }: TestObject): object[] {
  const { driver, executor, server } = (spec.template ?? spec) as { readonly [role: string]: { readonly template?: TestObject } | undefined };
  return [driver, executor, server].flatMap((pod) => (pod?.template === undefined ? [] : [{
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...pod.template.metadata, generateName: 'pod-' },
    spec: {
      ...pod.template.spec, priorityClassName: undefined, serviceAccountName: undefined,
      containers: pod.template.spec.containers.map((container: object) => ({ image: 'spark:4', ...container })),
    },
  }]));
}

async function objections(objects: readonly TestObject[]): Promise<string[]> {
  const found: string[] = [];
  for (const object of objects) {
    const { status, message, warnings } = await judge(collectionOf(object.kind!), object);
    found.push(...[...(status === 201 ? [] : [message]), ...warnings].map((text) => `${object.kind}: ${text}`));
    for (const pod of object.kind!.includes('Spark') ? podsOf(object) : []) {
      const verdict = await judge(`/api/v1/namespaces/${namespace}/pods`, pod);
      found.push(...[...(verdict.status === 201 ? [] : [verdict.message]), ...verdict.warnings].map((text) => `pod of ${object.kind}: ${text}`));
    }
  }
  return found;
}

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(SPARK_PROGRAMS)('%s', async (_title, program) => {
    expect(await objections(synthesize(program))).toEqual([]);
  });

  test('and refuses fields that no definition has, so that the tests above can fail', async () => {
    const objects = synthesize((chart) => {
      const application = new SparkApplication(chart, 'Features', { ...LEAST, driver: { podSpec: { nodeSelectors: {} } } });
      ApiObject.of(application).addJsonPatch(JsonPatch.add('/spec/newField', 'x'));
    });
    expect(await objections(objects)).toEqual([
      expect.stringContaining('unknown field "spec.newField"'), expect.stringMatching(/^pod of SparkApplication: .*unknown field "spec\.nodeSelectors"/),
    ]);
  });
});

test('a driver may do what it does, in its namespace, and nothing else', async () => {
  const objects = synthesize((chart) => new SparkIdentity(chart, 'Spark', { metadata: { name: 'spark' } }));
  for (const object of objects) {
    await create(collectionOf(object.kind!), object);
  }
  const user = `system:serviceaccount:${namespace}:spark`;
  const may = (verb: string, resource: string, where = namespace, group = '') => mayNow({ user, verb, resource, namespace: where, group });
  await untilGranted({ user, verb: 'create', resource: 'pods', namespace });
  for (const resource of ['pods', 'services', 'configmaps', 'persistentvolumeclaims']) {
    for (const verb of ['create', 'get', 'list', 'watch', 'delete', 'deletecollection']) {
      expect([verb, resource, await may(verb, resource)]).toEqual([verb, resource, true]);
    }
  }
  expect(await may('patch', 'pods')).toBe(true);
  for (const [verb, resource, where, group] of [['create', 'pods', 'default', ''], ['get', 'secrets', namespace, ''], ['create', 'jobs', namespace, 'batch'], ['create', 'pods/exec', namespace, '']]) {
    expect([verb, resource, await may(verb, resource, where, group)]).toEqual([verb, resource, false]);
  }
});
