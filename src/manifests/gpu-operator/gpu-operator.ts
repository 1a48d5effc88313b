/**
 * Objects and files that the GPU operator, its components and node feature discovery read. What a ClusterPolicy leaves out is decided by the
 * operator, which uses its own images where none is named.
 */
import { plainObject } from '../plain-object';
import type { ClusterPolicySpec, OperatorPart } from '../../model/gpu-operator/cluster-policy';
import type { PluginConfig } from '../../model/gpu-operator/device-plugin';
import { ALL_DISABLED, withAllDisabled, type MigConfigs, type MigEntry } from '../../model/gpu-operator/mig-parted';
import type { FeatureComparison, FeatureRule, FeatureTerm } from '../../model/gpu-operator/node-feature-rule';

/** `apiVersion` of a ClusterPolicy. */
export const CLUSTER_POLICY_VERSION = 'nvidia.com/v1';

/** Name of the only one that a cluster has. */
export const CLUSTER_POLICY_NAME = 'cluster-policy';

/** `spec` of the object. All components that the definition requires are written. */
export function constructClusterPolicySpec(spec: ClusterPolicySpec): { readonly [field: string]: unknown } {
  const { pluginConfigs, migConfigs, driver, dcgmExporter } = spec;
  const { serviceMonitor } = dcgmExporter;
  return plainObject({
    operator: { defaultRuntime: 'containerd' },
    daemonsets: { tolerations: spec.tolerations.length === 0 ? undefined : spec.tolerations.map((toleration) => ({ ...toleration })) },
    driver: { ...part(driver), kernelModuleType: driver.kernelModuleType },
    toolkit: part(spec.toolkit),
    cdi: spec.cdi === undefined ? undefined : { enabled: spec.cdi },
    devicePlugin: {
      ...part(spec.devicePlugin),
      config: pluginConfigs && { name: pluginConfigs.name, default: pluginConfigs.configs?.defaultConfig ?? '' },
    },
    gfd: part(spec.gpuFeatureDiscovery),
    dcgm: part(spec.dcgm),
    dcgmExporter: { ...part(dcgmExporter), serviceMonitor: serviceMonitor === undefined ? undefined : { enabled: serviceMonitor } },
    mig: { strategy: spec.migStrategy },
    migManager: { ...part(spec.migManager), config: migConfigs && { name: migConfigs.name, default: ALL_DISABLED } },
    nodeStatusExporter: part(spec.nodeStatusExporter),
  });
}

function part({ enabled = true, version }: OperatorPart): object {
  return { enabled, version };
}

/** A configuration, as the plugin reads it. */
export function constructPluginConfig({ migStrategy, sharing }: PluginConfig): object {
  return plainObject({
    version: 'v1',
    flags: { migStrategy },
    sharing: sharing && {
      [sharing.strategy]: {
        renameByDefault: sharing.renameByDefault,
        // MPS has no such field: it always refuses such requests.
        failRequestsGreaterThanOne: sharing.strategy === 'mps' ? undefined : sharing.failRequestsGreaterThanOne,
        resources: sharing.resources.map(({ name, replicas }) => ({ name, replicas })),
      },
    },
  });
}

/** Name of the file in its ConfigMap, which the MIG manager looks for. */
export const MIG_CONFIG_FILE = 'config.yaml';

/** All configurations, with the operator's initial one. */
export function constructMigConfigs(configs: MigConfigs): object {
  return {
    'version': 'v1',
    'mig-configs': Object.fromEntries(Object.entries(withAllDisabled(configs)).map(([name, entries]) => [name, entries.map(constructEntry)])),
  };
}

function constructEntry({ devices, deviceFilter, enabled, partitions }: MigEntry): object {
  return plainObject({
    'device-filter': deviceFilter === undefined || deviceFilter.length === 0 ? undefined : [...deviceFilter],
    'devices': devices === undefined ? 'all' : [...devices],
    'mig-enabled': enabled,
    'mig-devices': enabled ? { ...partitions } : undefined,
  });
}

/** `apiVersion` of a NodeFeatureRule. */
export const NODE_FEATURE_RULE_VERSION = 'nfd.k8s-sigs.io/v1alpha1';

/** `spec` of the object. */
export function constructNodeFeatureRuleSpec(rules: readonly FeatureRule[]): { readonly [field: string]: unknown } {
  return plainObject({
    rules: rules.map(({ matchFeatures, matchAny, ...rule }) => ({
      ...rule,
      matchFeatures: matchFeatures?.map(constructTerm),
      matchAny: matchAny?.map((terms) => ({ matchFeatures: terms.map(constructTerm) })),
    })),
  });
}

function constructTerm({ feature, expressions, name }: FeatureTerm): object {
  return {
    feature,
    matchExpressions: expressions && Object.fromEntries(Object.entries(expressions).map(([element, comparison]) => (
      [element, constructComparison(comparison)]))),
    matchName: name && constructComparison(name),
  };
}

function constructComparison({ op, value }: FeatureComparison): object {
  return { op, value: value === undefined || value.length === 0 ? undefined : [...value] };
}
