/** Datasets and tables that cannot be made, or that everybody could read: each with the field, the value, words of the rule and its source. */
import * as fc from 'fast-check';
import type { Finding } from '../../../src/model/findings';
import { SOURCES } from '../../../src/model/accelerators/sources';
import { checkBigQuery, BIGQUERY_RULES, COLUMN_TYPES, type ColumnSpec, type TableSpec } from '../../../src/model/warehouse/big-query';

const AT = { name: 'at', type: 'TIMESTAMP' };
const DAY = { name: 'day', type: 'DATE' };
const RUN = { name: 'run', type: 'STRING' };
const LOSS = { name: 'loss', type: 'FLOAT64' };
const READER = { role: 'roles/bigquery.dataViewer', member: 'group:ml@example.com' };

const table = (runs: Partial<TableSpec>): Finding[] => checkBigQuery({ tables: { runs: { columns: [AT, DAY, RUN, LOSS], ...runs } } });
const columns = (...more: ColumnSpec[]): Finding[] => table({ columns: [RUN, ...more] });
const deep = (levels: number): ColumnSpec => ({ name: `level${levels}`, type: 'RECORD', fields: [levels === 1 ? RUN : deep(levels - 1)] });

type Case = [what: string, found: Finding[], rule: keyof typeof BIGQUERY_RULES, path: string, value: unknown, words: string];

const MISTAKES: readonly Case[] = [
  ['a dataset with -', checkBigQuery({ dataset: 'ml-runs' }), 'dataset', 'bigquery.dataset', 'ml-runs', 'Use ml_runs.'],
  ['a dataset in a zone', checkBigQuery({ location: 'europe-west4-a' }), 'location', 'bigquery.location', 'europe-west4-a', 'not in a zone'],
  ['tables for a minute', checkBigQuery({ tableExpirationHours: 0.01 }), 'expiration', 'bigquery.tableExpirationHours', 0.01, 'less than an hour'],
  ['partitions for no time', checkBigQuery({ partitionExpirationDays: 0 }), 'expiration', 'bigquery.partitionExpirationDays', 0, 'more than 0'],
  ['a day to look back', checkBigQuery({ timeTravelHours: 24 }), 'timeTravel', 'bigquery.timeTravelHours', 24, '48, 72'],
  ['fifty hours to look back', checkBigQuery({ timeTravelHours: 50 }), 'timeTravel', 'bigquery.timeTravelHours', 50, '48, 72'],
  ['a table with a dot', checkBigQuery({ tables: { 'runs.v1': { columns: [RUN] } } }), 'table', 'bigquery.tables.runs.v1', 'runs.v1', '1 to 1024 letters'],
  ['a column that begins with a digit', columns({ name: '1st', type: 'STRING' }), 'column', 'bigquery.tables.runs.columns[1].name', '1st', 'begin with a letter'],
  ['a column of BigQuery itself', columns({ name: '_PARTITIONTIME', type: 'TIMESTAMP' }), 'column', 'bigquery.tables.runs.columns[1].name', '_PARTITIONTIME', "BigQuery's own"],
  ['two columns that differ in capitals', columns({ name: 'Run', type: 'STRING' }), 'columnTwice', 'bigquery.tables.runs.columns[1].name', 'Run', 'already exists as run'],
  ['a type that is none', columns({ name: 'loss', type: 'DOUBLE' }), 'columnType', 'bigquery.tables.runs.columns[1].type', 'DOUBLE', 'There are STRING'],
  ['a type that is misspelt', columns({ name: 'loss', type: 'FLOAT46' }), 'columnType', 'bigquery.tables.runs.columns[1].type', 'FLOAT46', "Did you mean 'FLOAT64'?"],
  ['a record without columns', columns({ name: 'metrics', type: 'RECORD' }), 'columnType', 'bigquery.tables.runs.columns[1].fields', undefined, 'are required'],
  ['columns of a text', columns({ name: 'metrics', type: 'STRING', fields: [LOSS] }), 'columnType', 'bigquery.tables.runs.columns[1].fields', [LOSS], 'of the type STRING'],
  ['a column in a record twice', columns({ name: 'metrics', type: 'RECORD', fields: [LOSS, LOSS] }), 'columnTwice', 'bigquery.tables.runs.columns[1].fields[1].name', 'loss', 'already exists as loss'],
  ['records that are 16 deep', columns(deep(15)), 'nesting', `bigquery.tables.runs.columns[1]${'.fields[0]'.repeat(14)}.fields`, 16, '15 levels'],
  ['a partition by a column that is not there', table({ partition: { by: 'DAY', column: 'ta' } }), 'partition', 'bigquery.tables.runs.partition.column', 'ta', "Did you mean 'at'?"],
  ['a partition by a number', table({ partition: { by: 'DAY', column: 'loss' } }), 'partition', 'bigquery.tables.runs.partition.column', 'loss', 'of the type FLOAT64'],
  ['a partition by a list', columns({ ...AT, mode: 'REPEATED' }).concat(table({ columns: [{ ...AT, mode: 'REPEATED' }], partition: { by: 'DAY', column: 'at' } })), 'partition', 'bigquery.tables.runs.partition.column', 'at', 'is a list'],
  ['hours of a date', table({ partition: { by: 'HOUR', column: 'day' } }), 'partitionHour', 'bigquery.tables.runs.partition.by', 'HOUR', 'Use DAY'],
  ['a filter for a table in one part', table({ requirePartitionFilter: true }), 'partitionFilter', 'bigquery.tables.runs.requirePartitionFilter', true, 'Add partition'],
  ['five columns to cluster by', table({ clusterBy: ['run', 'day', 'at', 'run', 'run'] }), 'clusterCount', 'bigquery.tables.runs.clusterBy', ['run', 'day', 'at', 'run', 'run'], 'the maximum is four'],
  ['a cluster by a column that is not there', table({ clusterBy: ['rnu'] }), 'cluster', 'bigquery.tables.runs.clusterBy[0]', 'rnu', "Did you mean 'run'?"],
  ['a cluster by a number with a point', table({ clusterBy: ['loss'] }), 'cluster', 'bigquery.tables.runs.clusterBy[0]', 'loss', 'cannot be sorted by'],
  ['a role to run queries', checkBigQuery({ access: [{ ...READER, role: 'roles/bigquery.jobUser' }] }), 'role', 'bigquery.access[0].role', 'roles/bigquery.jobUser', 'granted on a project'],
  ['a role that is misspelt', checkBigQuery({ access: [{ ...READER, role: 'roles/bigquery.dataReader' }] }), 'role', 'bigquery.access[0].role', 'roles/bigquery.dataReader', 'is not a dataset role'],
  ['a role of the whole project', checkBigQuery({ access: [{ ...READER, role: 'roles/editor' }] }), 'broad', 'bigquery.access[0].role', 'roles/editor', 'much more than this dataset'],
  ['everybody', checkBigQuery({ access: [{ ...READER, member: 'allUsers' }] }), 'broad', 'bigquery.access[0].member', 'allUsers', 'includes everyone'],
  ['somebody without a kind', checkBigQuery({ access: [{ ...READER, member: 'ml@example.com' }] }), 'broad', 'bigquery.access[0].member', 'ml@example.com', 'not an IAM'],
];

test.each(MISTAKES)('%s', (_what, found, rule, path, value, words) => {
  expect(found).toEqual([{ severity: 'error', rule: BIGQUERY_RULES[rule].id, source: SOURCES[BIGQUERY_RULES[rule].source], path, value, message: expect.stringContaining(words) }]);
});

test('every rule is broken by a mistake', () => {
  expect(Object.keys(BIGQUERY_RULES).filter((rule) => !MISTAKES.some(([, , told]) => told === rule))).toEqual([]);
});

test('a dataset of metrics is fine', () => {
  expect(checkBigQuery({
    dataset: 'ml_runs', location: 'EU', tableExpirationHours: 1, partitionExpirationDays: 0.5, timeTravelHours: 168,
    tables: { 'step-metrics': { columns: [AT, DAY, RUN, LOSS, deep(14)], partition: { by: 'HOUR', column: 'AT', expirationDays: 90 }, clusterBy: ['run', 'day'], requirePartitionFilter: true } },
    access: [READER, { role: 'projects/ml-test/roles/metrics', member: 'principalSet://iam.googleapis.com/x' }],
  })).toEqual([]);
});

test('columns of every type that is no record are fine, whatever their mode', () => {
  const types = COLUMN_TYPES.filter((type) => !['RECORD', 'STRUCT'].includes(type));
  fc.assert(fc.property(fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 }), fc.constantFrom('NULLABLE', 'REQUIRED', 'REPEATED'), (chosen, mode) => {
    expect(table({ columns: chosen.map((type) => ({ name: `c_${type}`, type, mode })) })).toEqual([]);
  }));
});
