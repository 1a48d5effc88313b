/** Every rule, broken: where, and what the message says to do. */
import fc from 'fast-check';
import { allocatableGpus } from '../../../src/model/accelerators/catalogue';
import { checkClusterPolicy, type ClusterPolicySpec } from '../../../src/model/gpu-operator/cluster-policy';
import { allocatable, checkPluginConfigs, type PluginConfig, type PluginSharing } from '../../../src/model/gpu-operator/device-plugin';
import { checkMigConfigs, withAllDisabled, type MigEntry } from '../../../src/model/gpu-operator/mig-parted';
import { checkFeatureRules, type FeatureRule } from '../../../src/model/gpu-operator/node-feature-rule';
import {
  CLUSTER_POLICY_VERSION, NODE_FEATURE_RULE_VERSION, constructClusterPolicySpec, constructNodeFeatureRuleSpec,
} from '../../../src/manifests/gpu-operator/gpu-operator';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { formatViolation } from '../../../src/model/violations';
import { checkPluginRequest } from '../../../src/model/gpu-operator/plugin-requests';
import { GPU_OPERATOR_RULES } from '../../../src/model/gpu-operator/rules';
import type { PluginGpuRequest } from '../../../src/model/accelerators/requests';
import type { Finding } from '../../../src/model/findings';

const sharing = (more: Partial<PluginSharing>): PluginSharing => ({ strategy: 'timeSlicing', renameByDefault: true, failRequestsGreaterThanOne: true, resources: [{ name: 'nvidia.com/gpu', replicas: 4 }], ...more });
const plugin = (config: Partial<PluginConfig>, defaultConfig?: string) => checkPluginConfigs({ configs: { a: { migStrategy: 'none', ...config } }, defaultConfig });
const shares = (name: string, replicas = 4, more: Partial<PluginSharing> = {}) => sharing({ resources: [{ name, replicas }], ...more });
const mig = (...entries: readonly MigEntry[]) => checkMigConfigs({ a: entries });
const parts = (partitions: MigEntry['partitions'], more: Partial<MigEntry> = {}) => mig({ enabled: true, partitions, ...more });
/** What is found in rules of node feature discovery, with these rules. */
const FEATURE_RULES = new Map<Finding[], readonly FeatureRule[]>();
const features = (rules: readonly FeatureRule[]) => {
  const found = checkFeatureRules(rules);
  FEATURE_RULES.set(found, rules);
  return found;
};
const feature = (more: Partial<FeatureRule>) => features([{ name: 'r', labels: { 'example.com/a': '1' }, ...more }]);
const compares = (op: 'In' | 'Exists' | 'Gt' | 'GeLe' | 'InRegexp', ...value: string[]) => feature({ matchFeatures: [{ feature: 'cpu.model', expressions: { id: { op, value } } }] });
const request = (more: Partial<PluginGpuRequest>) => checkPluginRequest({ kind: 'plugin-gpu', product: 'NVIDIA-H100-80GB-HBM3', count: 1, ...more }, 'accelerator');
const POLICY: ClusterPolicySpec = {
  migStrategy: 'mixed', driver: {}, toolkit: {}, devicePlugin: {}, gpuFeatureDiscovery: {}, dcgm: {}, dcgmExporter: {}, migManager: {}, nodeStatusExporter: {}, tolerations: [],
};
/** What is found in a policy, with the policy. */
const POLICIES = new Map<Finding[], ClusterPolicySpec>();
const policy = (more: Partial<ClusterPolicySpec>) => {
  const found = checkClusterPolicy({ ...POLICY, ...more });
  POLICIES.set(found, { ...POLICY, ...more });
  return found;
};

/** Rule, what breaks it, path, and part of the message. */
const CASES: readonly (readonly [keyof typeof GPU_OPERATOR_RULES, string, Finding[], string, string])[] = [
  ['replicas', 'one client', plugin({ sharing: shares('nvidia.com/gpu', 1) }), 'configs.a.sharing.resources[0].replicas', 'one client does not share, so omit it'],
  ['replicas', 'half a client', plugin({ sharing: shares('nvidia.com/gpu', 2.5) }), 'configs.a.sharing.resources[0].replicas', 'must be a whole number, 2 or more'],
  ['replicas', 'a share of one', request({ sharing: { strategy: 'mps', clients: 1 } }), 'accelerator.sharing.clients', '2 or more'],
  ['mpsClients', '49 clients of MPS', plugin({ sharing: shares('nvidia.com/gpu', 49, { strategy: 'mps' }) }), 'configs.a.sharing.resources[0].replicas', 'Use 48, or time-slicing'],
  ['mpsClients', 'a share of 49', request({ sharing: { strategy: 'mps', clients: 49 } }), 'accelerator.sharing.clients', 'more than the 48 clients'],
  ['mpsOnMig', 'MPS beside partitions', plugin({ migStrategy: 'single', sharing: sharing({ strategy: 'mps' }) }), 'configs.a.migStrategy', 'Use none, or time-slicing'],
  ['mpsOnMig', 'MPS of partitions', request({ partition: '1g.10gb', sharing: { strategy: 'mps', clients: 2 } }), 'accelerator.sharing.strategy', 'Use time-slicing for partitions'],
  ['sharedResource', 'nothing', plugin({ sharing: sharing({ resources: [] }) }), 'configs.a.sharing.resources', 'nothing is shared'],
  ['sharedResource', 'another resource', plugin({ sharing: shares('nvidia.com/gpus') }), 'configs.a.sharing.resources[0].name', 'Did you mean \'nvidia.com/gpu\'?'],
  ['sharedOnce', 'a resource twice', plugin({ sharing: sharing({ resources: [{ name: 'nvidia.com/gpu', replicas: 2 }, { name: 'nvidia.com/gpu', replicas: 3 }] }) }), 'configs.a.sharing.resources[1].name', 'Remove one of the two'],
  ['migProfile', 'a size that no GPU has', plugin({ migStrategy: 'mixed', sharing: shares('nvidia.com/mig-1g.11gb') }), 'configs.a.sharing.resources[0].name', 'Did you mean \'1g.10gb\'?'],
  ['migMixed', 'a size with the strategy single', plugin({ migStrategy: 'single', sharing: shares('nvidia.com/mig-1g.10gb') }), 'configs.a.sharing.resources[0].name', 'Set it to mixed, or share nvidia.com/gpu'],
  ['migMixed', 'a size without partitions', plugin({ sharing: shares('nvidia.com/mig-1g.10gb') }), 'configs.a.sharing.resources[0].name', 'there are no partitions. Set it to mixed'],
  ['migMixed', 'a partition of no strategy', request({ partition: '1g.10gb', migStrategy: 'none' }), 'accelerator.migStrategy', 'Use mixed or single'],
  ['resourceName', 'a name that is too long', plugin({ migStrategy: 'mixed', sharing: shares(`nvidia.com/mig-${'1'.repeat(50)}`) }), 'configs.a.sharing.resources[0].name', 'the maximum is 63'],
  ['configName', 'no configuration', checkPluginConfigs({ configs: {} }), 'configs', 'Add at least one configuration'],
  ['configName', 'a name that is no label', checkPluginConfigs({ configs: { 'a b': { migStrategy: 'none' } } }), 'configs.a b', 'is not a valid label'],
  ['configName', 'a product that is no label', request({ product: 'NVIDIA H100' }), 'accelerator.product', 'kubectl get nodes -L nvidia.com/gpu.product'],
  ['defaultConfig', 'a default with a slip', checkPluginConfigs({ configs: { shared: { migStrategy: 'none' } }, defaultConfig: 'share' }), 'defaultConfig', 'Did you mean \'shared\'?'],
  ['shareCount', 'two shares', request({ count: 2, sharing: { strategy: 'time-sharing', clients: 4 } }), 'accelerator.count', 'Use 1, or whole GPUs'],
  ['shareCount', 'no GPU', request({ count: 0 }), 'accelerator.count', '1 or more'],

  ['migEntries', 'no configuration', checkMigConfigs({}), 'configs', 'Add at least one'],
  ['migEntries', 'a configuration of nothing', mig(), 'configs.a', 'Describe how to partition the GPUs'],
  ['migEnabled', 'partitions of whole GPUs', parts({ '1g.10gb': 1 }, { enabled: false }), 'configs.a[0].partitions', 'Enable MIG, or remove the partitions'],
  ['migProfile', 'a slip', parts({ '1g.10g': 1 }), 'configs.a[0].partitions[\'1g.10g\']', 'Did you mean \'1g.10gb\'?'],
  ['migProfile', 'GKE\'s spelling', parts({ '1g.10gb.me': 1 }), 'configs.a[0].partitions[\'1g.10gb.me\']', 'Did you mean \'1g.10gb+me\'?'],
  ['migProfile', 'a size of another GPU', parts({ '1g.5gb': 1 }, { product: 'NVIDIA-H100-80GB-HBM3' }), 'configs.a[0].partitions[\'1g.5gb\']', 'is not a size of NVIDIA-H100-80GB-HBM3, which has 1g.10gb, 1g.20gb'],
  ['migProfile', 'a size that the pod\'s GPU does not have', request({ partition: '1g.5gb' }), 'accelerator.partition', 'which has 1g.10gb'],
  ['migOneGpu', 'sizes of two GPUs', parts({ '1g.5gb': 1, '1g.18gb': 1 }), 'configs.a[0].partitions', '1g.5gb of A100 40 GB, 1g.18gb of H200'],
  ['migFits', 'too many of one size', parts({ '1g.5gb': 8 }), 'configs.a[0].partitions', 'A100 40 GB has room for 7 of 1g.5gb'],
  ['migFits', 'too many together', parts({ '3g.20gb': 2, '1g.5gb': 1 }), 'configs.a[0].partitions', 'Use fewer of them'],
  ['migMediaOnce', 'media engines twice', parts({ '1g.10gb+me': 2 }), 'configs.a[0].partitions', 'Use one partition with +me'],
  ['migCount', 'none of a size', parts({ '1g.10gb': 0 }), 'configs.a[0].partitions[\'1g.10gb\']', 'Leave the size out'],
  ['deviceIndex', 'an index below 0', parts({ '1g.10gb': 1 }, { devices: [-1] }), 'configs.a[0].devices[0]', 'index of a GPU'],
  ['deviceIndex', 'an index twice', parts({ '1g.10gb': 1 }, { devices: [1, 1] }), 'configs.a[0].devices[1]', 'Remove it'],
  ['deviceIndex', 'two entries of one GPU', mig({ enabled: false, devices: [0] }, { enabled: false }), 'configs.a[1]', 'Use different devices or filters'],
  ['deviceFilter', 'a filter that is not an id', parts({ '1g.10gb': 1 }, { deviceFilter: ['H100'] }), 'configs.a[0].deviceFilter[0]', 'such as "0x233010DE"'],
  ['migUniform', 'several sizes with the strategy single', policy({ migStrategy: 'single', migConfigs: { name: 'm', configs: { a: [{ enabled: true, partitions: { '1g.10gb': 1, '2g.20gb': 1 } }] } } }), 'migConfig.configs.a[0].partitions', 'Use one size, or the strategy mixed'],

  ['policyStrategy', 'partitions that are not exposed', policy({ migStrategy: 'none', migConfigs: { name: 'm' } }), 'migStrategy', 'Use mixed or single'],
  ['policyStrategy', 'two strategies', policy({ pluginConfigs: { name: 'p', configs: { configs: { a: { migStrategy: 'single' } } } } }), 'migStrategy', 'configuration a of the device plugin, single'],
  ['policyManager', 'no MIG manager', policy({ migManager: { enabled: false }, migConfigs: { name: 'm' } }), 'migManager.enabled', 'Enable it, or remove the ConfigMap here'],
  ['policyPlugin', 'no device plugin', policy({ devicePlugin: { enabled: false }, pluginConfigs: { name: 'p' } }), 'devicePlugin.enabled', 'Enable it'],
  ['policyNamespace', 'a ConfigMap elsewhere', policy({ namespace: 'gpu-operator', pluginConfigs: { name: 'p', namespace: 'team-a' } }), 'devicePluginConfig', 'Create it there'],

  ['featureName', 'no name', feature({ name: '' }), 'rules[0].name', 'is required'],
  ['featureName', 'one name twice', features([{ name: 'r', labels: { 'e.x/a': '' } }, { name: 'r', labels: { 'e.x/a': '' } }]), 'rules[1].name', 'Rename one of the two'],
  ['featureOutput', 'no rule', features([]), 'rules', 'Add a rule'],
  ['featureOutput', 'a rule that gives nothing', feature({ labels: {} }), 'rules[0]', 'Add labels'],
  ['featureOutput', 'any of nothing', feature({ matchAny: [[]] }), 'rules[0].matchAny[0]', 'would match every node'],
  ['featureLabel', 'a label without a namespace', feature({ labels: { gpu: 'yes' } }), 'rules[0].labels', 'Write feature.node.kubernetes.io/gpu'],
  ['featureLabel', 'a label of Kubernetes', feature({ labels: { 'node.kubernetes.io/gpu': 'yes' } }), 'rules[0].labels', 'Use feature.node.kubernetes.io, or your own domain'],
  ['featureLabel', 'a label with a space', feature({ labels: { 'e.x/a b': 'yes' } }), 'rules[0].labels', 'is not a valid key'],
  ['featureLabel', 'a value with a space', feature({ labels: { 'e.x/a': 'a b' } }), 'rules[0].labels', 'is not a valid label value'],
  ['featureLabel', 'a feature in part', feature({ labels: { 'e.x/a': '@kernel.version' } }), 'rules[0].labels', 'is not a valid label value'],
  ['featureLabel', 'an annotation of a profile', feature({ annotations: { 'profile.node.kubernetes.io/a': '1' } }), 'rules[0].annotations', 'writes no annotation'],
  ['featureLabel', 'a long annotation', feature({ annotations: { 'e.x/a': 'a'.repeat(1025) } }), 'rules[0].annotations', 'has 1025 bytes'],
  ['featureTaint', 'a taint without a namespace', feature({ taints: [{ key: 'dedicated', effect: 'NoSchedule' }] }), 'rules[0].taints[0].key', 'ignores such a taint'],
  ['featureTaint', 'an effect with a slip', feature({ taints: [{ key: 'e.x/a', effect: 'NoSchedul' }] }), 'rules[0].taints[0].effect', 'Did you mean \'NoSchedule\'?'],
  ['featureTaint', 'a key of Kubernetes', feature({ taints: [{ key: 'kubernetes.io/a', effect: 'NoSchedule' }] }), 'rules[0].taints[0].key', 'your own domain'],
  ['featureValues', 'values of an operator without any', compares('Exists', 'x'), 'rules[0].matchFeatures[0].matchExpressions.id', 'Exists compares with no value'],
  ['featureValues', 'no value', compares('In'), 'rules[0].matchFeatures[0].matchExpressions.id', 'In compares with at least one value'],
  ['featureValues', 'a text where numbers are compared', compares('Gt', 'x'), 'rules[0].matchFeatures[0].matchExpressions.id', 'Gt compares numbers'],
  ['featureValues', 'an empty range', compares('GeLe', '5', '3'), 'rules[0].matchFeatures[0].matchExpressions.id', 'Write the smaller number first'],
  ['featureValues', 'a broken expression', compares('InRegexp', '('), 'rules[0].matchFeatures[0].matchExpressions.id', 'is not a regular expression'],
  ['featureValues', 'a feature that is compared with nothing', feature({ matchFeatures: [{ feature: 'cpu.model' }] }), 'rules[0].matchFeatures[0]', 'matches every node'],
  ['featureKnown', 'a feature with a slip', feature({ matchFeatures: [{ feature: 'pci.devices', name: { op: 'Exists' } }] }), 'rules[0].matchFeatures[0].feature', 'Did you mean \'pci.device\'?'],
  ['featureKnown', 'no feature', feature({ matchAny: [[{ feature: 'gpu', name: { op: 'Exists' } }]] }), 'rules[0].matchAny[0].matchFeatures[0].feature', 'must be DOMAIN.FEATURE'],
  ['featureResource', 'an amount that is none', feature({ extendedResources: { 'e.x/a': 'many' } }), 'rules[0].extendedResources[\'e.x/a\']', 'must be a quantity'],
];

test.each(CASES)('%s: %s', (rule, _what, violations, path, message) => {
  const { id, source } = GPU_OPERATOR_RULES[rule];
  expect(violations).toContainEqual(expect.objectContaining({ rule: id, source, path, message: expect.stringContaining(message) }));
});

describe('a NodeFeatureRule in YAML', () => {
  const toldOf = (spec: object) => {
    const object = { apiVersion: NODE_FEATURE_RULE_VERSION, kind: 'NodeFeatureRule', metadata: { name: 'gpus' }, spec: JSON.parse(JSON.stringify(spec)) as object };
    return checkForeign(object, [object]).map(formatViolation);
  };

  test.each(CASES.filter(([, , violations]) => FEATURE_RULES.has(violations)))('is told the same: %s, %s', (_rule, what, violations) => {
    // Names without a namespace get one.
    const lines = what === 'a label without a namespace' ? [] : violations.map((violation) => formatViolation({ ...violation, path: `spec.${violation.path}` }));
    expect(toldOf(constructNodeFeatureRuleSpec(FEATURE_RULES.get(violations)!))).toEqual(lines);
  });

  test('may have templates, and expressions of Go', () => {
    const rule = (more: object) => ({ rules: [{ name: 'r', ...more }] });
    expect(toldOf(rule({ labelsTemplate: '{{ range .pci.device }}pci-{{ .class }}=true\n{{ end }}', matchFeatures: [{ feature: 'pci.device' }] }))).toEqual([]);
    expect(toldOf(rule({ labels: { gpu: 'yes' }, matchFeatures: [{ feature: 'system.name', matchExpressions: { nodename: { op: 'InRegexp', value: ['(?i)^gpu-.*'] } } }] }))).toEqual([]);
    expect(toldOf(rule({ labels: { gpu: 'yes' }, matchFeatures: [{ feature: 'pci.device', matchName: { op: 'Newer', value: ['x'] } }] }))).toEqual([]);
  });

  test.each([null, [], 'x', { rules: 'x' }, { rules: [null, 1, { labels: [], matchFeatures: 'x', matchAny: [null], taints: [1] }] }, { rules: [{ matchFeatures: [{ matchExpressions: { a: null } }] }] }])('%j ends nothing', (spec) => {
    expect(() => toldOf(spec as object)).not.toThrow();
  });
});

describe('a ClusterPolicy in YAML', () => {
  const toldOf = (spec: object) => {
    const object = { apiVersion: CLUSTER_POLICY_VERSION, kind: 'ClusterPolicy', metadata: { name: 'cluster-policy' }, spec: JSON.parse(JSON.stringify(spec)) as object };
    return checkForeign(object, [object]).map(({ path, message }) => ({ path, message }));
  };
  /** Files in ConfigMaps, and the operator's namespace, are not known. */
  const ELSEWHERE = ['several sizes with the strategy single', 'two strategies', 'a ConfigMap elsewhere'];
  const PATHS: { readonly [path: string]: string } = { migStrategy: 'mig.strategy' };

  test.each(CASES.filter(([, , violations]) => POLICIES.has(violations)))('is told the same: %s, %s', (_rule, what, violations) => {
    const lines = violations.map(({ path, message }) => ({ path: `spec.${PATHS[path] ?? path}`, message }));
    expect(toldOf(constructClusterPolicySpec(POLICIES.get(violations)!))).toEqual(ELSEWHERE.includes(what) ? [] : lines);
  });

  test('may name the ConfigMap that the operator brings, as its chart does', () => {
    const migManager = { enabled: false, config: { name: 'default-mig-parted-config', default: 'all-disabled' } };
    expect(toldOf({ mig: { strategy: 'none' }, migManager, devicePlugin: { enabled: false, config: { name: '' } } })).toEqual([]);
  });

  test.each([null, 'x', { mig: 1, migManager: 'x', devicePlugin: { config: [] } }])('%j ends nothing', (spec) => {
    expect(() => toldOf(spec as object)).not.toThrow();
  });
});

test('every rule is broken by a case, but for those that types and constructs keep', () => {
  const broken = new Set(CASES.map(([rule]) => rule));
  expect(Object.keys(GPU_OPERATOR_RULES).filter((rule) => !broken.has(rule as keyof typeof GPU_OPERATOR_RULES))).toEqual(['exclusive']);
});

test('what keeps the rules has no violation', () => {
  expect(plugin({ migStrategy: 'mixed', sharing: sharing({ resources: [{ name: 'nvidia.com/gpu', replicas: 10 }, { name: 'nvidia.com/mig-1g.10gb.me', replicas: 2 }] }) }, 'a')).toEqual([]);
  expect(plugin({})).toEqual([]);
  expect(mig({ enabled: false })).toEqual([]);
  expect(mig({ enabled: true, devices: [0, 1], partitions: { '3g.40gb': 2 } }, { enabled: false, devices: [2] })).toEqual([]);
  expect(mig({ enabled: true, deviceFilter: ['0x20B010DE'], partitions: { '1g.5gb': 7 } }, { enabled: true, deviceFilter: ['0x233010DE'], partitions: { '1g.10gb': 7 } })).toEqual([]);
  expect(policy({})).toEqual([]);
  expect(request({ count: 8 })).toEqual([]);
  expect(request({ product: 'NVIDIA-Next', partition: '9g.900gb' })).toEqual([]);
  expect(compares('GeLe', '3', '5')).toEqual([]);
  expect(feature({ labels: { 'feature.node.kubernetes.io/a': '1', 'x.profile.node.kubernetes.io/b': '1' }, extendedResources: { 'e.x/a': '@memory.numa.node_count' } })).toEqual([]);
});

test('the configuration that the operator begins with is always there, and never replaced', () => {
  expect(withAllDisabled({ a: [] })).toEqual({ 'all-disabled': [{ enabled: false }], 'a': [] });
  const own = { 'all-disabled': [{ enabled: false, devices: [0] }] };
  expect(withAllDisabled(own)).toBe(own);
});

describe('what a node has to give', () => {
  test.each<readonly [string, PluginConfig, Parameters<typeof allocatable>[1], object]>([
    ['whole GPUs', { migStrategy: 'none' }, { gpus: 8 }, { 'nvidia.com/gpu': 8 }],
    ['shares of GPUs', { migStrategy: 'none', sharing: sharing({ renameByDefault: false, resources: [{ name: 'nvidia.com/gpu', replicas: 10 }] }) }, { gpus: 8 }, { 'nvidia.com/gpu': 80 }],
    ['shares with a name of their own', { migStrategy: 'none', sharing: sharing({}) }, { gpus: 8 }, { 'nvidia.com/gpu.shared': 32 }],
    ['partitions as GPUs', { migStrategy: 'single' }, { gpus: 2, partitions: { '1g.10gb': 7 } }, { 'nvidia.com/gpu': 14 }],
    ['partitions of several sizes', { migStrategy: 'mixed' }, { gpus: 2, partitions: { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 } }, { 'nvidia.com/mig-1g.10gb': 4, 'nvidia.com/mig-2g.20gb': 2, 'nvidia.com/mig-3g.40gb': 2 }],
    ['shares of some partitions', { migStrategy: 'mixed', sharing: shares('nvidia.com/mig-1g.10gb', 3) }, { gpus: 2, partitions: { '1g.10gb': 2, '3g.40gb': 1 } }, { 'nvidia.com/mig-1g.10gb.shared': 12, 'nvidia.com/mig-3g.40gb': 2 }],
    ['partitions that are not exposed', { migStrategy: 'none' }, { gpus: 2, partitions: { '1g.10gb': 7 } }, { 'nvidia.com/gpu': 2 }],
  ])('%s', (_what, config, node, expected) => {
    expect(allocatable(config, node)).toEqual(expected);
  });

  test('is GPUs x partitions x clients, as on GKE', () => {
    const number = (max: number) => fc.integer({ min: 1, max });
    const clients = fc.integer({ min: 2, max: 48 });
    fc.assert(fc.property(number(16), number(7), clients, fc.boolean(), (gpus, partitionsPerGpu, clientsPerDevice, renameByDefault) => {
      const config: PluginConfig = { migStrategy: 'mixed', sharing: shares('nvidia.com/mig-1g.10gb', clientsPerDevice, { renameByDefault }) };
      expect(Object.values(allocatable(config, { gpus, partitions: { '1g.10gb': partitionsPerGpu } }))).toEqual([allocatableGpus({ gpus, partitionsPerGpu, clientsPerDevice })]);
    }));
  });
});
