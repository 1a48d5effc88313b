/** What a platform is, in plain data: which components, where it runs, and what they share. */
import type { IdentityChoice, MeshChoice, PresetName } from '../catalogue/presets';
import type { SelectedComponent } from '../catalogue/resolve';
import type { ChartValues, PlatformEnvironment } from '../catalogue/types';

/** Where pipelines and experiments keep files. */
export type ArtifactStoreSpec =
  | { readonly kind: 'in-cluster' }
  | { readonly kind: 'gcs'; readonly bucket: string; readonly prefix?: string; readonly hmacSecretName?: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly region: string; readonly prefix?: string; readonly secretName?: string }
  | {
    readonly kind: 'minio'; readonly bucket: string; readonly prefix?: string; readonly secretName: string;
    /** `HOST:PORT`. */
    readonly endpoint: string;
    readonly tls: boolean;
  };

/** Where pipelines keep what ran. */
export type DatabaseSpec =
  | { readonly kind: 'in-cluster' }
  | { readonly kind: 'mysql'; readonly host: string; readonly port: number }
  | {
    readonly kind: 'cloud-sql';
    /** `PROJECT:REGION:INSTANCE`. */
    readonly instance: string;
    readonly privateIp: boolean;
    /** E-mail of the account that the proxy acts as. @default - direct federation of the proxy's own account */
    readonly googleServiceAccount?: string;
  };

export interface DexConnectorSpec {
  /** Dex's name for it: `oidc`, `google`, `github`, `ldap`, ... */
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly config: ChartValues;
  /** Variables that `config` names with `$`, by name. */
  readonly secrets: { readonly [variable: string]: { readonly secretName: string; readonly key: string } };
}

/** Who people are. */
export type IdentitySpec =
  | { readonly kind: 'dex'; readonly connectors: readonly DexConnectorSpec[]; readonly secretName?: string }
  | {
    readonly kind: 'iap';
    /** `/projects/NUMBER/global/backendServices/ID`. */
    readonly audience: string;
    /** Workspace domain that people must be of. @default - everyone whom IAP lets through */
    readonly hostedDomain?: string;
  };

/** Where a certificate is from. */
export type TlsSpec =
  | { readonly kind: 'none' }
  | { readonly kind: 'self-signed' }
  | { readonly kind: 'issuer'; readonly name: string; readonly issuerKind: 'ClusterIssuer' | 'Issuer' }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'certificate-map'; readonly name: string };

/** Where people find the platform. */
export interface DomainSpec {
  readonly host: string;
  readonly tls: TlsSpec;
}

/** A change of an object of a kustomization: a part of the object, or operations of a JSON patch on what `target` selects. */
export interface PatchSpec {
  /** Kustomization of the component that has the object. @default - the only one */
  readonly part?: string;
  readonly target?: { readonly group?: string; readonly kind?: string; readonly name?: string; readonly namespace?: string };
  /** A list is a JSON patch, a map is merged. */
  readonly patch: object;
}

/** Settings of Kueue's manager in addition to what its chart says. */
export interface KueueSettings {
  readonly frameworks?: readonly string[];
  readonly fairSharing?: boolean;
  readonly waitForPodsReadySeconds?: number;
  readonly manageJobsWithoutQueueName?: boolean;
  /** Half-life of what a LocalQueue has used, for queues that admit by usage. */
  readonly usageHalfLifeSeconds?: number;
  /** Starts of names of resources that no queue counts. */
  readonly uncountedResources?: readonly string[];
  readonly featureGates?: { readonly [gate: string]: boolean };
}

/** Which lines are collected. Where they go follows from the platform. */
export interface LogSettings {
  readonly namespaces?: readonly string[];
}

/** How Elasticsearch keeps lines. */
export interface ElasticSettings {
  readonly nodes?: number;
  /** Space of each node, as Kubernetes writes it. */
  readonly storage?: string;
}

/** One component as the program wants it. */
export interface PlatformComponentSpec extends SelectedComponent {
  /** Version of its charts, or tag of its folders. @default - the catalogue's */
  readonly sourceVersion?: string;
  /** Values of what the program has typed options for, by part. */
  readonly values?: { readonly [part: string]: ChartValues };
  /** Values that the user wrote, over everything else, by part. */
  readonly rawValues?: { readonly [part: string]: ChartValues };
  readonly patches?: readonly PatchSpec[];
  /** Of the component `kueue`. */
  readonly kueue?: KueueSettings;
  /** Of the component `fluent-bit`. */
  readonly logs?: LogSettings;
  /** Of the component `elastic-stack`. */
  readonly elastic?: ElasticSettings;
}

export interface PlatformSpec {
  readonly environment: PlatformEnvironment;
  readonly kubernetesVersion?: string;
  readonly components: readonly PlatformComponentSpec[];
  readonly existing: readonly SelectedComponent[];
  readonly artifactStore: ArtifactStoreSpec;
  readonly database: DatabaseSpec;
  readonly identity: IdentitySpec;
  readonly domain?: DomainSpec;
  /** Whether Argo CD, as a component, learns about the kinds of training, queues and models. @default true */
  readonly resourceCustomizations?: boolean;
}

/** What a program says before presets are filled in. */
export interface PlatformChoice {
  readonly preset?: PresetName;
  readonly environment: PlatformEnvironment;
  readonly identity: IdentityChoice;
  readonly mesh: MeshChoice;
  /** Components more than the preset's, or other settings of one of its. */
  readonly components: readonly PlatformComponentSpec[];
  /** Components of the preset that are left out. */
  readonly without: readonly string[];
  readonly existing: readonly SelectedComponent[];
}
