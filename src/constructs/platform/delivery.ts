import type { Duration } from 'cdk8s';

/**
 * How Argo CD gets at the Applications of the components.
 */
export enum ArgoCdLayout {
  /** One Application of Applications, which are files in the repository. A wave waits for the health of the one before. */
  APP_OF_APPS = 'app-of-apps',

  /** One ApplicationSet, which syncs step by step. Argo CD has to run with progressive syncs. */
  APPLICATION_SET = 'application-set',
}

/**
 * Where synthesized files are committed.
 */
export interface ProgramRepository {
  /**
   * URL of the Git repository.
   */
  readonly repository: string;

  /**
   * Folder of the repository that this program's output is in.
   *
   * @default dist
   */
  readonly path?: string;

  /**
   * Branch that is delivered.
   *
   * @default main
   */
  readonly revision?: string;

  /**
   * Whether what leaves the program is deleted from the cluster.
   *
   * @default true
   */
  readonly prune?: boolean;
}

/**
 * Options of `Delivery.argoCd`.
 */
export interface ArgoCdDeliveryOptions extends ProgramRepository {
  /**
   * How Argo CD gets at the Applications.
   *
   * @default ArgoCdLayout.APP_OF_APPS
   */
  readonly layout?: ArgoCdLayout;

  /**
   * Namespace of Argo CD.
   *
   * @default argocd
   */
  readonly namespace?: string;

  /**
   * API server of the cluster that the platform is for.
   *
   * @default - the cluster of Argo CD
   */
  readonly server?: string;

  /**
   * Whether changes that somebody made in the cluster are undone.
   *
   * @default true
   */
  readonly selfHeal?: boolean;

  /**
   * How often a sync that failed is tried again, with pauses from 30 seconds to 10 minutes.
   *
   * @default 10
   */
  readonly retryLimit?: number;

  /**
   * Whether Argo CD learns how jobs, queues and models are, and what people can do to them: `ArgoCdCustomizations`, as values where Argo CD is a
   * component of the platform, and otherwise as a part of its ConfigMap `argocd-cm`.
   *
   * @default true
   */
  readonly resourceCustomizations?: boolean;
}

/**
 * Options of `Delivery.flux`.
 */
export interface FluxDeliveryOptions extends ProgramRepository {
  /**
   * Namespace of Flux.
   *
   * @default flux-system
   */
  readonly namespace?: string;

  /**
   * How often cluster and repository are compared.
   *
   * @default Duration.minutes(10)
   */
  readonly interval?: Duration;

  /**
   * How long a component may take to become ready.
   *
   * @default Duration.minutes(15)
   */
  readonly timeout?: Duration;

  /**
   * How often a release that failed is tried again.
   *
   * @default 10
   */
  readonly retries?: number;
}

/**
 * What brings a platform into its cluster.
 */
export class Delivery {
  /** Argo CD: an Application for each component, in waves. */
  public static argoCd(options: ArgoCdDeliveryOptions): Delivery {
    return new Delivery(options, undefined);
  }

  /** Flux: HelmReleases and Kustomizations that wait for each other. */
  public static flux(options: FluxDeliveryOptions): Delivery {
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
