import type * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';

/** Where credentials come from. */
interface CredentialOrigin {
  /** For messages: `ExternalSecret 'hub'`. */
  readonly title: string;
  /** Construct to apply before; undefined for an existing Secret. */
  readonly construct?: Construct;
  /** Namespace of the Secret or the class; undefined if unknown. */
  readonly namespace?: string;
}

/**
 * How a container gets credentials: as variables, as files or as both. Created by `Credentials`, and accepted by all constructs with pods.
 */
export class CredentialUse {
  /** @internal */
  public static _of(origin: CredentialOrigin, variables: { readonly [name: string]: kplus.EnvValue }, mounts: kplus.VolumeMount[]): CredentialUse {
    return new CredentialUse(origin, variables, mounts);
  }

  private constructor(
    private readonly origin: CredentialOrigin,
    private readonly _variables: { readonly [name: string]: kplus.EnvValue },
    private readonly _mounts: kplus.VolumeMount[],
  ) {}

  /** Variables of the container, as a copy, for constructs with an `env`. */
  public get variables(): { [name: string]: kplus.EnvValue } {
    return { ...this._variables };
  }

  /** Mounts of the container, as a copy, for constructs with `volumeMounts`. */
  public get mounts(): kplus.VolumeMount[] {
    return [...this._mounts];
  }

  /** Where the credentials come from. @internal */
  public get _origin(): CredentialOrigin {
    return this.origin;
  }
}
