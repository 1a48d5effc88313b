/** Datasets of BigQuery, where metrics of runs, features and predictions are kept. */
import { either, rule, runChecks, type Finding, type FindingCollector, type Rule, type Below, type SpecCheck } from '../findings';
import { didYouMean } from '../violations';

export interface ColumnSpec {
  readonly name: string;
  /** Such as `STRING`, `INT64`, `FLOAT64`, `TIMESTAMP`, `JSON` or `RECORD`. */
  readonly type: string;
  /** `NULLABLE`, `REQUIRED` or `REPEATED`. @default `NULLABLE` */
  readonly mode?: string;
  readonly description?: string;
  readonly fields?: readonly ColumnSpec[];
}

/** How a table is divided, so that queries read and pay a part of it. */
export interface PartitionSpec {
  /** `HOUR`, `DAY`, `MONTH` or `YEAR`. */
  readonly by: string;
  /** Column. @default - the time at which rows came in */
  readonly column?: string;
  /** Days after which a part is deleted. @default - that of the dataset */
  readonly expirationDays?: number;
}

export interface TableSpec {
  readonly columns: readonly ColumnSpec[];
  readonly description?: string;
  /** @default - one part */
  readonly partition?: PartitionSpec;
  /** Columns that rows are sorted by, at most four. @default - none */
  readonly clusterBy?: readonly string[];
  /** Whether queries have to say which parts they read. @default false */
  readonly requirePartitionFilter?: boolean;
}

/** Types of columns; the older names mean the same. */
const RECORD_TYPES = ['RECORD', 'STRUCT'];
const CLUSTER_TYPES = ['STRING', 'INT64', 'INTEGER', 'NUMERIC', 'BIGNUMERIC', 'BOOL', 'BOOLEAN', 'DATE', 'DATETIME', 'TIMESTAMP', 'GEOGRAPHY', 'RANGE'];
const PARTITION_TYPES = ['DATE', 'TIMESTAMP', 'DATETIME'];

export const COLUMN_TYPES: readonly string[] = [...CLUSTER_TYPES, ...RECORD_TYPES, 'FLOAT64', 'FLOAT', 'BYTES', 'TIME', 'INTERVAL', 'JSON'];

const OWN_PREFIX = /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)/i;
const MAX_DEPTH = 15;

function checkTable(table: TableSpec, path: string, findings: FindingCollector): void {
  const { columns, partition, clusterBy = [], requirePartitionFilter } = table;
  checkColumns(columns, `${path}.columns`, 1, findings);
  const column = (name: string) => columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const unknown = (name: string) => `is not a column of the table.${didYouMean(name, columns.map((each) => each.name))}`;
  if (partition?.column !== undefined) {
    const at = `${path}.partition.column`;
    const by = column(partition.column);
    if (by === undefined) {
      findings.error(BIGQUERY_RULES.partition, at, partition.column, unknown(partition.column));
    } else if (!PARTITION_TYPES.includes(by.type) || by.mode === 'REPEATED') {
      findings.error(BIGQUERY_RULES.partition, at, partition.column, `is ${by.mode === 'REPEATED' ? 'a list' : `of the type ${by.type}`}, and a table is partitioned by ${either(PARTITION_TYPES)}.`);
    } else if (by.type === 'DATE' && partition.by === 'HOUR') {
      findings.error(BIGQUERY_RULES.partitionHour, `${path}.partition.by`, 'HOUR', `is not a valid unit for ${by.name}, which is a DATE. Use DAY, or a column of the type TIMESTAMP.`);
    }
  }
  if (requirePartitionFilter && partition === undefined) {
    findings.error(BIGQUERY_RULES.partitionFilter, `${path}.requirePartitionFilter`, true, 'is for partitioned tables. Add partition, or leave it out.');
  }
  if (clusterBy.length > 4) {
    findings.error(BIGQUERY_RULES.clusterCount, `${path}.clusterBy`, clusterBy, `are ${clusterBy.length} columns, and the maximum is four.`);
  }
  clusterBy.forEach((name, index) => {
    const by = column(name);
    const at = `${path}.clusterBy[${index}]`;
    if (by === undefined) {
      findings.error(BIGQUERY_RULES.cluster, at, name, unknown(name));
    } else if (!CLUSTER_TYPES.includes(by.type) || by.mode === 'REPEATED') {
      findings.error(BIGQUERY_RULES.cluster, at, name, `is ${by.mode === 'REPEATED' ? 'a list' : `of the type ${by.type}`}, which rows cannot be sorted by.`);
    }
  });
}

function checkColumns(columns: readonly ColumnSpec[], path: string, depth: number, findings: FindingCollector): void {
  if (depth > MAX_DEPTH) {
    findings.error(BIGQUERY_RULES.nesting, path, depth, `is nested deeper than the ${MAX_DEPTH} levels that BigQuery allows. Use a column of the type JSON.`);
    return;
  }
  const names = columns.map(({ name }) => name.toLowerCase());
  columns.forEach(({ name, type, fields }, index) => {
    const at = `${path}[${index}]`;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,299}$/.test(name)) {
      findings.error(BIGQUERY_RULES.column, `${at}.name`, name, 'must have 1 to 300 letters, digits and \'_\', and begin with a letter or \'_\'.');
    } else if (OWN_PREFIX.test(name)) {
      findings.error(BIGQUERY_RULES.column, `${at}.name`, name, 'starts with a prefix reserved for BigQuery\'s own columns. Choose another name.');
    }
    if (names.indexOf(name.toLowerCase()) < index) {
      findings.error(BIGQUERY_RULES.columnTwice, `${at}.name`, name, `already exists as ${columns[names.indexOf(name.toLowerCase())].name}. Choose another name.`);
    }
    const isRecord = RECORD_TYPES.includes(type);
    if (!COLUMN_TYPES.includes(type)) {
      findings.error(BIGQUERY_RULES.columnType, `${at}.type`, type, `is not a column type.${didYouMean(type, COLUMN_TYPES) || ` There are ${COLUMN_TYPES.join(', ')}.`}`);
    } else if (isRecord !== (fields !== undefined && fields.length > 0)) {
      findings.error(BIGQUERY_RULES.columnType, `${at}.fields`, fields, isRecord ? 'are required: those of the record.' : `are for records, and ${name} is of the type ${type}.`);
    }
    if (fields !== undefined && isRecord) {
      checkColumns(fields, `${at}.fields`, depth + 1, findings);
    }
  });
}

/** The rules on datasets and tables of BigQuery, each with its source. `big-query.ts` and this file apply them. */
export const BIGQUERY_RULES = {
  dataset: rule('bigquery-dataset', 'pulumiBigQuery', 'Dataset ids have letters, digits and _, but not -.'),
  location: rule('bigquery-location', 'pulumiBigQuery', 'A dataset is in a region, or in US or EU.'),
  expiration: rule('bigquery-expiration', 'pulumiBigQuery', 'Tables are kept for at least an hour.'),
  timeTravel: rule('bigquery-time-travel', 'bigQueryTimeTravel', 'Tables can be read as they were for 48 to 168 hours, in whole days.'),
  table: rule('bigquery-table', 'bigQuerySchemas', 'Ids of tables have letters, digits, _ and -.'),
  column: rule('bigquery-column', 'bigQuerySchemas', 'Names of columns have letters, digits and _, begin with a letter or _, and do not use BigQuery\'s own prefixes.'),
  columnTwice: rule('bigquery-column-twice', 'bigQuerySchemas', 'Column names differ in more than case.'),
  columnType: rule('bigquery-column-type', 'bigQuerySchemas', 'A column has a BigQuery type; only records have nested columns.'),
  nesting: rule('bigquery-nesting', 'bigQuerySchemas', 'Records are nested at most 15 levels deep.'),
  partition: rule('bigquery-partition', 'bigQueryPartitions', 'A table is partitioned by a top-level, non-repeated column of type DATE, TIMESTAMP or DATETIME.'),
  partitionHour: rule('bigquery-partition-hour', 'bigQueryPartitions', 'A DATE cannot be partitioned by hour.'),
  partitionFilter: rule('bigquery-partition-filter', 'bigQueryPartitions', 'Only a partitioned table can require a partition filter.'),
  clusterCount: rule('bigquery-cluster-count', 'bigQueryClusters', 'A table is clustered by at most four columns.'),
  cluster: rule('bigquery-cluster', 'bigQueryClusters', 'Clustering columns are top-level, not repeated, and of a supported type.'),
  role: rule('bigquery-role', 'bigQueryAccess', 'Dataset roles cover its data; roles to run queries are granted on a project.'),
  broad: rule('bigquery-broad-access', 'bigQueryAccess', 'Dataset members are known IAM members, which read or write but do not own it.'),
} as const satisfies { readonly [name: string]: Rule };

export interface DatasetAccess {
  readonly role: string;
  /** Member of IAM, such as `serviceAccount:EMAIL`. */
  readonly member: string;
}

export interface BigQuerySpec {
  readonly dataset?: string;
  readonly location?: string;
  readonly tableExpirationHours?: number;
  readonly partitionExpirationDays?: number;
  readonly timeTravelHours?: number;
  readonly tables?: { readonly [id: string]: TableSpec };
  readonly access?: readonly DatasetAccess[];
}

const DATASET_ROLES = [
  'roles/bigquery.dataViewer', 'roles/bigquery.dataEditor', 'roles/bigquery.dataOwner', 'roles/bigquery.metadataViewer', 'roles/bigquery.filteredDataViewer',
];

/** Roles that are given on a project, because they are not about data. */
const PROJECT_ROLES = ['roles/bigquery.jobUser', 'roles/bigquery.user', 'roles/bigquery.readSessionUser', 'roles/bigquery.resourceViewer'];

export const BIGQUERY_CHECKS: readonly SpecCheck<BigQuerySpec>[] = [
  { fields: ['dataset'], check: checkName },
  { fields: ['location'], check: checkLocation },
  { fields: ['tableExpirationHours', 'partitionExpirationDays', 'timeTravelHours'], check: checkTimes },
  { fields: ['tables'], check: checkTables },
  { fields: ['access'], check: ({ access = [] }, below, findings) => access.forEach((each, index) => checkAccess(each, below(`access[${index}]`), findings)) },
];

export function checkBigQuery(spec: BigQuerySpec, path = 'bigquery'): Finding[] {
  return runChecks(BIGQUERY_CHECKS, spec, path);
}

function checkName({ dataset }: BigQuerySpec, below: Below, findings: FindingCollector): void {
  findings.form(BIGQUERY_RULES.dataset, below('dataset'), dataset, /^[A-Za-z0-9_]{1,1024}$/,
    `must have 1 to 1024 letters, digits and '_'.${dataset?.includes('-') ? ` Use ${dataset.replace(/-/g, '_')}.` : ''}`);
}

function checkLocation({ location }: BigQuerySpec, below: Below, findings: FindingCollector): void {
  findings.form(BIGQUERY_RULES.location, below('location'), location, /^(?:[a-z]+-[a-z]+\d+|us|eu)$/i,
    'must be a region such as europe-west4, or US or EU. A dataset is not in a zone.');
}

function checkTimes(spec: BigQuerySpec, below: Below, findings: FindingCollector): void {
  const { tableExpirationHours, partitionExpirationDays, timeTravelHours } = spec;
  if (tableExpirationHours !== undefined && tableExpirationHours < 1) {
    findings.error(BIGQUERY_RULES.expiration, below('tableExpirationHours'), tableExpirationHours, 'is less than an hour. Leave it out to keep tables.');
  }
  if (partitionExpirationDays !== undefined && partitionExpirationDays <= 0) {
    findings.error(BIGQUERY_RULES.expiration, below('partitionExpirationDays'), partitionExpirationDays, 'must be more than 0. Leave it out to keep partitions.');
  }
  if (timeTravelHours !== undefined && (timeTravelHours < 48 || timeTravelHours > 168 || timeTravelHours % 24 !== 0)) {
    findings.error(BIGQUERY_RULES.timeTravel, below('timeTravelHours'), timeTravelHours, 'must be 48, 72, 96, 120, 144 or 168.');
  }
}

function checkTables({ tables = {} }: BigQuerySpec, below: Below, findings: FindingCollector): void {
  for (const [id, table] of Object.entries(tables)) {
    const path = below(`tables.${id}`);
    findings.form(BIGQUERY_RULES.table, path, id, /^[A-Za-z0-9_-]{1,1024}$/, 'must have 1 to 1024 letters, digits, \'_\' and \'-\'.');
    checkTable(table, path, findings);
  }
}

function checkAccess({ role, member }: DatasetAccess, path: string, findings: FindingCollector): void {
  if (PROJECT_ROLES.includes(role)) {
    findings.error(BIGQUERY_RULES.role, `${path}.role`, role, 'covers queries, and is granted on a project. Grant it there; a dataset takes only data roles.');
  } else if (/^roles\/(?:owner|editor|viewer)$/.test(role) || role === 'roles/bigquery.admin') {
    findings.error(BIGQUERY_RULES.broad, `${path}.role`, role, 'covers much more than this dataset. Use roles/bigquery.dataEditor or roles/bigquery.dataViewer.');
  } else if (role.startsWith('roles/') && !DATASET_ROLES.includes(role)) {
    findings.error(BIGQUERY_RULES.role, `${path}.role`, role, `is not a dataset role: ${either(DATASET_ROLES)}.${didYouMean(role, DATASET_ROLES)}`);
  }
  if (member === 'allUsers' || member === 'allAuthenticatedUsers') {
    findings.error(BIGQUERY_RULES.broad, `${path}.member`, member, 'includes everyone. Use accounts, groups or a domain.');
  } else if (!/^(?:user|group|serviceAccount|domain|principal|principalSet):.+$/.test(member)) {
    findings.error(BIGQUERY_RULES.broad, `${path}.member`, member, 'is not an IAM member, such as serviceAccount:EMAIL, group:EMAIL or principal://...');
  }
}
