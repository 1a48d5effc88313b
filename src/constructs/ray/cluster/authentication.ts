import type { ISecret } from 'cdk8s-plus-28';
import type { RayAuthSpec } from '../../../model/ray/spec';

/**
 * Who may use a Ray cluster. Without it, whoever reaches the head can run programs there.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-auth.html
 */
export class RayAuthentication {
  /**
   * Whoever has the cluster's token. Needs Ray 2.52.
   * @param secret Secret with the token in its key `auth_token`; KubeRay makes one that is called like the cluster where none is given
   */
  public static token(secret?: ISecret): RayAuthentication {
    return new RayAuthentication({ secretName: secret?.name });
  }

  /**
   * Whoever Kubernetes gives the verb `ray:write` on the RayCluster; the API server judges each token. Needs Ray 2.55, and is for `RayCluster` only.
   * The pods' own service account needs the right too.
   */
  public static kubernetes(): RayAuthentication {
    return new RayAuthentication({ kubernetes: true });
  }

  private constructor(private readonly spec: RayAuthSpec) {}

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): RayAuthSpec {
    return this.spec;
  }
}
