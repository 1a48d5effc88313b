/** How many nodes a pool has, and where they are to each other. */
import { POOL_RULES } from './rule-list';
import { findMachine, machineFamilyOf } from '../../accelerators/catalogue';
import { either, type FindingCollector } from '../../findings';
import { hostsOf } from '../../accelerators/topology';
import type { AcceleratorInfo } from '../../accelerators/types';
import type { NodePoolSpec, PoolSize } from '../spec';

export function checkShape(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  checkSize(pool.size ?? {}, `${path}.size`, findings);
  checkSlice(pool, accelerator, path, findings);
  checkPlacement(pool, accelerator, path, findings);
  const { maxSurge, maxUnavailable } = pool.upgrade ?? {};
  if (maxSurge === 0 && (maxUnavailable ?? 0) === 0) {
    findings.error(POOL_RULES.upgrade, `${path}.upgrade.maxSurge`, 0, 'leaves no way to upgrade, with maxUnavailable 0. Set one of the two to 1.');
  }
}

function checkSize(size: PoolSize, path: string, findings: FindingCollector): void {
  const { nodes, minPerZone, maxPerZone, totalMin, totalMax } = size;
  const perZone = minPerZone !== undefined || maxPerZone !== undefined;
  const total = totalMin !== undefined || totalMax !== undefined;
  for (const [field, value] of Object.entries({ nodes, minPerZone, maxPerZone, totalMin, totalMax })) {
    if (!findings.whole(POOL_RULES.size, `${path}.${field}`, value, 0)) {
      return;
    }
  }
  if (nodes !== undefined && (perZone || total)) {
    findings.error(POOL_RULES.size, `${path}.nodes`, nodes, 'is a fixed number, and cannot be combined with autoscaling. Remove one of the two.');
  }
  if (perZone && total) {
    findings.error(POOL_RULES.size, `${path}.${totalMax !== undefined ? 'totalMax' : 'totalMin'}`, totalMax ?? totalMin, 'counts all zones together, and cannot be combined with minPerZone or maxPerZone. Remove one of the two.');
  }
  for (const [field, least, most] of [['minPerZone', minPerZone, maxPerZone], ['totalMin', totalMin, totalMax]] as const) {
    if (least !== undefined && most === undefined && !(perZone && total)) {
      const other = field === 'minPerZone' ? 'maxPerZone' : 'totalMax';
      findings.error(POOL_RULES.size, `${path}.${field}`, least, `needs ${other} too: autoscaling has a minimum and a maximum. Set it, or use nodes for a fixed number.`);
    }
    if (least !== undefined && most !== undefined && least > most) {
      findings.error(POOL_RULES.size, `${path}.${field}`, least, `is more than the maximum (${most}). Lower it.`);
    }
  }
}

/** A pool of a slice over several hosts is that slice. */
function checkSlice(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const { tpus, size = {} } = pool;
  const chips = pool.machineType === undefined ? undefined : findMachine(pool.machineType)?.machine.devices;
  const hosts = tpus === undefined || chips === undefined || accelerator === undefined ? undefined : hostsOf(tpus.topology, chips);
  if (tpus === undefined || hosts === undefined || hosts < 2) {
    return;
  }
  const what = `${tpus.type} ${tpus.topology} is a slice of ${hosts} nodes of ${pool.machineType}`;
  const total = size.totalMax ?? size.totalMin;
  if (total !== undefined) {
    findings.error(POOL_RULES.slice, `${path}.size.${size.totalMax !== undefined ? 'totalMax' : 'totalMin'}`, total, `is not allowed for slices: ${what}, counted per zone. Use maxPerZone: ${hosts}.`);
  }
  for (const [field, value] of Object.entries({ nodes: size.nodes, maxPerZone: size.maxPerZone })) {
    if (value !== undefined && value !== hosts) {
      findings.error(POOL_RULES.slice, `${path}.size.${field}`, value, `must be ${hosts}: ${what}, and one pool is one slice. Use ${hosts}.`);
    }
  }
  if (size.minPerZone !== undefined && size.minPerZone !== 0 && size.minPerZone !== hosts) {
    findings.error(POOL_RULES.slice, `${path}.size.minPerZone`, size.minPerZone, `must be 0: ${what}, which is created and deleted as a unit. Use 0.`);
  }
  if (size.locationPolicy === 'BALANCED') {
    findings.error(POOL_RULES.locationPolicy, `${path}.size.locationPolicy`, 'BALANCED', 'spreads nodes across zones, but a TPU slice must be in one zone. Use ANY.');
  }
}

function checkPlacement(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const { compact = false, policyName } = pool.placement ?? {};
  const byPolicy = accelerator !== undefined && (accelerator.kind === 'tpu' ? accelerator.workloadPolicy === true : accelerator.nvlinkTopology !== undefined);
  if (byPolicy) {
    checkWorkloadPolicy(pool, accelerator, compact, policyName, path, findings);
    return;
  }
  if (!compact) {
    return;
  }
  const zones = pool.zones ?? [];
  if (zones.length !== 1) {
    findings.error(POOL_RULES.compactZone, `${path}.zones`, pool.zones, `must be exactly one with compact placement${zones.length === 0 ? '. Name it' : '. Choose one of them'}.`);
  }
  if (pool.upgrade?.strategy === 'BLUE_GREEN') {
    findings.error(POOL_RULES.compactZone, `${path}.upgrade.strategy`, 'BLUE_GREEN', 'needs a second set of nodes, which a compact placement has no room for. Use SURGE.');
  }
  if (accelerator?.kind === 'gpu') {
    checkCompactGpus(pool, accelerator.compactPlacementMaxNodes, path, findings);
  }
}

function checkCompactGpus(pool: NodePoolSpec, most: number | undefined, path: string, findings: FindingCollector): void {
  const family = machineFamilyOf(pool.machineType ?? '');
  if (most === undefined) {
    findings.error(POOL_RULES.compact, `${path}.placement.compact`, true, `is not offered for machines of ${family || 'this family'}. Remove it, or use ${either(['g2', 'a2', 'a3', 'a4', 'g4'])}.`);
    return;
  }
  const { nodes, maxPerZone, totalMax } = pool.size ?? {};
  for (const [field, value] of Object.entries({ nodes, maxPerZone, totalMax })) {
    if (value !== undefined && value > most) {
      findings.error(POOL_RULES.compactNodes, `${path}.size.${field}`, value, `is more than a compact placement of ${family} can have, ${most}. Use ${most}, or several pools.`);
    }
  }
}

function checkWorkloadPolicy(
  pool: NodePoolSpec, accelerator: AcceleratorInfo, compact: boolean, policyName: string | undefined, path: string, findings: FindingCollector,
): void {
  if (compact) {
    findings.error(POOL_RULES.workloadPolicy, `${path}.placement.compact`, true, `is not allowed for ${accelerator.type}, which is placed by a workload policy. Set placement.policyName instead.`);
    return;
  }
  const hosts = pool.tpus === undefined ? undefined : hostsOf(pool.tpus.topology, findMachine(pool.machineType ?? '')?.machine.devices ?? 0);
  if (policyName === undefined && accelerator.kind === 'tpu' && hosts !== undefined && hosts > 1) {
    findings.error(POOL_RULES.workloadPolicy, `${path}.placement.policyName`, undefined, `is required: a slice of ${accelerator.type} over several hosts is placed by a workload policy with the topology ${pool.tpus!.topology}.`);
  } else if (policyName === undefined && accelerator.kind === 'gpu') {
    findings.warn(POOL_RULES.workloadPolicy, `${path}.placement.policyName`, undefined, `is not set: without a workload policy (HIGH_THROUGHPUT, ${accelerator.nvlinkTopology}) nodes may not share NVLink.`);
  }
}
