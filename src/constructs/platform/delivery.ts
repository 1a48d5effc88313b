import type { Duration } from 'cdk8s';
import type { RemoteRepositorySecret } from '../../model/platform/repository-credentials';
import type { RemoteSecret, SecretStoreRef } from '../credentials';
import { checkTypes } from '../props/check-props';

/** How Argo CD gets at the Applications of the components. */
export enum ArgoCdLayout {
  /** One Application of Applications, which are files in the repository. A wave waits for the health of the one before. */
  APP_OF_APPS = 'app-of-apps',
  /** One ApplicationSet, which syncs step by step. Argo CD has to run with progressive syncs. */
  APPLICATION_SET = 'application-set',
}

/**
 * Options of `RepositoryCredentials.externalSecret`. Give `password` for an HTTPS URL and `sshPrivateKey` for an SSH URL.
 */
export interface ExternalRepositoryCredentialsOptions {
  /** Store that External Secrets reads from. A `SecretStore` is in the namespace of Argo CD or Flux. */
  readonly store: SecretStoreRef;

  /** User name for HTTPS. Git hosts accept any with an access token. @default git */
  readonly username?: string;

  /** Password or access token for HTTPS. @default - none */
  readonly password?: RemoteSecret;

  /** Private key for SSH. @default - none */
  readonly sshPrivateKey?: RemoteSecret;

  /**
   * Keys of the Git host for SSH, as in `known_hosts`. Flux requires them; Argo CD has those of the large hosts in its ConfigMap
   * `argocd-ssh-known-hosts-cm`, and reads no others.
   * @default - none
   */
  readonly knownHosts?: RemoteSecret;
}

/** How a private repository is read. */
export class RepositoryCredentials {
  /**
   * A Secret that is created outside of the program, in the namespace of Argo CD or Flux. Argo CD finds it by the label
   * `argocd.argoproj.io/secret-type: repository` and its key `url`, Flux by its name.
   */
  public static existing(name: string): RepositoryCredentials {
    return new RepositoryCredentials(name, undefined);
  }

  /**
   * A Secret that External Secrets creates from a store, `PLATFORM-repository`. Its ExternalSecret is in the file that is applied once by hand, so
   * External Secrets has to be installed before the platform.
   */
  public static externalSecret(options: ExternalRepositoryCredentialsOptions): RepositoryCredentials {
    checkTypes('RepositoryCredentials.externalSecret', 'ExternalRepositoryCredentialsOptions', options);
    const { store, username, password, sshPrivateKey, knownHosts } = options;
    return new RepositoryCredentials(undefined, {
      store: store._toSpec(), username, password: password?._toSpec(), sshPrivateKey: sshPrivateKey?._toSpec(), knownHosts: knownHosts?._toSpec(),
    });
  }

  private constructor(
    /** @internal */
    public readonly _existing: string | undefined,
    /** @internal */
    public readonly _external: RemoteRepositorySecret | undefined,
  ) {}
}

/** Where synthesized files are committed. */
export interface ProgramRepository {
  /** URL of the Git repository. */
  readonly repository: string;

  /**
   * Folder of the repository that this program's output is committed to. Write it there with `new App({ outdir: 'manifests' })`, or with
   * `output: manifests` in `cdk8s.yaml`. Projects of `cdk8s init` have `dist` in their `.gitignore`, so that it cannot be committed.
   * @default manifests
   */
  readonly path?: string;

  /** How the repository is read. @default - it is public, or Argo CD has its credentials already */
  readonly credentials?: RepositoryCredentials;

  /** Branch that is delivered. @default main */
  readonly revision?: string;

  /** Whether what leaves the program is deleted from the cluster. @default true */
  readonly prune?: boolean;
}

/** Options of `Delivery.argoCd`. */
export interface ArgoCdDeliveryOptions extends ProgramRepository {
  /** How Argo CD gets at the Applications. @default ArgoCdLayout.APP_OF_APPS */
  readonly layout?: ArgoCdLayout;

  /** Namespace of Argo CD. @default argocd */
  readonly namespace?: string;

  /** API server of the cluster that the platform is for. @default - the cluster of Argo CD */
  readonly server?: string;

  /** Whether manual changes in the cluster are reverted. @default true */
  readonly selfHeal?: boolean;

  /** How often a sync that failed is tried again, with pauses from 30 seconds to 10 minutes. @default 10 */
  readonly retryLimit?: number;

  /**
   * Whether Argo CD learns how jobs, queues and models are, and what people can do to them: `ArgoCdCustomizations`, as values where Argo CD is a
   * component of the platform, and otherwise as a part of its ConfigMap `argocd-cm`.
   * @default true
   */
  readonly resourceCustomizations?: boolean;
}

/** Options of `Delivery.flux`. */
export interface FluxDeliveryOptions extends ProgramRepository {
  /** Namespace of Flux. @default flux-system */
  readonly namespace?: string;
  /** How often cluster and repository are compared. @default Duration.minutes(10) */
  readonly interval?: Duration;
  /** How long a component may take to become ready. @default Duration.minutes(15) */
  readonly timeout?: Duration;
  /** How often a release that failed is tried again. @default 10 */
  readonly retries?: number;
}

/** What brings a platform into its cluster. */
export class Delivery {
  /** Argo CD: an Application for each component, in waves. */
  public static argoCd(options: ArgoCdDeliveryOptions): Delivery {
    checkTypes('Delivery.argoCd', 'ArgoCdDeliveryOptions', options);
    return new Delivery(options, undefined);
  }

  /** Flux: HelmReleases and Kustomizations that wait for each other. */
  public static flux(options: FluxDeliveryOptions): Delivery {
    checkTypes('Delivery.flux', 'FluxDeliveryOptions', options);
    return new Delivery(undefined, options);
  }

  /**
   * Folders for `kustomize build --enable-helm` and a script that applies them in order. `platform.writeKustomization()` writes them.
   */
  public static kustomization(): Delivery {
    return new Delivery(undefined, undefined);
  }

  /** @internal */
  public readonly _argoCd?: ArgoCdDeliveryOptions;

  /** @internal */
  public readonly _flux?: FluxDeliveryOptions;

  private constructor(argoCd: ArgoCdDeliveryOptions | undefined, flux: FluxDeliveryOptions | undefined) {
    this._argoCd = argoCd;
    this._flux = flux;
  }
}
