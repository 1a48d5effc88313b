/** Managed Lustre: sizes, throughput and names. */
import { STORAGE_RULES } from './rule-list';
import { FindingCollector, either, type Finding } from '../findings';

/** MB/s of each TiB that there are. */
export const LUSTRE_THROUGHPUTS: readonly string[] = ['125', '250', '500', '1000'];

/** Smallest volume, in GiB. */
export const LUSTRE_MIN_GIB = 9000;

/** A volume, with what its storage class says, or an instance that is made outside of the cluster. */
export interface LustreVolume {
  readonly sizeGiB: number;
  /** MB/s of each TiB, as the class spells it: a text. */
  readonly perUnitStorageThroughput?: string;
  readonly filesystem?: string;
  /** Of an instance that is made outside: whether nodes of GKE may mount it. */
  readonly gkeSupportEnabled?: boolean;
  /** Whether it is made outside, and mounted by name. */
  readonly existing?: boolean;
}

export function checkLustre({ sizeGiB, perUnitStorageThroughput, filesystem, gkeSupportEnabled, existing }: LustreVolume, path = 'lustre'): Finding[] {
  const findings = new FindingCollector();
  if (!existing && (perUnitStorageThroughput === undefined || !LUSTRE_THROUGHPUTS.includes(perUnitStorageThroughput))) {
    findings.error(STORAGE_RULES.lustreThroughput, `${path}.perUnitStorageThroughput`, perUnitStorageThroughput,
      `${perUnitStorageThroughput === undefined ? 'is required' : 'is not a supported value'}: ${either(LUSTRE_THROUGHPUTS)} MB/s per TiB. A higher throughput costs more.`);
  }
  if (sizeGiB < LUSTRE_MIN_GIB) {
    findings.error(STORAGE_RULES.lustreSize, `${path}.sizeGiB`, sizeGiB, `is less than the smallest volume, ${LUSTRE_MIN_GIB} GiB. Request that, or use Filestore.`);
  }
  if (filesystem !== undefined && !/^[A-Za-z][A-Za-z0-9]{0,7}$/.test(filesystem)) {
    findings.error(STORAGE_RULES.lustreFilesystem, `${path}.filesystem`, filesystem, 'must be a letter, then letters and digits, at most 8 in all.');
  }
  if (existing && gkeSupportEnabled !== true) {
    findings.error(STORAGE_RULES.lustreGke, `${path}.gkeSupportEnabled`, gkeSupportEnabled, 'must be true, or GKE nodes cannot mount the instance. The default is false.');
  }
  return findings.findings;
}
