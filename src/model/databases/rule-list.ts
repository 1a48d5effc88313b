/** The rules on databases of Google Cloud, each with its source. The functions beside this file apply them. */
import { rule, type Rule } from '../findings';

/** Rules on the MySQL of Kubeflow, as Cloud SQL offers it. */
export const CLOUD_SQL_RULES = {
  engine: rule('sql-engine', 'pipelinesDatabase', 'Pipelines keep their state in MySQL; PostgreSQL is for their developers.'),
  version: rule('sql-version', 'pipelinesMysql', 'The metadata store of Pipelines logs in by mysql_native_password, which is off in MySQL 8.4.'),
  oldVersion: rule('sql-old-version', 'cloudSqlSettings', 'MySQL 5 has no support of its makers any more.'),
  plugin: rule('sql-login-plugin', 'pipelinesMysql', 'The metadata store of Pipelines cannot log in by caching_sha2_password.'),
  tier: rule('sql-tier', 'cloudSqlSettings', 'A machine of Cloud SQL has a name that begins with db-.'),
  custom: rule('sql-custom-tier', 'cloudSqlSettings', 'A custom machine has one core or an even number up to 96, and of memory a multiple of 256 MiB: at least 3840 MiB, 0.9 to 6.5 GiB for each core.'),
  edition: rule('sql-edition', 'cloudSqlSettings', 'Enterprise Plus runs on db-perf-optimized, db-memory-optimized and db-c4a-highmem machines, and those are of Enterprise Plus.'),
  shared: rule('sql-shared-core', 'cloudSqlSettings', 'Machines with a part of a core have no service level agreement, and at most 3062 GiB of disk.'),
  disk: rule('sql-disk', 'pulumiSql', 'A disk has at least 10 GiB, and at most 64 TiB.'),
  diskLimit: rule('sql-disk-limit', 'pulumiSql', 'A disk that grows has room to grow in: the limit is above its size.'),
  available: rule('sql-high-availability', 'pulumiSql', 'A second server takes over only where there are backups and binary logs.'),
  logDays: rule('sql-log-days', 'pulumiSql', 'Binary logs are kept for 1 to 7 days, with Enterprise Plus for up to 35.'),
  logBackups: rule('sql-log-backups', 'cloudSqlBackups', 'For each day of logs there is a backup that they begin at.'),
  backups: rule('sql-backups', 'cloudSqlBackups', 'At most 365 backups are kept.'),
  flag: rule('sql-flag', 'cloudSqlFlags', 'Switches of MySQL are on or off.'),
  iamFlag: rule('sql-iam-flag', 'cloudSqlIam', 'Users of IAM log in only where cloudsql_iam_authentication is on.'),
  iamUser: rule('sql-iam-user', 'cloudSqlIam', 'MySQL knows users of IAM by what stands before the @.'),
  database: rule('sql-database', 'mysqlNames', 'Names of databases have at most 64 characters, and those of MySQL\'s own are taken.'),
  databaseTwice: rule('sql-database-twice', 'pipelinesDatabase', 'Pipelines, their metadata, their cache and Katib have a database each.'),
  user: rule('sql-user', 'mysqlNames', 'Names of users have at most 32 characters, and those of MySQL\'s own are taken.'),
} as const satisfies { readonly [name: string]: Rule };

/** Rules on AlloyDB. */
export const ALLOYDB_RULES = {
  cpus: rule('alloydb-cpus', 'alloyDbQuotas', 'Machines have 1, 2, 4, 8, 16, 32, 48, 64, 72, 96 or 128 cores.'),
  machineType: rule('alloydb-machine-type', 'pulumiAlloyDb', 'The number of cores is that of the machine type.'),
  poolAvailability: rule('alloydb-pool-availability', 'pulumiAlloyDb', 'A read pool of one node is in one zone.'),
  poolNodes: rule('alloydb-pool-nodes', 'alloyDbQuotas', 'Read pools of a cluster have at most 20 nodes together.'),
  recovery: rule('alloydb-recovery-window', 'alloyDbBackups', 'Continuous backups reach back for at most 35 days.'),
  backupRetention: rule('alloydb-backup-retention', 'alloyDbBackups', 'Daily backups are kept for at least as long as continuous ones reach back, or they add nothing.'),
  iamFlag: rule('alloydb-iam-flag', 'alloyDbIam', 'Users of IAM log in only where alloydb.iam_authentication is on.'),
  poolName: rule('alloydb-pool-name', 'pulumiAlloyDb', 'Instances of a cluster have different names.'),
} as const satisfies { readonly [name: string]: Rule };

/** Rules on the ranges that Google's own services have addresses from. */
export const PRIVATE_SERVICES_RULES = {
  size: rule('private-services-size', 'privateServices', 'A range for Google\'s services is a /24 or larger, and a /16 or larger where more than one of them comes.'),
  range: rule('private-services-range', 'privateServices', 'A range begins at its first address.'),
} as const satisfies { readonly [name: string]: Rule };
