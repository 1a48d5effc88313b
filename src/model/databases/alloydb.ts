/** AlloyDB: PostgreSQL with nodes that only read. */
import { both, runChecks, rule, type Finding, type FindingCollector, type Below, type SpecCheck, type Rule } from '../findings';

export const ALLOYDB_RULES = {
  cpus: rule('alloydb-cpus', 'alloyDbQuotas', 'Machines have 1, 2, 4, 8, 16, 32, 48, 64, 72, 96 or 128 cores.'),
  machineType: rule('alloydb-machine-type', 'pulumiAlloyDb', 'The number of cores matches the machine type.'),
  poolAvailability: rule('alloydb-pool-availability', 'pulumiAlloyDb', 'A read pool of one node is in one zone.'),
  poolNodes: rule('alloydb-pool-nodes', 'alloyDbQuotas', 'The read pools of a cluster have at most 20 nodes in total.'),
  recovery: rule('alloydb-recovery-window', 'alloyDbBackups', 'Continuous backups cover at most 35 days.'),
  backupRetention: rule('alloydb-backup-retention', 'alloyDbBackups', 'Daily backups are kept at least as long as continuous ones, or they add nothing.'),
  iamFlag: rule('alloydb-iam-flag', 'alloyDbIam', 'IAM users can log in only if alloydb.iam_authentication is on.'),
  poolName: rule('alloydb-pool-name', 'pulumiAlloyDb', 'Instances of a cluster have different names.'),
} as const satisfies { readonly [name: string]: Rule };

export interface AlloyDbReadPool {
  readonly nodes: number;
  /** @default - those of the primary instance */
  readonly cpus?: number;
  readonly machineType?: string;
  /** Whether its nodes are in several zones. @default - where there is more than one */
  readonly highAvailability?: boolean;
}

export interface AlloyDbSpec {
  readonly cpus?: number;
  readonly machineType?: string;
  readonly readPools?: { readonly [name: string]: AlloyDbReadPool };
  /** Days that continuous backups reach back. */
  readonly recoveryDays?: number;
  readonly backupDays?: number;
  readonly flags?: { readonly [name: string]: string };
  readonly iamUsers?: readonly string[];
  /** Name of the primary instance. */
  readonly primary?: string;
}

/** What a cluster has where nothing is said. */
export const ALLOYDB_DEFAULTS = { cpus: 4, recoveryDays: 14, backupDays: 30, version: 'POSTGRES_17', user: 'postgres' } as const;

/** Flag by which accounts of IAM log in. */
export const ALLOYDB_IAM_FLAG = 'alloydb.iam_authentication';

const CPUS = [1, 2, 4, 8, 16, 32, 48, 64, 72, 96, 128];
const MAX_POOL_NODES = 20;
const MAX_RECOVERY_DAYS = 35;

/** Rules on a cluster. Limits that come only from pages that change cause warnings. */
export const ALLOYDB_CHECKS: readonly SpecCheck<AlloyDbSpec>[] = [
  { fields: ['cpus', 'machineType'], check: checkMachine },
  { fields: ['readPools', 'primary'], check: checkReadPools },
  { fields: ['recoveryDays', 'backupDays'], check: checkBackups },
  { fields: ['flags', 'iamUsers'], check: checkFlags },
];

export function checkAlloyDb(spec: AlloyDbSpec, path = 'alloydb'): Finding[] {
  return runChecks(ALLOYDB_CHECKS, spec, path);
}

function checkReadPools({ readPools = {}, primary = 'primary' }: AlloyDbSpec, below: Below, findings: FindingCollector): void {
  for (const [name, pool] of Object.entries(readPools)) {
    const at = (field: string) => below(`readPools.${name}.${field}`);
    checkMachine(pool, at, findings);
    if (pool.highAvailability && pool.nodes < 2) {
      findings.error(ALLOYDB_RULES.poolAvailability, at('highAvailability'), true, 'needs at least two nodes, which are then in different zones. Set nodes: 2.');
    }
    if (name === primary) {
      findings.error(ALLOYDB_RULES.poolName, below('readPools'), name, 'is also the name of the primary instance. Choose another one.');
    }
  }
  const nodes = Object.values(readPools).reduce((sum, pool) => sum + pool.nodes, 0);
  if (nodes > MAX_POOL_NODES) {
    findings.warn(ALLOYDB_RULES.poolNodes, below('readPools'), nodes, `is more than the ${MAX_POOL_NODES} read nodes that a cluster can have.`);
  }
}

function checkBackups(spec: AlloyDbSpec, below: Below, findings: FindingCollector): void {
  const { recoveryDays = ALLOYDB_DEFAULTS.recoveryDays, backupDays = ALLOYDB_DEFAULTS.backupDays } = spec;
  if (recoveryDays > MAX_RECOVERY_DAYS) {
    findings.warn(ALLOYDB_RULES.recovery, below('recoveryDays'), recoveryDays, `is more than the ${MAX_RECOVERY_DAYS} days that continuous backups can cover.`);
  }
  if (backupDays < recoveryDays) {
    findings.warn(ALLOYDB_RULES.backupRetention, below('backupDays'), backupDays, `is less than the ${recoveryDays} days of continuous backups, which already cover that time.`);
  }
}

function checkFlags({ flags = {}, iamUsers = [] }: AlloyDbSpec, below: Below, findings: FindingCollector): void {
  if (iamUsers.length > 0 && flags[ALLOYDB_IAM_FLAG] === 'off') {
    findings.error(ALLOYDB_RULES.iamFlag, below(`flags['${ALLOYDB_IAM_FLAG}']`), 'off', 'locks out the iamUsers. Leave the flag out: it is on if there are any.');
  }
}

function checkMachine({ cpus, machineType }: Pick<AlloyDbSpec, 'cpus' | 'machineType'>, below: Below, findings: FindingCollector): void {
  const ofType = /-(\d+)(?:-lssd)?$/.exec(machineType ?? '')?.[1];
  if (cpus !== undefined && ofType !== undefined && Number(ofType) !== cpus) {
    findings.error(ALLOYDB_RULES.machineType, below('cpus'), cpus, `is not what ${machineType} has: ${ofType}. Leave one of the two out.`);
  } else if (cpus !== undefined && !CPUS.includes(cpus)) {
    findings.warn(ALLOYDB_RULES.cpus, below('cpus'), cpus, `is not a known number of cores: ${both(CPUS)}.`);
  }
}

/** What PostgreSQL calls a member of IAM: of service accounts without what all of them end in. */
export function alloyDbUserName(member: string): string {
  return member.slice(member.indexOf(':') + 1).replace(/\.gserviceaccount\.com$/, '');
}
