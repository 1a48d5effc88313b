import type { Duration } from 'cdk8s';
import type { RemoteRepositorySecret } from '../../model/platform/repository-credentials';
import type { RemoteSecret, SecretStoreRef } from '../credentials';
import { checkTypes } from '../props/check-props';

/** How the Applications of the components are created. */
export enum ArgoCdLayout {
  /** One Application that contains the others as files in the repository. Each wave waits until the one before is healthy. */
  APP_OF_APPS = 'app-of-apps',
  /** One ApplicationSet, which syncs step by step. Argo CD must have progressive syncs enabled. */
  APPLICATION_SET = 'application-set',
}

/**
 * Options of `RepositoryCredentials.externalSecret`. Give `password` for an HTTPS URL and `sshPrivateKey` for an SSH URL.
 */
export interface ExternalRepositoryCredentialsOptions {
  /** Store that External Secrets reads. A `SecretStore` must be in the namespace of Argo CD or Flux. */
  readonly store: SecretStoreRef;

  /** User name for HTTPS. With an access token, Git hosts accept any name. @default git */
  readonly username?: string;

  /** Password or access token for HTTPS. @default - none */
  readonly password?: RemoteSecret;

  /** Private key for SSH. @default - none */
  readonly sshPrivateKey?: RemoteSecret;

  /**
   * SSH host keys of the Git host, as in `known_hosts`. Flux requires them. Argo CD only reads its ConfigMap `argocd-ssh-known-hosts-cm`, which has
   * those of the large hosts.
   * @default - none
   */
  readonly knownHosts?: RemoteSecret;
}

/** Credentials for a private repository. */
export class RepositoryCredentials {
  /**
   * A Secret that you create outside the program, in the namespace of Argo CD or Flux. Argo CD finds it by the label
   * `argocd.argoproj.io/secret-type: repository` and its key `url`, Flux by its name.
   */
  public static existing(name: string): RepositoryCredentials {
    return new RepositoryCredentials(name, undefined);
  }

  /**
   * A Secret `PLATFORM-repository` that External Secrets creates from a store. Its ExternalSecret is in the file that you apply once by hand, so
   * install External Secrets before the platform.
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
   * Folder of the repository in which you commit this program's output. Write it there with `new App({ outdir: 'manifests' })`, or with
   * `output: manifests` in `cdk8s.yaml`. `dist` is in the `.gitignore` of projects that `cdk8s init` creates.
   * @default manifests
   */
  readonly path?: string;

  /** Credentials for the repository. @default - none: it is public, or Argo CD has its credentials already */
  readonly credentials?: RepositoryCredentials;

  /** Branch that is delivered. @default main */
  readonly revision?: string;

  /** Whether objects that are removed from the program are deleted from the cluster. @default true */
  readonly prune?: boolean;
}

/** Options of `Delivery.argoCd`. */
export interface ArgoCdDeliveryOptions extends ProgramRepository {
  /** How the Applications are created. @default ArgoCdLayout.APP_OF_APPS */
  readonly layout?: ArgoCdLayout;

  /** Namespace of Argo CD. @default argocd */
  readonly namespace?: string;

  /** API server of the platform's cluster. @default - the cluster of Argo CD */
  readonly server?: string;

  /** Whether manual changes in the cluster are reverted. @default true */
  readonly selfHeal?: boolean;

  /** How often a failed sync is retried, after 30 seconds to 10 minutes. @default 10 */
  readonly retryLimit?: number;

  /**
   * Whether Argo CD gets health checks and actions for jobs, queues and models: `ArgoCdCustomizations`, as chart values if Argo CD is a component of
   * the platform, and otherwise in its ConfigMap `argocd-cm`.
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
  /** How often a failed release is retried. @default 10 */
  readonly retries?: number;
}

/** How a platform is delivered to its cluster. */
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
