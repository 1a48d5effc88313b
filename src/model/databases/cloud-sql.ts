/** The MySQL that Kubeflow keeps its state in, as Cloud SQL offers it. */
import { runChecks, rule, type Finding, type FindingCollector, type Below, type SpecCheck, type Rule } from '../findings';

export const CLOUD_SQL_RULES = {
  engine: rule('sql-engine', 'pipelinesDatabase', 'Pipelines keep their state in MySQL; PostgreSQL is for Pipelines development only.'),
  version: rule('sql-version', 'pipelinesMysql', 'The metadata store of Pipelines logs in with mysql_native_password, which is off in MySQL 8.4.'),
  oldVersion: rule('sql-old-version', 'cloudSqlSettings', 'MySQL 5 is no longer supported upstream.'),
  plugin: rule('sql-login-plugin', 'pipelinesMysql', 'The metadata store of Pipelines cannot log in with caching_sha2_password.'),
  tier: rule('sql-tier', 'cloudSqlSettings', 'The name of a Cloud SQL machine type begins with db-.'),
  custom: rule('sql-custom-tier', 'cloudSqlSettings', 'A custom machine has one core or an even number up to 96, and a multiple of 256 MiB of memory: at least 3840 MiB, 0.9 to 6.5 GiB for each core.'),
  edition: rule('sql-edition', 'cloudSqlSettings', 'Enterprise Plus runs on db-perf-optimized, db-memory-optimized and db-c4a-highmem machines, and only Enterprise Plus does.'),
  shared: rule('sql-shared-core', 'cloudSqlSettings', 'Shared-core machines have no service level agreement, and at most 3062 GiB of disk.'),
  disk: rule('sql-disk', 'pulumiSql', 'A disk has at least 10 GiB, and at most 64 TiB.'),
  diskLimit: rule('sql-disk-limit', 'pulumiSql', 'A disk that grows has room to grow in: the limit is above its size.'),
  available: rule('sql-high-availability', 'pulumiSql', 'A second server takes over only if there are backups and binary logs.'),
  logDays: rule('sql-log-days', 'pulumiSql', 'Binary logs are kept for 1 to 7 days, with Enterprise Plus for up to 35.'),
  logBackups: rule('sql-log-backups', 'cloudSqlBackups', 'For each day of logs there is a backup to start from.'),
  backups: rule('sql-backups', 'cloudSqlBackups', 'At most 365 backups are kept.'),
  flag: rule('sql-flag', 'cloudSqlFlags', 'Switches of MySQL are on or off.'),
  iamFlag: rule('sql-iam-flag', 'cloudSqlIam', 'IAM users can log in only if cloudsql_iam_authentication is on.'),
  iamUser: rule('sql-iam-user', 'cloudSqlIam', 'MySQL identifies IAM users by the part before the @.'),
  database: rule('sql-database', 'mysqlNames', 'Database names have at most 64 characters, and MySQL\'s own names are reserved.'),
  databaseTwice: rule('sql-database-twice', 'pipelinesDatabase', 'Pipelines, their metadata, their cache and Katib each have their own database.'),
  user: rule('sql-user', 'mysqlNames', 'User names have at most 32 characters, and MySQL\'s own names are reserved.'),
} as const satisfies { readonly [name: string]: Rule };

const SHARED_CORE = ['db-f1-micro', 'db-g1-small'];
const CUSTOM = /^db-custom-(\d+)-(\d+)$/;
const PREDEFINED = /^db-n1-(standard|highmem)-\d+$/;
const PLUS = /^db-(perf-optimized-N|memory-optimized-N|c4a-highmem)-\d+(-lssd)?$/;

/** Whether a machine has a part of a core. */
function isSharedCore(tier: string): boolean {
  return SHARED_CORE.includes(tier);
}

function checkTier(tier: string, edition: string, below: Below, findings: FindingCollector): void {
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

export interface CloudSqlBackups {
  /** @default true */
  readonly enabled?: boolean;
  /** Backups that are kept. @default 14 */
  readonly retained?: number;
  /** Days of binary logs, to go back to any moment of. @default 7 */
  readonly logDays?: number;
}

/** Databases of Kubeflow's components by what they are for. */
export interface KubeflowDatabases {
  readonly pipelines: string;
  readonly metadata: string;
  readonly cache: string;
  readonly katib: string;
}

export interface CloudSqlSpec {
  readonly version?: string;
  readonly tier?: string;
  readonly edition?: string;
  readonly diskGiB?: number;
  readonly diskLimitGiB?: number;
  /** @default true */
  readonly highAvailability?: boolean;
  readonly backups?: CloudSqlBackups;
  readonly flags?: { readonly [name: string]: string };
  readonly databases?: Partial<KubeflowDatabases>;
  readonly extraDatabases?: readonly string[];
  readonly user?: string;
  /** Members of IAM that log in without a password. */
  readonly iamUsers?: readonly string[];
}

/** What the instance has where nothing is said. */
export const CLOUD_SQL_DEFAULTS = {
  version: 'MYSQL_8_0', tier: 'db-custom-2-7680', edition: 'ENTERPRISE', diskGiB: 20, retained: 14, logDays: 7, user: 'kubeflow',
  databases: { pipelines: 'mlpipeline', metadata: 'metadb', cache: 'cachedb', katib: 'katib' } satisfies KubeflowDatabases,
} as const;

/** Flag by which accounts of IAM log in. */
export const IAM_FLAG = 'cloudsql_iam_authentication';

const MAX_DISK_GIB = 65_536;
const SHARED_CORE_MAX_DISK_GIB = 3062;

const OWN_DATABASES = ['mysql', 'information_schema', 'performance_schema', 'sys'];
const OWN_USERS = ['root', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'cloudsqlsuperuser', 'cloudsqladmin', 'cloudsqlreplica'];

const SWITCHES = [IAM_FLAG, 'slow_query_log', 'general_log', 'log_bin_trust_function_creators', 'local_infile', 'skip_show_database', 'performance_schema', 'event_scheduler'];

export const CLOUD_SQL_CHECKS: readonly SpecCheck<CloudSqlSpec>[] = [
  { fields: ['version', 'flags'], check: checkVersion },
  {
    fields: ['tier', 'edition'],
    check: ({ tier = CLOUD_SQL_DEFAULTS.tier, edition = CLOUD_SQL_DEFAULTS.edition }, below, findings) => checkTier(tier, edition, below, findings),
  },
  { fields: ['tier', 'diskGiB', 'diskLimitGiB'], check: checkDisk },
  { fields: ['tier', 'edition', 'highAvailability', 'backups'], check: checkBackups },
  { fields: ['flags', 'iamUsers'], check: checkFlags },
  { fields: ['databases', 'extraDatabases'], check: checkDatabases },
  { fields: ['user', 'iamUsers'], check: checkUsers },
];

export function checkCloudSql(spec: CloudSqlSpec, path = 'sql'): Finding[] {
  return runChecks(CLOUD_SQL_CHECKS, spec, path);
}

function checkVersion({ version = CLOUD_SQL_DEFAULTS.version, flags = {} }: CloudSqlSpec, below: Below, findings: FindingCollector): void {
  if (!version.startsWith('MYSQL_')) {
    findings.error(CLOUD_SQL_RULES.engine, below('version'), version, 'is not MySQL, which Pipelines need in production. Use MYSQL_8_0.');
  } else if (version.startsWith('MYSQL_5')) {
    findings.warn(CLOUD_SQL_RULES.oldVersion, below('version'), version, 'no longer gets fixes, and extended support costs extra. Use MYSQL_8_0.');
  } else if (!/^MYSQL_8_0(_\d+)?$/.test(version) && flags.mysql_native_password !== 'on') {
    findings.warn(CLOUD_SQL_RULES.version, below('version'), version,
      'makes new users log in with caching_sha2_password, which the metadata store of Pipelines does not support. Use MYSQL_8_0.');
  }
}

function checkDisk(spec: CloudSqlSpec, below: Below, findings: FindingCollector): void {
  const { tier = CLOUD_SQL_DEFAULTS.tier, diskGiB = CLOUD_SQL_DEFAULTS.diskGiB, diskLimitGiB } = spec;
  const most = isSharedCore(tier) ? SHARED_CORE_MAX_DISK_GIB : MAX_DISK_GIB;
  if (diskGiB < 10 || diskGiB > most) {
    const rule = diskGiB > SHARED_CORE_MAX_DISK_GIB && isSharedCore(tier) ? CLOUD_SQL_RULES.shared : CLOUD_SQL_RULES.disk;
    findings.error(rule, below('diskGiB'), diskGiB, `is not from 10 to ${most} GiB, the size of a disk of ${tier}.`);
  }
  if (diskLimitGiB !== undefined && diskLimitGiB < diskGiB) {
    findings.error(CLOUD_SQL_RULES.diskLimit, below('diskLimitGiB'), diskLimitGiB, `is less than the initial disk size: ${diskGiB} GiB. Raise it, or leave it out.`);
  }
}

function checkBackups(spec: CloudSqlSpec, below: Below, findings: FindingCollector): void {
  const { tier = CLOUD_SQL_DEFAULTS.tier, edition = CLOUD_SQL_DEFAULTS.edition, highAvailability = true, backups = {} } = spec;
  const { enabled = true, retained = CLOUD_SQL_DEFAULTS.retained, logDays = CLOUD_SQL_DEFAULTS.logDays } = backups;
  if (highAvailability && !enabled) {
    findings.error(CLOUD_SQL_RULES.available, below('highAvailability'), highAvailability, 'needs backups and their logs, which backups.enabled: false turns off. Change one of the two.');
  }
  if (highAvailability && isSharedCore(tier)) {
    findings.warn(CLOUD_SQL_RULES.shared, below('highAvailability'), highAvailability, `pays for a second server of ${tier}, which has no service level agreement. Use db-custom-1-3840 or larger.`);
  }
  if (!enabled) {
    return;
  }
  const most = edition === 'ENTERPRISE_PLUS' ? 35 : 7;
  if (logDays < 1 || logDays > most) {
    findings.error(CLOUD_SQL_RULES.logDays, below('backups.logDays'), logDays, `is not from 1 to ${most}, the range of ${edition}.`);
  } else if (logDays > retained) {
    findings.warn(CLOUD_SQL_RULES.logBackups, below('backups.logDays'), logDays, `goes back further than the ${retained} daily backups that are kept. Keep ${logDays} of them.`);
  }
  if (retained < 1 || retained > 365) {
    findings.error(CLOUD_SQL_RULES.backups, below('backups.retained'), retained, 'is not from 1 to 365.');
  }
}

function checkFlags({ flags = {}, iamUsers = [] }: CloudSqlSpec, below: Below, findings: FindingCollector): void {
  for (const [name, value] of Object.entries(flags)) {
    if (SWITCHES.includes(name) && !/^(on|off)$/i.test(value)) {
      findings.error(CLOUD_SQL_RULES.flag, below(`flags.${name}`), value, "must be 'on' or 'off'.");
    }
  }
  if (/sha2/.test(flags.default_authentication_plugin ?? '')) {
    findings.error(CLOUD_SQL_RULES.plugin, below('flags.default_authentication_plugin'), flags.default_authentication_plugin,
      'locks out the metadata store of Pipelines. Use mysql_native_password, or leave the flag out.');
  }
  if (iamUsers.length > 0 && flags[IAM_FLAG]?.toLowerCase() === 'off') {
    findings.error(CLOUD_SQL_RULES.iamFlag, below(`flags.${IAM_FLAG}`), flags[IAM_FLAG], 'locks out the iamUsers. Leave the flag out: it is on if there are any.');
  }
}

function checkDatabases({ databases = {}, extraDatabases = [] }: CloudSqlSpec, below: Below, findings: FindingCollector): void {
  const all: [path: string, name: string][] = [
    ...Object.entries(databaseNames(databases)).map(([use, name]): [string, string] => [below(`databases.${use}`), name]),
    ...extraDatabases.map((name, index): [string, string] => [below(`extraDatabases[${index}]`), name]),
  ];
  all.forEach(([path, name], index) => {
    if (!/^[A-Za-z0-9_$-]{1,64}$/.test(name)) {
      findings.error(CLOUD_SQL_RULES.database, path, name, 'must have 1 to 64 letters, digits, \'_\', \'-\' and \'$\'.');
    } else if (OWN_DATABASES.includes(name.toLowerCase())) {
      findings.error(CLOUD_SQL_RULES.database, path, name, 'is one of MySQL\'s own databases. Choose another name.');
    }
    const [first] = all.slice(0, index).find(([, other]) => other === name) ?? [];
    if (first !== undefined) {
      findings.error(CLOUD_SQL_RULES.databaseTwice, path, name, `is also used by ${first}, and the tables of the two would be mixed. Choose another name.`);
    }
  });
}

/** Names of the databases: those that are given, and the usual ones. */
export function databaseNames<T>(given: { readonly [use: string]: T | undefined }): { readonly [use: string]: T | string } {
  const there = Object.entries(given).filter((entry): entry is [string, NonNullable<T>] => entry[1] !== undefined);
  return { ...CLOUD_SQL_DEFAULTS.databases, ...Object.fromEntries(there) };
}

function checkUsers({ user = CLOUD_SQL_DEFAULTS.user, iamUsers = [] }: CloudSqlSpec, below: Below, findings: FindingCollector): void {
  if (!/^[A-Za-z0-9_.-]{1,32}$/.test(user)) {
    findings.error(CLOUD_SQL_RULES.user, below('user'), user, 'must have 1 to 32 letters, digits, \'_\', \'-\' and \'.\'.');
  } else if (OWN_USERS.includes(user.toLowerCase())) {
    findings.error(CLOUD_SQL_RULES.user, below('user'), user, `is an existing user. Choose another name, such as ${CLOUD_SQL_DEFAULTS.user}.`);
  }
  const names = iamUsers.map(sqlUserName);
  names.forEach((name, index) => {
    if (name.length > 32) {
      findings.error(CLOUD_SQL_RULES.iamUser, below(`iamUsers[${index}]`), iamUsers[index], 'has more than the 32 characters of a user of MySQL before the @.');
    }
    const other = name === user ? 'user' : names.indexOf(name) < index ? `iamUsers[${names.indexOf(name)}]` : undefined;
    if (other !== undefined) {
      findings.error(CLOUD_SQL_RULES.iamUser, below(`iamUsers[${index}]`), iamUsers[index], `is '${name}' in MySQL, and so is ${other}. Remove one of the two.`);
    }
  });
}

/** What MySQL calls a member of IAM: what stands before the @. */
export function sqlUserName(member: string): string {
  return member.slice(member.indexOf(':') + 1).split('@', 1)[0];
}
