/**
 * Rules on one component: its variables, what is in front of it, its further nodes. Most are those of KServe's webhooks; some are fields that a
 * mode drops in silence.
 */
import { DEFAULT_AUTOSCALER, componentsOf, type ComponentSpec, type InferenceServiceSpec } from './spec';
import { isOfOwnContainer, validateStorageUri } from './validation-storage';
import type { ResourcesSpec } from '../training-job/spec';
import { ViolationCollector, type Violation } from '../violations';

export const SERVING_CONTAINER = 'kserve-container';

/** Containers that KServe puts into the pod. */
const RESERVED_CONTAINERS: readonly string[] = [SERVING_CONTAINER, 'storage-initializer', 'queue-proxy', 'agent'];

/** Variables that KServe refuses in any container since 0.18. */
const BLOCKED_VARIABLES: readonly string[] = ['PYTHONPATH'];

/** Variables of multi-node servers that KServe sets from the worker. */
const WORKER_VARIABLES: readonly string[] = ['PIPELINE_PARALLEL_SIZE', 'TENSOR_PARALLEL_SIZE'];

/** Extended resources that KServe counts as GPUs unless an annotation names others. */
export const KNOWN_GPU_RESOURCES: readonly string[] = ['nvidia.com/gpu', 'amd.com/gpu', 'intel.com/gpu', 'habana.ai/gaudi'];

/** Fields of a component's pod that a Knative Service does not have. @see https://github.com/knative/serving/blob/main/docs/serving-api.md */
export const NOT_IN_KNATIVE: readonly string[] = [
  'activeDeadlineSeconds', 'hostUsers', 'hostname', 'hostnameOverride', 'nodeName', 'os', 'overhead', 'preemptionPolicy', 'priority', 'readinessGates',
  'resourceClaims', 'resources', 'restartPolicy', 'schedulingGates', 'setHostnameAsFQDN', 'subdomain', 'terminationGracePeriodSeconds',
];

/** What the agent can send log entries to: a server, or a bucket. */
const LOGGER_URL = /^(https?|s3|gs|abfss|file):\/\/\S+$/;

export function validateServingComponents(spec: InferenceServiceSpec): Violation[] {
  const violations = new ViolationCollector();
  for (const { component, path } of componentsOf(spec)) {
    validateVariables(component, path, violations);
    validatePod(component, path, violations);
    validateTraffic(component, path, violations);
    validateModel(component, path, violations);
    validateWorker(spec, component, path, violations);
    validateMode(spec, component, path, violations);
  }
  return violations.violations;
}

function validateVariables({ env = [], container, storage = [], worker }: ComponentSpec, path: string, violations: ViolationCollector): void {
  for (const { name, value } of env) {
    if (container !== undefined && name === 'PROTOCOL' && path === 'spec.predictor' && value !== undefined && !['v1', 'v2'].includes(value)) {
      violations.add(`${path}.env`, value, 'is a protocol that KServe rejects in this variable, which may be v1 or v2. Remove it; for gRPC, set protocol.');
    }
    if (BLOCKED_VARIABLES.includes(name)) {
      violations.add(`${path}.env`, name, 'KServe rejects it in every container. Set the path in the image, or import by package.');
    }
    if (container !== undefined && name === 'STORAGE_URI' && storage.length > 0) {
      violations.add(`${path}.env`, name, 'conflicts with storage, which is already set. Remove one of the two.');
    } else if (container !== undefined && name === 'STORAGE_URI') {
      violations.addAll(validateStorageUri({ uri: value, ownContainer: value !== undefined && isOfOwnContainer(value) }, `${path}.env[STORAGE_URI]`));
    }
    if (worker !== undefined && WORKER_VARIABLES.includes(name)) {
      violations.add(`${path}.env`, name, 'is set by KServe from the worker. Use worker.pipelineParallel and worker.tensorParallel.');
    }
  }
}

function validatePod({ podSpec }: ComponentSpec, path: string, violations: ViolationCollector): void {
  const containers = (podSpec?.containers ?? []) as readonly { readonly name?: string }[];
  containers.forEach(({ name }, index) => {
    if (name !== undefined && RESERVED_CONTAINERS.includes(name)) {
      violations.add(`${path}.containers[${index}].name`, name, 'is the name of a KServe container. Rename the sidecar, and describe the server with the other properties.');
    }
  });
}

function validateTraffic(component: ComponentSpec, path: string, violations: ViolationCollector): void {
  const { logger, batcher, protocol, timeoutSeconds, containerConcurrency } = component;
  if (logger !== undefined && !LOGGER_URL.test(logger.url)) {
    violations.add(`${path}.logger.url`, logger.url, 'must be a URL of a server or bucket, such as http://broker-ingress.knative-eventing or s3://logs/models.');
  }
  if (batcher !== undefined) {
    for (const [field, value] of [['maxBatchSize', batcher.maxBatchSize], ['maxLatency', batcher.maxLatencyMilliseconds], ['timeout', batcher.timeoutSeconds]] as const) {
      violations.whole(`${path}.batcher.${field}`, value, 1);
    }
    if (protocol !== undefined && protocol !== 'v1') {
      violations.add(`${path}.batcher`, protocol, 'batches only requests of protocol v1; others pass through unchanged. Remove the batcher, or serve v1.');
    }
  }
  violations.seconds(`${path}.timeout`, timeoutSeconds, 1);
  violations.whole(`${path}.containerConcurrency`, containerConcurrency, 0, Infinity, '; 0 means no limit.');
}

function validateModel({ model }: ComponentSpec, path: string, violations: ViolationCollector): void {
  if (model === undefined) {
    return;
  }
  const formats = model.runtime === undefined ? undefined : formatsOfRuntime(model.runtime);
  if (formats !== undefined && !formats.includes(model.format)) {
    violations.add(`${path}.model.runtime`, model.runtime, `serves ${formats.join(', ')}, and the model is '${model.format}'. Choose another runtime, or leave it to KServe.`);
  }
  if (model.format.trim() === '') {
    violations.add(`${path}.model.modelFormat.name`, model.format, 'must not be empty. Name the format that a runtime supports.');
  }
}

function validateWorker(spec: InferenceServiceSpec, component: ComponentSpec, path: string, violations: ViolationCollector): void {
  const { worker } = component;
  if (worker === undefined) {
    return;
  }
  if (spec.mode === 'Knative') {
    violations.add(`${path}.workerSpec`, 'Knative', 'replicas that span several nodes need Standard mode. Use ServingMode.STANDARD.');
  } else if ((spec.autoscaler ?? DEFAULT_AUTOSCALER) !== 'none') {
    violations.add('metadata.annotations[serving.kserve.io/autoscalerClass]', spec.autoscaler ?? DEFAULT_AUTOSCALER,
      'KServe does not scale replicas that span several nodes. Use Autoscaler.NONE.');
  }
  for (const [field, value] of [['pipelineParallelSize', worker.pipelineParallel], ['tensorParallelSize', worker.tensorParallel]] as const) {
    violations.whole(`${path}.workerSpec.${field}`, value, 1);
  }
  for (const [place, resources] of [[`${path}.model.resources`, component.resources], [`${path}.workerSpec.containers[0].resources`, worker.resources]] as const) {
    const gpus = gpuResource(resources);
    if (gpus !== undefined && !KNOWN_GPU_RESOURCES.includes(gpus)) {
      violations.add(place, gpus, `KServe counts ${KNOWN_GPU_RESOURCES.join(', ')} across several nodes. Use whole GPUs of one of them.`);
    }
  }
}

function gpuResource(resources: ResourcesSpec | undefined): string | undefined {
  return (resources?.gpu ?? 0) > 0 ? resources?.gpuResourceName ?? 'nvidia.com/gpu' : undefined;
}

function validateMode({ mode, tagRouting }: InferenceServiceSpec, component: ComponentSpec, path: string, violations: ViolationCollector): void {
  for (const field of mode === 'Knative' ? NOT_IN_KNATIVE.filter((name) => component.podSpec?.[name] !== undefined) : []) {
    violations.add(`${path}.${field}`, component.podSpec?.[field], 'is a field of pods that Knative Services do not have, so it would be lost. Remove it, or use Standard mode.');
  }
  if (mode === 'Knative' && component.rollingUpdate !== undefined) {
    violations.add(`${path}.deploymentStrategy`, component.rollingUpdate, 'is for Deployments; Knative replaces pods by revisions. Remove it, or use Standard mode.');
  }
  if (mode === 'Standard' && component.containerConcurrency !== undefined) {
    violations.add(`${path}.containerConcurrency`, component.containerConcurrency, 'is a limit of Knative\'s proxy, which Standard mode does not have. Remove it, or limit in the server.');
  }
  if (mode === 'Standard' && tagRouting && path === 'spec.predictor') {
    violations.add('metadata.annotations[serving.kserve.io/enable-tag-routing]', tagRouting, 'is for Knative revisions. Remove it: in Standard mode each canary has a Service.');
  }
}

/** Formats of the built-in ClusterServingRuntimes. */
const BUILT_IN: { readonly [runtime: string]: readonly string[] } = {
  'kserve-sklearnserver': ['sklearn'],
  'kserve-xgbserver': ['xgboost'],
  'kserve-lgbserver': ['lightgbm'],
  'kserve-pmmlserver': ['pmml'],
  'kserve-paddleserver': ['paddle'],
  'kserve-predictiveserver': ['sklearn', 'xgboost', 'lightgbm'],
  'kserve-mlserver': ['sklearn', 'xgboost', 'lightgbm', 'mlflow', 'catboost'],
  'kserve-tensorflow-serving': ['tensorflow'],
  'kserve-torchserve': ['pytorch'],
  'kserve-tritonserver': ['tensorrt', 'tensorflow', 'onnx', 'pytorch', 'triton'],
  'kserve-huggingfaceserver': ['huggingface'],
  'kserve-huggingfaceserver-multinode': ['huggingface'],
};

/**
 * Formats of a built-in runtime; undefined for runtimes of others, of which nothing is known here.
 *
 * The serving runtimes that KServe 0.20 comes with, and what each of them serves.
 */
export function formatsOfRuntime(runtime: string): readonly string[] | undefined {
  return Object.hasOwn(BUILT_IN, runtime) ? BUILT_IN[runtime] : undefined;
}
