/** Which accelerators the nodes of a pool have, and who installs their driver. */
import { POOL_RULES } from './rule-list';
import { findMachine, machinesWith } from '../../accelerators/catalogue';
import { both, either, type FindingCollector } from '../../findings';
import { NO_DEVICE_PLUGIN_LABEL } from '../../accelerators/labels';
import { checkCount, checkGpuType } from '../../accelerators/rules/gpu-rules';
import { checkMachine, checkVcpus, machineExamples } from '../../accelerators/rules/machine-rules';
import { checkPartition, checkSharingSpec } from '../../accelerators/rules/sharing-rules';
import { RULES } from '../../accelerators/rules/rule-list';
import { checkTopology, checkTpuMachine, checkTpuType } from '../../accelerators/rules/tpu-rules';
import type { AcceleratorInfo, GpuAccelerator, TpuAccelerator } from '../../accelerators/types';
import { didYouMean } from '../../violations';
import type { NodePoolSpec, PoolGpus } from '../spec';

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
  if (!Number.isInteger(count) || count < 1) {
    findings.error(RULES.gpuCount, `${path}.gpus.count`, count, 'must be a whole number of at least 1.');
  } else if (machine?.devices !== undefined && machine.devices !== count) {
    const fitting = machinesWith(gpu, count).map((candidate) => candidate.name);
    findings.error(POOL_RULES.count, `${path}.gpus.count`, count,
      `is not the number that ${machine.name} has, ${machine.devices}. Use ${machine.devices}${fitting.length > 0 ? `, or ${either(fitting)}` : ''}.`);
  } else if (machine === undefined || machine.devices === undefined) {
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
