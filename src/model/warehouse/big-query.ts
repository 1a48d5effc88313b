/** Datasets of BigQuery, where metrics of runs, features and predictions are kept. */
import { BIGQUERY_RULES, checkTable, type TableSpec } from './big-query-table';
import { either, type Finding, type FindingCollector } from '../findings';
import { runChecks, type Below, type SpecCheck } from '../spec-checks';
import { didYouMean } from '../violations';

/** Who may do what with all tables of a dataset. */
export interface DatasetAccess {
  readonly role: string;
  /** Member of IAM, such as `serviceAccount:EMAIL`. */
  readonly member: string;
}

/** A dataset, as far as rules look at it. */
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

/** Rules on a dataset with its tables. */
export const BIGQUERY_CHECKS: readonly SpecCheck<BigQuerySpec>[] = [
  { fields: ['dataset'], check: checkName },
  { fields: ['location'], check: checkLocation },
  { fields: ['tableExpirationHours', 'partitionExpirationDays', 'timeTravelHours'], check: checkTimes },
  { fields: ['tables'], check: checkTables },
  { fields: ['access'], check: ({ access = [] }, below, findings) => access.forEach((each, index) => checkAccess(each, below(`access[${index}]`), findings)) },
];

/** Checks a dataset with its tables. */
export function checkBigQuery(spec: BigQuerySpec, path = 'bigquery'): Finding[] {
  return runChecks(BIGQUERY_CHECKS, spec, path);
}

function checkName({ dataset }: BigQuerySpec, below: Below, findings: FindingCollector): void {
  if (dataset !== undefined && !/^[A-Za-z0-9_]{1,1024}$/.test(dataset)) {
    findings.error(BIGQUERY_RULES.dataset, below('dataset'), dataset, `must have 1 to 1024 letters, digits and '_'.${dataset.includes('-') ? ` Use ${dataset.replace(/-/g, '_')}.` : ''}`);
  }
}

function checkLocation({ location }: BigQuerySpec, below: Below, findings: FindingCollector): void {
  if (location !== undefined && !/^(?:[a-z]+-[a-z]+\d+|us|eu)$/i.test(location)) {
    findings.error(BIGQUERY_RULES.location, below('location'), location, 'must be a region such as europe-west4, or US or EU. A dataset is not in a zone.');
  }
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
    if (!/^[A-Za-z0-9_-]{1,1024}$/.test(id)) {
      findings.error(BIGQUERY_RULES.table, path, id, 'must have 1 to 1024 letters, digits, \'_\' and \'-\'.');
    }
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
