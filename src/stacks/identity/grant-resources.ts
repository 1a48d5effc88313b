/** Each kind of grant as the resource that Pulumi makes of it. */
import * as artifactregistry from '@pulumi/gcp/artifactregistry';
import * as bigquery from '@pulumi/gcp/bigquery';
import * as projects from '@pulumi/gcp/projects';
import * as pubsub from '@pulumi/gcp/pubsub';
import * as secretmanager from '@pulumi/gcp/secretmanager';
import * as serviceaccount from '@pulumi/gcp/serviceaccount';
import * as storage from '@pulumi/gcp/storage';
import * as pulumi from '@pulumi/pulumi';
import type { GrantConditionSpec, GrantResourceKind } from '../../model/identity/spec';

/** A grant with the member that it is given to. */
export interface MemberGrant {
  readonly kind: GrantResourceKind;
  readonly external: pulumi.Input<string>;
  readonly role: pulumi.Input<string>;
  readonly member: pulumi.Input<string>;
  readonly condition?: pulumi.Input<GrantConditionSpec>;
}

/** Names of each kind that stand in for ones that are not known yet, in the form that the rules ask for. */
export const STAND_INS: { readonly [kind in GrantResourceKind]: string } = {
  Project: 'projects/stand-in',
  StorageBucket: 'stand-in',
  PubSubTopic: 'projects/stand-in/topics/stand-in',
  PubSubSubscription: 'projects/stand-in/subscriptions/stand-in',
  ArtifactRegistryRepository: 'projects/stand-in/locations/stand-in/repositories/stand-in',
  SecretManagerSecret: 'projects/stand-in/secrets/stand-in',
  BigQueryTable: 'projects/stand-in/datasets/stand-in/tables/stand-in',
  IAMServiceAccount: 'projects/stand-in/serviceAccounts/stand-in@stand-in.iam.gserviceaccount.com',
};

/** Makes the resource of a grant. */
export function createGrant(
  name: string, { kind, external, role, member, condition }: MemberGrant, opts: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const part = (index: number) => pulumi.output(external).apply((text) => text.split('/')[index]);
  const who = { role, member };
  switch (kind) {
    case 'Project':
      return new projects.IAMMember(name, { project: part(1), ...who, condition }, opts);
    case 'StorageBucket':
      return new storage.BucketIAMMember(name, { bucket: external, ...who, condition }, opts);
    case 'PubSubTopic':
      return new pubsub.TopicIAMMember(name, { project: part(1), topic: part(3), ...who }, opts);
    case 'PubSubSubscription':
      return new pubsub.SubscriptionIAMMember(name, { project: part(1), subscription: part(3), ...who }, opts);
    case 'ArtifactRegistryRepository':
      return new artifactregistry.RepositoryIamMember(name, { project: part(1), location: part(3), repository: part(5), ...who }, opts);
    case 'SecretManagerSecret':
      return new secretmanager.SecretIamMember(name, { project: part(1), secretId: part(3), ...who }, opts);
    case 'BigQueryTable':
      return new bigquery.IamMember(name, { project: part(1), datasetId: part(3), tableId: part(5), ...who }, opts);
    case 'IAMServiceAccount':
      return new serviceaccount.IAMMember(name, { serviceAccountId: external, ...who, condition }, opts);
  }
}
