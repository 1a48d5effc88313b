import { ServiceAccount, type ISecret, type IServiceAccount } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { CredentialUse } from '../../credentials/credential-use';
import type { Credentials } from '../../credentials/credentials';

/** Identity for downloading weights. No token is part of a manifest. */
export class ModelCredentials {
  /**
   * An existing service account, with workload identity or with secrets that KServe reads.
   * @param account service account in the service's namespace
   */
  public static serviceAccount(account: IServiceAccount): ModelCredentials {
    return new ModelCredentials(account);
  }

  /**
   * Workload Identity Federation of GKE: creates a service account that acts as a Google service account.
   * @param email Google service account, such as `models@project.iam.gserviceaccount.com`, on which the created account needs the role
   * `roles/iam.workloadIdentityUser`
   */
  public static gcpWorkloadIdentity(email: string): ModelCredentials {
    return new ModelCredentials(undefined, { 'iam.gke.io/gcp-service-account': email });
  }

  /** IAM roles for service accounts of EKS: creates a service account with a role. @param arn ARN of the role */
  public static awsRole(arn: string): ModelCredentials {
    return new ModelCredentials(undefined, { 'eks.amazonaws.com/role-arn': arn });
  }

  /**
   * An existing Secret with the keys that KServe reads: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `gcloud-application-credentials.json`,
   * `HF_TOKEN`.
   * @param secret Secret in the service's namespace
   */
  public static secret(secret: ISecret): ModelCredentials {
    return new ModelCredentials(undefined, undefined, secret);
  }

  /**
   * An existing Secret, such as `Credentials.externalSecret`, with the keys that KServe reads (see `secret`).
   * @param credentials credentials in a Secret that exists without a pod that mounts them
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

  /** Credentials to apply first. @internal */
  public get _uses(): CredentialUse[] {
    return [...this.uses];
  }

  /** Creates the service account, if any, below the service. @internal */
  public _bind(scope: Construct, namespace?: string): BoundCredentials {
    const account = this.accountAnnotations === undefined
      ? this.account
      : new ServiceAccount(scope, 'Identity', { metadata: { namespace, annotations: { ...this.accountAnnotations } }, automountToken: true });
    return { serviceAccountName: account?.name, secretName: this.secret?.name };
  }
}

/** Names for the service's spec. */
interface BoundCredentials {
  readonly serviceAccountName?: string;
  readonly secretName?: string;
}
