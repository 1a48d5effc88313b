/** Which accelerators the nodes of a pool have, and who installs their driver. */
import { POOL_RULES } from './rule-list';
import type { NodePoolSpec, PoolGpus } from '../spec';
import { findMachine, machinesWith } from '../../accelerators/catalogue';
import { NO_DEVICE_PLUGIN_LABEL } from '../../accelerators/labels';
import { checkCount, checkGpuType } from '../../accelerators/rules/gpu-rules';
import { checkMachine, checkVcpus, machineExamples } from '../../accelerators/rules/machine-rules';
import { RULES } from '../../accelerators/rules/rule-list';
import { checkPartition, checkSharingSpec } from '../../accelerators/rules/sharing-rules';
import { checkTopology, checkTpuMachine, checkTpuType } from '../../accelerators/rules/tpu-rules';
import type { AcceleratorInfo, GpuAccelerator, MachineType, TpuAccelerator } from '../../accelerators/types';
import { both, either, type FindingCollector } from '../../findings';
import { didYouMean } from '../../violations';

/** Who installs the driver. */
const DRIVERS = ['default', 'latest', 'disabled'];

/** Checks accelerator and machine type. @returns what the nodes have, as far as it is known */
export function checkPoolMachine(pool: NodePoolSpec, path: string, findings: FindingCollector): AcceleratorInfo | undefined {
  if (pool.gpus !== undefined && pool.tpus !== undefined) {
    findings.error(POOL_RULES.oneKind, `${path}.tpus`, pool.tpus.type, 'conflicts with gpus: no machine has both. Create two pools.');
    return undefined;
  }
  if (pool.gpus !== undefined) {
    const gpu = checkGpuType(pool.gpus.type, `${path}.gpus.type`, findings);
    checkDriver(pool, pool.gpus, path, findings);
    return gpu && checkGpus(pool, pool.gpus, gpu, path, findings);
  }
  if (pool.tpus !== undefined) {
    const tpu = checkTpuType(pool.tpus.type, `${path}.tpus.type`, findings);
    return tpu && checkTpus(pool, tpu, path, findings);
  }
  return checkUnsaid(pool, path, findings);
}

function checkUnsaid({ machineType }: NodePoolSpec, path: string, findings: FindingCollector): undefined {
  const known = machineType === undefined ? undefined : findMachine(machineType);
  if (known !== undefined && known.machine.devices !== undefined) {
    const [accelerator] = known.accelerators;
    const field = accelerator.kind === 'gpu' ? `gpus: { type: '${accelerator.type}', count: ${known.machine.devices} }` : `tpus: { type: '${accelerator.type}', … }`;
    findings.error(POOL_RULES.unsaid, `${path}.machineType`, machineType, `has ${known.machine.devices} ${accelerator.type}, but the pool does not declare them. Add ${field}.`);
  }
  return undefined;
}

function needsMachine({ machineType }: NodePoolSpec, accelerator: AcceleratorInfo, path: string, findings: FindingCollector): string | undefined {
  if (machineType === undefined) {
    findings.error(POOL_RULES.needsMachine, `${path}.machineType`, undefined,
      `is required: the default machine, e2-medium, cannot have ${accelerator.type}. Use ${either(machineExamples(accelerator))}.`);
  }
  return machineType;
}

function checkGpus(pool: NodePoolSpec, gpus: PoolGpus, gpu: GpuAccelerator, path: string, findings: FindingCollector): GpuAccelerator {
  const { count, partition, sharing } = gpus;
  const name = needsMachine(pool, gpu, path, findings);
  const machine = name === undefined ? undefined : checkMachine(gpu, name, `${path}.machineType`, findings);
  const isCount = findings.whole(RULES.gpuCount, `${path}.gpus.count`, count, 1);
  if (isCount && machine?.devices !== undefined && machine.devices !== count) {
    const fitting = machinesWith(gpu, count).map((candidate) => candidate.name);
    findings.error(POOL_RULES.count, `${path}.gpus.count`, count,
      `is not the number that ${machine.name} has, ${machine.devices}. Use ${machine.devices}${fitting.length > 0 ? `, or ${either(fitting)}` : ''}.`);
  } else if (isCount && machine?.devices === undefined) {
    checkCount(gpu, count, `${path}.gpus.count`, findings);
    if (machine !== undefined) {
      checkVcpus(gpu, machine, count, `${path}.machineType`, findings);
    }
  }
  if (partition !== undefined) {
    checkPartition(gpu, partition, `${path}.gpus.partition`, findings);
  }
  if (sharing !== undefined) {
    checkSharingSpec(sharing, partition, `${path}.gpus.sharing`, findings);
  }
  if (gpu.architecture === 'arm64') {
    findings.warn(RULES.arm64, `${path}.gpus.type`, gpu.type, 'has arm64 nodes: the images of all pods on them, including DaemonSets, must be built for linux/arm64.');
  }
  return gpu;
}

function checkTpus(pool: NodePoolSpec, tpu: TpuAccelerator, path: string, findings: FindingCollector): TpuAccelerator | undefined {
  const { topology } = pool.tpus!;
  const name = needsMachine(pool, tpu, path, findings);
  if (!checkTopology(tpu, topology, `${path}.tpus.topology`, findings) || name === undefined) {
    return undefined;
  }
  return checkTpuMachine(tpu, name, topology, `${path}.machineType`, findings) === undefined ? undefined : tpu;
}

function checkDriver({ gpuOperator = false, secureBoot = false, labels = {} }: NodePoolSpec, { driver = 'default' }: PoolGpus, path: string, findings: FindingCollector): void {
  if (!DRIVERS.includes(driver)) {
    findings.error(POOL_RULES.driver, `${path}.gpus.driver`, driver, `must be ${either(DRIVERS)}.${didYouMean(driver.toLowerCase(), DRIVERS)}`);
    return;
  }
  if (!gpuOperator) {
    if (driver === 'disabled') {
      findings.error(POOL_RULES.driver, `${path}.gpus.driver`, driver, 'leaves the nodes without a driver, and pods would wait forever. Use default or latest, or set gpuOperator.');
    }
    return;
  }
  const missing = [
    ...(driver === 'disabled' ? [] : ["gpus.driver: 'disabled'"]),
    ...(labels[NO_DEVICE_PLUGIN_LABEL] === 'true' ? [] : [`the label ${NO_DEVICE_PLUGIN_LABEL}: 'true'`]),
  ];
  if (missing.length > 0) {
    findings.error(POOL_RULES.operatorPlugin, `${path}.gpuOperator`, true, `would conflict with GKE's own driver or device plugin on the nodes. Add ${both(missing)}.`);
  }
  if (secureBoot) {
    findings.error(POOL_RULES.secureBoot, `${path}.secureBoot`, true, 'rejects the driver that the GPU operator compiles. Set it to false, or let GKE install its signed driver.');
  }
}

const SMALLEST_BOOT_DISK = 10;

/**
 * Checks the disks of a pool.
 *
 * Disks of the nodes: what they boot from, what pods attach, and local SSDs.
 */
export function checkDisks(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const machine = findMachine(pool.machineType ?? '')?.machine;
  checkLocalSsds(pool, machine, path, findings);
  findings.whole(POOL_RULES.bootDisk, `${path}.bootDiskGiB`, pool.bootDiskGiB, SMALLEST_BOOT_DISK);
  if (accelerator !== undefined) {
    checkBootDisk(pool, accelerator, machine, path, findings);
    checkAttached(pool, accelerator, path, findings);
  }
}

function checkBootDisk(
  pool: NodePoolSpec, accelerator: AcceleratorInfo, machine: MachineType | undefined, path: string, findings: FindingCollector,
): void {
  const { bootDiskType, machineType } = pool;
  const types: readonly string[] = machine?.bootDiskTypes ?? accelerator.bootDiskTypes;
  if (bootDiskType !== undefined && !types.includes(bootDiskType)) {
    findings.error(POOL_RULES.bootDisk, `${path}.bootDiskType`, bootDiskType,
      `is not a boot disk of ${machineType ?? accelerator.type}, which has ${either(types)}.${didYouMean(bootDiskType, types) || ` Use ${accelerator.defaultBootDiskType}.`}`);
  }
}

function checkAttached(pool: NodePoolSpec, accelerator: AcceleratorInfo, path: string, findings: FindingCollector): void {
  const { attachedDiskTypes = [], machineType, confidentialNodeType } = pool;
  const further = confidentialNodeType === undefined ? [] : accelerator.confidentialOnlyDiskTypes ?? [];
  const types: readonly string[] = [...accelerator.attachableDiskTypes, ...further];
  attachedDiskTypes.forEach((type, index) => {
    if (!types.includes(type)) {
      const confidential = (accelerator.confidentialOnlyDiskTypes as readonly string[] | undefined)?.includes(type) ? ' Only confidential nodes can.' : '';
      const standard = type === 'pd-balanced' ? ' The class standard-rwo creates it: use another class in the claims.' : '';
      findings.error(POOL_RULES.attachedDisk, `${path}.attachedDiskTypes[${index}]`, type,
        `cannot be attached to ${machineType ?? accelerator.type}, which has ${either(types)}.${confidential}${standard}`);
    }
  });
}

function checkLocalSsds(pool: NodePoolSpec, machine: MachineType | undefined, path: string, findings: FindingCollector): void {
  const { machineType, localSsdEphemeral, localSsdBlock } = pool;
  if (localSsdEphemeral !== undefined && localSsdBlock !== undefined) {
    findings.error(POOL_RULES.localSsd, `${path}.localSsdBlock`, localSsdBlock, 'cannot be combined with localSsdEphemeral: SSDs are used in one way. Remove one of the two.');
  }
  const [field, count] = localSsdEphemeral !== undefined ? ['localSsdEphemeral', localSsdEphemeral] as const : ['localSsdBlock', localSsdBlock] as const;
  if (count === undefined || count === 0 || machine === undefined) {
    return;
  }
  const { localSsd } = machine;
  if (localSsd.mode === 'automatic' && count !== localSsd.count) {
    findings.error(POOL_RULES.localSsd, `${path}.${field}`, count, `is not the number that ${machineType} comes with, ${localSsd.count}. Use ${localSsd.count}, or leave it out.`);
  } else if (localSsd.mode === 'automatic') {
    findings.warn(POOL_RULES.localSsd, `${path}.${field}`, count, `is already the number that ${machineType} comes with. Leave it out.`);
  } else if (localSsd.mode === 'none') {
    const sibling = machineType?.endsWith('-nolssd') ? ` Use ${machineType.replace(/-nolssd$/, '')}, which has some.` : '';
    findings.error(POOL_RULES.localSsd, `${path}.${field}`, count, `is not possible: ${machineType} has no local SSDs.${sibling || ' Remove it.'}`);
  } else if (!localSsd.allowedCounts.includes(count)) {
    findings.error(POOL_RULES.localSsd, `${path}.${field}`, count, `is not a number of local SSDs of ${machineType}: use ${either(localSsd.allowedCounts)}.`);
  }
}
