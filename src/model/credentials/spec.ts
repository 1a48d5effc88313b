/**
 * Secrets that somebody else keeps, and that become a Secret or files of a pod: what the constructs say, the rules beside this file judge and
 * `manifests/credentials` renders.
 */

/** Where External Secrets reads from. */
export interface SecretStoreSpec {
  readonly kind: 'SecretStore' | 'ClusterSecretStore';
  readonly name: string;
}

/** One secret of the store. */
export interface RemoteSecretSpec {
  /** Name in the store. */
  readonly name: string;
  /** Property of a secret that is a JSON object. @default - the whole secret */
  readonly property?: string;
  /** @default - the newest version */
  readonly version?: string;
}

/** An ExternalSecret: a Secret that External Secrets keeps like the store. */
export interface ExternalSecretSpec {
  readonly store: SecretStoreSpec;
  /** Keys of the Secret, and where each comes from. */
  readonly keys: { readonly [key: string]: RemoteSecretSpec };
  /** Secrets that are JSON objects, whose properties all become keys. */
  readonly extract: readonly RemoteSecretSpec[];
  /** Name of the Secret. */
  readonly secretName: string;
  /** @default - External Secrets' hour */
  readonly refreshSeconds?: number;
}

/** A secret of Google's Secret Manager. */
export interface ManagedSecretSpec {
  /** Project, by id or number. */
  readonly project: string;
  /** Region of a regional secret. @default - a global one */
  readonly location?: string;
  readonly name: string;
  /** Number of a version, an alias or `latest`. */
  readonly version: string;
}

/**
 * Who mounts the files: the add-on of GKE, or the driver that is installed from its repository. Only the second one can make a Secret of them.
 */
export type SecretDriver = 'gke' | 'open-source';

/** A SecretProviderClass: files that a driver mounts. */
export interface SecretProviderClassSpec {
  readonly driver: SecretDriver;
  /** File names, and the secret in each. */
  readonly files: { readonly [file: string]: ManagedSecretSpec };
  /** Secret that the driver makes of the files while a pod mounts them. @default - none */
  readonly secretName?: string;
}
