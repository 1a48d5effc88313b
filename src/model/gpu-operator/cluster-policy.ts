/**
 * The GPU operator's ClusterPolicy, as far as sharing, partitions and the parts of the operator are concerned.
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/
 */
import type { MigStrategyName, PluginConfigs } from './device-plugin';
import { checkUniform, type MigConfigs } from './mig-parted';
import { GPU_OPERATOR_RULES as RULES } from './rules';
import { FindingCollector, type Finding } from '../findings';

export interface OperatorPart {
  /** Whether it runs. @default true */
  readonly enabled?: boolean;
  /** @default - the operator's own */
  readonly version?: string;
}

/** A ConfigMap that the policy names, with what is in it where that is known. */
export interface NamedConfigs<Configs> {
  readonly name: string;
  readonly namespace?: string;
  readonly configs?: Configs;
}

export interface ClusterPolicySpec {
  readonly migStrategy: MigStrategyName;
  readonly driver: OperatorPart & { readonly kernelModuleType?: string };
  readonly toolkit: OperatorPart;
  readonly devicePlugin: OperatorPart;
  readonly gpuFeatureDiscovery: OperatorPart;
  readonly dcgm: OperatorPart;
  readonly dcgmExporter: OperatorPart & { readonly serviceMonitor?: boolean };
  readonly migManager: OperatorPart;
  readonly nodeStatusExporter: OperatorPart;
  readonly cdi?: boolean;
  readonly pluginConfigs?: NamedConfigs<PluginConfigs>;
  readonly migConfigs?: NamedConfigs<MigConfigs>;
  /** Taints that the operator's pods tolerate in addition to that of GPUs. */
  readonly tolerations: readonly { readonly key?: string; readonly operator?: string; readonly value?: string; readonly effect?: string }[];
  readonly namespace?: string;
}

/** What rules look at. */
export type CheckedClusterPolicy = Pick<ClusterPolicySpec, 'migStrategy' | 'migManager' | 'migConfigs' | 'devicePlugin' | 'pluginConfigs' | 'namespace'>;

export function checkClusterPolicy(spec: CheckedClusterPolicy): Finding[] {
  const findings = new FindingCollector();
  const { migStrategy, migManager, migConfigs, devicePlugin, pluginConfigs } = spec;
  if (migConfigs !== undefined && migManager.enabled === false) {
    findings.error(RULES.policyManager, 'migManager.enabled', false, `partitions the GPUs as described in ConfigMap ${migConfigs.name}. Enable it, or remove the ConfigMap here.`);
  }
  if (migConfigs !== undefined && migStrategy === 'none') {
    findings.error(RULES.policyStrategy, 'migStrategy', migStrategy, `exposes no partitions, but ConfigMap ${migConfigs.name} creates some. Use mixed or single.`);
  }
  if (pluginConfigs !== undefined && devicePlugin.enabled === false) {
    findings.error(RULES.policyPlugin, 'devicePlugin.enabled', false, `reads ConfigMap ${pluginConfigs.name}. Enable it, or remove the ConfigMap here.`);
  }
  for (const [name, config] of Object.entries(pluginConfigs?.configs?.configs ?? {})) {
    if (config.migStrategy !== 'none' && config.migStrategy !== migStrategy) {
      findings.error(RULES.policyStrategy, 'migStrategy', migStrategy, `differs from configuration ${name} of the device plugin, ${config.migStrategy}. Use the same for both.`);
    }
  }
  if (migStrategy === 'single' && migConfigs?.configs !== undefined) {
    findings.addAll(checkUniform(migConfigs.configs));
  }
  for (const [path, configs] of [['devicePluginConfig', pluginConfigs], ['migConfig', migConfigs]] as const) {
    if (configs?.namespace !== undefined && spec.namespace !== undefined && configs.namespace !== spec.namespace) {
      findings.error(RULES.policyNamespace, path, configs.namespace, `is not the namespace of the operator, ${spec.namespace}, where it looks for the ConfigMap. Create it there.`);
    }
  }
  return findings.findings;
}
