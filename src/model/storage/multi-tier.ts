/**
 * GKE's multi-tier checkpointing: a driver on chosen nodes gives each pod a RAM disk; a replicator copies what is on it to peers, and backs it up in
 * a bucket. Which pods are peers it learns from the JobSet that they are of.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/machine-learning/training/multi-tier-checkpointing
 */
import { BUCKET_NAME, type MultiTierBackend } from './store';
import { STORE_RULES } from './rule-list';
import { findMachine, machineNames } from '../accelerators/catalogue';
import type { FindingCollector } from '../findings';
import { INSTANCE_TYPE_LABEL } from '../accelerators/labels';
import { didYouMean } from '../violations';

/** Driver of the RAM disk. */
export const MULTI_TIER_DRIVER = 'multitier-checkpoint.csi.storage.gke.io';

const MULTI_TIER_MIN_VERSION = '1.32.4-gke.1415000';

export function tierSelector({ machineType, nodeSelector }: Pick<MultiTierBackend, 'machineType' | 'nodeSelector'>): { readonly [label: string]: string } {
  return { ...(machineType !== undefined && { [INSTANCE_TYPE_LABEL]: machineType }), ...nodeSelector };
}

/** Machine type of the nodes, where it is known. */
export function tierMachine(backend: MultiTierBackend): string | undefined {
  return tierSelector(backend)[INSTANCE_TYPE_LABEL];
}

export function checkMultiTier(backend: MultiTierBackend, path: string, findings: FindingCollector): void {
  const { bucket, ramDiskGiB, hierarchicalNamespace, autopilot, gkeVersion, machineType, nodeSelector } = backend;
  findings.form(STORE_RULES.bucketName, `${path}.bucket`, bucket, BUCKET_NAME, 'must be the name of a bucket alone.');
  if (hierarchicalNamespace === false) {
    findings.error(STORE_RULES.tierBucket, `${path}.hierarchicalNamespace`, false, 'must be true, or backups fail. Create a bucket with it: it cannot be added later.');
  }
  if (autopilot) {
    findings.error(STORE_RULES.tierCluster, `${path}.autopilot`, true, 'does not support multi-tier checkpoints. Use a Standard cluster, or another backend such as Lustre.');
  }
  if (gkeVersion !== undefined && isOlder(gkeVersion, MULTI_TIER_MIN_VERSION)) {
    findings.error(STORE_RULES.tierCluster, `${path}.gkeVersion`, gkeVersion, `does not support multi-tier checkpoints, which were added in ${MULTI_TIER_MIN_VERSION}.`);
  }
  if (Object.keys(tierSelector(backend)).length === 0) {
    findings.error(STORE_RULES.tierSelector, `${path}.machineType`, undefined, 'is required, or nodeSelector: without one the RAM disks would be on all nodes of the cluster.');
  }
  const other = nodeSelector?.[INSTANCE_TYPE_LABEL];
  if (machineType !== undefined && other !== undefined && other !== machineType) {
    findings.error(STORE_RULES.tierSelector, `${path}.machineType`, machineType, `and nodeSelector, which sets ${other}, are mutually exclusive. Remove one of the two.`);
  }
  checkMemory(backend, path, findings);
  if (!(ramDiskGiB > 0)) {
    findings.error(STORE_RULES.positiveSize, `${path}.ramDisk`, ramDiskGiB, 'must be above 0: room for two checkpoints of a node, at least.');
  }
}

function checkMemory(backend: MultiTierBackend, path: string, findings: FindingCollector): void {
  const name = tierMachine(backend);
  if (name === undefined) {
    return;
  }
  const machine = findMachine(name)?.machine;
  if (machine === undefined) {
    findings.warn(STORE_RULES.tierMachine, `${path}.machineType`, name, `is not a known machine type with accelerators: whether the RAM disk fits is not known.${didYouMean(name, machineNames())}`);
  } else if (backend.ramDiskGiB >= machine.memoryGiB) {
    findings.error(STORE_RULES.tierMemory, `${path}.ramDisk`, backend.ramDiskGiB, `takes all of the memory of ${name}, which has ${machine.memoryGiB} GiB, including that of the job. Make it smaller.`);
  } else if (backend.ramDiskGiB > machine.memoryGiB / 2) {
    findings.warn(STORE_RULES.tierMemory, `${path}.ramDisk`, backend.ramDiskGiB, `is more than half of the memory of ${name} (${machine.memoryGiB} GiB), which is then missing for the job.`);
  }
}

/** Compares versions of GKE, number by number. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => (text.match(/[0-9]+/g) ?? []).map(Number);
  const [left, right] = [numbers(version), numbers(than)];
  for (const [index, value] of right.entries()) {
    if ((left[index] ?? 0) !== value) {
      return (left[index] ?? 0) < value;
    }
  }
  return false;
}
