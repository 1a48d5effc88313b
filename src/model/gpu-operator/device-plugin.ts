/**
 * Configurations of NVIDIA's device plugin: how GPUs of nodes are shared, and how their shares are named. A node chooses one of them by its label.
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/00f2a02/README.md
 */
import { familiesWith, MIG_FAMILIES } from './mig-geometry';
import { GPU_OPERATOR_RULES as RULES } from './rules';
import { FindingCollector, type Finding } from '../findings';
import { SHARED_CLIENTS, allocatableGpus } from '../accelerators/catalogue';
import { GPU_RESOURCE } from '../accelerators/labels';
import { isLabelValue } from '../names';
import { didYouMean } from '../violations';

/** How partitions are exposed: not at all, all of a node alike as GPUs, or each size under a name of its own. */
export const MIG_STRATEGIES = ['none', 'single', 'mixed'] as const;

/** One of {@link MIG_STRATEGIES}. */
export type MigStrategyName = (typeof MIG_STRATEGIES)[number];

/** Label of nodes that chooses a configuration of the device plugin. */
export const PLUGIN_CONFIG_LABEL = 'nvidia.com/device-plugin.config';

/** Beginning of the names of partitions' resources. */
const MIG_RESOURCE_PREFIX = 'nvidia.com/mig-';

const MOST_NAME_LENGTH = 63;

export interface SharedResource {
  /** `nvidia.com/gpu`, or a size of partitions such as `nvidia.com/mig-1g.5gb`. */
  readonly name: string;
  /** Containers that share each device. */
  readonly replicas: number;
}

export interface PluginSharing {
  /** `timeSlicing` or `mps`. */
  readonly strategy: 'timeSlicing' | 'mps';
  readonly resources: readonly SharedResource[];
  /** Whether shares are named `NAME.shared`. */
  readonly renameByDefault: boolean;
  /** Whether a container that asks for two shares is refused. MPS always refuses it. */
  readonly failRequestsGreaterThanOne: boolean;
}

export interface PluginConfig {
  readonly migStrategy: MigStrategyName;
  /** @default - GPUs are not shared */
  readonly sharing?: PluginSharing;
}

/** All configurations of a ConfigMap, by their names. */
export interface PluginConfigs {
  readonly configs: { readonly [name: string]: PluginConfig };
  /** Of nodes without the label. @default - none */
  readonly defaultConfig?: string;
}

export function checkPluginConfigs({ configs, defaultConfig }: PluginConfigs, path = 'configs'): Finding[] {
  const findings = new FindingCollector();
  const names = Object.keys(configs);
  if (names.length === 0) {
    findings.error(RULES.configName, path, undefined, 'are empty. Add at least one configuration, under the name by which nodes choose it.');
  }
  for (const name of names) {
    checkConfigName(name, `${path}.${name}`, findings);
    findings.addAll(checkPluginConfig(configs[name], `${path}.${name}`));
  }
  if (defaultConfig !== undefined && !names.includes(defaultConfig)) {
    findings.error(RULES.defaultConfig, 'defaultConfig', defaultConfig, `is not one of the configurations ${names.join(', ')}.${didYouMean(defaultConfig, names)}`);
  }
  return findings.findings;
}

/** Names of configurations are keys of ConfigMaps and values of labels. */
export function checkConfigName(name: string, path: string, findings: FindingCollector): void {
  if (name === '' || !isLabelValue(name)) {
    findings.error(RULES.configName, path, name, 'is not a valid label value: at most 63 letters, digits, \'-\', \'_\' and \'.\', with a letter or digit at both ends. Rename it.');
  }
}

function checkPluginConfig({ migStrategy, sharing }: PluginConfig, path: string): Finding[] {
  const findings = new FindingCollector();
  if (sharing === undefined) {
    return [];
  }
  const { strategy, resources, renameByDefault } = sharing;
  if (resources.length === 0) {
    findings.error(RULES.sharedResource, `${path}.sharing.resources`, resources, `are empty: nothing is shared. Name ${GPU_RESOURCE}.`);
  }
  resources.forEach(({ name, replicas }, index) => {
    const where = `${path}.sharing.resources[${index}]`;
    checkClients(replicas, strategy, `${where}.replicas`, findings);
    checkResource(name, migStrategy, `${where}.name`, findings);
    if (resources.findIndex((other) => other.name === name) < index) {
      findings.error(RULES.sharedOnce, `${where}.name`, name, 'is shared already in this configuration. Remove one of the two.');
    }
    if (sharedName(name, renameByDefault).length > MOST_NAME_LENGTH) {
      findings.error(RULES.resourceName, `${where}.name`, name, `has ${sharedName(name, renameByDefault).length} characters as a share, and the maximum is ${MOST_NAME_LENGTH}.`);
    }
    if (strategy === 'mps' && name !== GPU_RESOURCE) {
      findings.error(RULES.mpsOnMig, `${where}.name`, name, `is a partition, and MPS shares whole GPUs only. Use time-slicing, or ${GPU_RESOURCE}.`);
    }
  });
  if (strategy === 'mps' && migStrategy !== 'none') {
    findings.error(RULES.mpsOnMig, `${path}.migStrategy`, migStrategy, 'cannot be combined with MPS, which does not run on partitions. Use none, or time-slicing.');
  }
  return findings.findings;
}

/** Checks how many clients share a GPU. */
export function checkClients(clients: number, strategy: string, path: string, findings: FindingCollector): void {
  const more = clients === 1 ? ': one client does not share, so omit it.' : '.';
  if (findings.whole(RULES.replicas, path, clients, SHARED_CLIENTS.min, Infinity, more) && strategy === 'mps' && clients > SHARED_CLIENTS.max) {
    findings.error(RULES.mpsClients, path, clients, `is more than the ${SHARED_CLIENTS.max} clients that MPS supports on one GPU. Use ${SHARED_CLIENTS.max}, or time-slicing.`);
  }
}

function checkResource(name: string, migStrategy: MigStrategyName, path: string, findings: FindingCollector): void {
  if (name === GPU_RESOURCE) {
    return;
  }
  if (!name.startsWith(MIG_RESOURCE_PREFIX)) {
    findings.error(RULES.sharedResource, path, name, `cannot be shared: ${GPU_RESOURCE} can, and partitions such as ${MIG_RESOURCE_PREFIX}1g.5gb.${didYouMean(name, [GPU_RESOURCE])}`);
    return;
  }
  const size = name.slice(MIG_RESOURCE_PREFIX.length).replace(/\.me$/, '+me');
  if (familiesWith(size).length === 0) {
    findings.error(RULES.migProfile, path, name, `names a size that no GPU has.${didYouMean(size, [...new Set(MIG_FAMILIES.flatMap(({ profiles }) => profiles))])}`);
  }
  if (migStrategy !== 'mixed') {
    findings.error(RULES.migMixed, path, name, `exists only with the strategy mixed; with ${migStrategy} ${migStrategy === 'single' ? `partitions are ${GPU_RESOURCE}` : 'there are no partitions'}. Set it to mixed${migStrategy === 'single' ? `, or share ${GPU_RESOURCE}` : ''}.`);
  }
}

export function sharedName(resource: string, renamed: boolean): string {
  return renamed ? `${resource}.shared` : resource;
}

/** The resource of partitions of a size. Labels and resources have a dot where sizes have a plus. */
export function migResource(size: string, strategy: MigStrategyName): string {
  return strategy === 'mixed' ? `${MIG_RESOURCE_PREFIX}${size.replace('+', '.')}` : GPU_RESOURCE;
}

/** GPUs of a node, all of them divided alike. */
export interface NodeGpus {
  readonly gpus: number;
  /** Partitions of each GPU, by their size. @default - whole GPUs */
  readonly partitions?: { readonly [profile: string]: number };
}

/** What a node with a configuration has to give, by resource: GPUs x partitions x clients. */
export function allocatable({ migStrategy, sharing }: PluginConfig, { gpus, partitions }: NodeGpus): { [resource: string]: number } {
  const replicasOf = (resource: string) => sharing?.resources.find(({ name }) => name === resource)?.replicas;
  const divided = partitions === undefined || migStrategy === 'none' ? { [GPU_RESOURCE]: 1 } : Object.entries(partitions).reduce<{ [name: string]: number }>((all, [profile, count]) => {
    const resource = migResource(profile, migStrategy);
    return { ...all, [resource]: (all[resource] ?? 0) + count };
  }, {});
  return Object.fromEntries(Object.entries(divided).map(([resource, partitionsPerGpu]) => {
    const clientsPerDevice = replicasOf(resource);
    return [
      clientsPerDevice === undefined ? resource : sharedName(resource, sharing!.renameByDefault),
      allocatableGpus({ gpus, partitionsPerGpu, clientsPerDevice }),
    ];
  }));
}
