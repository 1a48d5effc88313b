/**
 * Every object that an example writes, really created in the order in which it is written, and every object that a test of a construct makes: an API
 * server that knows all upstream definitions takes them, strictly and without a warning. Objects of engines in all their forms are in
 * test/cluster/engines, those of the operator in test/cluster/manifests.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { AllDefinitions } from './support/all-definitions';
import type { TestObject } from './support/cluster';
import { installDefinition, readUpstreamCrds } from './support/crds';
import { apiRequest, ControlPlane } from '../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../src/manifests/mltrainingjob-crd';
import { EXAMPLE_NAMES, synthesizeExample } from '../support/examples';

/** Kinds that no definition here describes, and why they are written all the same. */
const UNKNOWN_KINDS: { readonly [apiVersionAndKind: string]: string } = {
  'networking.gke.io/v1 GCPBackendPolicy': 'GKE has not published its definitions; test/manifests/platform/wiring.test.ts looks at its fields',
  'networking.gke.io/v1 HealthCheckPolicy': 'as above',
  'secrets-store.csi.x-k8s.io/v1 SecretProviderClass': 'the definitions at hand have none of the Secrets Store CSI driver; test/constructs/credentials looks at its fields',
};

/** Objects that tests of constructs spoil on purpose. */
const SPOILT: readonly RegExp[] = [/\.spec\.newField: field not declared in schema/];

/** Tests whose objects are not ours: cdk8s-plus renders them for a comparison, one field under another name than Kubernetes has. */
const FOREIGN = ['kplus-values.test.ts'];

const hasUpstream = readUpstreamCrds() !== undefined;
let plane: ControlPlane;
let definitions: AllDefinitions;

beforeAll(async () => {
  if (!hasUpstream) {
    console.warn('the definitions of upstream systems are not on this machine (TRAINYARD_CRDS): objects of their kinds are not tried');
  }
  plane = await ControlPlane.start();
  definitions = new AllDefinitions(plane.access());
  await installDefinition(plane.access(), constructTrainingJobCrd() as unknown as TestObject);
});
afterAll(async () => plane?.stop());

/**
 * Applies an object strictly.
 * @param namespace of an object that names none
 * @returns what the API server has against it, warnings too
 */
async function objections(object: TestObject, namespace?: string, query = ''): Promise<string[]> {
  const what = `${object.apiVersion} ${object.kind}`;
  const file = await definitions.pathOf(object, namespace);
  if (file === undefined) {
    return what in UNKNOWN_KINDS || (!hasUpstream && object.apiVersion!.includes('.')) ? [] : [`${what}: no definition here knows this kind`];
  }
  const { status, body, warnings } = await apiRequest<TestObject>(plane.access(), 'PATCH', `${file}?fieldValidation=Strict&fieldManager=conformance&force=true${query}`,
    { body: object, contentType: 'application/apply-patch+yaml' });
  if (object.kind === 'CustomResourceDefinition') {
    definitions.forget();
  }
  return [...(status < 300 ? [] : [String(body.message)]), ...warnings].map((text) => `${what} ${object.metadata.name}: ${text}`);
}

async function createNamespace(name: string): Promise<void> {
  expect(await objections({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })).toEqual([]);
}

describe('the API server creates, strictly and without a warning,', () => {
  test.each(EXAMPLE_NAMES)('all objects of examples/%s, in their order', async (name) => {
    const objects = [...synthesizeExample(`${name}/main.ts`).values()]
      .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as TestObject));
    expect(objects.length).toBeGreaterThan(0);
    // Examples are applied one by one: two of them may have jobs of one name.
    const home = `example-${name}`;
    await createNamespace(home);
    const own = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
    for (const namespace of new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))) {
      if (!own.includes(namespace)) {
        await createNamespace(namespace);
      }
    }
    const found: string[] = [];
    for (const object of objects) {
      found.push(...await objections(object, home));
    }
    expect(found).toEqual([]);
  });
});

/** Objects that constructs rendered while the tests below ran, each once. */
const rendered = new Map<string, { readonly object: TestObject; readonly test: string }>();

/** Takes a look at each object that cdk8s renders from now on. */
function watchRendering(): void {
  const { ApiObject } = jest.requireActual<typeof import('cdk8s')>('cdk8s');
  const original = ApiObject.prototype.toJson;
  jest.spyOn(ApiObject.prototype, 'toJson').mockImplementation(function (this: InstanceType<typeof ApiObject>) {
    const object = original.call(this) as TestObject;
    rendered.set(JSON.stringify(object), { object, test: expect.getState().currentTestName ?? '' });
    return object;
  });
}

/** Loads a file's tests into this one. Modules are those of all files, which saves most of the time, unless the file has others in their place. */
function loadTests(file: string): void {
  if (readFileSync(file, 'utf8').includes('jest.mock(')) {
    jest.isolateModules(() => {
      watchRendering();
      jest.requireActual(file);
    });
  } else {
    jest.requireActual(file);
  }
}

describe('objects of tests of constructs', () => {
  // Snapshots are those of the files' own runs.
  expect.extend({ toMatchSnapshot: () => ({ pass: true, message: () => '' }) });
  const folder = path.join(__dirname, '..', 'constructs');
  watchRendering();
  readdirSync(folder).filter((file) => file.endsWith('.test.ts') && !FOREIGN.includes(file)).forEach((file) => describe(file, () => loadTests(path.join(folder, file))));
});

test('the API server accepts, strictly and without a warning, every object that tests of constructs make', async () => {
  await createNamespace('conformance');
  expect(rendered.size).toBeGreaterThan(100);
  const found: string[] = [];
  for (const { object, test: title } of rendered.values()) {
    const isPlaced = object.metadata.namespace !== undefined;
    const placed = { ...object, metadata: { ...object.metadata, ...(isPlaced && { namespace: 'conformance' }) } };
    const own = await objections(placed, 'conformance', '&dryRun=All');
    found.push(...own.filter((text) => !SPOILT.some((pattern) => pattern.test(text))).map((text) => `${title}: ${text}`));
  }
  expect(found).toEqual([]);
});
