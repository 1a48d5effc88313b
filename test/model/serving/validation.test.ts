import { CONTAINER, SKLEARN, canary, knative, predictor, standard } from './services';
import { constructInferenceService } from '../../../src/manifests/serving/inference-service';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import type { NamedInferenceService } from '../../../src/model/serving/spec';
import { validateInferenceService } from '../../../src/model/serving/validation';
import { STORAGE_SCHEMES } from '../../../src/model/serving/validation-storage';
import { formatViolation } from '../../../src/model/violations';

const long = (length: number) => 'a'.repeat(length);
const scaled = (scaling: object) => predictor({ scaling });
const metric = (kind: string, target: number, more: object = {}) => ({ metrics: [{ kind, target, ...more }] });
const worker = { pipelineParallel: 2, tensorParallel: 1 };
const onClaim = { storage: [{ uri: 'pvc://models/llama' }] };

/** What is wrong, the service, the line that says so. One broken rule each. */
const BROKEN: readonly (readonly [string, NamedInferenceService, string])[] = [
  // Names.
  ['a name with capitals', standard({}, 'Iris'),
    'metadata.name: "Iris": must be a DNS-1035 label, because Services are named after it: lower-case letters, digits and \'-\', starting with a letter and ending with a letter or digit.'],
  ['a name that starts with a digit', standard({}, '1iris'), 'metadata.name: "1iris": must be a DNS-1035 label'],
  ['a name whose Service is too long', standard({}, long(54)),
    `metadata.name: "${long(54)}": is too long: the Service of its predictor would be '${long(54)}-predictor' with 64 characters, and host names and labels hold 63. `
    + 'Use at most 53 characters.'],
  ['a name whose transformer\'s Service is too long', standard({ transformer: CONTAINER }, long(52)), 'Use at most 51 characters.'],
  ['a name and namespace whose host name is too long', standard({}, long(20), long(40)),
    `is too long: the host name of its predictor would be '${long(20)}-predictor-${long(40)}' with 71 characters, and host names and labels hold 63. Use at most 12 characters.`],
  ['a namespace that leaves no room for a name', standard({}, 'iris', long(60)), 'Shorten the other parts.'],
  ['a name too long for the address of a revision', knative({ tagRouting: true }, long(48)), 'the address of the newest revision of its predictor would be \'latest-'],
  ['a variant with a dot', standard(predictor({ name: 'v1.0' })), 'spec.predictor.name: "v1.0": is part of the names of Deployments and Services'],
  ['a canary with a dot', standard({ canaries: [canary('v1.0')] }), 'spec.canary[0].predictor.name: "v1.0": is part of the names of Deployments and Services'],
  ['a canary whose Service is too long', standard({ canaries: [canary('candidate')] }, long(45)), 'the Service of its canary \'candidate\' would be'],
  // Storage.
  ['an unknown scheme', standard(predictor({ storage: [{ uri: 'gcs://models/iris' }] })), 'spec.predictor.model.storageUri: "gcs://models/iris": KServe downloads from gs://'],
  ['a scheme with a slip of the finger', standard(predictor({ storage: [{ uri: 'htps://host/iris' }] })), 'Did you mean \'https\'?'],
  ['a scheme that every object has', standard(predictor({ storage: [{ uri: 'constructor://a/b' }] })), 'spec.predictor.model.storageUri: "constructor://a/b": KServe downloads from'],
  ['a path without a scheme', standard(predictor({ storage: [{ uri: '/mnt/iris' }] })), 'spec.predictor.model.storageUri: "/mnt/iris": KServe downloads from'],
  ['a bucket without a name', standard(predictor({ storage: [{ uri: 'gs:///iris' }] })), 'does not have the form gs://BUCKET/PATH'],
  ['a repository of Hugging Face without an organisation', standard(predictor({ storage: [{ uri: 'hf://gpt2' }] })), 'does not have the form hf://ORGANISATION/MODEL'],
  ['an image without a registry', standard(predictor({ storage: [{ uri: 'oci://iris' }] })), 'does not have the form oci://REGISTRY/REPOSITORY:TAG'],
  ['a claim with capitals', standard(predictor({ storage: [{ uri: 'pvc://Models/iris' }] })), 'does not have the form pvc://CLAIM/PATH'],
  ['a canary with an unknown scheme', standard({ canaries: [{ ...canary('v2'), changes: { storage: [{ uri: 'ftp://host/iris' }] } }] }),
    'spec.canary[0].predictor.model.storageUri: "ftp://host/iris": KServe downloads from'],
  ['a model without storage', standard({ predictor: { model: { format: 'sklearn' } } }),
    'spec.predictor.model.storageUri: is required: the runtime of \'sklearn\' loads the downloaded model. Set storage.'],
  ['a relative mount path', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: 'mnt' }] })), 'spec.predictor.storageUris[0].mountPath: "mnt": must be an absolute path below /.'],
  ['the root as mount path', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: '/' }] })), 'must be an absolute path below /.'],
  ['a mount path that climbs', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: '/mnt/../etc' }] })), 'contains \'..\', which KServe rejects.'],
  ['a mount path of 256 characters', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: `/${long(255)}` }] })), 'has 256 characters, and KServe accepts 255.'],
  ['two places at one mount path', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: '/mnt/a' }, { uri: 'gs://m/b', mountPath: '/mnt/a' }] })),
    'spec.predictor.storageUris: "/mnt/a": is the mount path of two locations.'],
  ['downloads with nothing in common', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: '/mnt/a' }, { uri: 'gs://m/b', mountPath: '/opt/b' }] })),
    'spec.predictor.storageUris: "/mnt/a, /opt/b": must share a parent folder'],
  ['an entry of the storage secret beside a URI', standard(predictor({ storage: [{ secretEntry: { key: 's3', path: 'iris' } }, { uri: 'gs://m/b', mountPath: '/mnt/b' }] })),
    'spec.predictor.model.storage: "s3": is an entry of the storage secret, which cannot be combined with other locations.'],
  ['an entry of the storage secret for a container', standard({ predictor: { ...CONTAINER, storage: [{ secretEntry: { key: 's3', path: 'iris' } }] } }),
    'spec.predictor.storage: "s3": is an entry of the storage secret, which KServe reads only for models of a runtime.'],
  // Scaling.
  ['fewer than no replicas', standard(scaled({ minReplicas: -1 })), 'spec.predictor.minReplicas: -1: must be a whole number, 0 or more.'],
  ['no replicas at most', standard(scaled({ minReplicas: 1, maxReplicas: 0 })), 'spec.predictor.maxReplicas: 0: must be a whole number, 1 or more.'],
  ['more replicas at least than at most', standard(scaled({ minReplicas: 4, maxReplicas: 2 })), 'spec.predictor.minReplicas: 4: is more than maxReplicas (2).'],
  ['zero replicas with a HorizontalPodAutoscaler', standard(scaled({ minReplicas: 0 })), 'spec.predictor.minReplicas: 0: a HorizontalPodAutoscaler keeps one pod.'],
  ['zero replicas with KEDA by cpu', standard({ autoscaler: 'keda', ...scaled({ minReplicas: 0, ...metric('cpu', 50) }) }),
    'spec.predictor.minReplicas: 0: KEDA rejects it if cpu and memory are the only metrics'],
  ['KEDA without a metric', standard({ autoscaler: 'keda', ...scaled({ maxReplicas: 3 }) }), 'spec.predictor.autoScaling.metrics: is required with KEDA'],
  ['KEDA with a transformer that has no metric', standard({ autoscaler: 'keda', ...scaled(metric('cpu', 50)), transformer: CONTAINER }), 'spec.transformer.autoScaling.metrics: is required with KEDA'],
  ['concurrency in Standard mode', standard(scaled(metric('concurrency', 5))), 'spec.predictor.scaleMetric: "concurrency": is counted by Knative\'s proxy'],
  ['requests a second with KEDA', standard({ autoscaler: 'keda', ...scaled(metric('rps', 5)) }), 'Scale by a query of the server\'s own metric.'],
  ['a query with a HorizontalPodAutoscaler', standard(scaled(metric('prometheus', 5, { query: 'up' }))), 'spec.predictor.autoScaling.metrics: "prometheus": only KEDA uses it'],
  ['a query in Knative mode', knative(scaled(metric('prometheus', 5, { query: 'up' }))), 'is a KEDA metric, which Knative mode does not support.'],
  ['cpu of 101 %', standard(scaled(metric('cpu', 101))), 'spec.predictor.scaleTarget: 101: is the utilization of cpu in percent of the request: a whole number from 1 to 100.'],
  ['memory of 0 %', standard(scaled(metric('memory', 0))), 'spec.predictor.scaleTarget: 0: is the utilization of memory in percent'],
  ['half a request', knative(scaled(metric('concurrency', 0.5))), 'spec.predictor.scaleTarget: 0.5: is the number of concurrent requests'],
  ['no request a second', knative(scaled(metric('rps', 0))), 'spec.predictor.scaleTarget: 0: is the number of requests per second'],
  ['an empty query', standard({ autoscaler: 'keda', ...scaled(metric('prometheus', 5, { query: ' ' })) }), 'spec.predictor.autoScaling.metrics[].external.metric.query: " ": must not be empty.'],
  ['a query without a target', standard({ autoscaler: 'keda', ...scaled(metric('prometheus', 0, { query: 'up' })) }), 'external.target.value: 0: must be more than 0'],
  ['a server that is no URL', standard({ autoscaler: 'keda', ...scaled(metric('prometheus', 1, { query: 'up', serverAddress: 'prometheus' })) }), 'must be a URL that begins with http:// or https://.'],
  ['a collector without metrics', standard({ autoscaler: 'keda', ...scaled(metric('openTelemetry', 1, { query: 'sum(x)', metricNames: [] })) }), 'must name the metrics that the sidecar collects.'],
  ['two metrics in Knative mode', knative(scaled({ metrics: [{ kind: 'concurrency', target: 1 }, { kind: 'rps', target: 1 }] })), 'Knative scales by one metric.'],
  ['zero replicas by cpu in Knative mode', knative(scaled({ minReplicas: 0, ...metric('cpu', 50) })), 'cannot be reached with cpu'],
  ['an autoscaler in Knative mode', knative({ autoscaler: 'keda' }), 'metadata.annotations[serving.kserve.io/autoscalerClass]: "keda": is an autoscaler for Standard mode'],
  ['a metric without an autoscaler', standard({ autoscaler: 'none', ...scaled(metric('cpu', 50)) }), 'nothing uses it for scaling: the autoscaler is none.'],
  ['a range without an autoscaler', standard({ autoscaler: 'none', ...scaled({ minReplicas: 1, maxReplicas: 3 }) }), 'spec.predictor.maxReplicas: 3: nothing scales up to it'],
  ['a delay of two hours', standard(scaled({ scaleDownDelaySeconds: 7200 })), 'behavior.scaleDown.stabilizationWindowSeconds: 7200: Kubernetes accepts at most an hour.'],
  ['a delay of two hours in Knative mode', knative(scaled({ scaleDownDelaySeconds: 7200 })), 'Knative accepts at most an hour.'],
  // Components.
  ['PYTHONPATH', standard(predictor({ env: [{ name: 'PYTHONPATH', value: '/app' }] })), 'spec.predictor.env: "PYTHONPATH": KServe rejects it in every container.'],
  ['PYTHONPATH in a transformer', standard({ transformer: { ...CONTAINER, env: [{ name: 'PYTHONPATH', value: '/app' }] } }), 'spec.transformer.env: "PYTHONPATH"'],
  ['storage of a container given twice', standard({ predictor: { ...CONTAINER, storage: [{ uri: 'gs://m/a' }], env: [{ name: 'STORAGE_URI', value: 'gs://m/b' }] } }),
    'spec.predictor.env: "STORAGE_URI": conflicts with storage'],
  ['a place that no download has', standard({ predictor: { ...CONTAINER, env: [{ name: 'STORAGE_URI', value: 'gcs://m/a' }] } }), 'spec.predictor.env[STORAGE_URI]: "gcs://m/a": KServe downloads from gs://'],
  ['gRPC in the variable of a container', standard({ predictor: { ...CONTAINER, env: [{ name: 'PROTOCOL', value: 'grpc-v2' }] } }), 'spec.predictor.env: "grpc-v2": is a protocol that KServe rejects'],
  ['time to stop in Knative mode', knative(predictor({ podSpec: { terminationGracePeriodSeconds: 90 } })), 'spec.predictor.terminationGracePeriodSeconds: 90: is a field of pods that Knative Services do not have'],
  ['a sidecar with the server\'s name', standard(predictor({ podSpec: { containers: [{ name: 'kserve-container', image: 'x' }] } })),
    'spec.predictor.containers[0].name: "kserve-container": is the name of a KServe container.'],
  ['a logger without a scheme', standard(predictor({ logger: { url: 'broker' } })), 'spec.predictor.logger.url: "broker": must be a URL'],
  ['a batch of nothing', standard(predictor({ batcher: { maxBatchSize: 0 } })), 'spec.predictor.batcher.maxBatchSize: 0: must be a whole number, 1 or more.'],
  ['batches of the protocol v2', standard(predictor({ batcher: {}, protocol: 'v2' })), 'spec.predictor.batcher: "v2": batches only requests of protocol v1'],
  ['half a second', standard(predictor({ timeoutSeconds: 0.5 })), 'spec.predictor.timeout: 0.5: must be whole seconds, 1 or more.'],
  ['a negative limit of requests', knative(predictor({ containerConcurrency: -1 })), 'spec.predictor.containerConcurrency: -1: must be a whole number, 0 or more; 0 means no limit.'],
  ['a limit of requests in Standard mode', standard(predictor({ containerConcurrency: 1 })), 'spec.predictor.containerConcurrency: 1: is a limit of Knative\'s proxy'],
  ['a rolling update in Knative mode', knative(predictor({ rollingUpdate: { maxSurge: '0' } })), 'spec.predictor.deploymentStrategy: {"maxSurge":"0"}: is for Deployments'],
  ['addresses of revisions in Standard mode', standard({ tagRouting: true }), 'metadata.annotations[serving.kserve.io/enable-tag-routing]: true: is for Knative revisions.'],
  ['a runtime of another format', standard(predictor({ model: { format: 'sklearn', runtime: 'kserve-xgbserver' } })),
    'spec.predictor.model.runtime: "kserve-xgbserver": serves xgboost, and the model is \'sklearn\'.'],
  ['a format without a name', standard(predictor({ model: { format: ' ' } })), 'spec.predictor.model.modelFormat.name: " ": must not be empty.'],
  // Several nodes.
  ['several nodes in Knative mode', knative(predictor({ ...onClaim, worker })), 'spec.predictor.workerSpec: "Knative": replicas that span several nodes need Standard mode.'],
  ['several nodes with an autoscaler', standard(predictor({ ...onClaim, worker })), 'metadata.annotations[serving.kserve.io/autoscalerClass]: "hpa": KServe does not scale replicas that span several nodes.'],
  ['several nodes that each download', standard({ autoscaler: 'none', ...predictor({ worker }) }), 'spec.predictor.model.storageUri: "gs://models/iris/1": does not support several nodes'],
  ['several nodes without a model', standard({ autoscaler: 'none', predictor: { model: { format: 'huggingface' }, worker } }), 'spec.predictor.model.storageUri: is required: with a worker KServe accepts exactly one'],
  ['a model of several nodes elsewhere', standard({ autoscaler: 'none', ...predictor({ storage: [{ uri: 'pvc://models/llama', mountPath: '/opt/llama' }], worker }) }),
    'spec.predictor.model.storageUri: is required: with a worker KServe accepts exactly one location, and no mountPath.'],
  ['no stage of a pipeline', standard({ autoscaler: 'none', ...predictor({ ...onClaim, worker: { pipelineParallel: 0 } }) }), 'spec.predictor.workerSpec.pipelineParallelSize: 0: must be a whole number'],
  ['parallelism as a variable', standard({ autoscaler: 'none', ...predictor({ ...onClaim, worker, env: [{ name: 'TENSOR_PARALLEL_SIZE', value: '2' }] }) }),
    'spec.predictor.env: "TENSOR_PARALLEL_SIZE": is set by KServe from the worker.'],
  ['slices of GPUs over several nodes', standard({ autoscaler: 'none', ...predictor({ ...onClaim, worker, resources: { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' } }) }),
    'spec.predictor.model.resources: "nvidia.com/mig-1g.5gb": KServe counts nvidia.com/gpu'],
  ['slices of GPUs on the worker', standard({ autoscaler: 'none', ...predictor({ ...onClaim, worker: { resources: { gpu: 1, gpuResourceName: 'gpu.intel.com/i915' } } }) }),
    'spec.predictor.workerSpec.containers[0].resources: "gpu.intel.com/i915": KServe counts'],
  // Candidates.
  ['more than all traffic', standard({ canaries: [canary('v2', 101)] }), 'spec.canary[0].trafficPercent: 101: must be a whole number from 0 to 100; 0 means no traffic yet.'],
  ['less than no traffic in Knative mode', knative({ canaries: [canary('v2', -1)] }), 'spec.predictor.canaryTrafficPercent: -1: must be a whole number from 0'],
  ['canaries with more than all traffic together', standard({ canaries: [canary('v2', 60), canary('v3', 50)] }), 'spec.canary: "60 + 50": is 110 % of the traffic'],
  ['two canaries of one name', standard({ canaries: [canary('v2'), { ...canary('v3'), name: 'v2' }] }), 'spec.canary[1].predictor.name: "v2": is the name of an earlier canary.'],
  ['a canary with the predictor\'s name', standard({ ...predictor({ name: 'v2' }), canaries: [canary('v2')] }), 'spec.canary[0].predictor.name: "v2": is the name of the predictor that serves now.'],
  ['a canary with the same model', standard({ canaries: [{ ...canary('v2'), changes: {} }] }), 'spec.canary[0].predictor: "v2": serves the same model as the predictor'],
  ['a canary beside a container', standard({ predictor: CONTAINER, canaries: [{ ...canary('v2'), changes: { container: { image: 'server:2' } } }] }),
    'spec.canary[0].predictor: "v2": KServe compares models, and the predictor is a custom container.'],
  ['a canary with more replicas than the predictor', standard({ canaries: [{ ...canary('v2'), replicas: 2 }] }), 'spec.canary[0].predictor.minReplicas: 2: is more than the predictor\'s fewest replicas (1).'],
  ['a canary without replicas', standard({ canaries: [{ ...canary('v2'), replicas: 0 }] }), 'spec.canary[0].predictor.minReplicas: 0: must be a whole number, 1 or more.'],
  ['a canary of several nodes', standard({ autoscaler: 'none', ...predictor({ ...onClaim, worker }), canaries: [{ ...canary('v2'), changes: { storage: [{ uri: 'pvc://models/llama2' }] } }] }),
    'spec.canary[0].predictor.workerSpec: "v2": a canary has one node per replica.'],
  ['replicas of a canary in Knative mode', knative({ canaries: [{ ...canary('v2'), replicas: 1 }] }), 'spec.predictor.minReplicas: 1: Knative scales each revision by its own traffic.'],
  ['two canaries in Knative mode', knative({ canaries: [canary('v2'), canary('v3')] }), 'spec.predictor.canaryTrafficPercent: "v2, v3": Knative mode has one canary'],
  ['two promoted canaries', standard({ canaries: [{ ...canary('v2'), phase: 'promoted' }, { ...canary('v3'), phase: 'promoted' }] }),
    'spec.predictor.name: "v2, v3": only one canary can replace the predictor.'],
];

/** What is said of the object in YAML that a service is rendered to. */
function saidOfObject(service: NamedInferenceService): string[] {
  const object = JSON.parse(JSON.stringify(constructInferenceService(service))) as ManifestObject;
  return checkForeign(object, [object]).map(formatViolation);
}

/** What an object in YAML does not say, or may say: a server without a model may have TrainedModels, a container can be merged into a runtime's. */
const ONLY_IN_CODE: readonly string[] = [
  'a model without storage', 'a scheme that every object has', 'an entry of the storage secret beside a URI', 'an entry of the storage secret for a container', 'two metrics in Knative mode',
  'an autoscaler in Knative mode', 'a delay of two hours in Knative mode', 'a sidecar with the server\'s name', 'slices of GPUs over several nodes', 'slices of GPUs on the worker',
];

/** Candidates are not read, and a query that no autoscaler asks for is not rendered. */
const isRead = (what: string, { spec: { canaries } }: NamedInferenceService) => canaries === undefined && !/^a query (with|in) /.test(what);

test.each(BROKEN)('%s is one violation', (what, service, line) => {
  const lines = validateInferenceService(service).map(formatViolation);
  expect(lines).toEqual([expect.stringContaining(line)]);
  if (isRead(what, service)) {
    expect(saidOfObject(service)).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines);
  }
});

test('every violation says what to do', () => {
  const messages = BROKEN.flatMap(([, service]) => validateInferenceService(service)).map(({ message }) => message);
  expect(messages.filter((message) => !/\.$|\?$/.test(message))).toEqual([]);
});

/** What is right, at the edge of a rule. */
const VALID: readonly (readonly [string, NamedInferenceService])[] = [
  ['the least', standard()],
  ['the least in Knative mode', knative()],
  ['a name of 53 characters', standard({}, long(53))],
  ['a namespace that just fits', standard({}, long(20), long(32))],
  ['a namespace in Knative mode, which has labels of their own', knative({}, long(20), long(60))],
  ['zero replicas in Knative mode', knative(scaled({ minReplicas: 0, maxReplicas: 3 }))],
  ['zero replicas with KEDA by a query', standard({ autoscaler: 'keda', ...scaled({ minReplicas: 0, ...metric('prometheus', 1, { query: 'up' }) }) })],
  ['a limit for an autoscaler of others', standard({ autoscaler: 'external', ...scaled({ minReplicas: 1, maxReplicas: 3 }) })],
  ['cpu in Knative mode', knative(scaled(metric('cpu', 100)))],
  ['a model that the server loads', standard({ predictor: { model: { format: 'huggingface' }, args: ['--model_id=openai-community/gpt2'] } })],
  ['a runtime of the user\'s with any format', standard(predictor({ model: { format: 'mine', runtime: 'my-runtime' } }))],
  ['a scheme of an own storage container', standard(predictor({ storage: [{ uri: 'dvc://repo/model', ownContainer: true }] }))],
  ['such a scheme in a variable', standard({ predictor: { ...CONTAINER, env: [{ name: 'STORAGE_URI', value: 'dvc://repo/model' }] } })],
  ['an entry of the storage secret', standard(predictor({ storage: [{ secretEntry: { key: 's3', path: 'iris' } }] }))],
  ['a claim beside a download elsewhere', standard(predictor({ storage: [{ uri: 'gs://m/a', mountPath: '/mnt/a' }, { uri: 'pvc://m/b', mountPath: '/opt/b' }] }))],
  ['all traffic for canaries', standard({ canaries: [canary('v2', 50), canary('v3', 50)] })],
  ['a canary without traffic', standard({ canaries: [canary('v2', 0)] })],
  ['a promoted canary beside one that serves', standard({ canaries: [{ ...canary('v2', 100), phase: 'promoted' }, canary('v3', 100)] })],
  ['a canary of a container in Knative mode', knative({ predictor: CONTAINER, canaries: [{ ...canary('v2'), changes: { container: { image: 'server:2' } } }] })],
  ['several nodes', standard({ autoscaler: 'none', ...predictor({ ...onClaim, worker, resources: { gpu: 8 } }) })],
  ['an explainer that needs no storage', standard({ explainer: { art: { type: 'SquareAttack' } } })],
];

test.each(VALID)('%s is valid', (_what, service) => {
  expect(validateInferenceService(service).map(formatViolation)).toEqual([]);
  expect(saidOfObject(service)).toEqual([]);
});

test.each([
  'gs://bucket', 's3://bucket/a/b', 'pvc://claim/a', 'hf://org/model:main', 'oci://registry.example/models/iris:1', 'model-registry://iris/v1', 'https://host/file',
  'http://host/file', 'hdfs://path', 'webhdfs://host/path', 'file:///mnt/x',
])('%s has a scheme that KServe downloads from', (uri) => {
  expect(validateInferenceService(standard(predictor({ storage: [{ uri }] })))).toEqual([]);
  expect(STORAGE_SCHEMES).toContain(uri.split('://')[0]);
});

test('everything that is wrong is told at once', () => {
  const wrong = standard({ predictor: { ...SKLEARN, env: [{ name: 'PYTHONPATH', value: '/' }], scaling: { minReplicas: 0 } }, canaries: [canary('v2', 101)] }, 'Iris');
  expect(validateInferenceService(wrong).map(({ path }) => path)).toEqual(['metadata.name', 'spec.predictor.minReplicas', 'spec.predictor.env', 'spec.canary[0].trafficPercent']);
});
