/**
 * Who pods are to Google Cloud: a service account of Kubernetes, bound to the pool of its cluster's project, and what it may do. The one description
 * that Config Connector's objects are rendered from.
 */
import { BUCKET_NAME } from '../storage/store';

/** The workload identity pool of a cluster's project. */
export interface WorkloadPoolSpec {
  readonly projectId: string;
  /** Number of the project, which direct federation names. @default - unknown: only a Google service account can be bound */
  readonly projectNumber?: string;
}

/** Kinds of resources that policies are set on, as Config Connector calls them. */
export type GrantResourceKind =
  'Project' | 'StorageBucket' | 'PubSubTopic' | 'PubSubSubscription' | 'ArtifactRegistryRepository' | 'SecretManagerSecret' | 'BigQueryTable' | 'IAMServiceAccount';

/** A resource that exists, by the name that Config Connector reads. */
export interface GrantResourceSpec {
  readonly kind: GrantResourceKind;
  readonly external: string;
}

export interface GrantConditionSpec {
  readonly title: string;
  readonly expression: string;
}

/** One role on one resource. */
export interface GrantSpec {
  readonly role: string;
  readonly resource: GrantResourceSpec;
  readonly condition?: GrantConditionSpec;
  /** Why a role that is broad is given all the same. @default - broad roles are refused */
  readonly broadBecause?: string;
}

export interface WorkloadIdentitySpec {
  /** Service account of Kubernetes. */
  readonly account: string;
  /** Its namespace; undefined where the program does not say it. */
  readonly namespace?: string;
  readonly pool: WorkloadPoolSpec;
  /** E-mail of the Google service account that the pods act as. @default - direct federation */
  readonly googleServiceAccount?: string;
  readonly grants: readonly GrantSpec[];
}

/**
 * API groups of the kinds, and the forms of their names.
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember
 */
export const GRANT_RESOURCES: { readonly [kind in GrantResourceKind]: { readonly group: string; readonly form: RegExp; readonly looks: string } } = {
  Project: { group: 'resourcemanager', form: /^projects\/[^/]+$/, looks: 'projects/PROJECT' },
  StorageBucket: { group: 'storage', form: BUCKET_NAME, looks: 'the name of the bucket, without gs://' },
  PubSubTopic: { group: 'pubsub', form: /^projects\/[^/]+\/topics\/[^/]+$/, looks: 'projects/PROJECT/topics/TOPIC' },
  PubSubSubscription: { group: 'pubsub', form: /^projects\/[^/]+\/subscriptions\/[^/]+$/, looks: 'projects/PROJECT/subscriptions/SUBSCRIPTION' },
  ArtifactRegistryRepository: {
    group: 'artifactregistry', form: /^projects\/[^/]+\/locations\/[^/]+\/repositories\/[^/]+$/, looks: 'projects/PROJECT/locations/LOCATION/repositories/REPOSITORY',
  },
  SecretManagerSecret: { group: 'secretmanager', form: /^projects\/[^/]+\/secrets\/[^/]+$/, looks: 'projects/PROJECT/secrets/SECRET' },
  BigQueryTable: { group: 'bigquery', form: /^projects\/[^/]+\/datasets\/[^/]+\/tables\/[^/]+$/, looks: 'projects/PROJECT/datasets/DATASET/tables/TABLE' },
  IAMServiceAccount: { group: 'iam', form: /^projects\/[^/]+\/serviceAccounts\/[^/@]+@[^/@]+$/, looks: 'projects/PROJECT/serviceAccounts/EMAIL' },
};
