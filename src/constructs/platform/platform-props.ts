import type { ArtifactStore, MetadataDatabase } from './artifact-store';
import type { ComponentName } from './component-name';
import type { Delivery } from './delivery';
import type { IdentityProvider } from './identity-provider';
import type { PlatformComponent } from './platform-component';
import type { TlsSpec } from '../../model/platform/spec';

/** A component that is already installed in the cluster. */
export interface ExistingComponent {
  /** The component. */
  readonly name: ComponentName;
  /** Its version, which is checked for compatibility with the platform. @default - the catalogue's */
  readonly version?: string;
}

/** Properties of a `KubeflowPlatform`. */
export interface KubeflowPlatformProps {
  /** Where the platform runs. */
  readonly environment: PlatformEnvironment;

  /** How it is delivered to the cluster. */
  readonly delivery: Delivery;

  /** Set of components to start with. @default - only `components` */
  readonly preset?: PlatformPreset;

  /** Components in addition to the preset's, and settings of those in it. @default - none */
  readonly components?: PlatformComponent[];

  /** Components of the preset to leave out. @default - none */
  readonly without?: ComponentName[];

  /** Components that the cluster already has. They are not installed. @default - none */
  readonly existing?: ExistingComponent[];

  /** Kubernetes version, such as `1.34`. Components that need a later one are an error. @default - not checked */
  readonly kubernetesVersion?: string;

  /** Where pipelines and experiments store files. @default ArtifactStore.inCluster() */
  readonly artifactStore?: ArtifactStore;

  /** Database in which pipelines record runs. @default MetadataDatabase.mysqlInCluster() */
  readonly database?: MetadataDatabase;

  /** How users sign in. @default IdentityProvider.dex() */
  readonly identity?: IdentityProvider;

  /** The service mesh. @default ServiceMesh.ISTIO */
  readonly mesh?: ServiceMesh;

  /** Host name and certificate. @default - any host name, without TLS: for `kubectl port-forward` */
  readonly domain?: PlatformDomain;

  /**
   * Charts of this program that are delivered after the components, one after the other: for example teams with their queues, then jobs. Add objects
   * to `platform.chart(name)`. Argo CD does not revert `suspend` of jobs in them when queues or users change it; with another delivery, do not set
   * `suspend`. At most 22 lower-case letters, digits and dashes each.
   * @default - only components
   */
  readonly charts?: string[];

  /**
   * Name of the platform, which is the prefix of its files and of the objects that deliver it. At most 40 lower-case letters, digits and dashes.
   * @default - the construct's id, in lower case
   */
  readonly name?: string;
}

/** Complete sets of components. */
export enum PlatformPreset {
  /** Jobs: Trainyard's operator, Trainer v2, JobSet, KubeRay, queues with Kueue, monitoring. */
  TRAINING = 'training',
  /** Model servers: KServe without Knative, language models, scaling with KEDA, monitoring. */
  SERVING = 'serving',
  /** All of Kubeflow, both of the above, Spark, MLflow, logs and vulnerability scans. */
  FULL = 'full',
  /** Kubeflow's applications, Trainer v2, Trainyard's operator and KServe on one machine. */
  LOCAL = 'local',
}

/** Where a platform runs. */
export enum PlatformEnvironment {
  /** kind: nodes are containers on one machine. */
  KIND = 'kind',
  /** Google Kubernetes Engine, which includes the Gateway API, an autoscaler and GPU drivers. */
  GKE = 'gke',
  /** Any other cluster. */
  OTHER = 'other',
}

/** The service mesh of a platform. */
export enum ServiceMesh {
  /** Istio, installed with the platform. */
  ISTIO = 'istio',
  /** Cloud Service Mesh of a GKE fleet. */
  MANAGED = 'managed',
}

/** Kinds of cert-manager issuers. */
export enum IssuerKind {
  /** One for all namespaces. */
  CLUSTER = 'ClusterIssuer',
  /** One in the namespace `istio-system`. */
  NAMESPACED = 'Issuer',
}

/** Certificate of the platform's domain. */
export class PlatformTls {
  /** No TLS, for kind. */
  public static none(): PlatformTls {
    return new PlatformTls({ kind: 'none' });
  }

  /** A self-signed certificate from cert-manager. */
  public static selfSigned(): PlatformTls {
    return new PlatformTls({ kind: 'self-signed' });
  }

  /** A certificate of a cert-manager issuer, such as Let's Encrypt. @param name name of the issuer */
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

/** Host name and certificate of a platform. */
export interface PlatformDomain {
  /** Host name, such as `ml.example.com`. */
  readonly host: string;
  /** Its certificate. */
  readonly tls: PlatformTls;
}
