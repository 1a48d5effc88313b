/** GPUs of nodes with NVIDIA's own device plugin, as pods ask for them: off GKE the resource has another name, and the labels are others. */
import { familiesOfProduct, mostOf, plainProfile } from './mig-geometry';
import { checkClients, migResource, sharedName, type MigStrategyName } from './device-plugin';
import { GPU_OPERATOR_RULES as RULES } from './rules';
import { either, FindingCollector, type Finding } from '../findings';
import type { PluginGpuRequest } from '../accelerators/requests';
import { isLabelValue } from '../names';
import { didYouMean } from '../violations';

/** Labels of GPU feature discovery. */
export const GFD_LABELS = {
  product: 'nvidia.com/gpu.product', sharing: 'nvidia.com/gpu.sharing-strategy', replicas: 'nvidia.com/gpu.replicas', migStrategy: 'nvidia.com/mig.strategy',
} as const;

/** What the plugin calls the strategies. */
const STRATEGIES: { readonly [strategy: string]: string } = { 'time-sharing': 'time-slicing', 'mps': 'mps' };

export function pluginResource({ partition, migStrategy = 'mixed', sharing, renamed = true }: PluginGpuRequest): string {
  const resource = partition === undefined ? 'nvidia.com/gpu' : migResource(partition, migStrategy as MigStrategyName);
  return sharing === undefined ? resource : sharedName(resource, renamed);
}

/**
 * Labels of the nodes. The product's name says whether its GPUs are partitions and shares, unless shares have a name of their own.
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/00f2a02/docs/gpu-feature-discovery/README.md
 */
export function pluginSelector(request: PluginGpuRequest): { [label: string]: string } {
  const { product, partition, migStrategy = 'mixed', sharing, renamed = true } = request;
  const suffix = sharing !== undefined && !renamed ? '-SHARED' : '';
  const size = partition?.replace('+', '.');
  const name = partition === undefined ? `${product}${suffix}` : `${product}-MIG-${size}${suffix}`;
  const label = partition !== undefined && migStrategy === 'mixed' ? `nvidia.com/mig-${size}.product` : GFD_LABELS.product;
  return {
    [label]: name,
    ...(partition !== undefined && { [GFD_LABELS.migStrategy]: migStrategy }),
    ...(sharing !== undefined && partition === undefined && {
      [GFD_LABELS.sharing]: STRATEGIES[sharing.strategy] ?? sharing.strategy, [GFD_LABELS.replicas]: String(sharing.clients),
    }),
  };
}

export function checkPluginRequest(request: PluginGpuRequest, path: string): Finding[] {
  const findings = new FindingCollector();
  const { product, count, partition, migStrategy, sharing } = request;
  findings.whole(RULES.shareCount, `${path}.count`, count, 1);
  if (product === '' || !isLabelValue(product)) {
    findings.error(RULES.configName, `${path}.product`, product, `is not a value of the label ${GFD_LABELS.product}, such as NVIDIA-H100-80GB-HBM3. kubectl get nodes -L ${GFD_LABELS.product} shows those of a cluster.`);
  }
  checkPartition(product, partition, `${path}.partition`, findings);
  if (partition !== undefined && migStrategy === 'none') {
    findings.error(RULES.migMixed, `${path}.migStrategy`, migStrategy, 'exposes no partitions. Use mixed or single.');
  }
  if (sharing === undefined) {
    return findings.findings;
  }
  checkClients(sharing.clients, sharing.strategy, `${path}.sharing.clients`, findings);
  if (sharing.strategy === 'mps' && partition !== undefined) {
    findings.error(RULES.mpsOnMig, `${path}.sharing.strategy`, sharing.strategy, 'shares whole GPUs only. Use time-slicing for partitions.');
  }
  if (count > 1) {
    findings.error(RULES.shareCount, `${path}.count`, count, 'is more than one share, and two could be of the same GPU; the device plugin refuses it. Use 1, or whole GPUs.');
  }
  return findings.findings;
}

function checkPartition(product: string, partition: string | undefined, path: string, findings: FindingCollector): void {
  const families = familiesOfProduct(product);
  if (partition === undefined || families.length === 0) {
    return;
  }
  const sizes = [...new Set(families.flatMap(({ profiles }) => profiles))];
  if (!families.some((family) => family.profiles.includes(plainProfile(partition)) && mostOf(family, partition) > 0)) {
    findings.error(RULES.migProfile, path, partition, `is not a size of ${product}, which has ${either(sizes)}.${didYouMean(partition, sizes)}`);
  }
}
