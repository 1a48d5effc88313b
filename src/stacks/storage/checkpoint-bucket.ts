/** A private bucket for checkpoints, with cleanup of old objects. */
import * as storage from '@pulumi/gcp/storage';
import * as pulumi from '@pulumi/pulumi';
import { BOOLEAN, integer, listOf, oneOf, pattern, record, required } from '../../model/shapes';
import { commonLabels, configuredProject } from '../support/context';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, type InputsOf } from '../support/inputs';
import { validated, type ArgRules, type Found } from '../support/validated';

/** A rule that deletes old objects. */
export interface BucketRetention {
  /** Prefix of the names of the objects, such as `runs/tmp/`. @default - all objects */
  readonly prefix?: string;
  /** Age of the objects in days. */
  readonly deleteAfterDays: number;
}

/** Arguments of {@link CheckpointBucket}. */
export interface CheckpointBucketArgs {
  /** Globally unique name. @default - the name in the program, with a random suffix */
  readonly name?: pulumi.Input<string>;
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Region of the cluster, or a multi-region such as `EU`. Buckets in other regions are slower, and transfers are billed. */
  readonly location: pulumi.Input<string>;
  /** Whether the bucket has folders with atomic renames, which speeds up checkpoints with GCS FUSE. Cannot be changed. @default true */
  readonly hierarchicalNamespace?: pulumi.Input<boolean>;
  /** `STANDARD`, `NEARLINE`, `COLDLINE` or `ARCHIVE`. @default `STANDARD` */
  readonly storageClass?: pulumi.Input<string>;
  /** @default - nothing is deleted */
  readonly retention?: InputsOf<readonly BucketRetention[]>;
  /** Days for which deleted objects can be restored: 0, or 7 to 90. They are billed. @default 0 */
  readonly softDeleteDays?: pulumi.Input<number>;
  /** Whether older versions of objects are kept. Cannot be combined with a hierarchical namespace. @default false */
  readonly versioning?: pulumi.Input<boolean>;
  /** @default - Google's own key */
  readonly kmsKey?: pulumi.Input<string>;
  /** Whether objects are deleted with the bucket. @default false: a bucket with objects is not deleted */
  readonly forceDestroy?: pulumi.Input<boolean>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const DAY_SECONDS = 86_400;

/** @see https://cloud.google.com/storage/docs/buckets#naming */
const BUCKET_NAME = pattern(/^(?!goog)(?!.*(?:google|\.\.))[a-z0-9][a-z0-9_.-]{1,61}[a-z0-9]$/,
  'must have 3 to 63 lower-case letters, digits, \'-\', \'_\' and \'.\', begin and end with a letter or digit, and not contain google or begin with goog.');

const RULES: ArgRules<CheckpointBucketArgs> = {
  fields: {
    name: BUCKET_NAME,
    project: PROJECT_ID,
    location: required(pattern(/^(?:[a-z]+-[a-z]+\d+|eu|us|asia|[a-z]{3,5}\d)$/i, 'must be a region such as europe-west4, or EU, US, ASIA or a dual region such as NAM4. A bucket is not in a zone.'),
      'is required: the region of the cluster.'),
    hierarchicalNamespace: BOOLEAN,
    storageClass: oneOf(['STANDARD', 'NEARLINE', 'COLDLINE', 'ARCHIVE']),
    retention: listOf(record<keyof BucketRetention>('a retention', { prefix: pattern(/^[^/].*$/, 'must begin with the first folder, without gs:// and without \'/\'.'), deleteAfterDays: required(integer(1)) })),
    softDeleteDays: integer(0, 90),
    versioning: BOOLEAN,
    kmsKey: KMS_KEY,
    forceDestroy: BOOLEAN,
    labels: CLOUD_LABELS,
  },
  across: [
    { fields: ['versioning', 'hierarchicalNamespace'], check: checkNamespace },
    { fields: ['softDeleteDays'], check: checkSoftDelete },
    { fields: ['storageClass', 'retention'], check: checkStorageClass },
  ],
};

/** @see https://cloud.google.com/storage/docs/hns-overview#limitations */
function checkNamespace({ versioning = false, hierarchicalNamespace = true }: { readonly [field: string]: unknown }): Found[] {
  return versioning && hierarchicalNamespace ? [{
    path: 'versioning', value: true, message: 'cannot be combined with a hierarchical namespace. Set hierarchicalNamespace: false, or use softDeleteDays.',
  }] : [];
}

/** @see https://cloud.google.com/storage/docs/soft-delete */
function checkSoftDelete({ softDeleteDays = 0 }: { readonly [field: string]: unknown }): Found[] {
  const days = softDeleteDays as number;
  return days === 0 || days >= 7 ? [] : [{ path: 'softDeleteDays', value: days, message: 'is less than the minimum of 7 days. Use 0 for none.' }];
}

/** Days that objects of a class are paid for at least. @see https://cloud.google.com/storage/docs/storage-classes */
const LEAST_DAYS: { readonly [storageClass: string]: number } = { NEARLINE: 30, COLDLINE: 90, ARCHIVE: 365 };

function checkStorageClass({ storageClass = 'STANDARD', retention = [] }: { readonly [field: string]: unknown }): Found[] {
  const least = LEAST_DAYS[storageClass as string] ?? 0;
  return (retention as readonly BucketRetention[]).flatMap(({ deleteAfterDays }, index) => (deleteAfterDays >= least ? [] : [{
    severity: 'warning' as const, path: `retention[${index}].deleteAfterDays`, value: deleteAfterDays,
    message: `is before the ${least} days for which objects of ${storageClass as string} are billed. Use STANDARD.`,
  }]));
}

/**
 * A bucket for checkpoints of jobs: without public access, with access only through IAM, and with cleanup of incomplete uploads.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/cloud-storage-fuse-csi-driver-perf
 */
export class CheckpointBucket extends pulumi.ComponentResource {
  /** Name of the bucket. */
  public readonly name: pulumi.Output<string>;
  /** `gs://NAME`. */
  public readonly url: pulumi.Output<string>;
  /** The bucket itself. */
  public readonly bucket: storage.Bucket;

  /**
   * @param name name in the program
   * @param args the options of the bucket
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: CheckpointBucketArgs, opts?: pulumi.ComponentResourceOptions) {
    const checked = validated({ type: 'CheckpointBucket', name }, args, RULES);
    super('trainyard:stacks:CheckpointBucket', name, {}, opts);
    this.bucket = new storage.Bucket(name, {
      name: checked.name,
      project: checked.project ?? configuredProject(),
      location: checked.location,
      storageClass: checked.storageClass ?? 'STANDARD',
      uniformBucketLevelAccess: true,
      publicAccessPrevention: 'enforced',
      hierarchicalNamespace: { enabled: checked.hierarchicalNamespace ?? true },
      softDeletePolicy: { retentionDurationSeconds: pulumi.output(checked.softDeleteDays ?? 0).apply((days) => days * DAY_SECONDS) },
      versioning: { enabled: checked.versioning ?? false },
      encryption: checked.kmsKey === undefined ? undefined : { defaultKmsKeyName: checked.kmsKey },
      lifecycleRules: pulumi.output(checked.retention ?? []).apply((retention) => [
        { action: { type: 'AbortIncompleteMultipartUpload' }, condition: { age: 7 } },
        ...retention.map(({ prefix, deleteAfterDays }) => ({
          action: { type: 'Delete' }, condition: { age: deleteAfterDays, ...(prefix !== undefined && { matchesPrefixes: [prefix] }) },
        })),
      ]),
      forceDestroy: checked.forceDestroy ?? false,
      labels: commonLabels(checked.labels),
    }, { parent: this });
    this.name = this.bucket.name;
    this.url = pulumi.interpolate`gs://${this.name}`;
    this.registerOutputs({ name: this.name, url: this.url });
  }
}
