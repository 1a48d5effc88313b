/** Databases that cannot be made, or that Kubeflow cannot use: each with the field, the value, words of the rule and its source. */
import * as fc from 'fast-check';
import type { Finding } from '../../../src/model/findings';
import { SOURCES } from '../../../src/model/accelerators/sources';
import { alloyDbUserName, checkAlloyDb, ALLOYDB_RULES } from '../../../src/model/databases/alloydb';
import { CLOUD_SQL_DEFAULTS, checkCloudSql, sqlUserName, CLOUD_SQL_RULES } from '../../../src/model/databases/cloud-sql';
import { checkPrivateServices, PRIVATE_SERVICES_RULES } from '../../../src/model/databases/private-services';

const RULES = { ...CLOUD_SQL_RULES, ...Object.fromEntries(Object.entries(ALLOYDB_RULES).map(([name, each]) => [`alloydb.${name}`, each])), ...Object.fromEntries(Object.entries(PRIVATE_SERVICES_RULES).map(([name, each]) => [`services.${name}`, each])) } as {
  readonly [name: string]: (typeof CLOUD_SQL_RULES)['engine' | 'version'];
};

type Case = [what: string, found: Finding[], severity: 'error' | 'warning', rule: string, path: string, value: unknown, words: string];

const ACCOUNT = 'serviceAccount:trainer@ml-test.iam.gserviceaccount.com';

const MISTAKES: readonly Case[] = [
  ['PostgreSQL for Pipelines', checkCloudSql({ version: 'POSTGRES_17' }), 'error', 'engine', 'sql.version', 'POSTGRES_17', 'Use MYSQL_8_0'],
  ['MySQL 8.4, which the metadata store cannot log in to', checkCloudSql({ version: 'MYSQL_8_4' }), 'warning', 'version', 'sql.version', 'MYSQL_8_4', 'caching_sha2_password'],
  ['MySQL 5.7', checkCloudSql({ version: 'MYSQL_5_7' }), 'warning', 'oldVersion', 'sql.version', 'MYSQL_5_7', 'Use MYSQL_8_0'],
  ['a plugin that the metadata store does not know', checkCloudSql({ flags: { default_authentication_plugin: 'caching_sha2_password' } }), 'error', 'plugin', 'sql.flags.default_authentication_plugin', 'caching_sha2_password', 'Use mysql_native_password'],
  ['a machine of Compute Engine', checkCloudSql({ tier: 'n1-standard-2' }), 'error', 'tier', 'sql.tier', 'n1-standard-2', "Did you mean 'db-n1-standard-2'?"],
  ['three cores', checkCloudSql({ tier: 'db-custom-3-11520' }), 'error', 'custom', 'sql.tier', 'db-custom-3-11520', 'one or an even number up to 96'],
  ['98 cores', checkCloudSql({ tier: 'db-custom-98-202752' }), 'error', 'custom', 'sql.tier', 'db-custom-98-202752', 'up to 96'],
  ['memory that is not a multiple of 256', checkCloudSql({ tier: 'db-custom-2-7600' }), 'error', 'custom', 'sql.tier', 'db-custom-2-7600', 'a multiple of 256 from 3840 to 13312'],
  ['too little memory', checkCloudSql({ tier: 'db-custom-8-4096' }), 'error', 'custom', 'sql.tier', 'db-custom-8-4096', 'from 7424 to 53248 with 8 cores'],
  ['too much memory', checkCloudSql({ tier: 'db-custom-1-7680' }), 'error', 'custom', 'sql.tier', 'db-custom-1-7680', 'from 3840 to 6656 with 1 core.'],
  ['Enterprise Plus on a small machine', checkCloudSql({ edition: 'ENTERPRISE_PLUS' }), 'error', 'edition', 'sql.tier', CLOUD_SQL_DEFAULTS.tier, 'db-perf-optimized-N-2'],
  ['a machine of Enterprise Plus', checkCloudSql({ tier: 'db-perf-optimized-N-4' }), 'error', 'edition', 'sql.edition', 'ENTERPRISE', 'Use ENTERPRISE_PLUS'],
  ['two servers with a part of a core', checkCloudSql({ tier: 'db-f1-micro' }), 'warning', 'shared', 'sql.highAvailability', true, 'has no service level agreement'],
  ['a large disk of a small machine', checkCloudSql({ tier: 'db-g1-small', highAvailability: false, diskGiB: 4000 }), 'error', 'shared', 'sql.diskGiB', 4000, 'from 10 to 3062 GiB'],
  ['a disk of 5 GiB', checkCloudSql({ diskGiB: 5 }), 'error', 'disk', 'sql.diskGiB', 5, 'from 10 to 65536 GiB'],
  ['a disk that cannot grow', checkCloudSql({ diskGiB: 100, diskLimitGiB: 50 }), 'error', 'diskLimit', 'sql.diskLimitGiB', 50, 'less than the initial disk size: 100 GiB'],
  ['two servers without backups', checkCloudSql({ backups: { enabled: false } }), 'error', 'available', 'sql.highAvailability', true, 'needs backups and their logs'],
  ['ten days of logs', checkCloudSql({ backups: { logDays: 10 } }), 'error', 'logDays', 'sql.backups.logDays', 10, 'from 1 to 7, the range of ENTERPRISE'],
  ['36 days of logs', checkCloudSql({ tier: 'db-perf-optimized-N-2', edition: 'ENTERPRISE_PLUS', backups: { logDays: 36, retained: 40 } }), 'error', 'logDays', 'sql.backups.logDays', 36, 'from 1 to 35'],
  ['logs without the backups that they begin at', checkCloudSql({ backups: { logDays: 7, retained: 3 } }), 'warning', 'logBackups', 'sql.backups.logDays', 7, 'Keep 7 of them'],
  ['400 backups', checkCloudSql({ backups: { retained: 400 } }), 'error', 'backups', 'sql.backups.retained', 400, 'from 1 to 365'],
  ['a switch that is neither on nor off', checkCloudSql({ flags: { slow_query_log: 'true' } }), 'error', 'flag', 'sql.flags.slow_query_log', 'true', "'on' or 'off'"],
  ['users of IAM who are kept out', checkCloudSql({ iamUsers: [ACCOUNT], flags: { cloudsql_iam_authentication: 'off' } }), 'error', 'iamFlag', 'sql.flags.cloudsql_iam_authentication', 'off', 'Leave the flag out'],
  ['accounts of two projects with one name', checkCloudSql({ iamUsers: [ACCOUNT, 'serviceAccount:trainer@ml-prod.iam.gserviceaccount.com'] }), 'error', 'iamUser', 'sql.iamUsers[1]', 'serviceAccount:trainer@ml-prod.iam.gserviceaccount.com', "is 'trainer' in MySQL, and so is iamUsers[0]"],
  ['an account with the name of the user', checkCloudSql({ user: 'trainer', iamUsers: [ACCOUNT] }), 'error', 'iamUser', 'sql.iamUsers[0]', ACCOUNT, 'so is user'],
  ['a long name before the @', checkCloudSql({ iamUsers: [`user:${'a'.repeat(33)}@example.com`] }), 'error', 'iamUser', 'sql.iamUsers[0]', `user:${'a'.repeat(33)}@example.com`, '32 characters'],
  ['a database with a space', checkCloudSql({ databases: { katib: 'my katib' } }), 'error', 'database', 'sql.databases.katib', 'my katib', '1 to 64 letters'],
  ['a database of MySQL itself', checkCloudSql({ extraDatabases: ['mysql'] }), 'error', 'database', 'sql.extraDatabases[0]', 'mysql', "MySQL's own"],
  ['one database for two components', checkCloudSql({ databases: { metadata: 'mlpipeline' } }), 'error', 'databaseTwice', 'sql.databases.metadata', 'mlpipeline', 'also used by sql.databases.pipelines'],
  ['the user root', checkCloudSql({ user: 'root' }), 'error', 'user', 'sql.user', 'root', 'such as kubeflow'],
  ['a user with a long name', checkCloudSql({ user: 'u'.repeat(33) }), 'error', 'user', 'sql.user', 'u'.repeat(33), '1 to 32'],

  ['five cores', checkAlloyDb({ cpus: 5 }), 'warning', 'alloydb.cpus', 'alloydb.cpus', 5, 'not a known number of cores'],
  ['other cores than the machine type has', checkAlloyDb({ cpus: 4, machineType: 'n2-highmem-8' }), 'error', 'alloydb.machineType', 'alloydb.cpus', 4, 'what n2-highmem-8 has: 8'],
  ['other cores than the machine type of a pool has', checkAlloyDb({ readPools: { reports: { nodes: 1, cpus: 2, machineType: 'c4a-highmem-4-lssd' } } }), 'error', 'alloydb.machineType', 'alloydb.readPools.reports.cpus', 2, 'has: 4'],
  ['one node in two zones', checkAlloyDb({ readPools: { reports: { nodes: 1, highAvailability: true } } }), 'error', 'alloydb.poolAvailability', 'alloydb.readPools.reports.highAvailability', true, 'Set nodes: 2'],
  ['21 nodes that read', checkAlloyDb({ readPools: { a: { nodes: 11 }, b: { nodes: 10 } } }), 'warning', 'alloydb.poolNodes', 'alloydb.readPools', 21, '20'],
  ['a pool with the name of the primary instance', checkAlloyDb({ readPools: { primary: { nodes: 1 } } }), 'error', 'alloydb.poolName', 'alloydb.readPools', 'primary', 'Choose another one'],
  ['40 days to go back', checkAlloyDb({ recoveryDays: 40, backupDays: 60 }), 'warning', 'alloydb.recovery', 'alloydb.recoveryDays', 40, '35 days'],
  ['daily backups that go before the continuous ones', checkAlloyDb({ backupDays: 7 }), 'warning', 'alloydb.backupRetention', 'alloydb.backupDays', 7, '14 days of continuous backups'],
  ['users of IAM whom AlloyDB keeps out', checkAlloyDb({ iamUsers: [ACCOUNT], flags: { 'alloydb.iam_authentication': 'off' } }), 'error', 'alloydb.iamFlag', "alloydb.flags['alloydb.iam_authentication']", 'off', 'Leave the flag out'],

  ['a range of four addresses', checkPrivateServices({ prefixLength: 30 }), 'error', 'services.size', 'services.prefixLength', 30, 'from 8 to 24'],
  ['a range for one service', checkPrivateServices({ prefixLength: 24 }), 'warning', 'services.size', 'services.prefixLength', 24, 'Use 16'],
  ['a range that begins in the middle', checkPrivateServices({ prefixLength: 16, address: '10.96.1.0' }), 'error', 'services.range', 'services.address', '10.96.1.0', 'first address of a /16'],
  ['a range that is none', checkPrivateServices({ prefixLength: 16, address: '10.96.0.0/16' }), 'error', 'services.range', 'services.address', '10.96.0.0/16', 'such as 10.96.0.0.'],
];

test.each(MISTAKES)('%s', (_what, found, severity, rule, path, value, words) => {
  const { id, source } = RULES[rule];
  expect(found).toEqual([{ severity, rule: id, source: SOURCES[source], path, value, message: expect.stringContaining(words) }]);
});

test('every rule is broken by a mistake', () => {
  expect(Object.keys(RULES).filter((rule) => !MISTAKES.some(([, , , told]) => told === rule))).toEqual([]);
});

test('what is made where nothing is said is fine', () => {
  expect([...checkCloudSql({}), ...checkAlloyDb({}), ...checkPrivateServices({ prefixLength: 16, address: '10.96.0.0' })]).toEqual([]);
});

test('MySQL 8.4 is fine where its old way to log in is on', () => {
  expect(checkCloudSql({ version: 'MYSQL_8_4', flags: { mysql_native_password: 'on' } })).toEqual([]);
  expect(checkCloudSql({ version: 'MYSQL_8_0_40' })).toEqual([]);
});

test('every even number of cores has a memory that is fine, and one that is too little', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 48 }), (half) => {
    const cores = half * 2;
    expect(checkCloudSql({ tier: `db-custom-${cores}-${Math.max(3840, cores * 1024)}` })).toEqual([]);
    expect(checkCloudSql({ tier: `db-custom-${cores}-${Math.min(3584, cores * 768)}` })).toHaveLength(1);
  }));
});

test('databases know members of IAM by parts of their e-mail', () => {
  expect([sqlUserName(ACCOUNT), sqlUserName('user:ada@example.com')]).toEqual(['trainer', 'ada']);
  expect([alloyDbUserName(ACCOUNT), alloyDbUserName('user:ada@example.com')]).toEqual(['trainer@ml-test.iam', 'ada@example.com']);
});
