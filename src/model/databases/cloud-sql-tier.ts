/** Machines of Cloud SQL by their names. */
import { CLOUD_SQL_RULES } from './rule-list';
import type { FindingCollector } from '../findings';
import type { Below } from '../spec-checks';

const SHARED_CORE = ['db-f1-micro', 'db-g1-small'];
const CUSTOM = /^db-custom-(\d+)-(\d+)$/;
const PREDEFINED = /^db-n1-(standard|highmem)-\d+$/;
const PLUS = /^db-(perf-optimized-N|memory-optimized-N|c4a-highmem)-\d+(-lssd)?$/;

/** Whether a machine has a part of a core. */
export function isSharedCore(tier: string): boolean {
  return SHARED_CORE.includes(tier);
}

/** Checks a machine, and that its edition has it. */
export function checkTier(tier: string, edition: string, below: Below, findings: FindingCollector): void {
  const custom = CUSTOM.exec(tier);
  if (custom !== null) {
    checkCustom(tier, Number(custom[1]), Number(custom[2]), below, findings);
  } else if (!SHARED_CORE.includes(tier) && !PREDEFINED.test(tier) && !PLUS.test(tier)) {
    const guess = tier.startsWith('db-') ? '' : ` Did you mean 'db-${tier}'?`;
    findings.error(CLOUD_SQL_RULES.tier, below('tier'), tier,
      `is not a Cloud SQL machine type: db-custom-CORES-MIB such as db-custom-2-7680, db-n1-standard-N, db-perf-optimized-N-N.${guess}`);
    return;
  }
  if (edition === 'ENTERPRISE_PLUS' && !PLUS.test(tier)) {
    findings.error(CLOUD_SQL_RULES.edition, below('tier'), tier, 'belongs to the edition ENTERPRISE. Use db-perf-optimized-N-2 or larger, or that edition.');
  } else if (edition !== 'ENTERPRISE_PLUS' && PLUS.test(tier)) {
    findings.error(CLOUD_SQL_RULES.edition, below('edition'), edition, `does not have ${tier}. Use ENTERPRISE_PLUS, or db-custom-CORES-MIB.`);
  }
}

function checkCustom(tier: string, cores: number, mib: number, below: Below, findings: FindingCollector): void {
  const refuse = (message: string) => findings.error(CLOUD_SQL_RULES.custom, below('tier'), tier, message);
  if (cores !== 1 && (cores % 2 !== 0 || cores < 2 || cores > 96)) {
    refuse(`has ${cores} cores, and must have one or an even number up to 96.`);
    return;
  }
  const least = Math.max(3840, Math.ceil(cores * 0.9 * 1024 / 256) * 256);
  const most = Math.floor(cores * 6.5 * 1024 / 256) * 256;
  if (mib % 256 !== 0 || mib < least || mib > most) {
    refuse(`has ${mib} MiB of memory, and must have a multiple of 256 from ${least} to ${most} with ${cores} ${cores === 1 ? 'core' : 'cores'}.`);
  }
}
