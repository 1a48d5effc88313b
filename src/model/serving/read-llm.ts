/**
 * An LLMInferenceService as it is written in a manifest, in the model's terms, so that the rules of the construct hold for it. What is not written
 * may come from a configuration that the object refers to. Values of the wrong type are left to the check of the structure.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1alpha2/llm_inference_service_types.go
 */
import {
  nodesOf,
  type KvCacheOffloadingSpec, type LlmInferenceServiceSpec, type LlmModelSpec, type LlmParallelismSpec, type LlmPodSpec, type LlmRouterSpec,
  type LlmScalingSpec, type LlmWorkloadSpec,
} from './llm';
import type { GatewaySpec } from './route';
import { KNOWN_GPU_RESOURCES } from './validation-component';
import { amountIn, flagIn, isRecord, jsonNumber, jsonText, numberIn, record, records, textIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';

/** Name of the container that serves, in KServe's configurations. */
const MAIN_CONTAINER = 'main';

/** What KServe calls KEDA's own scaling and that by a HorizontalPodAutoscaler. */
const ACTUATORS = ['hpa', 'keda'] as const;

export function readLlmInferenceService({ spec: written }: ManifestObject): LlmInferenceServiceSpec {
  const spec = record(written);
  const baseConfigs = records(spec.baseRefs).map(({ name }) => jsonText(name));
  const hasBase = baseConfigs.length > 0;
  return {
    model: readModel(record(spec.model)),
    decode: readWorkload(spec, hasBase),
    prefill: spec.prefill === undefined ? undefined : readWorkload(record(spec.prefill), hasBase),
    router: spec.router === undefined ? undefined : readRouter(record(spec.router)),
    baseConfigs,
    storageInitializer: record(spec.storageInitializer).enabled === false ? false : undefined,
    tracing: readTracing(record(spec.tracing)),
  };
}

function readModel({ uri, name, lora }: JsonRecord): LlmModelSpec {
  const { adapters, maxRank, maxAdapters, maxCpuAdapters } = record(lora);
  return {
    uri: textIn(uri),
    name: textIn(name),
    // KServe writes names with a slash otherwise where they are folders.
    adapters: records(adapters).map((adapter) => ({ name: (textIn(adapter.name) ?? '').replaceAll('/', '-'), uri: textIn(adapter.uri) })),
    // Newer releases of vLLM have kernels for 1 too.
    maxRank: maxRank === 1 ? undefined : numberIn(maxRank),
    maxAdapters: numberIn(maxAdapters),
    maxCpuAdapters: numberIn(maxCpuAdapters),
  };
}

/** The further nodes of a replica that is spread may be those of a configuration. */
function readWorkload(fields: JsonRecord, hasBase: boolean): LlmWorkloadSpec {
  const { replicas, scaling, parallelism: spread, template, worker, kvCacheOffloading } = fields;
  const parallelism = spread === undefined ? undefined : readParallelism(record(spread));
  const hasWorkers = worker !== undefined || (hasBase && nodesOf(parallelism ?? {}) > 1);
  return {
    replicas: numberIn(replicas),
    scaling: scaling === undefined ? undefined : readScaling(record(scaling)),
    parallelism,
    leader: readPod(template),
    worker: hasWorkers ? readPod(worker) : undefined,
    kvCacheOffloading: kvCacheOffloading === undefined ? undefined : readOffloading(record(kvCacheOffloading)),
  };
}

function readParallelism({ tensor, pipeline, data, dataLocal, dataRPCPort, expert }: JsonRecord): LlmParallelismSpec {
  return {
    tensor: numberIn(tensor), pipeline: numberIn(pipeline), data: numberIn(data), dataLocal: numberIn(dataLocal), dataRpcPort: numberIn(dataRPCPort),
    expert: flagIn(expert),
  };
}

/** Of a pod no more is read than its GPUs. Whoever starts vLLM by a command of his own counts ranks himself. */
function readPod(template: unknown): LlmPodSpec {
  const containers = records(record(template).containers);
  const { resources, command } = containers.find(({ name }) => name === MAIN_CONTAINER) ?? {};
  const { limits, requests } = record(resources);
  const amounts = { ...record(requests), ...record(limits) };
  const names = Object.keys(amounts).filter((name) => KNOWN_GPU_RESOURCES.includes(name));
  const gpu = names.length === 1 && command === undefined ? jsonNumber(amounts[names[0]]) : undefined;
  return { resources: Number.isInteger(gpu) ? { gpu, gpuResourceName: names[0] } : undefined };
}

/** Where the object says of nothing what scales, it is as with a HorizontalPodAutoscaler, of which fewer rules are asked. */
function readScaling({ minReplicas, maxReplicas, wva, keda: direct }: JsonRecord): LlmScalingSpec {
  const autoscaler = record(wva);
  const actuator = ACTUATORS.find((name) => isRecord(autoscaler[name]));
  const keda = record(autoscaler.keda ?? direct);
  return {
    minReplicas: numberIn(minReplicas),
    maxReplicas: numberIn(maxReplicas) ?? Number.MAX_SAFE_INTEGER,
    actuator: actuator ?? (isRecord(direct) ? 'keda' : 'hpa'),
    variantCost: amountIn(autoscaler.variantCost),
    ...(actuator !== 'hpa' && {
      pollingIntervalSeconds: numberIn(keda.pollingInterval), cooldownSeconds: numberIn(keda.cooldownPeriod),
      // None at all are right in newer releases, and the definition of older ones says itself that they are not.
      idleReplicas: keda.idleReplicaCount === 0 ? undefined : numberIn(keda.idleReplicaCount),
    }),
  };
}

function readOffloading({ cpu, secondary }: JsonRecord): KvCacheOffloadingSpec {
  const [first] = records(secondary);
  const { name, path } = record(record(record(record(first).fileSystem).pvc).ref);
  return { cpu: amountIn(cpu) ?? '', disk: name === undefined ? undefined : { claimName: jsonText(name), path: textIn(path) } };
}

/** Routes of the user's belong to gateways that they name themselves, unless KServe is asked for its own one. */
function readRouter({ gateway, route, ingress, scheduler }: JsonRecord): LlmRouterSpec {
  const { group, weight, http } = record(route);
  const routeNames = namesOf(record(http).refs);
  const gateways = records(record(gateway).refs).map(({ name }): GatewaySpec => ({ name: jsonText(name) }));
  const { replicas, config } = record(scheduler);
  const { inline, ref } = record(config);
  return {
    gateways: gateway === undefined && routeNames.length > 0 && namesOf(record(ingress).refs).length === 0 ? [{ name: '' }] : gateways,
    routeNames,
    ingressNames: namesOf(record(ingress).refs),
    scheduler: scheduler === undefined ? undefined : {
      replicas: numberIn(replicas),
      config: isRecord(inline) ? inline : undefined,
      configMap: isRecord(ref) ? { name: jsonText(ref.name), key: jsonText(ref.key) } : undefined,
    },
    trafficGroup: textIn(group),
    trafficWeight: numberIn(weight),
  };
}

function namesOf(refs: unknown): string[] {
  return records(refs).map(({ name }) => jsonText(name));
}

/** The argument is a share with samplers by a ratio alone. */
function readTracing({ sampler, samplerArg }: JsonRecord): LlmInferenceServiceSpec['tracing'] {
  const isShare = jsonText(sampler).endsWith('traceidratio') && samplerArg !== undefined;
  return { sampleRatio: isShare ? jsonNumber(samplerArg) : undefined };
}
