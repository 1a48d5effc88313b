import { LLM_API_VERSION, constructLlmInferenceServiceSpec } from '../../../src/manifests/serving/llm';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { nodesOf, type LlmInferenceServiceSpec, type LlmRouterSpec, type LlmWorkloadSpec } from '../../../src/model/serving/llm';
import { validateLlmInferenceService } from '../../../src/model/serving/validation-llm';
import { formatViolation } from '../../../src/model/violations';

const LLM: LlmInferenceServiceSpec = { model: { uri: 'hf://Qwen/Qwen3-8B', adapters: [] }, decode: { leader: {} }, baseConfigs: [] };
const ROUTER: LlmRouterSpec = { gateways: [], routeNames: [], ingressNames: [] };
const decode = (fields: Partial<LlmWorkloadSpec>) => ({ decode: { leader: {}, ...fields } });
const model = (fields: object) => ({ model: { ...LLM.model, ...fields } });
const router = (fields: Partial<LlmRouterSpec>) => ({ router: { ...ROUTER, ...fields } });
const scaling = (fields: object) => decode({ scaling: { maxReplicas: 4, actuator: 'hpa', ...fields } });
/** A service whose cluster has what its nodes need. */
const PIPELINE = { baseConfigs: ['kserve-config-llm-worker-pipeline-parallel'] };
const adapter = (name: string, uri = 'hf://org/lora') => ({ name, uri });

const BROKEN: readonly (readonly [string, Partial<LlmInferenceServiceSpec>, string])[] = [
  ['a model without a URI', model({ uri: undefined }), 'spec.model.uri: is required'],
  ['a model in a bucket of Google', model({ uri: 'gs://models/qwen' }), 'spec.model.uri: "gs://models/qwen": KServe serves large language models from hf://, s3://, pvc://, oci://.'],
  ['a model without an organisation', model({ uri: 'hf://gpt2' }), 'does not have the form hf://ORGANISATION/MODEL'],
  ['a rank without a kernel', model({ maxRank: 12 }), 'spec.model.lora.maxRank: 12: vLLM has kernels for 8, 16, 32'],
  ['no adapter in the GPU', model({ maxAdapters: 0 }), 'spec.model.lora.maxAdapters: 0: must be a whole number'],
  ['no adapter in memory', model({ maxCpuAdapters: 0 }), 'spec.model.lora.maxCpuAdapters: 0: must be a whole number'],
  ['an adapter that climbs', model({ adapters: [adapter('..')] }), 'spec.model.lora.adapters[0].name: "..": is the name of a folder'],
  ['an adapter in a folder', model({ adapters: [adapter('a/b')] }), 'spec.model.lora.adapters[0].name: "a/b": is the name of a folder'],
  ['two adapters of one name', model({ adapters: [adapter('a'), adapter('a')] }), 'spec.model.lora.adapters[1].name: "a": is the name of an earlier adapter.'],
  ['an adapter with the service\'s name', model({ adapters: [adapter('qwen')] }), 'spec.model.lora.adapters[0].name: "qwen": is the name of the model itself'],
  ['an adapter with the model\'s name', model({ name: 'base', adapters: [adapter('base')] }), '"base": is the name of the model itself'],
  ['an adapter in a bucket of Google', model({ adapters: [adapter('a', 'gs://m/a')] }), 'spec.model.lora.adapters[0].uri: "gs://m/a": KServe serves'],
  ['an adapter in an image', model({ adapters: [adapter('a', 'oci://registry.example/a:1')] }), 'spec.model.lora.adapters[0].uri: "oci://registry.example/a:1": is an image'],
  ['adapters that nothing downloads', { ...model({ adapters: [adapter('a')] }), storageInitializer: false }, 'spec.storageInitializer.enabled: false: turns off the download of adapters'],
  ['fewer than no replicas', decode({ replicas: -1 }), 'spec.replicas: -1: must be a whole number, 0 or more.'],
  ['fixed replicas that scale', decode({ replicas: 2, scaling: { maxReplicas: 4, actuator: 'hpa' } }), 'spec.replicas: 2: is fixed, and scaling changes it.'],
  ['no replicas at most', scaling({ maxReplicas: 0 }), 'spec.scaling.maxReplicas: 0: must be a whole number, 1 or more.'],
  ['no replicas at least', scaling({ minReplicas: 0 }), 'spec.scaling.minReplicas: 0: must be a whole number, 1 or more.'],
  ['more at least than at most', scaling({ minReplicas: 5 }), 'spec.scaling.minReplicas: 5: is more than maxReplicas (4).'],
  ['a cost below nothing', scaling({ variantCost: '-1' }), 'spec.scaling.wva.variantCost: "-1": must be a number that is not negative'],
  ['an interval without KEDA', scaling({ pollingIntervalSeconds: 5 }), 'spec.scaling.wva.keda.pollingInterval: 5: is for KEDA'],
  ['idle replicas without KEDA', scaling({ idleReplicas: 1 }), 'spec.scaling.wva.keda.idleReplicaCount: 1: is for KEDA'],
  ['idle replicas without a minimum', scaling({ actuator: 'keda', idleReplicas: 1 }), 'spec.scaling.minReplicas: is required with idleReplicas (1)'],
  ['as many idle replicas as at least', scaling({ actuator: 'keda', minReplicas: 2, idleReplicas: 2 }), 'idleReplicaCount: 2: must be a whole number from 1 to less than minReplicas (2).'],
  ['a delay with KEDA', scaling({ actuator: 'keda', scaleDownDelaySeconds: 60 }), 'spec.scaling.wva.keda.advanced: 60: a delay with KEDA would have to be set there'],
  ['no share of a layer', decode({ parallelism: { tensor: 0 } }), 'spec.parallelism.tensor: 0: must be a whole number, 1 or more.'],
  ['a pipeline and copies', decode({ parallelism: { pipeline: 2, data: 2, dataLocal: 2 } }), 'spec.parallelism: {"pipeline":2,"data":2,"dataLocal":2}: KServe spreads the nodes'],
  ['copies without those of a node', decode({ parallelism: { data: 4 } }), 'spec.parallelism.dataLocal: is required with data'],
  ['copies of a node without all', decode({ parallelism: { dataLocal: 4 } }), 'spec.parallelism.data: is required with dataLocal'],
  ['copies that do not fill a node', decode({ parallelism: { data: 6, dataLocal: 4 }, worker: {} }), 'spec.parallelism.data: 6: is not a multiple of dataLocal (4)'],
  ['a port of 0', decode({ parallelism: { dataRpcPort: 0 } }), 'spec.parallelism.dataRPCPort: 0: must be a whole number from 1 to 65535'],
  ['a worker without parallelism', decode({ worker: {} }), 'spec.worker: additional nodes need a share of the model or of the requests.'],
  ['a worker with shared layers only', decode({ worker: {}, parallelism: { tensor: 8 } }), 'spec.worker: {"tensor":8}: additional nodes need'],
  ['two nodes without a worker', decode({ parallelism: { data: 16, dataLocal: 8 } }), 'spec.worker: is required: 16 ranks with 8 on each node are 2 nodes.'],
  ['fewer GPUs than shares', decode({ parallelism: { tensor: 8 }, leader: { resources: { gpu: 4 } } }), 'spec.template.containers[0].resources: 4: GPUs are fewer than the ranks of a node (tensor 8 = 8).'],
  ['fewer GPUs than copies', decode({ parallelism: { tensor: 2, data: 4, dataLocal: 4 }, leader: { resources: { gpu: 4 } } }), '(tensor 2 x dataLocal 4 = 8). Ask for 8'],
  ['a pipeline in one pod with too few GPUs', decode({ parallelism: { pipeline: 2 }, leader: { resources: { gpu: 1 } } }), '(tensor 1 x pipeline 2 = 2).'],
  ['nodes by a pipeline without a preset', decode({ parallelism: { pipeline: 2 }, leader: {}, worker: {} }), 'spec.parallelism.pipeline: 2: needs an LLMInferenceServiceConfig \'kserve-config-llm-worker-pipeline-parallel\''],
  ['nodes for prompts by a pipeline without a preset', { prefill: { leader: {}, parallelism: { pipeline: 2 }, worker: {} } }, '\'kserve-config-llm-prefill-worker-pipeline-parallel\''],
  ['fewer GPUs on a further node', { ...PIPELINE, ...decode({ parallelism: { tensor: 8, pipeline: 2 }, leader: { resources: { gpu: 8 } }, worker: { resources: { gpu: 4 } } }) }, 'spec.worker.containers[0].resources: 4: GPUs are fewer'],
  ['an absolute folder in a claim', decode({ kvCacheOffloading: { cpu: '8Gi', disk: { claimName: 'kv', path: '/a' } } }), '.pvc.ref.path: "/a": is a path within the claim.'],
  ['copies without those of a node, for prompts', { prefill: { leader: {}, parallelism: { data: 4 } } }, 'spec.prefill.parallelism.dataLocal: is required with data'],
  ['two actuators', { ...scaling({}), prefill: { leader: {}, scaling: { maxReplicas: 2, actuator: 'keda' } } }, 'spec.prefill.scaling.wva: "keda": must be the same actuator as for the decode replicas (hpa)'],
  ['own routes through KServe\'s gateway', router({ routeNames: ['mine'] }), 'spec.router.route.http.refs: "mine": are your own routes, which KServe\'s own gateway does not accept.'],
  ['an ingress beside a gateway', router({ ingressNames: ['mine'], gateways: [{ name: 'public' }] }), 'spec.router.ingress.refs: "mine": cannot be combined with gateways or routes'],
  ['a group without a weight', router({ trafficGroup: 'qwen' }), 'spec.router.route.weight: is required with group.'],
  ['a weight without a group', router({ trafficWeight: 10 }), 'spec.router.route.group: is required with weight.'],
  ['a weight of a million and one', router({ trafficGroup: 'qwen', trafficWeight: 1_000_001 }), 'spec.router.route.weight: 1000001: must be a whole number'],
  ['a group with capitals', router({ trafficGroup: 'Qwen', trafficWeight: 1 }), 'spec.router.route.group: "Qwen": must be lower-case letters'],
  ['a group with own routes', router({ trafficGroup: 'qwen', trafficWeight: 1, routeNames: ['mine'], gateways: [{ name: 'public' }] }), 'spec.router.route.group: "qwen": splits traffic with routes that KServe creates.'],
  ['no scheduler', router({ scheduler: { replicas: 0 } }), 'spec.router.scheduler.replicas: 0: must be a whole number, 1 or more.'],
  ['a scheduler configured twice', router({ scheduler: { config: { plugins: [] }, configMap: { name: 'epp', key: 'epp' } } }), 'spec.router.scheduler.config: "epp": is set twice'],
  ['an empty configuration', router({ scheduler: { config: {} } }), 'spec.router.scheduler.config.inline: {}: is empty.'],
  ['traces of more than all requests', { tracing: { sampleRatio: 2 } }, 'spec.tracing.samplerArg: 2: must be a share of the requests, from 0 to 1.'],
];

/** What is said of the object in YAML. */
function saidOfObject(spec: object): string[] {
  const object = { apiVersion: LLM_API_VERSION, kind: 'LLMInferenceService', metadata: { name: 'qwen' }, spec: JSON.parse(JSON.stringify(spec)) as object };
  return checkForeign(object, [object]).map(formatViolation);
}

/**
 * Fields of the other actuator are not rendered, and neither are a second configuration and gateways beside an ingress. KServe makes other folders of
 * names with a slash.
 */
const ONLY_IN_CODE: readonly string[] = [
  'an interval without KEDA', 'idle replicas without KEDA', 'a delay with KEDA', 'an ingress beside a gateway', 'a scheduler configured twice', 'an adapter in a folder',
];

test.each(BROKEN)('%s is one violation', (what, fields, line) => {
  const lines = validateLlmInferenceService('qwen', { ...LLM, ...fields }).map(formatViolation);
  expect(lines).toEqual([expect.stringContaining(line)]);
  expect(saidOfObject(constructLlmInferenceServiceSpec({ ...LLM, ...fields }))).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines);
});

describe('of an object in YAML', () => {
  const MODEL = { uri: 'hf://Qwen/Qwen3-8B' };
  const gpus = (count: number | string, more: object = {}) => ({ containers: [{ name: 'main', ...more, resources: { limits: { 'nvidia.com/gpu': count } } }] });

  test('two configurations of a scheduler, and an ingress beside gateways, are told', () => {
    expect(saidOfObject({ model: MODEL, router: { scheduler: { config: { inline: { plugins: [] }, ref: { name: 'epp', key: 'epp' } } } } })).toEqual([expect.stringContaining('is set twice')]);
    expect(saidOfObject({ model: MODEL, router: { ingress: { refs: [{ name: 'mine' }] }, gateway: { refs: [{ name: 'public' }] } } })).toEqual([expect.stringContaining('cannot be combined')]);
  });

  test('GPUs are counted in numbers and texts, and not where a command starts the server', () => {
    const parallelism = { tensor: 8 };
    expect(saidOfObject({ model: MODEL, parallelism, template: gpus(4) })).toEqual([expect.stringContaining('4: GPUs are fewer than the ranks of a node')]);
    expect(saidOfObject({ model: MODEL, parallelism, template: gpus('4') })).toHaveLength(1);
    expect(saidOfObject({ model: MODEL, parallelism, template: gpus(4, { command: ['serve.sh'] }) })).toEqual([]);
  });

  test.each<[string, object]>([
    ['further nodes of a configuration', { parallelism: { data: 16, dataLocal: 8 }, baseRefs: [{ name: 'deepseek' }] }],
    ['routes that name their gateways', { router: { route: { http: { refs: [{ name: 'mine' }] } } } }],
    ['a sampler that has no share', { tracing: { sampler: 'parentbased_jaegerremote', samplerArg: 'endpoint=http://jaeger' } }],
    ['a scheduler and routes of KServe', { router: { gateway: {}, route: {}, scheduler: {} } }],
    ['scaling by KEDA alone', { scaling: { maxReplicas: 4, keda: { triggers: [], idleReplicaCount: 0 } } }],
  ])('%s is right', (_what, spec) => {
    expect(saidOfObject({ model: MODEL, ...spec })).toEqual([]);
  });

  test.each([[], 'x', { model: 1, template: [], worker: 'x', router: [] }, { model: { lora: { adapters: [null, 1] } }, router: { scheduler: 1, gateway: { refs: {} } } },
    { scaling: 'x', parallelism: [], kvCacheOffloading: { secondary: {} }, prefill: null, baseRefs: 1, tracing: 'x', template: { containers: [null] } },
  ])('%j ends nothing', (spec) => {
    expect(() => saidOfObject(spec as object)).not.toThrow();
  });
});

test('a name with dots is one violation', () => {
  expect(validateLlmInferenceService('qwen.3', LLM).map(({ path }) => path)).toEqual(['metadata.name']);
});

test.each<[string, Partial<LlmInferenceServiceSpec>]>([
  ['the least', {}],
  ['a replica of two nodes by copies', decode({ parallelism: { data: 16, dataLocal: 8, expert: true, tensor: 1 }, leader: { resources: { gpu: 8 } }, worker: { resources: { gpu: 8 } } })],
  ['a replica of two nodes by a pipeline', { ...PIPELINE, ...decode({ parallelism: { pipeline: 2, tensor: 8 }, leader: { resources: { gpu: 8 } }, worker: { resources: { gpu: 8 } } }) }],
  ['copies on one node', decode({ parallelism: { data: 8, dataLocal: 8 } })],
  ['no replicas', decode({ replicas: 0 })],
  ['idle replicas', scaling({ actuator: 'keda', minReplicas: 2, idleReplicas: 1 })],
  ['own routes through own gateways', router({ routeNames: ['mine'], gateways: [{ name: 'public' }] })],
  ['an ingress', router({ ingressNames: ['mine'] })],
  ['a group', router({ trafficGroup: 'qwen', trafficWeight: 0 })],
  ['adapters', model({ maxRank: 64, adapters: [adapter('a'), adapter('b', 's3://m/b')] })],
])('%s is valid', (_what, fields) => {
  expect(validateLlmInferenceService('qwen', { ...LLM, ...fields }).map(formatViolation)).toEqual([]);
});

test.each([[{}, 1], [{ tensor: 8 }, 1], [{ pipeline: 3 }, 3], [{ data: 16, dataLocal: 8 }, 2], [{ data: 4, dataLocal: 8 }, 1]])('%j is %d nodes', (parallelism, nodes) => {
  expect(nodesOf(parallelism)).toBe(nodes);
});
