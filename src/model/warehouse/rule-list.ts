/** The rules on datasets and tables of BigQuery, each with its source. The functions beside this file apply them. */
import { rule, type Rule } from '../findings';

/** Rules on BigQuery. */
export const BIGQUERY_RULES = {
  dataset: rule('bigquery-dataset', 'pulumiBigQuery', 'Ids of datasets have letters, digits and _, and no -.'),
  location: rule('bigquery-location', 'pulumiBigQuery', 'A dataset is in a region, or in US or EU.'),
  expiration: rule('bigquery-expiration', 'pulumiBigQuery', 'Tables are kept for an hour at least.'),
  timeTravel: rule('bigquery-time-travel', 'bigQueryTimeTravel', 'Tables can be read as they were for 48 to 168 hours, in whole days.'),
  table: rule('bigquery-table', 'bigQuerySchemas', 'Ids of tables have letters, digits, _ and -.'),
  column: rule('bigquery-column', 'bigQuerySchemas', 'Names of columns have letters, digits and _, begin with a letter or _, and not as BigQuery\'s own do.'),
  columnTwice: rule('bigquery-column-twice', 'bigQuerySchemas', 'Columns differ in more than capitals.'),
  columnType: rule('bigquery-column-type', 'bigQuerySchemas', 'A column has a type of BigQuery; records, and only they, have columns of their own.'),
  nesting: rule('bigquery-nesting', 'bigQuerySchemas', 'Records are at most 15 deep.'),
  partition: rule('bigquery-partition', 'bigQueryPartitions', 'A table is divided by a column at the top of the type DATE, TIMESTAMP or DATETIME that has one value.'),
  partitionHour: rule('bigquery-partition-hour', 'bigQueryPartitions', 'A DATE has no hours to divide by.'),
  partitionFilter: rule('bigquery-partition-filter', 'bigQueryPartitions', 'Only a table that is divided can ask queries for a part of it.'),
  clusterCount: rule('bigquery-cluster-count', 'bigQueryClusters', 'A table is clustered by at most four columns.'),
  cluster: rule('bigquery-cluster', 'bigQueryClusters', 'Columns that a table is clustered by are at its top, have one value, and are of a type that can be.'),
  role: rule('bigquery-role', 'bigQueryAccess', 'Roles on a dataset are those of its data; roles to run queries are of a project.'),
  broad: rule('bigquery-broad-access', 'bigQueryAccess', 'A dataset is for members of IAM that are known, who read or write and do not own it.'),
} as const satisfies { readonly [name: string]: Rule };
