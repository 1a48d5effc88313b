import {
  constructLocalModelCacheSpec, constructNodeGroupSpec, constructServingRuntimeSpec, constructStorageContainerSpec,
} from '../../../src/manifests/serving/platform-objects';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { ObjectsOfPlace } from '../../../src/model/checks/reference-rules';
import { validateLocalModelCache, validateNodeGroup, type LocalModelCacheSpec } from '../../../src/model/serving/cache';
import { conflictWithRuntime, validateServingRuntime, validateStorageContainer, type ServingRuntimeSpec } from '../../../src/model/serving/runtime';
import { formatViolation } from '../../../src/model/violations';

const RUNTIME: ServingRuntimeSpec = { formats: [{ name: 'sklearn', autoSelect: true, priority: 1 }], protocols: ['v1'], image: 'server:1' };

/** What is said of an object in YAML. @param groups groups of nodes with their limits */
function saidOfObject(kind: string, name: string, spec: unknown, groups: LocalModelCacheSpec['nodeGroups'] = []): string[] {
  const apiVersion = 'serving.kserve.io/v1alpha1';
  const object = { apiVersion, kind, metadata: { name }, spec: JSON.parse(JSON.stringify(spec)) as object };
  const others = groups.map(({ name: group, limit }) => (
    { apiVersion, kind: 'LocalModelNodeGroup', metadata: { name: group }, spec: { storageLimit: limit } }));
  return checkForeign(object, [object, ...others]).map(formatViolation);
}

describe('a runtime', () => {
  const BROKEN: readonly (readonly [string, Partial<ServingRuntimeSpec>, string])[] = [
    ['no formats', { formats: [] }, 'spec.supportedModelFormats: a runtime without formats serves no model.'],
    ['one format twice', { formats: [{ name: 'onnx' }, { name: 'ONNX' }] }, 'spec.supportedModelFormats[1]: "onnx": is already in the list.'],
    ['a priority of 0', { formats: [{ name: 'onnx', autoSelect: true, priority: 0 }] }, 'spec.supportedModelFormats[0].priority: 0: must be a whole number, 1 or more.'],
    ['a priority that nobody reads', { formats: [{ name: 'onnx', priority: 1 }] }, 'spec.supportedModelFormats[0].priority: 1: ranks runtimes for automatic selection'],
    ['two priorities of a format', { formats: [{ name: 'onnx', version: '1', autoSelect: true, priority: 1 }, { name: 'onnx', version: '2', autoSelect: true, priority: 2 }] },
      'spec.supportedModelFormats[1].priority: 2: another version of \'onnx\' has the priority 1'],
    ['no protocols', { protocols: [] }, 'spec.protocolVersions: is required'],
    ['a placeholder with a slip', { args: ['--model_name={{.Nmae}}'] }, 'spec.containers[0].args[0]: "--model_name={{.Nmae}}": KServe fills in {{.Name}}, {{.Namespace}}'],
    ['a placeholder without a dot', { env: [{ name: 'MODEL', value: '{{ Name }}' }] }, 'Did you mean \'.Name\'?'],
    ['a variable of the worker', { worker: {}, env: [{ name: 'PIPELINE_PARALLEL_SIZE', value: '2' }] }, 'is set by KServe from the worker.'],
    ['no stage of a pipeline', { worker: { pipelineParallel: 0 } }, 'spec.workerSpec.pipelineParallelSize: 0: must be a whole number'],
    ['no GPU of a node', { worker: { tensorParallel: 0 } }, 'spec.workerSpec.tensorParallelSize: 0: must be a whole number'],
    ['slices over several nodes', { worker: {}, resources: { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' } }, 'spec.containers[0].resources: "nvidia.com/mig-1g.5gb"'],
  ];

  /** KServe takes a runtime without protocols for one of all, and its own runtimes have priorities that nobody reads. */
  const ONLY_IN_CODE: readonly string[] = ['no protocols', 'a priority that nobody reads'];

  test.each(BROKEN)('with %s is one violation', (what, fields, line) => {
    const lines = validateServingRuntime('mine', { ...RUNTIME, ...fields }).map(formatViolation);
    expect(lines).toEqual([expect.stringContaining(line)]);
    for (const kind of ['ServingRuntime', 'ClusterServingRuntime']) {
      // Further nodes are rendered with the resources of the first one.
      const said = saidOfObject(kind, 'mine', constructServingRuntimeSpec({ ...RUNTIME, ...fields })).filter((each) => !each.startsWith('spec.workerSpec.containers[0].resources'));
      expect(said).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines);
    }
  });

  const inYaml = (container: object, more: object = {}) => (
    saidOfObject('ServingRuntime', 'mine', { supportedModelFormats: [{ name: 'onnx', autoSelect: true }], containers: [{ name: 'kserve-container', ...container }], ...more }));

  test('in YAML may use templates of Go that are more than names, and GPUs that it names itself', () => {
    expect(inYaml({ args: ['{{if .Labels.x}}--x{{end}}', '{{.UID}}', '{{index .Labels "a/b"}}', '{{ .Name }}'], command: ['{{ message[\'role\'] }}'] })).toEqual([]);
    const gpus = { resources: { limits: { 'example.com/gpu': 1 } } };
    expect(inYaml(gpus, { workerSpec: { containers: [gpus] }, annotations: { 'serving.kserve.io/gpu-resource-types': '["example.com/gpu"]' } })).toEqual([]);
    expect(inYaml(gpus, { workerSpec: { containers: [gpus] } })).toHaveLength(2);
    expect(inYaml(gpus, { workerSpec: { containers: [gpus] }, disabled: true })).toEqual([]);
  });

  test.each([null, 'x', { containers: 'x', supportedModelFormats: [null, 1] }, { containers: [null], workerSpec: 'x', protocolVersions: 1 }])('in YAML, %j ends nothing', (spec) => {
    expect(() => saidOfObject('ServingRuntime', 'mine', spec)).not.toThrow();
  });

  test('with a name that has capitals is one violation', () => {
    expect(validateServingRuntime('Mine', RUNTIME).map(({ path }) => path)).toEqual(['metadata.name']);
  });

  test('may have dots in its name', () => {
    expect(validateServingRuntime('vllm-0.11', RUNTIME)).toEqual([]);
  });

  test('may use all that KServe fills in', () => {
    const args = ['--name={{.Name}}', '--ns={{ .Namespace }}', '--class={{.Labels.modelClass}}', '--format={{.Annotations.modelFormat}}', '{"json": {"a": 1}}'];
    expect(validateServingRuntime('mine', { ...RUNTIME, args })).toEqual([]);
  });

  test('conflicts with another of the same format, version, priority and protocol, and with nothing else', () => {
    const other = (fields: Partial<ServingRuntimeSpec>) => conflictWithRuntime(RUNTIME, { name: 'first', spec: { ...RUNTIME, ...fields } }).map(formatViolation);
    expect(other({})).toEqual(['spec.supportedModelFormats: "sklearn": \'first\' serves the format with the same priority (1) and protocol, and KServe refuses the second. Give one of them another priority.']);
    expect(other({ formats: [{ name: 'SKLearn', autoSelect: true, priority: 1 }] })).toHaveLength(1);
    expect(other({ protocols: ['v2'] })).toEqual([]);
    expect(other({ disabled: true })).toEqual([]);
    expect(other({ formats: [{ name: 'sklearn', autoSelect: true, priority: 2 }] })).toEqual([]);
    expect(other({ formats: [{ name: 'sklearn', version: '1', autoSelect: true, priority: 1 }] })).toEqual([]);
    expect(other({ formats: [{ name: 'sklearn', priority: 1 }] })).toEqual([]);
  });

  test('in YAML conflicts with one that comes before it, of its kind and namespace', () => {
    const runtime = (name: string, more: object = {}, metadata: object = {}, kind = 'ServingRuntime') => ({
      apiVersion: 'serving.kserve.io/v1alpha1', kind, metadata: { name, namespace: 'ml', ...metadata },
      spec: { supportedModelFormats: [{ name: 'onnx', autoSelect: true, priority: 1 }], protocolVersions: ['v2'], containers: [], ...more },
    });
    const one = runtime('one');
    const told = (second: ReturnType<typeof runtime>) => [...checkForeign(one, [one, second]), ...checkForeign(second, [one, second])].map(({ path, message }) => `${path} ${message}`);
    expect(told(runtime('two'))).toEqual([expect.stringContaining('spec.supportedModelFormats \'one\' serves the format with the same priority (1)')]);
    expect([
      runtime('one'), runtime('two', {}, { namespace: 'other' }), runtime('two', {}, {}, 'ClusterServingRuntime'), runtime('two', { disabled: true }),
      // KServe's webhook does not compare them.
      runtime('two', { multiModel: true }), runtime('two', { protocolVersions: [] }), runtime('two', { supportedModelFormats: [{ name: 'onnx', autoSelect: true }] }),
    ].flatMap(told)).toEqual([]);
  });
});

describe('a storage container', () => {
  test.each([
    ['nothing to download', {}, 'spec.supportedUriFormats: is required'],
    ['a scheme of KServe', { formats: [{ prefix: 'gs://' }] }, '"gs://": belongs to KServe\'s own container'],
    ['no scheme', { formats: [{ prefix: 'models/' }] }, '"models/": must begin with a scheme'],
    ['a pattern that is none', { formats: [{ regex: 'dvc://(.*' }] }, 'spec.supportedUriFormats[0].regex: "dvc://(.*": is not a regular expression'],
  ])('with %s is one violation', (_what, fields, line) => {
    const spec = { image: 'x', formats: [], ...fields };
    const lines = validateStorageContainer(spec).map(formatViolation);
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(saidOfObject('ClusterStorageContainer', 'mine', constructStorageContainerSpec(spec))).toEqual(lines);
  });

  test('in YAML may be KServe\'s own, or one for the disks of nodes', () => {
    const spec = { container: {}, supportedUriFormats: [{ regex: 'https://(.+)' }, { prefix: 'hf://' }] };
    expect(saidOfObject('ClusterStorageContainer', 'default', spec)).toEqual([]);
    expect(saidOfObject('ClusterStorageContainer', 'mine', { ...spec, workloadType: 'localModelDownloadJob' })).toEqual([]);
    expect(saidOfObject('ClusterStorageContainer', 'mine', spec)).toEqual([expect.stringContaining('spec.supportedUriFormats[1].prefix: "hf://"')]);
    expect(() => saidOfObject('ClusterStorageContainer', 'mine', { supportedUriFormats: [null, 'x'] })).not.toThrow();
  });

  test('with a prefix and a pattern is valid', () => {
    expect(validateStorageContainer({ image: 'x', formats: [{ prefix: 'dvc://' }, { regex: 'https://hub\\.example/.+' }, { regex: '(?i)dvc://(?P<repository>.+)' }] })).toEqual([]);
  });
});

describe('a cache', () => {
  const CACHE: LocalModelCacheSpec = { uri: 'hf://org/model', size: '10Gi', nodeGroups: [{ name: 'ssd', limit: '100Gi' }] };

  test.each([
    ['a place in the storage secret', { uri: undefined }, 'spec.sourceModelUri: is required'],
    ['an unknown scheme', { uri: 'gcs://m/a' }, 'spec.sourceModelUri: "gcs://m/a": KServe downloads from'],
    ['a claim', { uri: 'pvc://m/a' }, 'spec.sourceModelUri: "pvc://m/a": is already mounted or pulled by each pod'],
    ['no nodes', { nodeGroups: [] }, 'spec.nodeGroups: is required'],
    ['nodes twice', { nodeGroups: [{ name: 'ssd' }, { name: 'ssd' }] }, 'spec.nodeGroups[1]: "ssd": is already in the list.'],
    ['too little room', { size: '101Gi' }, 'spec.modelSize: "101Gi": does not fit on the nodes of \'ssd\', whose disks have 100Gi.'],
    ['no size', { size: '0' }, 'spec.modelSize: "0": must be greater than zero'],
  ])('of %s is one violation', (_what, fields, line) => {
    const spec: LocalModelCacheSpec = { ...CACHE, ...fields };
    const lines = validateLocalModelCache('qwen', spec).map(formatViolation);
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(saidOfObject('LocalModelCache', 'qwen', constructLocalModelCacheSpec(spec), spec.nodeGroups)).toEqual(lines);
  });

  test('in YAML may have a scheme of an own storage container, and an account', () => {
    const spec = { sourceModelUri: 'dvc://repo/model', modelSize: '10Gi', nodeGroups: ['ssd'], serviceAccountName: 'models' };
    expect(saidOfObject('LocalModelCache', 'qwen', spec)).toEqual([]);
    expect(saidOfObject('LocalModelNamespaceCache', 'qwen', { ...spec, modelSize: 10_737_418_240 })).toEqual([]);
    expect(() => saidOfObject('LocalModelCache', 'qwen', { nodeGroups: 1, modelSize: [] })).not.toThrow();
  });

  test('may have an account, which is one of the namespace of KServe\'s jobs, of the cluster or of a namespace', () => {
    expect(validateLocalModelCache('qwen', { ...CACHE, serviceAccountName: 'models' })).toEqual([]);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'models', namespace: 'kserve-localmodel-jobs' } };
    const cache = {
      apiVersion: 'serving.kserve.io/v1alpha1', kind: 'LocalModelNamespaceCache', metadata: { name: 'qwen', namespace: 'ml' },
      spec: { ...constructLocalModelCacheSpec(CACHE), serviceAccountName: 'models' },
    };
    expect(new ObjectsOfPlace([account, cache]).check(cache)).toEqual([]);
    const service = { ...cache, kind: 'InferenceService', spec: { predictor: { serviceAccountName: 'models' } } };
    expect(new ObjectsOfPlace([account, service]).check(service).map(({ rule }) => rule)).toEqual(['reference-namespace']);
  });

  test('of one model is one in the cluster; of namespaces there may be several', () => {
    const cache = (name: string, kind = 'LocalModelCache', metadata: object = {}) => (
      { apiVersion: 'serving.kserve.io/v1alpha1', kind, metadata: { name, ...metadata }, spec: constructLocalModelCacheSpec(CACHE) });
    const told = (...caches: ReturnType<typeof cache>[]) => caches.flatMap((each) => checkForeign(each, caches).map(formatViolation));
    expect(told(cache('one'), cache('two'))).toEqual(['spec.sourceModelUri: "hf://org/model": \'one\' caches the same model, and KServe refuses the second. Keep one of them, with the node groups of both.']);
    expect(told(cache('one'), cache('one'), ...['a', 'b'].map((name) => cache(name, 'LocalModelNamespaceCache', { namespace: 'ml' })))).toEqual([]);
  });

  test('has a name that a label can hold, with dots too', () => {
    expect(validateLocalModelCache('qwen-2.5', CACHE)).toEqual([]);
    expect(validateLocalModelCache('a'.repeat(64), CACHE).map(({ path }) => path)).toEqual(['metadata.name']);
  });
});

describe('a group of nodes', () => {
  const GROUP = { limit: '1Ti', path: '/mnt/disks/ssd0', storageClassName: 'local-storage', nodeSelector: { pool: 'gpu' } };

  test.each([
    ['a relative path', { path: 'mnt' }, 'spec.persistentVolumeSpec.local.path: "mnt": must be an absolute path below /'],
    ['a path that climbs', { path: '/mnt/../etc' }, 'must be an absolute path below /'],
    ['no labels', { nodeSelector: {} }, 'spec.persistentVolumeSpec.nodeAffinity: is required'],
  ])('with %s is one violation', (_what, fields, line) => {
    const lines = validateNodeGroup('ssd', { ...GROUP, ...fields }).map(formatViolation);
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(saidOfObject('LocalModelNodeGroup', 'ssd', constructNodeGroupSpec({ ...GROUP, ...fields }))).toEqual(lines);
  });

  test('in YAML may have volumes that are no local disks', () => {
    expect(saidOfObject('LocalModelNodeGroup', 'ssd', { persistentVolumeSpec: { hostPath: { path: 'models' } } })).toEqual([]);
    expect(() => saidOfObject('LocalModelNodeGroup', 'ssd', { persistentVolumeSpec: { local: 1, nodeAffinity: 'x' } })).not.toThrow();
  });
});
