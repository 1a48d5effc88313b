/**
 * A second apply of what nobody has changed: after the controller of its kind has read the object into its Go types and written it back, with a
 * finalizer, as it does with each new one. The API server is a real one, with the upstream definitions; what the controllers would write is told here
 * once more, from their sources, so that it is not what the renderers believe.
 */
import { Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { mustRequest, type TestObject } from './support/cluster';
import { installCrds } from './support/crds';
import { createNamespace, deleteNamespace } from './support/namespace';
import { collectionOf } from './support/apply-objects';
import { apiRequest } from '../../src/local/control-plane';
import { clusterAccess } from './support/cluster';
import { Engine, Framework, Gang, Gpu, TrainingJob } from '../../src';
import { ClusterQueue, Quota, ResourceFlavor } from '../../src/constructs/queues';
import { RayCluster, RayFaultTolerance, RayJob, RayService } from '../../src/constructs/ray';
import { Notebook, NotebookServer } from '../../src/constructs/workbench';
import { upstreamCrds } from '../support/upstream-definitions';

const SYSTEMS = ['kuberay', 'volcano', 'jobset', 'kueue', 'kubeflow-manifests', 'kubeflow-trainer'];

const APPLY = 'application/apply-patch+yaml';

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('second-apply');
  await installCrds(upstreamCrds(...SYSTEMS));
}, 180_000);
afterAll(async () => {
  await deleteNamespace(namespace);
});

type Json = { [field: string]: unknown };

/** Every quantity of these tests, as Go's resource.Quantity marshals it. */
const QUANTITIES: { readonly [text: string]: string } = { '0.5': '500m', '2048Mi': '2Gi', '1024Mi': '1Gi', '1000': '1k', '1024Gi': '1Ti' };

/** What `json.Marshal` of the typed object gives: structures are always there, empty texts and `false` are not, quantities are canonical. */
function goForm(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => (isJson(item) && (field === 'containers' || field === 'initContainers') ? { resources: {}, ...goForm(item) as Json } : goForm(item)));
  }
  if (!isJson(value)) {
    return typeof value === 'string' && Object.hasOwn(QUANTITIES, value) ? QUANTITIES[value] : value;
  }
  const fields = Object.entries(value)
    .filter(([name, item]) => !(name === 'value' && item === '') && !(name === 'readOnly' && item === false))
    .map(([name, item]) => [name, goForm(item, name)]);
  const typed = Object.fromEntries(fields) as Json;
  return field === 'template' && isJson(typed.spec) ? { metadata: {}, ...typed } : typed;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** KubeRay's types have one structure more in each group of workers. */
function kuberay(object: Json): Json {
  const typed = goForm(object) as Json;
  const visit = (value: unknown): void => {
    if (isJson(value)) {
      for (const [field, item] of Object.entries(value)) {
        if (field === 'workerGroupSpecs') {
          (item as Json[]).forEach((group) => { group.scaleStrategy ??= {}; });
        }
        visit(item);
      }
    }
  };
  visit(typed.spec);
  return typed;
}

/** Volcano's webhook, which sees new jobs only. */
function volcanoWebhook(object: Json): Json {
  const spec = object.spec as { readonly tasks: readonly Json[] };
  return {
    ...object,
    spec: {
      maxRetry: 3, ...spec, tasks: spec.tasks.map((task) => {
        const pod = (task.template as { readonly spec: Json }).spec;
        const dns = pod.hostNetwork && pod.dnsPolicy === undefined ? { dnsPolicy: 'ClusterFirstWithHostNet' } : {};
        return { maxRetry: 3, minAvailable: task.replicas, ...task, template: { ...task.template as Json, spec: { ...pod, ...dns } } };
      }),
    },
  };
}

/** A server-side apply as kubectl sends it, without force. */
async function apply(object: TestObject): Promise<{ readonly status: number; readonly message: string; readonly object: TestObject }> {
  const path = `${collectionOf(object, PLURALS)}/${object.metadata.name}?fieldManager=kubectl&fieldValidation=Strict`;
  const { status, body } = await apiRequest<TestObject & { readonly message?: string }>(clusterAccess(), 'PATCH', path, { body: object, contentType: APPLY });
  return { status, message: body.message ?? '', object: body };
}

const PLURALS = { RayCronJob: 'raycronjobs', Notebook: 'notebooks' };

/** Applies, lets the controller write, applies once more. @returns what the second apply has changed, which is nothing */
async function afterSecondApply(
  written: TestObject, controller: (object: Json) => Json,
): Promise<{ readonly said: string; readonly before: unknown; readonly after: unknown }> {
  const first = await apply(written);
  expect(first.message).toBe('');
  const path = `${collectionOf(written, PLURALS)}/${written.metadata.name}`;
  const stored = controller(first.object as unknown as Json) as unknown as TestObject;
  const meta = { ...stored.metadata, finalizers: ['test.trainyard.dev/controller'] };
  const { body } = await mustRequest('PUT', `${path}?fieldManager=the-controller`, { ...stored, metadata: meta });
  const second = await apply(written);
  await mustRequest('PATCH', path, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await mustRequest('DELETE', path);
  return {
    said: second.message,
    before: [body.metadata.generation, (body as unknown as Json).spec],
    after: [second.object.metadata?.generation, (second.object as unknown as Json).spec],
  };
}

function objectsOf(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'chart', { namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

/** A job with all that is written in more than one way: quantities, an empty variable, a container and an init container that ask for nothing. */
function job(engine: Engine): (chart: Chart) => void {
  return (chart) => void new TrainingJob(chart, 'Job', {
    metadata: { name: 'net' }, engine, framework: Framework.pytorch(), image: 'image', command: ['python', 'train.py'], replicas: 3,
    resources: { cpu: kplus.Cpu.units(0.5), memory: Size.mebibytes(2048), gpu: Gpu.nvidia(8), sharedMemory: Size.mebibytes(1024) },
    podTemplate: {
      spec: {
        hostNetwork: true,
        containers: [{ name: 'logs', image: 'logs', env: [{ name: 'EMPTY', value: '' }], volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: false }] }],
        volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }],
      },
    },
  });
}

const RESOURCES = { cpu: kplus.Cpu.units(0.5), memory: Size.mebibytes(2048) };
const POD = { resources: RESOURCES, podSpec: { containers: [{ name: 'logs', image: 'logs', env: [{ name: 'EMPTY', value: '' }] }] } };
const CLUSTER = { image: 'rayproject/ray:2.54.0', head: POD, workerGroups: [{ name: 'workers', replicas: 2, ...POD }] };

describe('a second apply changes nothing of', () => {
  test.each<readonly [what: string, kind: string, program: (chart: Chart) => void, controller: (object: Json) => Json]>([
    ['a RayJob of an engine, to which KubeRay has added its finalizer', 'RayJob', job(Engine.ray()), kuberay],
    ['a RayJob', 'RayJob', (chart) => new RayJob(chart, 'Job', { metadata: { name: 'train' }, cluster: CLUSTER, entrypoint: 'python train.py' }), kuberay],
    ['a RayService', 'RayService', (chart) => new RayService(chart, 'Service', {
      metadata: { name: 'chat' }, cluster: CLUSTER, applications: [{ name: 'chat', importPath: 'chat:app' }],
    }), kuberay],
    ['a RayCluster with an autoscaler that outlives its head', 'RayCluster', (chart) => new RayCluster(chart, 'Cluster', {
      metadata: { name: 'team' }, ...CLUSTER, workerGroups: [{ name: 'workers', maxReplicas: 4, ...POD }], autoscaler: {},
      faultTolerance: RayFaultTolerance.redis('redis:6379'),
    }), kuberay],
    ['a Job of Volcano, which its webhook has completed', 'Job', job(Engine.volcano()), volcanoWebhook],
    ['a Job of Volcano that is forwarded to another cluster, for which its controller writes it back', 'Job', job(Engine.volcano()), (object) => goForm(volcanoWebhook(object)) as Json],
    ['a JobSet that Kueue has admitted', 'JobSet', job(Engine.jobSet()), (object) => goForm(object) as Json],
    ['a PodGroup that Volcano\'s scheduler has written its status into', 'PodGroup', (chart) => void new TrainingJob(chart, 'Job', {
      metadata: { name: 'gang' }, engine: Engine.job(), framework: Framework.jax(), image: 'image', command: ['python'], replicas: 2,
      resources: { cpu: kplus.Cpu.units(500), memory: Size.gibibytes(512) }, scheduling: { gang: Gang.volcano() },
    }), (object) => goForm(object) as Json],
    ['a ClusterQueue', 'ClusterQueue', (chart) => {
      const flavor = new ResourceFlavor(chart, 'Flavor', { name: 'second-apply' });
      new ClusterQueue(chart, 'Queue', {
        name: 'second-apply', fairSharingWeight: 0.5,
        resourceGroups: [{ flavors: [{ flavor, quotas: [Quota.cpu(kplus.Cpu.units(1000)), Quota.memory(Size.gibibytes(1024))] }] }],
      });
    }, (object) => goForm(object) as Json],
    ['a Notebook that the culler has looked at', 'Notebook', (chart) => new Notebook(chart, 'Lab', {
      metadata: { name: 'lab' }, server: NotebookServer.jupyter('jupyter:1'), resources: RESOURCES, podSpec: POD.podSpec,
    }), (object) => goForm(object) as Json],
  ])('%s', async (_what, kind, program, controller) => {
    const written = objectsOf(program).find((object) => object.kind === kind)!;
    const { said, before, after } = await afterSecondApply(written, controller);
    expect(said).toBe('');
    expect(after).toEqual(before);
  });
});
