/** The pool for system pods, in the model's terms. */
import type { NodePoolSpec } from '../../model/node-pools/spec';

/** What a system pool is made from. */
export interface SystemPoolOptions {
  readonly machineType?: string;
  readonly minPerZone?: number;
  readonly maxPerZone?: number;
  readonly diskGiB?: number;
  readonly zones?: readonly string[];
}

/** The pool. */
export function systemPoolSpec({ machineType = 'e2-standard-4', minPerZone = 1, maxPerZone, diskGiB = 100, zones }: SystemPoolOptions): NodePoolSpec {
  return {
    name: 'system',
    machineType,
    size: { minPerZone, maxPerZone: maxPerZone ?? Math.max(3, minPerZone) },
    ...(zones !== undefined && { zones }),
    bootDiskType: 'pd-balanced',
    bootDiskGiB: diskGiB,
    autoRepair: true,
    autoUpgrade: true,
    upgrade: { strategy: 'SURGE', maxSurge: 1, maxUnavailable: 0 },
    network: { privateNodes: true },
    secureBoot: true,
    workloadMetadata: 'GKE_METADATA',
  };
}
