/**
 * KServe's own controller, with its webhooks, takes the services that are valid here, and makes the workloads of their components. Skipped, and said
 * so, where it is not built.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as kplus from 'cdk8s-plus-28';
import fc from 'fast-check';
import { testWith } from './support/with-programs';
import { synthesize, type Program } from '../cluster/serving/support/accepted';
import { INFERENCE_SERVICES } from '../cluster/serving/support/inference-services';
import { OTHERS } from '../cluster/serving/support/others';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { TestApi } from '../cluster/support/test-api';
import { findGoProgram } from '../cluster/support/upstream/go-program';
import { KSERVE, KSERVE_LLM, startKServe } from '../cluster/support/upstream/kserve';
import { servingName, validService } from '../model/serving/arbitraries';
import { upstreamCrds } from '../support/upstream-definitions';
import { InferenceService, ModelCredentials, ModelFormat, ModelStorage, Predictor, ServingMode } from '../../src/constructs/serving';
import { ControlPlane } from '../../src/local/control-plane';
import type { Child } from '../../src/local/control-plane/child-process';
import { constructInferenceService } from '../../src/manifests/serving/inference-service';
import { LLM_INFERENCE_SERVICE } from '../../src/model/kinds/serving';
import { podLabels } from '../../src/model/references/relations';
import { componentServiceName } from '../../src/model/serving/names';

const missing = findGoProgram(KSERVE).missing ?? findGoProgram(KSERVE_LLM).missing;
const withKServe = testWith(missing, 'KServe', () => [kserve?.services, kserve?.llms]);

/** A definition of what KServe writes for others, whose fields are nobody's business here. */
function anything(group: string, version: string, kind: string): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
    spec: {
      group, scope: 'Namespaced', names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

const OTHERS_OF_KSERVE = [
  anything('opentelemetry.io', 'v1beta1', 'OpenTelemetryCollector'), anything('llmd.ai', 'v1alpha1', 'VariantAutoscaling'),
  anything('inference.networking.k8s.io', 'v1', 'InferencePool'), anything('inference.networking.x-k8s.io', 'v1alpha2', 'InferencePool'),
];

let plane: ControlPlane | undefined;
let api: TestApi;
let kserve: { readonly services: Child; readonly llms: Child } | undefined;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-kserve-'));

beforeAll(async () => {
  plane = await ControlPlane.start({
    controllerManager: { controllers: ['garbage-collector-controller', 'namespace-controller', 'serviceaccount-controller'] },
    users: [KSERVE, KSERVE_LLM].map(({ account }) => ({ name: account, groups: ['system:serviceaccounts'] })),
  });
  api = new TestApi(plane.access());
  await api.define([...upstreamCrds('kserve', 'gateway-api', 'keda', 'knative-serving', 'istio', 'lws').flatMap(readYaml), ...OTHERS_OF_KSERVE]);
  // Of Knative, KServe reads one setting.
  await api.create('namespaces', undefined, { metadata: { name: 'knative-serving' } });
  await api.create('configmaps', 'knative-serving', { metadata: { name: 'config-autoscaler' } });
  const gatewayApi = { apiVersion: 'gateway.networking.k8s.io/v1' };
  await api.send('POST', '/apis/gateway.networking.k8s.io/v1/gatewayclasses', { ...gatewayApi, kind: 'GatewayClass', metadata: { name: 'any' }, spec: { controllerName: 'test.dev/any' } });
  // Behind the routes of large language models: KServe's own gateway, and one of a platform team.
  for (const [namespace, name] of [['kserve', 'kserve-ingress-gateway'], ['gateways', 'public']]) {
    await api.apply('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const listeners = [{ name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'tls' }] }, allowedRoutes: { namespaces: { from: 'All' } } }];
    await api.send('POST', `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways`, {
      ...gatewayApi, kind: 'Gateway', metadata: { name }, spec: { gatewayClassName: 'any', listeners },
    });
  }
  kserve = await startKServe(folder, (account) => plane!.kubeconfig(account), api);
});
afterAll(async () => {
  await Promise.all(Object.values(kserve ?? {}).map(async (child: Child) => child.stop(10_000)));
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const collection = (namespace: string) => `/apis/serving.kserve.io/v1beta1/namespaces/${namespace}/inferenceservices`;
const items = async (url: string) => (await api.send('GET', url)).items as TestObject[];
const names = (objects: readonly TestObject[]) => objects.map(({ metadata }) => metadata.name).sort();

async function apply(namespace: string, program: Program): Promise<TestObject[]> {
  const services = synthesize(namespace, program).filter(({ kind }) => kind === 'InferenceService');
  for (const service of services) {
    await api.send('POST', `${collection(namespace)}?fieldValidation=Strict`, service);
  }
  return services;
}

/** Workloads that KServe makes of a service: one for each component, and one for the further nodes of a replica. */
function workloadsOf({ metadata: { name, annotations = {} }, spec }: TestObject): string[] {
  if ((annotations as { [name: string]: string })['serving.kserve.io/stop'] === 'true') {
    return [];
  }
  return ['predictor', 'transformer', 'explainer'].filter((role) => spec[role] !== undefined).flatMap((role) => {
    const workload = componentServiceName(name, role, spec[role].name as string | undefined);
    return [workload, ...(spec[role].workerSpec === undefined ? [] : [`${workload}-worker`])];
  });
}

withKServe('its webhooks take any service that the rules accept', async () => {
  const namespace = await api.createNamespace('team');
  await fc.assert(fc.asyncProperty(servingName, validService, async (name, spec) => {
    await api.send('POST', `${collection(namespace)}?dryRun=All&fieldValidation=Strict`, constructInferenceService({ name, namespace, spec }));
  }), { numRuns: 300 });
});

/** What controllers warned of. The API server's own repair of cluster IPs is left out: it says so when it meets a service between its two writes. */
async function warnings(namespace: string): Promise<string[]> {
  const events = await api.list('events', namespace);
  return events.filter(({ type, reportingComponent }) => type === 'Warning' && reportingComponent !== 'ipallocator-repair-controller').map(({ message }) => message as string);
}

INFERENCE_SERVICES.forEach(([title, program]) => withKServe(`${title}: the workloads come, and a second apply changes nothing`, async () => {
  const namespace = await api.createNamespace('team');
  const services = await apply(namespace, program);
  const wanted = services.flatMap(workloadsOf).sort();
  await eventually(`workloads ${wanted.join(', ')}`, async () => {
    const made = [...await items(`/apis/apps/v1/namespaces/${namespace}/deployments`), ...await items(`/apis/serving.knative.dev/v1/namespaces/${namespace}/services`)];
    return names(made).join() === wanted.join();
  });
  await eventually('KServe to have said so', async () => (await items(collection(namespace))).every(({ status }) => status?.conditions !== undefined));
  expect(fs.readFileSync(kserve!.services.logFile, 'utf8').match(/unknown field [^,]*/g) ?? []).toEqual([]);
  expect(await warnings(namespace)).toEqual([]);
  for (const service of services) {
    const url = `${collection(namespace)}/${service.metadata.name}?fieldManager=test`;
    const first = await api.send('PATCH', `${url}&force=true`, service, 'application/apply-patch+yaml');
    const again = await api.send('PATCH', url, service, 'application/apply-patch+yaml');
    expect(again.metadata.generation).toBe(first.metadata.generation);
  }
}));

withKServe('its webhooks take graphs and runtimes', async () => {
  const namespace = await api.createNamespace('team');
  for (const [, program] of OTHERS) {
    for (const object of synthesize(namespace, program).filter(({ apiVersion, kind }) => apiVersion === 'serving.kserve.io/v1alpha1' && /Graph|Runtime/.test(kind!))) {
      const where = object.kind!.startsWith('Cluster') ? '' : `/namespaces/${namespace}`;
      await api.send('POST', `/apis/serving.kserve.io/v1alpha1${where}/${object.kind!.toLowerCase()}s?dryRun=All&fieldValidation=Strict`, object);
    }
  }
});

withKServe('a service is ready when its Deployment is', async () => {
  const namespace = await api.createNamespace('team');
  const [{ metadata: { name } }] = await apply(namespace, INFERENCE_SERVICES[0][1]);
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await eventually('its Deployment', async () => (await items(deployments)).length === 1);
  const conditions = [{ type: 'Available', status: 'True' }, { type: 'Progressing', status: 'True' }];
  await api.send('PATCH', `${deployments}/${name}-predictor/status`, { status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, conditions } }, 'application/merge-patch+json');
  await eventually('it to be ready', async () => {
    const { status } = await api.send('GET', `${collection(namespace)}/${name}`);
    return ((status?.conditions ?? []) as { type: string; status: string }[]).some((condition) => condition.type === 'Ready' && condition.status === 'True');
  });
});

const DOWNLOADS: readonly (readonly [name: string, storage: ModelStorage, keys: readonly string[]])[] = [
  ['s3', ModelStorage.s3('models', 'iris/1'), ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']], ['hf', ModelStorage.uri('hf://org/model'), ['HF_TOKEN']],
];

DOWNLOADS.forEach(([name, storage, keys]) => withKServe(`keys of a Secret reach the container that downloads a model by ${name}`, async () => {
  const namespace = await api.createNamespace('team');
  await api.create('secrets', namespace, { metadata: { name: 'hub' }, stringData: Object.fromEntries(keys.map((key) => [key, 'x'])) });
  await apply(namespace, (chart) => {
    const credentials = ModelCredentials.secret(kplus.Secret.fromSecretName(chart, 'Hub', 'hub'));
    new InferenceService(chart, 'Model', { metadata: { name }, mode: ServingMode.STANDARD, credentials, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage }) });
  });
  const { spec: { template } } = await eventually('its Deployment', async () => (await items(`/apis/apps/v1/namespaces/${namespace}/deployments`))[0]);
  // As the controller of Deployments would create it.
  const pod = await api.create('pods', namespace, { ...template, metadata: { ...template.metadata, name } });
  const initializer = pod.spec.initContainers.find((container: { name: string }) => container.name === 'storage-initializer');
  const variables = initializer.env as { name: string; valueFrom?: { secretKeyRef?: { name: string } } }[];
  expect(variables.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.name === 'hub').map((variable) => variable.name)).toEqual(keys);
}));

const LLMS = OTHERS.filter(([title]) => title.includes('large language'));
/** What a platform team adds to KServe's configurations: one of its own, and the one that KServe lacks. */
const PODS = { containers: [{ name: 'main', image: 'vllm:1', command: ['vllm'] }] };
const CONFIGURATIONS = [['h100', {}], ['kserve-config-llm-worker-pipeline-parallel', { template: PODS, worker: PODS }]] as const;

LLMS.forEach(([title, program]) => withKServe(`${title}: the workloads come`, async () => {
  const namespace = await api.createNamespace('team');
  const models = `/apis/serving.kserve.io/v1alpha2/namespaces/${namespace}/llminferenceservices`;
  await api.create('configmaps', namespace, { metadata: { name: 'epp' }, data: { epp: JSON.stringify({ apiVersion: 'inference.networking.x-k8s.io/v1alpha1', kind: 'EndpointPickerConfig' }) } });
  await api.send('POST', `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`, { metadata: { name: 'mine' }, spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } } });
  await api.send('POST', `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`, {
    apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'mine' },
    spec: { parentRefs: [{ name: 'public', namespace: 'gateways' }], rules: [{ backendRefs: [{ name: 'x', port: 80 }] }] },
  });
  for (const [name, spec] of CONFIGURATIONS) {
    await api.send('POST', `${models.slice(0, -1)}configs`, { apiVersion: 'serving.kserve.io/v1alpha2', kind: 'LLMInferenceServiceConfig', metadata: { name }, spec });
  }
  const services = synthesize(namespace, program).filter(({ kind }) => kind === 'LLMInferenceService');
  for (const service of services) {
    await api.send('POST', `${models}?fieldValidation=Strict`, service);
  }
  // Of several nodes or one, for answers or for prompts.
  const wanted = services.flatMap(({ metadata: { name }, spec }) => [
    `${name}-kserve${spec.worker === undefined ? '' : '-mn'}`, ...(spec.prefill === undefined ? [] : [`${name}-kserve${spec.prefill.worker === undefined ? '' : '-mn'}-prefill`]),
  ]).sort();
  const made = await eventually(`workloads ${wanted.join(', ')}`, async () => {
    const found = [...await items(`/apis/apps/v1/namespaces/${namespace}/deployments`), ...await items(`/apis/leaderworkerset.x-k8s.io/v1/namespaces/${namespace}/leaderworkersets`)];
    return names(found).filter((name) => wanted.includes(name)).length === wanted.length && found;
  });
  // Commands and collectors of logs find all of its pods.
  const selectors = services.flatMap((service) => LLM_INFERENCE_SERVICE.podSelectors!(service)).map((selector) => selector.split(','));
  const pods = made.flatMap((object) => podLabels(object)).map((labels) => Object.entries(labels).map((pair) => pair.join('=')));
  expect(pods.length).toBeGreaterThanOrEqual(wanted.length);
  expect(pods.filter((labels) => !selectors.some((selector) => selector.every((pair) => labels.includes(pair))))).toEqual([]);
  expect(await warnings(namespace)).toEqual([]);
}));
