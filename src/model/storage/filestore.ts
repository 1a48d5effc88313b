/** Filestore: what instances there are, and what a claim gets that asks for less. */
import { STORAGE_RULES } from './rule-list';
import type { FilestoreBackend } from './store';
import { FindingCollector, either, type Finding } from '../findings';
import { didYouMean } from '../violations';

export interface FilestoreTier {
  /** Names of it in storage classes. */
  readonly names: readonly string[];
  /** Smallest and largest instance, in GiB. */
  readonly minGiB: number;
  readonly maxGiB: number;
  readonly scope: 'zone' | 'region';
  readonly basic?: boolean;
}

const TIB = 1024;

/** Tiers, as the driver has them. The driver's newest takes less for the first one; releases of GKE round up to 1 TiB. */
export const FILESTORE_TIERS: readonly FilestoreTier[] = [
  { names: ['standard', 'basic_hdd'], minGiB: TIB, maxGiB: Math.floor(63.9 * TIB), scope: 'zone', basic: true },
  { names: ['premium', 'basic_ssd'], minGiB: 2.5 * TIB, maxGiB: Math.floor(63.9 * TIB), scope: 'zone', basic: true },
  { names: ['zonal'], minGiB: TIB, maxGiB: 100 * TIB, scope: 'zone' },
  { names: ['high_scale_ssd'], minGiB: 10 * TIB, maxGiB: 100 * TIB, scope: 'zone' },
  { names: ['regional'], minGiB: TIB, maxGiB: 100 * TIB, scope: 'region' },
  { names: ['enterprise'], minGiB: TIB, maxGiB: 10 * TIB, scope: 'region' },
];

/** Sizes that shares of one instance are at most of, in GiB. */
const SHARE_SIZES = [128, 256, 512, 1024];

/** A claim on Filestore, with what its storage class says. */
export interface FilestoreClaim extends Pick<
  FilestoreBackend, 'tier' | 'network' | 'clusterNetwork' | 'sharedVpc' | 'connectMode' | 'protocol' | 'maxShareGiB' | 'location'
> {
  readonly sizeGiB: number;
}

export function checkFilestore(claim: FilestoreClaim, path = 'filestore'): Finding[] {
  const findings = new FindingCollector();
  const name = (claim.tier ?? 'standard').toLowerCase();
  const tier = FILESTORE_TIERS.find(({ names }) => names.includes(name));
  if (tier === undefined) {
    const names = FILESTORE_TIERS.flatMap((known) => known.names);
    findings.error(STORAGE_RULES.tier, `${path}.tier`, claim.tier, `is not a tier: ${either(names)}.${didYouMean(name, names)}`);
    return findings.findings;
  }
  checkSize(claim, tier, name, path, findings);
  checkNetwork(claim, path, findings);
  if (tier.basic && claim.protocol === 'NFS_V4_1') {
    findings.error(STORAGE_RULES.protocol, `${path}.protocol`, 'NFS_V4_1', `is not available in the tier ${name}. Use NFS_V3, or the tier zonal.`);
  }
  const isZone = claim.location !== undefined && /-[a-z]$/.test(claim.location);
  if (claim.location !== undefined && isZone !== (tier.scope === 'zone')) {
    findings.error(STORAGE_RULES.location, `${path}.location`, claim.location, `must be a ${tier.scope}: instances of ${name} are in one, such as ${tier.scope === 'zone' ? 'us-central1-a' : 'us-central1'}.`);
  }
  return findings.findings;
}

function checkSize({ sizeGiB, maxShareGiB }: FilestoreClaim, tier: FilestoreTier, name: string, path: string, findings: FindingCollector): void {
  if (maxShareGiB !== undefined) {
    if (name !== 'enterprise' || !SHARE_SIZES.includes(maxShareGiB)) {
      findings.error(STORAGE_RULES.multishare, `${path}.maxShareGiB`, maxShareGiB, `must be ${either(SHARE_SIZES)}, in the tier enterprise.`);
    } else if (sizeGiB > maxShareGiB) {
      findings.error(STORAGE_RULES.multishare, `${path}.sizeGiB`, sizeGiB, `is more than a share of the instance: ${maxShareGiB}. Request less, or raise maxShareGiB.`);
    }
    return;
  }
  if (sizeGiB < tier.minGiB) {
    const rule = name === 'regional' ? STORAGE_RULES.regionalSize : STORAGE_RULES.size;
    findings.error(rule, `${path}.sizeGiB`, sizeGiB, `is less than the smallest instance of ${name}: ${tier.minGiB} GiB are created and billed. Request ${tier.minGiB}, or use shares of the tier enterprise.`);
  } else if (sizeGiB > tier.maxGiB) {
    findings.error(STORAGE_RULES.size, `${path}.sizeGiB`, sizeGiB, `is more than the largest instance of ${name}, ${tier.maxGiB} GiB. Request less, or use several.`);
  }
}

function checkNetwork({ network, clusterNetwork, sharedVpc, connectMode }: FilestoreClaim, path: string, findings: FindingCollector): void {
  if (clusterNetwork !== undefined && (network ?? 'default') !== clusterNetwork) {
    findings.error(STORAGE_RULES.network, `${path}.network`, network, `is ${network === undefined ? "not set, which means 'default'" : 'a different one'}, and the cluster is on '${clusterNetwork}': pods would not reach the instance. Use '${clusterNetwork}', in your own class.`);
  }
  if (sharedVpc && connectMode !== 'PRIVATE_SERVICE_ACCESS') {
    findings.error(STORAGE_RULES.sharedVpc, `${path}.connectMode`, connectMode, 'must be PRIVATE_SERVICE_ACCESS on a shared VPC.');
  }
}
