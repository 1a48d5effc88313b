import { App, Chart, Testing } from 'cdk8s';
import { parse } from 'yaml';
import { Accelerator, Engine, Framework, GpuSharing, MigSize, MigStrategy, TrainingJob, type ProductOptions } from '../../../src';
import { GpuNodePool, GkeClusterReference } from '../../../src/constructs/gke';
import {
  DevicePluginConfig, DevicePluginSharing, FeatureMatch, FeatureValue, GpuOperatorPolicy, MigLayout, MigPartedConfig, NodeFeatureRule,
} from '../../../src/constructs/gpu-operator';
import { RayCluster } from '../../../src/constructs/ray';
import { SparkApplication, SparkProgram } from '../../../src/constructs/spark';
import { errorsOf } from '../../support/synth-errors';

const synthesized = (build: (chart: Chart) => void) => {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'gpu-operator' });
  build(chart);
  return Testing.synth(chart);
};
const problems = (build: (chart: Chart) => void) => {
  const app = new App();
  build(new Chart(app, 'test', { namespace: 'gpu-operator' }));
  return errorsOf(app);
};
const policyOf = (build: (chart: Chart) => void) => synthesized(build).find(({ kind }) => kind === 'ClusterPolicy');

describe('the device plugin', () => {
  const files = (build: (chart: Chart) => void) => {
    const [{ kind, apiVersion, data }] = synthesized(build);
    expect({ kind, apiVersion }).toEqual({ kind: 'ConfigMap', apiVersion: 'v1' });
    return Object.fromEntries(Object.entries(data as { [name: string]: string }).map(([name, text]) => [name, parse(text)]));
  };

  test('has a file for each configuration', () => {
    expect(files((chart) => void new DevicePluginConfig(chart, 'P', {
      configs: {
        none: {},
        slices: {
          migStrategy: MigStrategy.MIXED,
          sharing: DevicePluginSharing.timeSlicing({ failRequestsGreaterThanOne: false, renameByDefault: false })
            .gpus(4).partitions(MigSize.MIG_1G_10GB, 2),
        },
        mps: { sharing: DevicePluginSharing.mps().gpus(10) },
      },
    }))).toEqual({
      none: { version: 'v1', flags: { migStrategy: 'none' } },
      slices: {
        version: 'v1', flags: { migStrategy: 'mixed' },
        sharing: { timeSlicing: { renameByDefault: false, failRequestsGreaterThanOne: false, resources: [{ name: 'nvidia.com/gpu', replicas: 4 }, { name: 'nvidia.com/mig-1g.10gb', replicas: 2 }] } },
      },
      mps: { version: 'v1', flags: { migStrategy: 'none' }, sharing: { mps: { renameByDefault: true, resources: [{ name: 'nvidia.com/gpu', replicas: 10 }] } } },
    });
  });

  test('takes configurations later, each name once', () => {
    expect(Object.keys(files((chart) => {
      const config = new DevicePluginConfig(chart, 'P');
      config.addConfig('a', {});
      expect(() => config.addConfig('a', {})).toThrow('DevicePluginConfig \'P\': there is already a configuration \'a\'. Use another name.');
    }))).toEqual(['a']);
  });

  test('tells labels of nodes and what they have to give', () => {
    synthesized((chart) => {
      const config = new DevicePluginConfig(chart, 'P', { configs: { a: { migStrategy: MigStrategy.MIXED, sharing: DevicePluginSharing.timeSlicing().partitions(MigSize.MIG_1G_10GB, 3) } } });
      expect(config.nodeLabels('a')).toEqual({ [DevicePluginConfig.NODE_LABEL]: 'a' });
      expect(config.allocatable('a', 8, MigLayout.of({ '1g.10gb': 7 }))).toEqual({ 'nvidia.com/mig-1g.10gb.shared': 168 });
      expect(config.allocatable('a', 8)).toEqual({ 'nvidia.com/gpu': 8 });
      expect(() => config.nodeLabels('b')).toThrow('there is no configuration \'b\'. Configurations: a.');
    });
  });

  test('says what is wrong, with its source', () => {
    expect(problems((chart) => void new DevicePluginConfig(chart, 'P', { metadata: { name: 'p' }, configs: { a: { sharing: DevicePluginSharing.mps().gpus(1) } }, defaultConfig: 'b' }))).toEqual([
      '[test/P] DevicePluginConfig \'p\': configs.a.sharing.resources[0].replicas: 1: must be a whole number, 2 or more: one client does not share, so omit it. (https://github.com/NVIDIA/k8s-device-plugin/blob/19d7d8f/api/config/v1/replicas.go)',
      '[test/P] DevicePluginConfig \'p\': defaultConfig: "b": is not one of the configurations a. Did you mean \'a\'? (https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html)',
    ]);
  });
});

describe('the MIG manager', () => {
  test('has all configurations in one file, and the one that the operator begins with', () => {
    const [{ data }] = synthesized((chart) => {
      const config = new MigPartedConfig(chart, 'M', { configs: { small: [MigLayout.of({ '1g.10gb': 7 })] } });
      config.addConfig('first', [MigLayout.of({ '3g.40gb': 2 }, { devices: [0], deviceFilter: ['0x233010DE'], product: 'NVIDIA-H100-80GB-HBM3' }), MigLayout.disabled({ devices: [1] })]);
      expect(config.nodeLabels('first')).toEqual({ [MigPartedConfig.NODE_LABEL]: 'first' });
      expect(config.nodeLabels('all-disabled')).toEqual({ 'nvidia.com/mig.config': 'all-disabled' });
      expect(() => config.nodeLabels('second')).toThrow('there is no configuration \'second\'. Configurations: all-disabled, small, first.');
      expect(() => config.addConfig('first', [])).toThrow('there is already a configuration \'first\'');
    });
    expect(parse((data as { 'config.yaml': string })['config.yaml'])).toEqual({
      'version': 'v1',
      'mig-configs': {
        'all-disabled': [{ 'devices': 'all', 'mig-enabled': false }],
        'small': [{ 'devices': 'all', 'mig-enabled': true, 'mig-devices': { '1g.10gb': 7 } }],
        'first': [{ 'device-filter': ['0x233010DE'], 'devices': [0], 'mig-enabled': true, 'mig-devices': { '3g.40gb': 2 } }, { 'devices': [1], 'mig-enabled': false }],
      },
    });
  });

  test('says what is wrong', () => {
    expect(problems((chart) => void new MigPartedConfig(chart, 'M', { metadata: { name: 'm' }, configs: { a: [MigLayout.of({ '1g.5gb': 8 })] } }))).toEqual([
      '[test/M] MigPartedConfig \'m\': configs.a[0].partitions: {"1g.5gb":8}: do not fit together on one GPU. A100 40 GB has room for 7 of 1g.5gb. Use fewer of them. (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/)',
    ]);
  });
});

describe('the policy', () => {
  test('runs the operator\'s parts, and leaves the rest to it', () => {
    const { metadata, spec } = policyOf((chart) => void new GpuOperatorPolicy(chart, 'P'));
    expect(metadata).toEqual({ name: 'cluster-policy' });
    expect(policyOf((chart) => void new GpuOperatorPolicy(chart, 'P', { metadata: { name: undefined, labels: { a: 'b' } } })).metadata).toEqual({ name: 'cluster-policy', labels: { a: 'b' } });
    expect(spec).toEqual({
      operator: { defaultRuntime: 'containerd' }, daemonsets: {}, driver: { enabled: true }, toolkit: { enabled: true }, devicePlugin: { enabled: true }, gfd: { enabled: true },
      dcgm: { enabled: false }, dcgmExporter: { enabled: true }, mig: { strategy: 'single' }, migManager: { enabled: true }, nodeStatusExporter: { enabled: false },
    });
  });

  test('names the ConfigMaps, and takes what is added to them later', () => {
    const { spec } = policyOf((chart) => {
      const plugin = new DevicePluginConfig(chart, 'D', { metadata: { name: 'sharing' }, defaultConfig: 'a' });
      const mig = new MigPartedConfig(chart, 'M', { metadata: { name: 'parts' } });
      new GpuOperatorPolicy(chart, 'P', {
        devicePluginConfig: plugin, migConfig: mig, migStrategy: MigStrategy.MIXED, operatorNamespace: 'gpu-operator', driver: { enabled: false }, toolkit: { version: 'v1.18.0' },
        kernelModuleType: 'open', dcgm: {}, dcgmExporter: { version: '4' }, serviceMonitor: true, nodeStatusExporter: {}, cdi: true, tolerations: [{ key: 'team' }],
        devicePlugin: { version: 'v0.18.0' }, gpuFeatureDiscovery: { enabled: false },
      });
      plugin.addConfig('a', { migStrategy: MigStrategy.MIXED });
      mig.addConfig('b', [MigLayout.of({ '1g.10gb': 7 })]);
    });
    expect(spec).toMatchObject({
      devicePlugin: { enabled: true, version: 'v0.18.0', config: { name: 'sharing', default: 'a' } }, gfd: { enabled: false }, mig: { strategy: 'mixed' }, migManager: { config: { name: 'parts', default: 'all-disabled' } },
      driver: { enabled: false, kernelModuleType: 'open' }, toolkit: { enabled: true, version: 'v1.18.0' }, dcgm: { enabled: true }, dcgmExporter: { version: '4', serviceMonitor: { enabled: true } },
      cdi: { enabled: true }, daemonsets: { tolerations: [{ key: 'team', operator: 'Exists' }] }, nodeStatusExporter: { enabled: true },
    });
  });

  test('says what does not go together', () => {
    expect(problems((chart) => {
      const mig = new MigPartedConfig(chart, 'M', { metadata: { name: 'parts', namespace: 'team-a' }, configs: { a: [MigLayout.of({ '1g.10gb': 2, '2g.20gb': 1 })] } });
      new GpuOperatorPolicy(chart, 'P', { migConfig: mig, operatorNamespace: 'gpu-operator', migManager: { enabled: false } });
    }).map((line) => line.replace(/^.*?: (.*) \(http.*$/, '$1'))).toEqual([
      'migManager.enabled: false: partitions the GPUs as described in ConfigMap parts. Enable it, or remove the ConfigMap here.',
      'migConfig.configs.a[0].partitions: {"1g.10gb":2,"2g.20gb":1}: are of several sizes, and with the strategy single all partitions of a node are nvidia.com/gpu. Use one size, or the strategy mixed.',
      'migConfig: "team-a": is not the namespace of the operator, gpu-operator, where it looks for the ConfigMap. Create it there.',
    ]);
  });
});

describe('rules of node feature discovery', () => {
  test('are written as they are given, and added later', () => {
    const [{ metadata, spec }] = synthesized((chart) => {
      const rule = new NodeFeatureRule(chart, 'Fabric', { rules: { ib: { labels: { 'e.x/fabric': 'ib' }, allOf: [FeatureMatch.pciDevice('15b3', ['101b'])] } } });
      rule.addRule('kernel', {
        annotations: { 'e.x/kernel': 'new' }, taints: [{ key: 'e.x/new', value: 'yes', effect: 'NoSchedule' }], extendedResources: { 'e.x/numa': '@memory.numa.node_count' },
        anyOf: [
          FeatureMatch.of('kernel.version', { major: FeatureValue.atLeast(6), minor: FeatureValue.between(1, 12) }),
          FeatureMatch.named('kernel.loadedmodule', FeatureValue.matches('^nvidia')),
          FeatureMatch.of('cpu.cpuid', { AVX512F: FeatureValue.EXISTS, SSE4: FeatureValue.DOES_NOT_EXIST }),
          FeatureMatch.of('memory.numa', { is_numa: FeatureValue.IS_TRUE, node_count: FeatureValue.atMost(8) }),
          FeatureMatch.of('system.osrelease', { ID: FeatureValue.notIn('rhel') }),
        ],
      });
    });
    expect(metadata).toEqual({ name: 'test-fabric' });
    expect(spec).toEqual({ rules: [
      { name: 'ib', labels: { 'e.x/fabric': 'ib' }, matchFeatures: [{ feature: 'pci.device', matchExpressions: { vendor: { op: 'In', value: ['15b3'] }, device: { op: 'In', value: ['101b'] } } }] },
      {
        name: 'kernel', annotations: { 'e.x/kernel': 'new' }, taints: [{ key: 'e.x/new', value: 'yes', effect: 'NoSchedule' }], extendedResources: { 'e.x/numa': '@memory.numa.node_count' },
        matchAny: [
          { matchFeatures: [{ feature: 'kernel.version', matchExpressions: { major: { op: 'Ge', value: ['6'] }, minor: { op: 'GeLe', value: ['1', '12'] } } }] },
          { matchFeatures: [{ feature: 'kernel.loadedmodule', matchName: { op: 'InRegexp', value: ['^nvidia'] } }] },
          { matchFeatures: [{ feature: 'cpu.cpuid', matchExpressions: { AVX512F: { op: 'Exists' }, SSE4: { op: 'DoesNotExist' } } }] },
          { matchFeatures: [{ feature: 'memory.numa', matchExpressions: { is_numa: { op: 'IsTrue' }, node_count: { op: 'Le', value: ['8'] } } }] },
          { matchFeatures: [{ feature: 'system.osrelease', matchExpressions: { ID: { op: 'NotIn', value: ['rhel'] } } }] },
        ],
      },
    ] });
  });

  test('say what is wrong', () => {
    const [line] = problems((chart) => void new NodeFeatureRule(chart, 'R', { rules: { r: { labels: { gpu: 'yes' }, allOf: [FeatureMatch.pciDevice('10de')] } } }));
    expect(line).toContain('NodeFeatureRule \'test-r\': rules[0].labels: "gpu": has no namespace. Write feature.node.kubernetes.io/gpu, or your own domain.');
  });
});

test('everything together is what it was', () => {
  expect(synthesized((chart) => {
    const devicePluginConfig = new DevicePluginConfig(chart, 'Sharing', { configs: { a: { sharing: DevicePluginSharing.timeSlicing().gpus(4) } }, defaultConfig: 'a' });
    const migConfig = new MigPartedConfig(chart, 'Partitions', { configs: { b: [MigLayout.of({ '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 })] } });
    new GpuOperatorPolicy(chart, 'Policy', { devicePluginConfig, migConfig, migStrategy: MigStrategy.MIXED });
    new NodeFeatureRule(chart, 'Fabric', { rules: { ib: { labels: { 'e.x/fabric': 'ib' }, allOf: [FeatureMatch.pciDevice('15b3')] } } });
  })).toMatchSnapshot();
});

describe('jobs off GKE', () => {
  const h100 = (options?: ProductOptions) => Accelerator.product('NVIDIA-H100-80GB-HBM3', options);
  const timeShared = GpuSharing.timeSharing(4);
  const single = { migStrategy: MigStrategy.SINGLE };
  test.each<readonly [string, Accelerator, number, string, object]>([
    ['whole GPUs', h100(), 8, 'nvidia.com/gpu', { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' }],
    ['a partition by its name', h100().partitioned(MigSize.MIG_1G_10GB), 1, 'nvidia.com/mig-1g.10gb', { 'nvidia.com/mig-1g.10gb.product': 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb', 'nvidia.com/mig.strategy': 'mixed' }],
    ['several partitions', h100().partitioned(MigSize.MIG_1G_10GB), 2, 'nvidia.com/mig-1g.10gb', { 'nvidia.com/mig-1g.10gb.product': 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb', 'nvidia.com/mig.strategy': 'mixed' }],
    ['a partition with media engines', h100().partitioned(MigSize.of('1g.10gb+me')), 1, 'nvidia.com/mig-1g.10gb.me', { 'nvidia.com/mig-1g.10gb.me.product': 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me', 'nvidia.com/mig.strategy': 'mixed' }],
    ['a partition as a GPU', h100(single).partitioned(MigSize.MIG_1G_10GB), 1, 'nvidia.com/gpu', { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb', 'nvidia.com/mig.strategy': 'single' }],
    ['a share by its name', h100().shared(timeShared), 1, 'nvidia.com/gpu.shared', { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.sharing-strategy': 'time-slicing', 'nvidia.com/gpu.replicas': '4' }],
    ['a share as a GPU', h100({ renamedShares: false }).shared(GpuSharing.mps(2)), 1, 'nvidia.com/gpu', { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3-SHARED', 'nvidia.com/gpu.sharing-strategy': 'mps', 'nvidia.com/gpu.replicas': '2' }],
    ['a share of a partition', h100().partitioned(MigSize.MIG_1G_10GB).shared(timeShared), 1, 'nvidia.com/mig-1g.10gb.shared', { 'nvidia.com/mig-1g.10gb.product': 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb', 'nvidia.com/mig.strategy': 'mixed' }],
  ])('ask for %s', (_what, accelerator, count, resource, selector) => {
    const request = accelerator.count(count);
    expect(request).toMatchObject({ resourceName: resource, count, nodeSelector: selector, warnings: [] });
    const [{ spec }] = synthesized((chart) => void new TrainingJob(chart, 'J', { framework: Framework.pytorch(), image: 'i', replicas: 1, accelerator: request }));
    expect(spec.resources.gpu).toBe(count);
    expect(spec.resources.gpuResourceName).toBe(resource === 'nvidia.com/gpu' ? undefined : resource);
    expect(spec.scheduling.nodeSelector).toEqual(selector);
    expect(spec.scheduling.tolerations).toEqual(resource.endsWith('.shared') ? [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }] : undefined);
  });

  test('get shared memory for several whole GPUs', () => {
    expect(h100().count(8).sharedMemory?.toGibibytes()).toBe(64);
    expect(h100().partitioned(MigSize.MIG_1G_10GB).count(2).sharedMemory).toBeUndefined();
  });

  test('say what is wrong', () => {
    const [line] = problems((chart) => void new TrainingJob(chart, 'J', {
      metadata: { name: 'j' }, framework: Framework.pytorch(), image: 'i', replicas: 1, accelerator: h100().partitioned(MigSize.MIG_1G_5GB).count(1),
    }));
    expect(line).toBe('[test/J] TrainingJob \'j\': accelerator.partition: "1g.5gb": is not a size of NVIDIA-H100-80GB-HBM3, which has 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb or 7g.80gb. Did you mean \'1g.10gb\'?');
    expect(() => h100().onMachine('a3-highgpu-8g')).toThrow('onMachine() is for GKE');
    expect(() => synthesized((chart) => void new GpuNodePool(chart, 'P', { cluster: GkeClusterReference.named('c', { location: 'l' }), accelerator: h100() })))
      .toThrow('Accelerator \'NVIDIA-H100-80GB-HBM3\': a GKE node pool cannot use an accelerator of other clusters.');
  });

  test.each([['jobset', Engine.jobSet()], ['job', Engine.job()], ['trainer', Engine.trainer()], ['volcano', Engine.volcano()]])('run on the engine %s', (_name, engine) => {
    const text = JSON.stringify(synthesized((chart) => void new TrainingJob(chart, 'J', {
      framework: Framework.pytorch(), image: 'i', command: ['train'], replicas: 2, engine, accelerator: h100().partitioned(MigSize.MIG_1G_10GB).count(1),
    })));
    expect(text).toContain('"nvidia.com/mig-1g.10gb":"1"');
    expect(text).toContain('"nvidia.com/mig-1g.10gb.product":"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"');
  });

  test('of Ray are told where KubeRay would not count the resource', () => {
    const [line] = problems((chart) => void new RayCluster(chart, 'R', { image: 'i', head: {}, workerGroups: [{ name: 'w', replicas: 1, accelerator: h100().shared(timeShared).count(1) }] }));
    expect(line).toContain('"nvidia.com/gpu.shared": is not a resource that KubeRay counts as GPUs, so Ray would see none.');
  });

  test('of Ray and Spark ask alike', () => {
    const accelerator = h100(single).partitioned(MigSize.MIG_1G_10GB).count(1);
    const objects = synthesized((chart) => {
      new RayCluster(chart, 'R', { image: 'i', head: {}, workerGroups: [{ name: 'w', replicas: 1, accelerator }] });
      new SparkApplication(chart, 'S', { image: 'i', program: SparkProgram.python('local:///a.py'), executor: { instances: 1, accelerator } });
    });
    const selecting = objects.filter((object) => JSON.stringify(object).includes('"nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"'));
    expect(selecting.map(({ kind }) => kind).sort()).toEqual(['RayCluster', 'SparkApplication']);
  });
});
