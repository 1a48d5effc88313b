import type * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';

/** Where credentials come from, as far as it matters to whoever uses them. */
interface CredentialOrigin {
  /** For messages: `ExternalSecret 'hub'`. */
  readonly title: string;
  /** What has to be applied before; undefined for what exists. */
  readonly construct?: Construct;
  /** Namespace that the Secret or the class is in; undefined where nobody says. */
  readonly namespace?: string;
}

/**
 * How a container sees credentials: as variables, as files or as both. Made by `Credentials`, and understood by everything that has pods.
 */
export class CredentialUse {
  /** A use. @internal */
  public static _of(origin: CredentialOrigin, variables: { readonly [name: string]: kplus.EnvValue }, mounts: kplus.VolumeMount[]): CredentialUse {
    return new CredentialUse(origin, variables, mounts);
  }

  private constructor(
    private readonly origin: CredentialOrigin,
    private readonly _variables: { readonly [name: string]: kplus.EnvValue },
    private readonly _mounts: kplus.VolumeMount[],
  ) {}

  /** Variables of the container, as a copy: for constructs that take an `env`. */
  public get variables(): { [name: string]: kplus.EnvValue } {
    return { ...this._variables };
  }

  /** Mounts of the container, as a copy: for constructs that take `volumeMounts`. */
  public get mounts(): kplus.VolumeMount[] {
    return [...this._mounts];
  }

  /** Where the credentials come from. @internal */
  public get _origin(): CredentialOrigin {
    return this.origin;
  }
}
