/** Disks of the nodes: what they boot from, what pods attach, and local SSDs. */
import { POOL_RULES } from './rule-list';
import { findMachine } from '../../accelerators/catalogue';
import { either, type FindingCollector } from '../../findings';
import type { AcceleratorInfo, MachineType } from '../../accelerators/types';
import { didYouMean } from '../../violations';
import type { NodePoolSpec } from '../spec';

/** Smallest boot disk, in GiB. */
const SMALLEST_BOOT_DISK = 10;

/** Checks the disks of a pool. */
export function checkDisks(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const machine = findMachine(pool.machineType ?? '')?.machine;
  checkLocalSsds(pool, machine, path, findings);
  if (pool.bootDiskGiB !== undefined && (!Number.isInteger(pool.bootDiskGiB) || pool.bootDiskGiB < SMALLEST_BOOT_DISK)) {
    findings.error(POOL_RULES.bootDisk, `${path}.bootDiskGiB`, pool.bootDiskGiB, `must be a whole number of at least ${SMALLEST_BOOT_DISK}.`);
  }
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
