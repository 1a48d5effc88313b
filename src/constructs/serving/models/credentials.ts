import { ServiceAccount, type ISecret, type IServiceAccount } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { CredentialUse } from '../../credentials/credential-use';
import type { Credentials } from '../../credentials/credentials';

/** With which identity weights are downloaded. None of the ways puts a token into a manifest. */
export class ModelCredentials {
  /**
   * A service account that exists: one with workload identity, or one whose secrets KServe reads.
   * @param account account in the service's namespace
   */
  public static serviceAccount(account: IServiceAccount): ModelCredentials {
    return new ModelCredentials(account);
  }

  /**
   * Workload Identity Federation of GKE: a service account is created that acts as one of Google Cloud.
   * @param email service account of Google Cloud, such as `models@project.iam.gserviceaccount.com`; it has to allow the pairing by the role
   * `roles/iam.workloadIdentityUser`
   */
  public static gcpWorkloadIdentity(email: string): ModelCredentials {
    return new ModelCredentials(undefined, { 'iam.gke.io/gcp-service-account': email });
  }

  /** IAM roles for service accounts of EKS: a service account is created that takes a role. @param arn the role */
  public static awsRole(arn: string): ModelCredentials {
    return new ModelCredentials(undefined, { 'eks.amazonaws.com/role-arn': arn });
  }

  /**
   * A Secret that exists, with the keys that KServe reads: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `gcloud-application-credentials.json`,
   * `HF_TOKEN`.
   * @param secret Secret in the service's namespace
   */
  public static secret(secret: ISecret): ModelCredentials {
    return new ModelCredentials(undefined, undefined, secret);
  }

  /**
   * An existing Secret, such as `Credentials.externalSecret`, with the keys that KServe reads (see `secret`).
   * @param credentials credentials that are in a Secret without a pod that mounts them
   */
  public static fromCredentials(credentials: Credentials): ModelCredentials {
    return new ModelCredentials(undefined, undefined, credentials._standingSecret('ModelCredentials.fromCredentials'), [credentials.asEnvironment({})]);
  }

  private constructor(
    private readonly account?: IServiceAccount,
    private readonly accountAnnotations?: { readonly [name: string]: string },
    private readonly secret?: ISecret,
    private readonly uses: CredentialUse[] = [],
  ) {}

  /** What has to be there. @internal */
  public get _uses(): CredentialUse[] {
    return [...this.uses];
  }

  /** Makes what has to be made, below the service. @internal */
  public _bind(scope: Construct, namespace?: string): BoundCredentials {
    const account = this.accountAnnotations === undefined
      ? this.account
      : new ServiceAccount(scope, 'Identity', { metadata: { namespace, annotations: { ...this.accountAnnotations } }, automountToken: true });
    return { serviceAccountName: account?.name, secretName: this.secret?.name };
  }
}

/** What of the credentials is in the service. */
interface BoundCredentials {
  readonly serviceAccountName?: string;
  readonly secretName?: string;
}
