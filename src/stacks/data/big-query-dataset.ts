/** A dataset of BigQuery, with tables for metrics of runs, features and predictions. */
import * as bigquery from '@pulumi/gcp/bigquery';
import * as pulumi from '@pulumi/pulumi';
import { DAY_SECONDS } from '../../model/messaging/pub-sub';
import { BOOLEAN, NON_EMPTY_TEXT, NUMBER, TEXT, integer, listOf, mapOf, oneOf, record, required, type Shape } from '../../model/shapes';
import { BIGQUERY_CHECKS, type DatasetAccess, type ColumnSpec, type PartitionSpec, type TableSpec } from '../../model/warehouse/big-query';
import { allowKey } from '../support/access';
import { commonLabels, configuredProject, missingProject } from '../support/context';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, type InputsOf } from '../support/inputs';
import { acrossOf, validated, type ArgRules } from '../support/validated';

/** A role on the dataset. */
export interface DatasetAccessArgs {
  /** Such as `roles/bigquery.dataEditor`. */
  readonly role: pulumi.Input<string>;
  /** IAM member, such as `binding.member`. */
  readonly member: pulumi.Input<string>;
}

/** A table of the model. */
export type BigQueryTableArgs = TableSpec;

/** Arguments of {@link BigQueryDataset}. */
export interface BigQueryDatasetArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Id of the dataset: letters, digits and `_`. @default - the name in the program, with `_` instead of `-` */
  readonly dataset?: pulumi.Input<string>;
  /** Region of the cluster, or `US` or `EU`. Cannot be changed. */
  readonly location: pulumi.Input<string>;
  readonly description?: pulumi.Input<string>;
  /** Tables by id. @default - none */
  readonly tables?: { readonly [id: string]: BigQueryTableArgs };
  /** Access to all tables, in addition to the access that the project grants. @default - none */
  readonly access?: readonly DatasetAccessArgs[];
  /** Hours after which tables without their own expiration are deleted. @default - never */
  readonly tableExpirationHours?: pulumi.Input<number>;
  /** Days after which partitions of partitioned tables are deleted. @default - never */
  readonly partitionExpirationDays?: pulumi.Input<number>;
  /** Hours for which you can read or restore earlier states of tables (time travel). @default 168 */
  readonly timeTravelHours?: pulumi.Input<number>;
  /** `LOGICAL` or `PHYSICAL`: the bytes that are billed. @default `LOGICAL` */
  readonly storageBilling?: pulumi.Input<string>;
  /** @default - Google's own key */
  readonly kmsKey?: pulumi.Input<string>;
  /** Whether tables that the program did not create are deleted with the dataset. @default false */
  readonly forceDestroy?: pulumi.Input<boolean>;
  /** Whether Pulumi refuses to delete a table, which some changes of columns do. @default true */
  readonly deletionProtection?: pulumi.Input<boolean>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const COLUMN: Shape = (value, path, violations) => record<keyof ColumnSpec>('a column', {
  name: required(TEXT), type: required(TEXT), mode: oneOf(['NULLABLE', 'REQUIRED', 'REPEATED']), description: TEXT, fields: listOf(COLUMN, 1),
})(value, path, violations);

const RULES: ArgRules<BigQueryDatasetArgs> = {
  fields: {
    project: PROJECT_ID,
    dataset: NON_EMPTY_TEXT,
    location: required(NON_EMPTY_TEXT, 'is required: the region of the cluster.'),
    description: TEXT,
    tables: mapOf(record<keyof TableSpec>('a table', {
      columns: required(listOf(COLUMN, 1), 'is required: at least one.'),
      description: TEXT,
      partition: record<keyof PartitionSpec>('a partition', { by: required(oneOf(['HOUR', 'DAY', 'MONTH', 'YEAR'])), column: NON_EMPTY_TEXT, expirationDays: NUMBER }),
      clusterBy: listOf(NON_EMPTY_TEXT, 1),
      requirePartitionFilter: BOOLEAN,
    })),
    access: listOf(record<keyof DatasetAccess>('an access', { role: required(NON_EMPTY_TEXT), member: required(NON_EMPTY_TEXT) })),
    tableExpirationHours: NUMBER,
    partitionExpirationDays: NUMBER,
    timeTravelHours: integer(1),
    storageBilling: oneOf(['LOGICAL', 'PHYSICAL']),
    kmsKey: KMS_KEY,
    forceDestroy: BOOLEAN,
    deletionProtection: BOOLEAN,
    labels: CLOUD_LABELS,
  },
  across: [{ fields: ['project'], check: ({ project }) => missingProject(project) }, ...acrossOf(BIGQUERY_CHECKS)],
};

/**
 * A dataset with its tables. The access is added to what the project grants, and never replaces it.
 * @see https://cloud.google.com/bigquery/docs/datasets-intro
 */
export class BigQueryDataset extends pulumi.ComponentResource {
  public readonly dataset: bigquery.Dataset;
  /** Id of the dataset. */
  public readonly datasetId: pulumi.Output<string>;
  /** `PROJECT.DATASET.TABLE` of each table, for queries, by id. */
  public readonly tables: ReadonlyMap<string, pulumi.Output<string>>;

  /**
   * @param name name in the program
   * @param args the options of the dataset
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: BigQueryDatasetArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'BigQueryDataset', name };
    const checked = validated<BigQueryDatasetArgs>(subject, { ...args, dataset: args.dataset ?? name.replace(/-/g, '_') }, RULES);
    super('trainyard:stacks:BigQueryDataset', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const project = checked.project ?? configuredProject();
    const labels = commonLabels(checked.labels);
    this.dataset = new bigquery.Dataset(name, {
      project,
      datasetId: checked.dataset!,
      location: checked.location,
      description: checked.description,
      defaultTableExpirationMs: milliseconds(checked.tableExpirationHours, 3600),
      defaultPartitionExpirationMs: milliseconds(checked.partitionExpirationDays, DAY_SECONDS),
      maxTimeTravelHours: pulumi.output(checked.timeTravelHours ?? 168).apply(String),
      storageBillingModel: checked.storageBilling ?? 'LOGICAL',
      defaultEncryptionConfiguration: checked.kmsKey === undefined ? undefined : { kmsKeyName: this.usableKey(name, checked.kmsKey, project) },
      deleteContentsOnDestroy: checked.forceDestroy ?? false,
      labels,
    }, child);
    this.datasetId = this.dataset.datasetId;
    this.tables = new Map(Object.entries(checked.tables ?? {}).map(([id, table]) => {
      const created = new bigquery.Table(`${name}-${id}`, {
        project, datasetId: this.datasetId, tableId: id, ...tableInputs(table), deletionProtection: checked.deletionProtection ?? true, labels,
      }, child);
      return [id, pulumi.interpolate`${created.project}.${created.datasetId}.${created.tableId}`];
    }));
    (checked.access ?? []).forEach(({ role, member }, index) => new bigquery.DatasetIamMember(`${name}-access-${index}`, {
      project, datasetId: this.datasetId, role, member: pulumi.output(member).apply(datasetMember),
    }, child));
    this.registerOutputs({ datasetId: this.datasetId });
  }

  /** The key, once BigQuery has access to it. Google creates the account of BigQuery when it is first requested. */
  private usableKey(name: string, key: pulumi.Input<string>, project: pulumi.Input<string> | undefined): pulumi.Output<string> {
    const { email } = bigquery.getDefaultServiceAccountOutput({ project }, { parent: this });
    const grant = allowKey(name, key, pulumi.interpolate`serviceAccount:${email}`, { parent: this });
    return pulumi.all([key, grant.id]).apply(([text]) => text);
  }
}

/**
 * A member as datasets spell it: principals of Workload Identity have a prefix there.
 * @see https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/bigquery_dataset_iam
 */
function datasetMember(member: string): string {
  return /^principal(Set)?:/.test(member) ? `iamMember:${member}` : member;
}

function tableInputs({ columns, description, partition, clusterBy, requirePartitionFilter }: TableSpec): Partial<bigquery.TableArgs> {
  return {
    description,
    schema: JSON.stringify(columns.map(columnInput)),
    timePartitioning: partition && {
      type: partition.by, field: partition.column, expirationMs: partition.expirationDays && partition.expirationDays * DAY_SECONDS * 1000,
    },
    clusterings: clusterBy && [...clusterBy],
    requirePartitionFilter,
  };
}

/** A column with all fields that Google would add, so that Pulumi shows no differences afterwards. */
function columnInput({ name, type, mode = 'NULLABLE', description, fields }: ColumnSpec): object {
  return { name, type, mode, ...(description !== undefined && { description }), ...(fields !== undefined && { fields: fields.map(columnInput) }) };
}

function milliseconds(value: pulumi.Input<number> | undefined, seconds: number): pulumi.Output<number> | undefined {
  return value === undefined ? undefined : pulumi.output(value).apply((count) => count * seconds * 1000);
}
