/**
 * What Argo CD is told, against the real API server and the definitions of the systems: the part of its ConfigMap leaves everything else alone, the
 * states that health checks are tested with have only fields that there are, and what actions return can be written.
 */
import { constructCustomizationPatch, constructCustomizations } from '../../../src/manifests/argo-cd/customizations';
import { KIND_CUSTOMIZATIONS, kindName } from '../../../src/manifests/argo-cd/kinds';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { STATES } from '../../manifests/argo-cd/support/states';
import { runLua } from '../../support/lua';
import { upstreamCrds } from '../../support/upstream-definitions';
import { mustRequest, type TestObject } from '../support/cluster';
import { installCrds, readYaml } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { jobManifest, jobsPath, NOBODY } from '../support/submit';

const SYSTEMS = ['jobset', 'kserve', 'kubeflow-trainer', 'kubeflow-training-operator', 'kuberay', 'kueue', 'mpi-operator'];

let namespace: string;

/** What the API server has answered, without the notes of who wrote what: they are not there either when Argo CD runs a script. */
async function request(method: string, path: string, body?: object): Promise<TestObject> {
  const { body: { metadata: { managedFields: _managedFields, ...metadata }, ...object } } = await mustRequest(method, path, body);
  return { ...object, metadata } as TestObject;
}

beforeAll(async () => {
  namespace = await createNamespace('argo-cd');
  await installCrds([constructTrainingJobCrd()]);
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

describe('the ConfigMap', () => {
  const configMaps = () => `/api/v1/namespaces/${namespace}/configmaps`;
  const apply = async (data: { readonly [key: string]: string }) => {
    const patch = constructCustomizationPatch({ namespace, data });
    await mustRequest('PATCH', `${configMaps()}/argocd-cm?fieldManager=argocd-controller&fieldValidation=Strict`, patch, 'application/apply-patch+yaml');
  };
  const live = async () => (await request('GET', `${configMaps()}/argocd-cm`)) as TestObject & { readonly data: { readonly [key: string]: string } };

  test('is applied on the server\'s side: the settings of others stay, and those of ours that are left out go', async () => {
    const others = { 'url': 'https://argocd.example', 'resource.customizations.health.db.example.com_Database': 'return {}' };
    await request('POST', configMaps(), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm', labels: { 'app.kubernetes.io/part-of': 'argocd' } }, data: others });
    await apply(constructCustomizations());
    expect((await live()).data).toEqual({ ...others, ...constructCustomizations() });
    await apply(constructCustomizations({ kinds: ['ray.io/RayJob'] }));
    expect((await live()).data).toEqual({ ...others, ...constructCustomizations({ kinds: ['ray.io/RayJob'] }) });
    expect((await live()).metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'argocd' });
  });
});

interface Schema {
  readonly 'type'?: string;
  readonly 'properties'?: { readonly [name: string]: Schema };
  readonly 'items'?: Schema;
  readonly 'additionalProperties'?: Schema | boolean;
  readonly 'enum'?: readonly unknown[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/** `spec` of a definition. */
interface Definition {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
}

/** Where a value has something that its definition has not. */
function unknownIn(value: unknown, schema: Schema | undefined, path: string): string[] {
  if (schema === undefined) {
    return [path];
  }
  if (value === undefined || value === null || schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => unknownIn(item, schema.items, `${path}[${index}]`));
  }
  if (typeof value === 'object') {
    const of = (name: string) => schema.properties?.[name] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    return Object.entries(value).flatMap(([name, each]) => unknownIn(each, of(name), `${path}.${name}`));
  }
  return schema.enum !== undefined && !schema.enum.includes(value) ? [`${path}: ${String(value)}`] : [];
}

describe('the states of', () => {
  const definitions = new Map<string, Schema>();
  beforeAll(() => {
    for (const crd of [constructTrainingJobCrd() as unknown as TestObject, ...upstreamCrds(...SYSTEMS).flatMap(readYaml)]) {
      const { group, names, versions } = crd.spec as Definition;
      versions.forEach(({ name, schema }) => definitions.set(`${group}/${name} ${names.kind}`, schema.openAPIV3Schema));
    }
  });

  // Nobody defines MXJob any more.
  const kinds = KIND_CUSTOMIZATIONS.filter(({ health, kind }) => health !== undefined && kind !== 'MXJob').map(kindName);

  test.each(kinds)('%s have only fields and values of its definition', (kind) => {
    for (const { name, object: { apiVersion, kind: itsKind, spec, status } } of STATES[kind]) {
      const schema = definitions.get(`${String(apiVersion)} ${String(itsKind)}`);
      expect([name, schema === undefined]).toEqual([name, false]);
      expect([name, ...unknownIn({ spec, status }, { properties: schema!.properties }, '')]).toEqual([name]);
    }
  });

  test.each(KIND_CUSTOMIZATIONS.filter(({ actions, kind }) => actions !== undefined && kind !== 'MXJob').map((each) => [kindName(each), each.actions!] as const))(
    '%s are suspended by a field of its definition', (kind, { actions }) => {
      const { apiVersion, kind: itsKind } = STATES[kind][0].object;
      const schema = definitions.get(`${String(apiVersion)} ${String(itsKind)}`)!;
      const object = { apiVersion, kind: itsKind, metadata: { name: 'a' }, spec: { ...(kind === 'ray.io/RayJob' && { shutdownAfterJobFinishes: true }) } };
      for (const name of ['suspend', 'resume']) {
        const { spec } = runLua(actions.find((action) => action.name === name)!.lua, object) as { readonly spec: object };
        expect(unknownIn({ spec }, { properties: schema.properties }, '')).toEqual([]);
      }
    });
});

describe('an MLTrainingJob', () => {
  const { actions } = KIND_CUSTOMIZATIONS.find(({ kind }) => kind === 'MLTrainingJob')!.actions!;
  const act = (name: string, object: unknown) => runLua(actions.find((action) => action.name === name)!.lua, object) as TestObject;
  const path = (name: string) => `${jobsPath(namespace)}/${name}`;

  test('is suspended, resumed, and made anew when it has failed', async () => {
    const created = await request('POST', `${jobsPath(namespace)}?fieldValidation=Strict`, jobManifest('train', {
      framework: 'pytorch', image: 'registry.example/train:1', replicas: 2, managedBy: NOBODY,
      template: { spec: { containers: [{ name: 'training', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }], volumes: [{ name: 'scratch', emptyDir: {} }] } },
    }));
    const suspended = await request('PUT', `${path('train')}?fieldValidation=Strict`, withEmptyDir(act('suspend', created)));
    expect(suspended.spec).toMatchObject({ suspend: true });
    const resumed = await request('PUT', `${path('train')}?fieldValidation=Strict`, withEmptyDir(act('resume', suspended)));
    expect(resumed.spec).toMatchObject({ suspend: false });
    const failed = await request('PUT', `${path('train')}/status?fieldValidation=Strict`, { ...resumed, status: STATES['ml.collabnix.io/MLTrainingJob'].find(({ name }) => name === 'failed')!.object.status });
    const [{ operation, resource }] = act('retry', failed) as unknown as { readonly operation: string; readonly resource: TestObject }[];
    expect(operation).toBe('create');
    const retry = await request('POST', `${jobsPath(namespace)}?fieldValidation=Strict`, resource);
    expect(retry).toMatchObject({
      metadata: { name: 'train-retry-1', ownerReferences: [{ kind: 'MLTrainingJob', name: 'train' }], annotations: { 'trainyard.dev/retry-of': 'train' } },
      spec: { image: 'registry.example/train:1', replicas: 2, template: { spec: { volumes: [{ name: 'scratch', emptyDir: { medium: '' } }] } } },
    });
    expect(retry.status).toBeUndefined();
  });
});

/** Argo CD puts the empty objects of what it patches back, which Lua has taken for lists. */
function withEmptyDir(object: TestObject): TestObject {
  return JSON.parse(JSON.stringify(object).replace(/"emptyDir":\[\]/g, '"emptyDir":{}')) as TestObject;
}
