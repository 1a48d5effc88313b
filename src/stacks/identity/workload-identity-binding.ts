/** Grants the pods of a service account roles in Google Cloud. Uses the same description of the identity as the Config Connector objects. */
import * as artifactregistry from '@pulumi/gcp/artifactregistry';
import * as bigquery from '@pulumi/gcp/bigquery';
import * as organizations from '@pulumi/gcp/organizations';
import * as projects from '@pulumi/gcp/projects';
import * as pubsub from '@pulumi/gcp/pubsub';
import * as secretmanager from '@pulumi/gcp/secretmanager';
import * as serviceaccount from '@pulumi/gcp/serviceaccount';
import * as storage from '@pulumi/gcp/storage';
import * as pulumi from '@pulumi/pulumi';
import { configuredProject, missingProject } from '../support/context';
import { isPending, throwErrors, validated, type ArgRules, type Found, type Subject } from '../support/validated';
import { GRANT_RESOURCES, type GrantConditionSpec, type GrantResourceKind, type GrantSpec } from '../../model/identity/spec';
import { validateWorkloadIdentity } from '../../model/identity/validate-grants';
import { GOOGLE_ACCOUNT_ANNOTATION, WORKLOAD_IDENTITY_ROLE, directMember, linkedMember, projectOf } from '../../model/identity/workload-identity';
import { NON_EMPTY_TEXT, OBJECT, checkShape, oneOf, pattern, record, required, type Shape } from '../../model/shapes';

/** A role on a resource. */
export interface GrantArgs {
  readonly kind: GrantResourceKind;
  /** Name of the resource: the name of a bucket, or `projects/PROJECT/...` for others. */
  readonly resource: pulumi.Input<string>;
  /** Such as `roles/storage.objectUser`. */
  readonly role: string;
  /** An IAM condition. @default - none */
  readonly condition?: GrantConditionSpec;
  /** The reason to allow a broad role. @default - broad roles are rejected */
  readonly broadBecause?: string;
}

/** A `Grant` of `trainyard`, such as `Grant.datasetReader('ml-prod', 'metrics')`: the minimal role or roles for a purpose. */
export interface TypedGrant {
  /** The roles as separate grants. */
  _toSpecs(): readonly GrantSpec[];
}

/** Arguments of {@link WorkloadIdentityBinding}. */
export interface WorkloadIdentityBindingArgs {
  /** Id of the cluster's project. @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Number of the project, which is in the members of direct federation. @default - looked up in Google Cloud */
  readonly projectNumber?: pulumi.Input<string>;
  /** Namespace of the pods. */
  readonly namespace: pulumi.Input<string>;
  /** Service account of the pods. */
  readonly account: pulumi.Input<string>;
  /** E-mail of a Google service account that the pods act as. @default - direct federation: the account itself is granted the roles */
  readonly googleServiceAccount?: pulumi.Input<string>;
  /** The permissions of the pods: grants of `trainyard`, or roles with resources that can be outputs. */
  readonly grants: readonly (GrantArgs | TypedGrant)[];
}

const KUBERNETES_NAME = pattern(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, 'must be a Kubernetes name: lower-case letters, digits and \'-\', at most 63.');

const GRANT: Shape = record<keyof GrantArgs>('a grant', {
  kind: required(oneOf(Object.keys(GRANT_RESOURCES))),
  resource: required(NON_EMPTY_TEXT),
  role: required(NON_EMPTY_TEXT),
  condition: OBJECT,
  broadBecause: NON_EMPTY_TEXT,
});

type Identity = Omit<WorkloadIdentityBindingArgs, 'grants'>;

const RULES: ArgRules<Identity> = {
  fields: {
    project: NON_EMPTY_TEXT,
    projectNumber: NON_EMPTY_TEXT,
    namespace: required(KUBERNETES_NAME, 'is required: the namespace of the pods.'),
    account: required(KUBERNETES_NAME, 'is required: the service account of the pods.'),
    googleServiceAccount: NON_EMPTY_TEXT,
  },
  across: [
    { fields: ['project'], check: ({ project }) => missingProject(project) },
    ...(['project', 'projectNumber', 'account', 'googleServiceAccount'] as const).map((field) => ({ fields: [field], check: (args: { readonly [name: string]: unknown }) => checkPart(field, args[field]) })),
  ],
};

/** Valid values for the other parts of an identity, to check one part alone. */
const NEUTRAL = { account: 'trainer', namespace: 'ml', pool: { projectId: 'placeholder', projectNumber: '123456789' }, grants: [] };

/** The model's errors for one part. */
function checkPart(field: 'project' | 'projectNumber' | 'account' | 'googleServiceAccount', value: unknown): Found[] {
  if (value === undefined) {
    return [];
  }
  const text = value as string;
  const identity = field === 'project' ? { ...NEUTRAL, pool: { ...NEUTRAL.pool, projectId: text } }
    : field === 'projectNumber' ? { ...NEUTRAL, pool: { ...NEUTRAL.pool, projectNumber: text } } : { ...NEUTRAL, [field]: text };
  return validateWorkloadIdentity(identity).map((violation) => ({ ...violation, path: field }));
}

/** A role, and the path of its grant in the arguments. */
interface Role extends GrantArgs {
  readonly at: string;
}

/** The model's errors for one grant. */
function checkGrant({ at, kind, resource, ...grant }: Role & { readonly resource: string }): Found[] {
  return validateWorkloadIdentity({ ...NEUTRAL, grants: [{ ...grant, resource: { kind, external: resource } }] })
    .map((violation) => ({ ...violation, path: violation.path.replace('grants[0]', at) }));
}

/**
 * Grants for the pods of a service account. With a Google service account, set the annotations on the Kubernetes service account.
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity
 */
export class WorkloadIdentityBinding extends pulumi.ComponentResource {
  /** The member that the roles are granted to. */
  public readonly member: pulumi.Output<string>;
  /** Annotations for the Kubernetes service account; empty for direct federation. */
  public readonly annotations: pulumi.Output<{ readonly [name: string]: string }>;

  /**
   * @param name name in the program
   * @param args the accounts and their roles
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: WorkloadIdentityBindingArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject: Subject = { type: 'WorkloadIdentityBinding', name };
    const { grants, ...identity } = args;
    const checked = validated<Identity>(subject, identity, RULES);
    const kept = keptGrants(subject, grants);
    super('trainyard:stacks:WorkloadIdentityBinding', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const project = pulumi.output(checked.project ?? configuredProject()!);
    const email = checked.googleServiceAccount;
    const pod = pulumi.all([project, checked.namespace, checked.account]);
    if (email === undefined) {
      const number = checked.projectNumber ?? organizations.getProjectOutput({ projectId: project }, { parent: this }).number;
      this.member = pulumi.all([pod, number])
        .apply(([[projectId, namespace, account], projectNumber]) => directMember({ projectId, projectNumber, namespace, name: account }));
    } else {
      this.member = pulumi.interpolate`serviceAccount:${email}`;
      createGrant(`${name}-link`, {
        kind: 'IAMServiceAccount',
        external: pulumi.output(email).apply((address) => `projects/${projectOf(address)}/serviceAccounts/${address}`),
        role: WORKLOAD_IDENTITY_ROLE,
        member: pod.apply(([projectId, namespace, account]) => linkedMember({ projectId, namespace, name: account })),
      }, child);
    }
    kept.forEach(({ kind, resource, role, condition }, index) => createGrant(`${name}-${index}`, { kind, external: resource, role, condition, member: this.member }, child));
    this.annotations = pulumi.output(email).apply((address): { [name: string]: string } => (
      address === undefined ? {} : { [GOOGLE_ACCOUNT_ANNOTATION]: address }
    ));
    this.registerOutputs({ member: this.member, annotations: this.annotations });
  }
}

/** The grants, each checked separately. Resources that are not known yet are checked when they resolve. */
function keptGrants(subject: Subject, grants: readonly (GrantArgs | TypedGrant)[]): readonly GrantArgs[] {
  const roles = grants.flatMap((grant, index) => rolesOf(grant).map((role): Role => ({ ...role, at: `grants[${index}]` })));
  const withPlaceholders = roles.map((role) => ({
    ...role, resource: isPending(role.resource) ? PLACEHOLDERS[role.kind] ?? 'placeholder' : role.resource as string,
  }));
  throwErrors(subject, withPlaceholders.flatMap(({ at, ...role }) => checkShape(GRANT, role, at)));
  throwErrors(subject, withPlaceholders.flatMap(checkGrant));
  return roles.map((grant) => (isPending(grant.resource) ? {
    ...grant,
    resource: pulumi.output(grant.resource).apply((resource) => {
      throwErrors(subject, checkGrant({ ...grant, resource }));
      return resource;
    }),
  } : grant));
}

/** The roles of a grant, as separate grants. */
function rolesOf(grant: GrantArgs | TypedGrant): readonly GrantArgs[] {
  return '_toSpecs' in grant ? grant._toSpecs().map(({ resource: { kind, external }, ...role }) => ({ ...role, kind, resource: external })) : [grant];
}

/** A grant with its member. */
interface MemberGrant {
  readonly kind: GrantResourceKind;
  readonly external: pulumi.Input<string>;
  readonly role: pulumi.Input<string>;
  readonly member: pulumi.Input<string>;
  readonly condition?: pulumi.Input<GrantConditionSpec>;
}

/** Placeholders for names that are not known yet, in the format that the rules require, by kind. */
export const PLACEHOLDERS: { readonly [kind in GrantResourceKind]: string } = {
  Project: 'projects/placeholder',
  StorageBucket: 'placeholder',
  PubSubTopic: 'projects/placeholder/topics/placeholder',
  PubSubSubscription: 'projects/placeholder/subscriptions/placeholder',
  ArtifactRegistryRepository: 'projects/placeholder/locations/placeholder/repositories/placeholder',
  SecretManagerSecret: 'projects/placeholder/secrets/placeholder',
  BigQueryTable: 'projects/placeholder/datasets/placeholder/tables/placeholder',
  IAMServiceAccount: 'projects/placeholder/serviceAccounts/placeholder@placeholder.iam.gserviceaccount.com',
};

/** Creates the resource of a grant. */
function createGrant(
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
