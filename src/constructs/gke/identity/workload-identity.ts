import { Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import type { Grant } from './grant';
import { IAM_POLICY_MEMBER_API_VERSION, constructIamPolicyMemberSpec, iamPolicyMemberName } from '../../../manifests/identity/iam-policy-member';
import type { WorkloadIdentitySpec } from '../../../model/identity/spec';
import { validateWorkloadIdentity } from '../../../model/identity/validate-grants';
import { GOOGLE_ACCOUNT_ANNOTATION, grantMember, memberGrants } from '../../../model/identity/workload-identity';
import { checkProps } from '../../props/check-props';
import { reportAtSynth } from '../../rendering/problems';

/** Project of Config Connector's objects, if their namespace does not set it. */
const PROJECT_ANNOTATION = 'cnrm.cloud.google.com/project-id';

/** The workload identity pool of a cluster: `PROJECT_ID.svc.id.goog`. */
export interface WorkloadPool {
  /** Id of the cluster's project. */
  readonly projectId: string;

  /**
   * Number of the cluster's project, which is part of IAM's principals.
   * @default - unknown; `googleServiceAccount` is then required
   */
  readonly projectNumber?: string;
}

/** Properties of a `WorkloadIdentity`. */
export interface WorkloadIdentityProps extends kplus.ResourceProps {
  /** Pool of the cluster that the pods run in. */
  readonly pool: WorkloadPool;

  /** What the pods may do. @default - nothing; see `addGrant` */
  readonly grants?: Grant[];

  /**
   * E-mail of an existing Google service account that the pods act as, for services without direct federation.
   * @default - direct federation: the Kubernetes service account has the grants itself
   */
  readonly googleServiceAccount?: string;

  /**
   * Whether the grants are synthesized as objects of Config Connector. If not, grant them to `member` yourself.
   * @default true
   */
  readonly configConnector?: boolean;

  /** Project for Config Connector, if its namespace does not set it. @default - the namespace's */
  readonly configConnectorProject?: string;
}

/**
 * The identity of pods on Google Cloud: a service account that is bound to the cluster's workload identity pool, and its roles.
 * @see docs/security/workload-identity.md
 * @example
 * import { Framework, TrainingJob } from 'trainyard';
 * import { Grant, WorkloadIdentity } from 'trainyard/gke';
 *
 * const identity = new WorkloadIdentity(chart, 'Trainer', {
 *   metadata: { name: 'trainer', namespace: 'ml' },
 *   pool: { projectId: 'ml-prod', projectNumber: '123456789012' },
 *   grants: [Grant.bucketWriter('ml-prod-checkpoints')],
 * });
 * new TrainingJob(chart, 'Train', {
 *   framework: Framework.pytorch(),
 *   image: 'registry.example/train:1',
 *   replicas: 2,
 *   serviceAccount: identity.serviceAccount,
 * });
 */
export class WorkloadIdentity extends Construct {
  /** The service account, for `serviceAccount` of jobs and `ModelCredentials.serviceAccount` of model servers. */
  public readonly serviceAccount: kplus.ServiceAccount;

  private readonly props: WorkloadIdentityProps;
  private readonly grants: Grant[] = [];
  private members = 0;

  public constructor(scope: Construct, id: string, props: WorkloadIdentityProps) {
    super(scope, id);
    checkProps(this, 'WorkloadIdentityProps', props);
    this.props = props;
    const { googleServiceAccount: email, metadata } = props;
    this.serviceAccount = new kplus.ServiceAccount(this, 'Account', {
      metadata: { ...metadata, annotations: { ...metadata?.annotations, ...(email !== undefined && { [GOOGLE_ACCOUNT_ANNOTATION]: email }) } },
      // A pod needs the token to authenticate.
      automountToken: true,
    });
    if (email !== undefined) {
      this.addMembers(0);
    }
    (props.grants ?? []).forEach((grant) => this.addGrant(grant));
    reportAtSynth(this, `WorkloadIdentity '${this.serviceAccount.name}'`, () => validateWorkloadIdentity(this.toSpec()));
  }

  /** IAM member of the pods, for grants that you create elsewhere. */
  public get member(): string {
    return grantMember(this.toSpec());
  }

  /** Adds a grant. @param grant such as `Grant.bucketWriter('checkpoints')` */
  public addGrant(grant: Grant): void {
    const before = memberGrants(this.toSpec()).length;
    this.grants.push(grant);
    this.addMembers(before);
  }

  /** Adds Config Connector's objects for new grants. */
  private addMembers(from: number): void {
    const { configConnector = true, configConnectorProject: project } = this.props;
    if (!configConnector) {
      return;
    }
    const { namespace } = this.serviceAccount.metadata;
    for (const { member, grant } of memberGrants(this.toSpec()).slice(from)) {
      new PlainApiObject(this, `Member${++this.members}`, {
        apiVersion: IAM_POLICY_MEMBER_API_VERSION,
        kind: 'IAMPolicyMember',
        metadata: {
          name: iamPolicyMemberName(this.serviceAccount.name, member, grant),
          ...(namespace !== undefined && { namespace }),
          ...(project !== undefined && { annotations: { [PROJECT_ANNOTATION]: project } }),
        },
        spec: constructIamPolicyMemberSpec(member, grant),
      });
    }
  }

  private toSpec(): WorkloadIdentitySpec {
    const { pool, googleServiceAccount } = this.props;
    return {
      account: this.serviceAccount.name,
      namespace: this.serviceAccount.metadata.namespace ?? Chart.of(this).namespace,
      pool,
      googleServiceAccount,
      grants: this.grants.flatMap((grant) => grant._toSpecs()),
    };
  }
}
