/** The rules on databases of Google Cloud, each with its source. The functions beside this file apply them. */
import { rule, type Rule } from '../findings';

/** Rules on the MySQL of Kubeflow, as Cloud SQL offers it. */
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

/** Rules on the ranges that Google's own services have addresses from. */
export const PRIVATE_SERVICES_RULES = {
  size: rule('private-services-size', 'privateServices', 'A range for Google\'s services is a /24 or larger, and a /16 or larger if more than one service uses it.'),
  range: rule('private-services-range', 'privateServices', 'A range begins at its first address.'),
} as const satisfies { readonly [name: string]: Rule };
