/** The GPU operator's ClusterPolicy. What is left out is the operator's to say, which takes its own images where none is named. */
import type { ClusterPolicySpec, OperatorPart } from '../../model/gpu-operator/cluster-policy';
import { ALL_DISABLED } from '../../model/gpu-operator/mig-parted';
import { plainObject } from '../plain-object';

/** `apiVersion` of a ClusterPolicy. */
export const CLUSTER_POLICY_VERSION = 'nvidia.com/v1';

/** Name of the only one that a cluster has. */
export const CLUSTER_POLICY_NAME = 'cluster-policy';

/** `spec` of the object. All parts that the definition requires are written. */
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
