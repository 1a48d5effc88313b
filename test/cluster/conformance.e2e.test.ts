/**
 * Every object that an example writes, really created in the order in which it is written, and every object that a program in a test of constructs
 * writes, those of all families: an API server that knows all upstream definitions takes them, strictly and without a warning. Objects of engines in
 * all their forms are in test/cluster/engines, those of the operator in test/cluster/manifests.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { AllDefinitions } from './support/all-definitions';
import type { TestObject } from './support/cluster';
import { installDefinition } from './support/crds';
import { apiRequest, ControlPlane } from '../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../src/manifests/mltrainingjob-crd';
import { constructNotificationRuleCrd } from '../../src/manifests/notifications/definition';
import { EXAMPLE_NAMES, synthesizeExample } from '../support/examples';

/** Kinds that no definition here describes, and why they are written all the same. */
const UNKNOWN_KINDS: { readonly [apiVersionAndKind: string]: string } = {
  'checkpointing.gke.io/v1 CheckpointConfiguration': 'GKE has not published its definition; test/constructs/storage looks at its fields',
  'elasticsearch.k8s.elastic.co/v1 Elasticsearch': 'the definitions at hand have none of Elastic Cloud on Kubernetes; test/constructs/platform looks at its fields',
  'kibana.k8s.elastic.co/v1 Kibana': 'as above',
  'networking.gke.io/v1 GCPBackendPolicy': 'GKE has not published its definitions; test/manifests/platform/wiring.test.ts looks at its fields',
  'networking.gke.io/v1 HealthCheckPolicy': 'as above',
  'secrets-store.csi.x-k8s.io/v1 SecretProviderClass': 'the definitions at hand have none of the Secrets Store CSI driver; test/constructs/credentials looks at its fields',
};

/** What may be said against objects of tests: of what one spoils on purpose, and of a version that others write for Kubernetes before 1.36. */
const EXPECTED: readonly RegExp[] = [
  /\.spec\.newField: field not declared in schema/,
  /v1beta1 MutatingAdmissionPolicy(Binding)? is deprecated in v1\.37\+/,
];

/** Tests whose objects have nothing but the fields that they are about, and are applied nowhere. */
const SKETCHES = /^objects of tests of constructs gitops\/argo-cd\/argo-cd-sync\.test\.ts jobs that Argo CD keeps /;

const CONSTRUCTS = path.join(__dirname, '..', 'constructs');

/** Every file of tests of constructs, those of all families in their folders too. */
const TEST_FILES = readdirSync(CONSTRUCTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts')).sort();

/** Files whose tests write no object, and why. */
const WITHOUT_OBJECTS: { readonly [file: string]: string } = {
  'code/archive.test.ts': 'bytes of archives',
  'code/ignore-rules.test.ts': 'which files belong to an archive',
  'gke/node-pools/renderings.test.ts': 'compares what is rendered, and synthesizes nothing; node-pools.test.ts and preferences.test.ts do',
  'props/check-props.test.ts': 'what constructs are given, and nothing that is written',
  'rendering/plain-api-object.test.ts': 'objects of no kind, written out and never synthesized',
  'training-job/block-spec.test.ts': 'blocks of the test alone',
};

/** Namespace of the objects of tests of constructs. */
const HOME = 'conformance';

let plane: ControlPlane;
let definitions: AllDefinitions;

/** Kinds that were met and that no definition here describes. */
const unknown = new Set<string>();

beforeAll(async () => {
  // For those who have Kubernetes 1.34 or 1.35, where it has to be switched on too.
  plane = await ControlPlane.start({ runtimeConfig: { 'admissionregistration.k8s.io/v1beta1': true } });
  definitions = new AllDefinitions(plane.access());
  for (const definition of [constructTrainingJobCrd(), constructNotificationRuleCrd()]) {
    await installDefinition(plane.access(), definition as unknown as TestObject);
  }
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
    unknown.add(what);
    return what in UNKNOWN_KINDS ? [] : [`${what}: no definition here knows this kind`];
  }
  const { status, body, warnings } = await apiRequest<TestObject>(plane.access(), 'PATCH', `${file}?fieldValidation=Strict&fieldManager=conformance&force=true${query}`,
    { body: object, contentType: 'application/apply-patch+yaml' });
  if (object.kind === 'CustomResourceDefinition' && !query.includes('dryRun')) {
    definitions.forget();
  }
  return [...(status < 300 ? [] : [String(body.message)]), ...warnings].map((text) => `${what} ${object.metadata.name}: ${text}`);
}

async function createNamespace(name: string): Promise<void> {
  expect(await objections({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })).toEqual([]);
}

/** Does something with each of many, with so many of them at a time. */
async function someAtATime<T>(count: number, all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  const waiting = all[Symbol.iterator]();
  await Promise.all(Array.from({ length: count }, async () => {
    for (const one of waiting) {
      await act(one);
    }
  }));
}

/** An object that a program wrote while the tests below ran. */
interface Written {
  readonly object: TestObject;
  readonly test: string;
}

/** Objects that programs wrote, each once, and the files of the tests that wrote any. */
const written = new Map<string, Written>();
const writers = new Set<string>();

/** The file whose tests are loaded, or run. */
let current: string;

function note(object: TestObject): void {
  writers.add(current);
  // All are tried in one namespace: what differs in nothing else is one object.
  const placed = { ...object, metadata: { ...object.metadata, ...(object.metadata.namespace !== undefined && { namespace: HOME }) } };
  const text = JSON.stringify(placed);
  if (!written.has(text)) {
    written.set(text, { object: placed, test: expect.getState().currentTestName ?? current });
  }
}

/**
 * Takes a look at all that cdk8s writes from now on: only at what comes out of a whole synthesis, as validation renders objects too, and what
 * it refuses is written nowhere.
 */
function watchSynthesis(): void {
  const { ApiObject, App, Chart } = jest.requireActual<typeof import('cdk8s')>('cdk8s');
  // An app asks each of its charts, and may fail at the last one.
  let isWholeApp = false;
  const chartToJson = Chart.prototype.toJson;
  Chart.prototype.toJson = function (this: InstanceType<typeof Chart>) {
    const objects = chartToJson.call(this) as TestObject[];
    if (!isWholeApp) {
      objects.forEach(note);
    }
    return objects;
  };
  function whole<T>(app: InstanceType<typeof App>, synthesize: () => T): T {
    isWholeApp = true;
    try {
      const result = synthesize();
      app.node.findAll().filter((one) => ApiObject.isApiObject(one)).forEach((one) => note(one.toJson() as TestObject));
      return result;
    } finally {
      isWholeApp = false;
    }
  }
  const { synth, synthYaml } = App.prototype;
  App.prototype.synth = function (this: InstanceType<typeof App>) {
    whole(this, () => synth.call(this));
  };
  App.prototype.synthYaml = function (this: InstanceType<typeof App>) {
    return whole(this, () => synthYaml.call(this));
  };
}

/** Loads a file's tests into this one. Modules are those of all files, which saves most of the time, unless the file has others in their place. */
function loadTests(file: string): void {
  if (readFileSync(file, 'utf8').includes('jest.mock(')) {
    jest.isolateModules(() => {
      watchSynthesis();
      jest.requireActual(file);
    });
  } else {
    jest.requireActual(file);
  }
}

describe('objects of tests of constructs', () => {
  // Snapshots are those of the files' own runs.
  expect.extend({ toMatchSnapshot: () => ({ pass: true, message: () => '' }) });
  watchSynthesis();
  describe.each(TEST_FILES)('%s', (file) => {
    current = file;
    beforeAll(() => {
      current = file;
    });
    loadTests(path.join(CONSTRUCTS, file));
  });
});

test('every file of tests of constructs writes objects, those of each family in its folder too', () => {
  expect(TEST_FILES.filter((file) => !writers.has(file))).toEqual(Object.keys(WITHOUT_OBJECTS).sort());
});

test('the API server accepts, strictly and without a warning, every object that tests of constructs write', async () => {
  await createNamespace(HOME);
  expect(written.size).toBeGreaterThan(1000);
  const all = [...written.values()].filter(({ test: title }) => !SKETCHES.test(title));
  // Definitions first.
  const ofEachKind = [...new Map(all.map((one) => [`${one.object.apiVersion} ${one.object.kind}`, one])).values()];
  await someAtATime(4, ofEachKind, async ({ object }) => definitions.pathOf(object, HOME));
  const found: string[] = [];
  await someAtATime(16, all, async ({ object, test: title }) => {
    const own = await objections(object, HOME, '&dryRun=All');
    found.push(...own.filter((text) => !EXPECTED.some((pattern) => pattern.test(text))).map((text) => `${title}: ${text}`));
  });
  expect(found.sort()).toEqual([]);
  expect([...unknown].sort()).toEqual(Object.keys(UNKNOWN_KINDS).sort());
});

/** Applies objects of an example, in their order. @returns what the API server has against them */
async function create(objects: readonly TestObject[], home: string): Promise<string[]> {
  const own = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
  for (const namespace of new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))) {
    if (!own.includes(namespace)) {
      await createNamespace(`${home}-${namespace}`);
    }
  }
  const found: string[] = [];
  for (const object of objects) {
    const { namespace } = object.metadata;
    const isMoved = namespace !== undefined && !own.includes(namespace);
    const placed = isMoved ? { ...object, metadata: { ...object.metadata, namespace: `${home}-${namespace}` } } : object;
    found.push(...await lastObjections(placed, home));
  }
  return found;
}

/** What the API server has against an object in the end: a policy that was changed just before is in force as it was for a moment more. */
async function lastObjections(object: TestObject, home: string): Promise<string[]> {
  for (let trial = 1; ; trial++) {
    const found = await objections(object, home);
    if (trial === 20 || !found.some((text) => text.includes('denied request'))) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Takes all jobs away again: another example, or environment, may have one of the same name in a namespace of the same name. */
async function deleteJobs(): Promise<void> {
  const all = '/apis/ml.collabnix.io/v1alpha1/mltrainingjobs';
  const { body } = await apiRequest<{ readonly items: readonly TestObject[] }>(plane.access(), 'GET', all);
  for (const { metadata: { namespace, name } } of body.items) {
    await apiRequest(plane.access(), 'DELETE', `/apis/ml.collabnix.io/v1alpha1/namespaces/${namespace}/mltrainingjobs/${name}`);
  }
}

// After those: what is really created, such as an admission policy, may refuse what comes later.
describe('the API server creates, strictly and without a warning,', () => {
  afterEach(deleteJobs);

  test.each(EXAMPLE_NAMES)('all objects of examples/%s, in their order', async (name) => {
    // Examples are applied one by one: two of them may have jobs of one name.
    const home = `example-${name}`;
    await createNamespace(home);
    const files = [...synthesizeExample(`${name}/main.ts`)];
    // A folder is that of an environment, which has a cluster of its own.
    for (const folder of new Set(files.map(([file]) => path.dirname(file)))) {
      const objects = files.filter(([file]) => path.dirname(file) === folder)
        .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as TestObject));
      expect(objects.length).toBeGreaterThan(0);
      expect(await create(objects, home)).toEqual([]);
      await deleteJobs();
    }
  });
});
