/** The rules on accelerators, each with its source. The functions next to this file apply them. */
import { rule, type Rule } from '../../findings';

/** Rules on what pods ask for. */
export const RULES = {
  type: rule('accelerator-type', 'gpuConfig', 'The accelerator exists on GKE and is spelled as in the node label.'),
  ended: rule('accelerator-ended', 'k80Eol', 'Google still supports the accelerator.'),
  caution: rule('accelerator-caution', 'tpuConfig', 'The accelerator is available today.'),

  machineType: rule('machine-type', 'machineConfig', 'The machine type exists.'),
  machineAccelerator: rule('machine-accelerator', 'machineConfig', 'The machine type has this accelerator: it decides on the GPU, and names are close to each other.'),
  generalPurpose: rule('machine-general-purpose', 'defaultMachine', 'GPUs are attached to N1 machines only; other general-purpose machines cannot have any.'),
  machineCount: rule('machine-gpu-count', 'machineConfig', 'A pod requests no more GPUs than the machine type has, and a number that divides them.'),

  gpuCount: rule('gpu-count', 'machineConfig', 'The number of GPUs is one that a machine type has.'),
  vcpu: rule('gpu-max-vcpu', 'gpuConfig', 'An N1 machine has no more vCPUs than its GPUs allow.'),
  migSize: rule('mig-size', 'gpuSharing', 'The autoscaler knows the partition size for the GPU.'),
  migDriverOnly: rule('mig-driver-only', 'gpuSharing', 'The autoscaler rejects a size that only the driver knows.'),
  migSpelling: rule('mig-spelling', 'pluginMig', 'Sizes with a suffix are spelled differently by autoscaler and device plugin.'),
  migCount: rule('mig-count', 'pluginSharing', 'A pod asks for one partition: partitions are separate devices, and a process uses one.'),
  migResource: rule('mig-resource', 'nvidiaPlugin', 'GKE counts partitions as nvidia.com/gpu; nvidia.com/mig-… exists only with the strategy mixed of NVIDIA\'s own plugin.'),
  sharingStrategy: rule('sharing-strategy', 'gpuSharing', 'GPUs are shared by time-sharing or by MPS.'),
  sharingClients: rule('sharing-clients', 'gpuSharing', '2 to 48 clients share a GPU, and a strategy says how.'),
  sharingCount: rule('sharing-count', 'pluginSharing', 'A container asks for one share of a GPU; with MPS for more only on nodes with one device.'),
  mpsOnMig: rule('mps-on-mig', 'nvidiaPlugin', 'NVIDIA does not support MPS on partitions.'),
  // What an image is built for is recorded in its registry: a warning, unless tag or selector of the pod say that it is not arm64.
  arm64: rule('arm64-image', 'xpk', 'Nodes of A4X are arm64: images are linux/arm64, and pods tolerate the taint.'),
  // A warning, and no error: nodes of ComputeClasses and of Autopilot have their driver, and a manifest does not say which cluster it is for.
  autoDriver: rule('autoprovisioned-driver', 'noDriver', 'Auto-provisioned GPU nodes have a driver if a ComputeClass creates them or the pod selects the driver version.'),

  topology: rule('tpu-topology', 'toolkitHardware', 'The TPU has slices of this topology.'),
  topologyOrder: rule('tpu-topology-order', 'toolkitHardware', 'The dimensions of a topology are in the order of the slice.'),
  tpuMachine: rule('tpu-machine', 'tpuConfig', 'The machine type is a host of slices of this topology.'),
  tpuChips: rule('tpu-chips', 'toolkitOrchestrator', 'A pod has all chips of its host.'),
  tpuHosts: rule('tpu-hosts', 'toolkitHardware', 'Slices are complete: one pod for each host, the product of the topology divided by the chips of a host.'),
  tpuSelectors: rule('tpu-selectors', 'toolkitOrchestrator', 'Pods with TPUs select type and topology.'),

  label: rule('node-label', 'labels', 'A label that pods select is one that GKE sets.'),
  labelValue: rule('node-label-value', 'labels', 'A label that pods select has a value that nodes have.'),
  both: rule('gpu-and-tpu', 'labels', 'No node has GPUs and TPUs.'),
  // A warning, and no error: GKE taints nodes with GPUs only in a cluster that has others (onlyGpuPools), which no pod shows, and DaemonSets of
  // drivers tolerate everything by their controller. What constructs make cannot break it: roles that do not compute are not held on such nodes.
  unused: rule('accelerator-unused', 'helperPods', 'Pods on nodes with accelerators use them, or tolerate their taint.'),
  queued: rule('queued-toleration', 'provisioningPods', 'Pods that select queued nodes tolerate their taint.'),
  queuedVolumes: rule('queued-volumes', 'queuedVolumes', 'A ProvisioningRequest fails for pods with generic ephemeral volumes.'),
  spot: rule('spot-toleration', 'labels', 'Pods that select spot nodes tolerate the taint that such pools usually have.'),
} as const satisfies { readonly [name: string]: Rule };
