/** The rules on datasets and tables of BigQuery, each with its source. The functions beside this file apply them. */
import { rule, type Rule } from '../findings';

/** Rules on BigQuery. */
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
