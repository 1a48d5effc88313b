/** The rules of NVIDIA's device plugin, MIG manager and operator, and of node feature discovery, each with its source. */
import { rule, type Rule } from '../findings';

const PLUGIN = 'https://github.com/NVIDIA/k8s-device-plugin/blob/00f2a02/README.md';
const PLUGIN_CONFIG = 'https://github.com/NVIDIA/k8s-device-plugin/blob/19d7d8f/api/config/v1/replicas.go';
const PLUGIN_NAMES = 'https://github.com/NVIDIA/k8s-device-plugin/blob/0e1a6ff/api/config/v1/resources.go';
const PARTED = 'https://github.com/NVIDIA/mig-parted/blob/28f9599/api/spec/v1/spec.go';
const PARTED_SIZES = 'https://github.com/NVIDIA/mig-parted/blob/02a00ac/deployments/container/nvidia-mig-manager-example.yaml';
const MIG_GUIDE = 'https://docs.nvidia.com/datacenter/tesla/mig-user-guide/';
const OPERATOR = 'https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-mig.html';
const OPERATOR_SHARING = 'https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html';
const NFD = 'https://kubernetes-sigs.github.io/node-feature-discovery/v0.19/usage/customization-guide.html';

export const GPU_OPERATOR_RULES = {
  replicas: rule('sharing-replicas', PLUGIN_CONFIG, 'At least two clients share a GPU.'),
  mpsClients: rule('mps-clients', 'https://docs.nvidia.com/deploy/mps/', 'MPS supports at most 48 clients on one GPU.'),
  exclusive: rule('sharing-exclusive', PLUGIN, 'Time-slicing and MPS are mutually exclusive: all GPUs of a node are shared in one way.'),
  mpsOnMig: rule('mps-on-mig', PLUGIN, 'MPS shares whole GPUs only, on nodes without partitions.'),
  sharedResource: rule('shared-resource', PLUGIN, 'Only nvidia.com/gpu is shared, and nvidia.com/mig-SIZE with the strategy mixed.'),
  sharedOnce: rule('shared-resource-once', PLUGIN_CONFIG, 'A resource is shared once in a configuration.'),
  migMixed: rule('mig-names-mixed', PLUGIN, 'nvidia.com/mig-SIZE exists only with the strategy mixed; with single, partitions are nvidia.com/gpu.'),
  resourceName: rule('resource-name', PLUGIN_NAMES, 'Resource names have at most 63 characters, including the suffix .shared.'),
  configName: rule('config-name', OPERATOR_SHARING, 'The name of a configuration is the value of a label on nodes, and a key of a ConfigMap.'),
  defaultConfig: rule('default-config', OPERATOR_SHARING, 'The default is an existing configuration.'),
  shareCount: rule('share-count', PLUGIN, 'A container requests one share: two could be of the same GPU, and with failRequestsGreaterThanOne the pod fails.'),

  migEntries: rule('mig-entries', PARTED, 'Each partition configuration covers some GPUs.'),
  migEnabled: rule('mig-enabled', PARTED, 'Partitions are listed only where MIG is enabled.'),
  migProfile: rule('mig-profile', PARTED_SIZES, 'The size exists for the named GPU.'),
  migOneGpu: rule('mig-one-gpu', PARTED_SIZES, 'All sizes of one entry belong to one GPU.'),
  migFits: rule('mig-fits', MIG_GUIDE, 'The partitions fit together on one GPU.'),
  migMediaOnce: rule('mig-media-once', MIG_GUIDE, 'One partition of a GPU has the media engines (+me).'),
  migCount: rule('mig-devices-count', PARTED, 'The number of partitions is a whole number of at least 1.'),
  deviceIndex: rule('mig-device-index', PARTED, 'GPUs of a node are named by their indexes, each once, or all of them.'),
  deviceFilter: rule('mig-device-filter', PARTED_SIZES, 'Filters are PCI ids of device and vendor, such as 0x233010DE.'),
  migUniform: rule('mig-uniform', OPERATOR, 'With the strategy single all GPUs of a node have partitions of one size.'),

  policyStrategy: rule('policy-strategy', OPERATOR, 'The operator, the device plugin and the partitions use the same MIG strategy.'),
  policyManager: rule('policy-mig-manager', OPERATOR, 'Partitions need the MIG manager, which must not be switched off.'),
  policyPlugin: rule('policy-device-plugin', OPERATOR_SHARING, 'A configuration of the device plugin needs the device plugin.'),
  policyNamespace: rule('policy-namespace', OPERATOR_SHARING, 'ConfigMaps of the operator are in its namespace.'),

  featureName: rule('feature-rule-name', NFD, 'Rules have unique names.'),
  featureOutput: rule('feature-rule-output', NFD, 'A rule adds something: labels, annotations, taints or extended resources.'),
  featureLabel: rule('feature-rule-label', NFD, 'Labels have a namespace, which is not one of Kubernetes\' except feature.node.kubernetes.io and profile.node.kubernetes.io.'),
  featureTaint: rule('feature-rule-taint', NFD, 'Taints have a key outside Kubernetes\' own domain, and an effect.'),
  featureValues: rule('feature-rule-values', NFD, 'An operator has the number of values that it needs.'),
  featureKnown: rule('feature-rule-feature', NFD, 'The feature is one that node feature discovery finds.'),
  featureResource: rule('feature-rule-resource', NFD, 'Extended resources are quantities, or the value of a feature (@domain.feature.element).'),
} as const satisfies { readonly [name: string]: Rule };
