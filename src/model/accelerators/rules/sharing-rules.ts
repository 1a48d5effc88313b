/** Rules on partitions of GPUs (MIG) and on sharing them. */
import { RULES } from './rule-list';
import { SHARED_CLIENTS } from '../catalogue';
import { either, type FindingCollector } from '../../findings';
import type { GpuRequest, GpuSharingSpec } from '../requests';
import type { GpuAccelerator } from '../types';
import { didYouMean } from '../../violations';

/** Strategies, as labels and pods spell them. The API of node pools writes TIME_SHARING and MPS. */
export const SHARING_STRATEGIES = ['time-sharing', 'mps'] as const;

export function checkPartition(gpu: GpuAccelerator, size: string, path: string, findings: FindingCollector): void {
  const sizes = gpu.migProfiles.map(({ profile }) => profile);
  if (sizes.includes(size)) {
    if (!/^[0-9]+g\.[0-9]+gb$/.test(size)) {
      findings.warn(RULES.migSpelling, path, size,
        'has a suffix, which autoscaler and device plugin spell differently (.me and +me); which one a node pool needs is not known. A plain size is safe.');
    }
    return;
  }
  const plain = sizes.filter((profile) => /^[0-9]+g\.[0-9]+gb$/.test(profile));
  if (gpu.migDriverOnly.includes(size)) {
    findings.error(RULES.migDriverOnly, path, size, `is known to the driver of ${gpu.type}, and refused by GKE's autoscaler. Use ${either(plain)}.`);
  } else if (sizes.length === 0) {
    findings.error(RULES.migSize, path, size, `is not offered: GKE has no partitions of ${gpu.type}. Use whole GPUs${gpu.memoryGiB !== null && gpu.memoryGiB < 40 ? ', or share them' : ''}.`);
  } else {
    findings.error(RULES.migSize, path, size, `is not a partition of ${gpu.type}, which has ${either(plain)}.${didYouMean(size, plain)}`);
  }
}

function checkStrategy(strategy: string, path: string, findings: FindingCollector): void {
  if (!(SHARING_STRATEGIES as readonly string[]).includes(strategy)) {
    const guess = /^time.?sharing$/i.test(strategy) ? " Did you mean 'time-sharing'?" : didYouMean(strategy, SHARING_STRATEGIES);
    findings.error(RULES.sharingStrategy, path, strategy, `must be ${either(SHARING_STRATEGIES)}.${guess}`);
  }
}

export function checkClients(clients: number, path: string, findings: FindingCollector): void {
  const { min, max } = SHARED_CLIENTS;
  findings.whole(RULES.sharingClients, path, clients, min, max, clients === 1 ? ': one client does not share, so omit it.' : '.');
}

/** Checks that partitions are shared in a way that NVIDIA supports. */
export function checkSharedPartition(strategy: string, partition: string | undefined, path: string, findings: FindingCollector): void {
  if (strategy === 'mps' && partition !== undefined) {
    findings.warn(RULES.mpsOnMig, path, strategy, 'is not supported on partitions by NVIDIA, although GKE accepts it. Use time-sharing.');
  }
}

/** Checks how one GPU or partition is shared, without what a pod asks for. */
export function checkSharingSpec(sharing: GpuSharingSpec, partition: string | undefined, path: string, findings: FindingCollector): void {
  const { strategy, clients } = sharing;
  checkStrategy(strategy, `${path}.strategy`, findings);
  checkClients(clients, `${path}.clients`, findings);
  checkSharedPartition(strategy, partition, `${path}.strategy`, findings);
}

/**
 * Checks what a pod asks for of partitions and shares.
 * @param devices physical GPUs of the machine; undefined when any machine will do
 */
export function checkSharing(request: GpuRequest, path: string, devices: number | undefined, findings: FindingCollector): void {
  const { count, partition, sharing } = request;
  if (sharing === undefined) {
    if (partition !== undefined && count > 1) {
      findings.error(RULES.migCount, `${path}.count`, count,
        `is more than one partition of ${partition}, and a process uses one: they are separate devices, without NVLink. Use 1, and a larger size or more replicas.`);
    }
    return;
  }
  checkSharingSpec(sharing, partition, `${path}.sharing`, findings);
  checkShares(count, sharing.strategy, partition === undefined && devices === 1, `${path}.count`, findings);
}

/** At most one share of a GPU for a container. */
export function checkShares(count: number, strategy: string, oneDevice: boolean, path: string, findings: FindingCollector): void {
  if (count <= 1) {
    return;
  }
  if (strategy === 'mps') {
    if (!oneDevice) {
      findings.error(RULES.sharingCount, path, count, 'is more than one share, which MPS gives only on nodes with exactly one GPU or partition. Use 1, or a machine type with one GPU.');
    }
  } else {
    findings.error(RULES.sharingCount, path, count, 'is more than one share, which time-sharing never gives to a container: both shares could be on the same GPU. Use 1, or whole GPUs.');
  }
}
