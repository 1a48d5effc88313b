import type { ArtifactStore, MetadataDatabase } from './artifact-store';
import type { ComponentName } from './component-name';
import type { Delivery } from './delivery';
import type { IdentityProvider } from './identity-provider';
import type { PlatformComponent } from './platform-component';
import type { TlsSpec } from '../../model/platform/spec';

/** A component that the cluster has already, from another party. */
export interface ExistingComponent {
  /** Which one. */
  readonly name: ComponentName;
  /** Its version, which is checked against those of the platform. @default - the catalogue's */
  readonly version?: string;
}

/** Properties of a `KubeflowPlatform`. */
export interface KubeflowPlatformProps {
  /** Where the platform runs. */
  readonly environment: PlatformEnvironment;

  /** What brings it there. */
  readonly delivery: Delivery;

  /** Set of components to begin with. @default - `components` alone */
  readonly preset?: PlatformPreset;

  /** Components more than the preset's, and settings of those in it. @default - none */
  readonly components?: PlatformComponent[];

  /** Components of the preset that are left out. @default - none */
  readonly without?: ComponentName[];

  /** Components that the cluster has already. They are not installed. @default - none */
  readonly existing?: ExistingComponent[];

  /** Release of Kubernetes, such as `1.34`: components that need a later one are refused. @default - not asked about */
  readonly kubernetesVersion?: string;

  /** Where pipelines and experiments keep files. @default ArtifactStore.inCluster() */
  readonly artifactStore?: ArtifactStore;

  /** Where pipelines keep what ran. @default MetadataDatabase.mysqlInCluster() */
  readonly database?: MetadataDatabase;

  /** Who people are. @default IdentityProvider.dex() */
  readonly identity?: IdentityProvider;

  /** Whose mesh it is. @default ServiceMesh.ISTIO */
  readonly mesh?: ServiceMesh;

  /** Where people find it. @default - any host name, without TLS: for `kubectl port-forward` */
  readonly domain?: PlatformDomain;

  /**
   * Charts of this program that are delivered after the components, each one after the one before: teams with their queues, then jobs.
   * `platform.chart(name)` is where their objects go. Argo CD does not undo what queues and people write into `suspend` of jobs in them; with another
   * delivery, leave `suspend` to them. At most 22 lower-case letters, digits and dashes each.
   * @default - components alone
   */
  readonly charts?: string[];

  /**
   * Name of the platform: of its files, and the beginning of the names of what delivers it. At most 40 lower-case letters, digits and dashes.
   * @default - the construct's id, in lower case
   */
  readonly name?: string;
}

/** Sets of components that are whole by themselves. */
export enum PlatformPreset {
  /** Jobs: our operator, Trainer v2, JobSet, KubeRay, queues by Kueue, monitoring. */
  TRAINING = 'training',
  /** Model servers: KServe without Knative, language models, scaling by KEDA, monitoring. */
  SERVING = 'serving',
  /** All of Kubeflow, both of the above, Spark, MLflow, lines, and search for weaknesses. */
  FULL = 'full',
  /** Kubeflow's applications, Trainer v2, our operator and KServe on one machine. */
  LOCAL = 'local',
}

/** Where a platform runs. */
export enum PlatformEnvironment {
  /** kind: nodes are containers on one machine. */
  KIND = 'kind',
  /** Google Kubernetes Engine, which has the Gateway API, an autoscaler and drivers of GPUs already. */
  GKE = 'gke',
  /** Any other cluster. */
  OTHER = 'other',
}

/** Whose mesh it is. */
export enum ServiceMesh {
  /** Istio, installed with the platform. */
  ISTIO = 'istio',
  /** Cloud Service Mesh of a GKE fleet. */
  MANAGED = 'managed',
}

/** Kinds of issuers of cert-manager. */
export enum IssuerKind {
  /** One for all namespaces. */
  CLUSTER = 'ClusterIssuer',
  /** One of the namespace `istio-system`. */
  NAMESPACED = 'Issuer',
}

/** Where the certificate of the platform's domain is from. */
export class PlatformTls {
  /** No TLS: for kind. */
  public static none(): PlatformTls {
    return new PlatformTls({ kind: 'none' });
  }

  /** A certificate that signs itself, made by cert-manager. */
  public static selfSigned(): PlatformTls {
    return new PlatformTls({ kind: 'self-signed' });
  }

  /** A certificate of an issuer of cert-manager, such as Let's Encrypt. @param name name of the issuer */
  public static issuer(name: string, kind: IssuerKind = IssuerKind.CLUSTER): PlatformTls {
    return new PlatformTls({ kind: 'issuer', name, issuerKind: kind });
  }

  /** A Secret of type `kubernetes.io/tls` in the namespace `istio-system`. @param name name of the Secret */
  public static secret(name: string): PlatformTls {
    return new PlatformTls({ kind: 'secret', name });
  }

  /** A certificate map of Google's Certificate Manager, for the load balancer of IAP. @param name name of the map */
  public static certificateMap(name: string): PlatformTls {
    return new PlatformTls({ kind: 'certificate-map', name });
  }

  private constructor(private readonly spec: TlsSpec) {}

  /** @internal */
  public _toSpec(): TlsSpec {
    return this.spec;
  }
}

/** Where people find the platform. */
export interface PlatformDomain {
  /** Host name, such as `ml.example.com`. */
  readonly host: string;
  /** Where its certificate is from. */
  readonly tls: PlatformTls;
}
