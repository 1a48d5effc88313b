/**
 * Rules on large language models: those of KServe's webhook and of its definition, and sums that show only when vLLM counts its GPUs.
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-configuration
 */
import {
  nodesOf,
  type LlmInferenceServiceSpec, type LlmModelSpec, type LlmParallelismSpec, type LlmRouterSpec, type LlmScalingSpec, type LlmWorkloadSpec,
} from './llm';
import { schemeOf, validateStorageUri } from './validation-storage';
import { DNS_LABEL_MAX_LENGTH, checkBaseName, isDns1123Label } from '../names';
import { ViolationCollector, type Violation } from '../violations';

/** Schemes that LLMInferenceService reads; fewer than InferenceService. */
const LLM_SCHEMES: readonly string[] = ['hf', 's3', 'pvc', 'oci'];

/** Ranks for which vLLM has kernels. */
const LORA_RANKS: readonly number[] = [8, 16, 32, 64, 128, 256, 320, 512];

const MAX_TRAFFIC_WEIGHT = 1_000_000;

export function validateLlmInferenceService(name: string, spec: LlmInferenceServiceSpec): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(name, 'Services are named after it', violations, { length: DNS_LABEL_MAX_LENGTH, because: 'DNS labels have fewer' });
  validateModel(name, spec.model, violations);
  validateWorkload(spec.decode, 'spec', violations);
  if (spec.prefill !== undefined) {
    validateWorkload(spec.prefill, 'spec.prefill', violations);
    const [decode, prefill] = [spec.decode.scaling?.actuator, spec.prefill.scaling?.actuator];
    if (decode !== undefined && prefill !== undefined && decode !== prefill) {
      violations.add('spec.prefill.scaling.wva', prefill, `must be the same actuator as for the decode replicas (${decode}): one loop scales both. Use the same.`);
    }
  }
  validatePresets(spec, violations);
  if (spec.storageInitializer === false && spec.model.adapters.length > 0) {
    violations.add('spec.storageInitializer.enabled', false, 'turns off the download of adapters, and KServe rejects it beside adapters. Remove one of the two.');
  }
  if (spec.router !== undefined) {
    validateRouter(spec.router, violations);
  }
  const { tracing } = spec;
  if (tracing?.sampleRatio !== undefined && !(tracing.sampleRatio >= 0 && tracing.sampleRatio <= 1)) {
    violations.add('spec.tracing.samplerArg', tracing.sampleRatio, 'must be a share of the requests, from 0 to 1.');
  }
  return violations.violations;
}

/**
 * KServe takes the pods of further nodes by pipeline from a configuration with a fixed name, which no release up to 0.20 installs.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1alpha2/llmisvc/config_merge.go
 */
function validatePresets({ decode, prefill, baseConfigs }: LlmInferenceServiceSpec, violations: ViolationCollector): void {
  for (const [path, workload, role] of [['spec', decode, prefill === undefined ? '' : 'decode-'], ['spec.prefill', prefill, 'prefill-']] as const) {
    const preset = `config-llm-${role}worker-pipeline-parallel`;
    const pipeline = workload?.parallelism?.pipeline ?? 1;
    if (workload?.worker !== undefined && pipeline > 1 && !baseConfigs.some((config) => config.endsWith(preset))) {
      violations.add(`${path}.parallelism.pipeline`, pipeline, `needs an LLMInferenceServiceConfig 'kserve-${preset}' for its nodes, which KServe 0.20 does not install. `
        + 'Create it and name it in baseConfigs (spec.baseRefs), or use data parallelism.');
    }
  }
}

function validateModel(name: string, model: LlmModelSpec, violations: ViolationCollector): void {
  validateUri(model.uri, 'spec.model.uri', violations);
  violations.whole('spec.model.lora.maxAdapters', model.maxAdapters, 1);
  violations.whole('spec.model.lora.maxCpuAdapters', model.maxCpuAdapters, 1);
  if (model.maxRank !== undefined && !LORA_RANKS.includes(model.maxRank)) {
    violations.add('spec.model.lora.maxRank', model.maxRank, `vLLM has kernels for ${LORA_RANKS.join(', ')}. Use the next higher one.`);
  }
  const base = model.name ?? name;
  const names = model.adapters.map((adapter) => adapter.name);
  model.adapters.forEach((adapter, index) => {
    const path = `spec.model.lora.adapters[${index}]`;
    if (schemeOf(adapter.uri ?? '') === 'oci') {
      violations.add(`${path}.uri`, adapter.uri, 'is an image, and KServe reads adapters from hf://, s3:// and pvc:// only. Copy the adapter to one of them.');
    } else {
      validateUri(adapter.uri, `${path}.uri`, violations);
    }
    if (adapter.name === '' || adapter.name === '.' || adapter.name === '..' || adapter.name.includes('/')) {
      violations.add(`${path}.name`, adapter.name, 'is the name of a folder and of a model: not empty, without \'/\', and neither \'.\' nor \'..\'.');
    }
    if (names.indexOf(adapter.name) < index) {
      violations.add(`${path}.name`, adapter.name, 'is the name of an earlier adapter. Use unique names.');
    }
    if (adapter.name === base) {
      violations.add(`${path}.name`, adapter.name, 'is the name of the model itself, which requests use to select it. Rename the adapter.');
    }
  });
}

function validateUri(uri: string | undefined, path: string, violations: ViolationCollector): void {
  if (uri === undefined) {
    violations.add(path, undefined, 'is required: an entry of the storage secret has no URI. Set the model as a URI.');
    return;
  }
  if (!LLM_SCHEMES.includes(schemeOf(uri))) {
    violations.add(path, uri, `KServe serves large language models from ${LLM_SCHEMES.map((scheme) => `${scheme}://`).join(', ')}. Copy the model to one of them.`);
    return;
  }
  violations.addAll(validateStorageUri({ uri }, path));
}

function validateWorkload(workload: LlmWorkloadSpec, path: string, violations: ViolationCollector): void {
  const { replicas, scaling, parallelism, worker, leader, kvCacheOffloading } = workload;
  violations.whole(`${path}.replicas`, replicas, 0);
  if (replicas !== undefined && scaling !== undefined) {
    violations.add(`${path}.replicas`, replicas, 'is fixed, and scaling changes it. Remove one of the two.');
  }
  if (scaling !== undefined) {
    validateScaling(scaling, `${path}.scaling`, violations);
  }
  if (parallelism !== undefined) {
    validateParallelism(parallelism, `${path}.parallelism`, violations);
  }
  const isSpread = parallelism?.data !== undefined || (parallelism?.pipeline ?? 1) > 1;
  if (worker !== undefined && !isSpread) {
    violations.add(`${path}.worker`, parallelism, 'additional nodes need a share of the model or of the requests. Set parallelism.pipeline, or parallelism.data and dataLocal.');
  }
  const { data, dataLocal } = parallelism ?? {};
  if (worker === undefined && data !== undefined && dataLocal !== undefined && nodesOf(parallelism!) > 1) {
    violations.add(`${path}.worker`, undefined, `is required: ${data} ranks with ${dataLocal} on each node are ${nodesOf(parallelism!)} nodes. Describe the additional nodes with worker.`);
  }
  for (const [place, pod] of [['template', leader], ['worker', worker]] as const) {
    validateGpus(parallelism ?? {}, worker !== undefined, pod?.resources?.gpu, `${path}.${place}.containers[0].resources`, violations);
  }
  const disk = kvCacheOffloading?.disk;
  if (disk !== undefined && 'path' in disk && disk.path?.startsWith('/')) {
    violations.add(`${path}.kvCacheOffloading.secondary[0].fileSystem.pvc.ref.path`, disk.path, 'is a path within the claim. Remove the leading \'/\'.');
  }
}

function validateScaling(scaling: LlmScalingSpec, path: string, violations: ViolationCollector): void {
  const { minReplicas, maxReplicas, variantCost, actuator, idleReplicas } = scaling;
  const hasMost = violations.whole(`${path}.maxReplicas`, maxReplicas, 1);
  if (violations.whole(`${path}.minReplicas`, minReplicas, 1) && hasMost && (minReplicas ?? 1) > maxReplicas) {
    violations.add(`${path}.minReplicas`, minReplicas, `is more than maxReplicas (${maxReplicas}). Raise one or lower the other.`);
  }
  violations.form(`${path}.wva.variantCost`, variantCost, /^\d+(\.\d+)?$/, 'must be a number that is not negative, such as 10.0.');
  for (const [field, value] of [['pollingInterval', scaling.pollingIntervalSeconds], ['cooldownPeriod', scaling.cooldownSeconds], ['idleReplicaCount', idleReplicas]] as const) {
    if (value !== undefined && actuator !== 'keda') {
      violations.add(`${path}.wva.keda.${field}`, value, 'is for KEDA, but a HorizontalPodAutoscaler is used. Remove it, or use LlmActuator.KEDA.');
    }
  }
  if (scaling.scaleDownDelaySeconds !== undefined && actuator === 'keda') {
    // The rules of the definition ask `advanced` for fields that it may not have.
    violations.add(`${path}.wva.keda.advanced`, scaling.scaleDownDelaySeconds, 'a delay with KEDA would have to be set there, and the definition of KServe 0.20 rejects the field '
      + 'with any value. Use LlmActuator.HPA, or cooldown.');
  }
  if (idleReplicas !== undefined && actuator === 'keda') {
    if (minReplicas === undefined) {
      violations.add(`${path}.minReplicas`, undefined, `is required with idleReplicas (${idleReplicas}), the smaller number of replicas when there are no requests. Set it.`);
    } else if (idleReplicas >= minReplicas || !isCount(idleReplicas)) {
      violations.add(`${path}.wva.keda.idleReplicaCount`, idleReplicas, `must be a whole number from 1 to less than minReplicas (${minReplicas}).`);
    }
  }
}

function validateParallelism(parallelism: LlmParallelismSpec, path: string, violations: ViolationCollector): void {
  const { tensor, pipeline, data, dataLocal, dataRpcPort } = parallelism;
  Object.entries({ tensor, pipeline, data, dataLocal }).forEach(([field, value]) => violations.whole(`${path}.${field}`, value, 1));
  if (pipeline !== undefined && (data !== undefined || dataLocal !== undefined)) {
    violations.add(path, { pipeline, data, dataLocal }, 'KServe spreads the nodes of a replica by pipeline or by data, not by both. Remove one of the two.');
  }
  if ((data === undefined) !== (dataLocal === undefined)) {
    const [missing, there] = data === undefined ? ['data', 'dataLocal'] : ['dataLocal', 'data'];
    violations.add(`${path}.${missing}`, undefined, `is required with ${there}: all ranks, and those of one node. Give both.`);
  } else if (data !== undefined && dataLocal !== undefined && isCount(data) && isCount(dataLocal) && data % dataLocal !== 0) {
    violations.add(`${path}.data`, data, `is not a multiple of dataLocal (${dataLocal}), so the last node would not be full. Change one of them.`);
  }
  violations.whole(`${path}.dataRPCPort`, dataRpcPort, 1, 65_535);
}

/** vLLM starts a process for each rank of a node, and gives each its GPUs. */
function validateGpus(
  parallelism: LlmParallelismSpec, isMultiNode: boolean, gpus: number | undefined, path: string, violations: ViolationCollector,
): void {
  const { tensor = 1, dataLocal = 1, pipeline = 1 } = parallelism;
  const stages = isMultiNode ? 1 : pipeline;
  const needed = tensor * dataLocal * stages;
  if (gpus !== undefined && Number.isInteger(needed) && needed > gpus) {
    const factors = [`tensor ${tensor}`, ...(dataLocal > 1 ? [`dataLocal ${dataLocal}`] : []), ...(stages > 1 ? [`pipeline ${stages}`] : [])];
    violations.add(path, gpus, `GPUs are fewer than the ranks of a node (${factors.join(' x ')} = ${needed}). Ask for ${needed}, or spread less.`);
  }
}

function validateRouter(router: LlmRouterSpec, violations: ViolationCollector): void {
  const { gateways, routeNames, ingressNames, scheduler, trafficGroup, trafficWeight } = router;
  if (routeNames.length > 0 && gateways.length === 0 && ingressNames.length === 0) {
    violations.add('spec.router.route.http.refs', routeNames.join(', '), 'are your own routes, which KServe\'s own gateway does not accept. Set your gateways too.');
  }
  if (ingressNames.length > 0 && (gateways.length > 0 || routeNames.length > 0)) {
    violations.add('spec.router.ingress.refs', ingressNames.join(', '), 'cannot be combined with gateways or routes, the alternative way to expose a service. Keep one of the two.');
  }
  if ((trafficGroup === undefined) !== (trafficWeight === undefined)) {
    const [missing, there] = trafficGroup === undefined ? ['group', 'weight'] : ['weight', 'group'];
    violations.add(`spec.router.route.${missing}`, undefined, `is required with ${there}. Give both: services of one group share the traffic by their weights.`);
  }
  violations.whole('spec.router.route.weight', trafficWeight, 0, MAX_TRAFFIC_WEIGHT);
  if (trafficGroup !== undefined) {
    if (!isDns1123Label(trafficGroup)) {
      violations.add('spec.router.route.group', trafficGroup, 'must be lower-case letters, digits and \'-\', 63 at most.');
    }
    if (ingressNames.length > 0 || routeNames.length > 0) {
      violations.add('spec.router.route.group', trafficGroup, 'splits traffic with routes that KServe creates. Remove your own routes or ingresses.');
    }
  }
  violations.whole('spec.router.scheduler.replicas', scheduler?.replicas, 1);
  if (scheduler?.config !== undefined && scheduler.configMap !== undefined) {
    violations.add('spec.router.scheduler.config', scheduler.configMap.name, 'is set twice, inline and as a ConfigMap. Remove one of the two.');
  }
  if (scheduler?.config !== undefined && Object.keys(scheduler.config).length === 0) {
    violations.add('spec.router.scheduler.config.inline', scheduler.config, 'is empty. Leave it out for KServe\'s own.');
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
