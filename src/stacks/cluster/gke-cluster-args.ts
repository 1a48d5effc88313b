/** Arguments of a cluster. */
import type { Input } from '@pulumi/pulumi';
import type { InputsOf } from '../support/inputs';

/** A network that exists. The cluster does not change it. */
export interface ExistingNetwork {
  /** Name or self link of the VPC. */
  readonly network: Input<string>;
  /** Name or self link of the subnetwork, in the cluster's region. */
  readonly subnetwork: Input<string>;
  /** Secondary range of the subnetwork for pods. @default - GKE makes one */
  readonly podRange?: Input<string>;
  /** Secondary range of the subnetwork for services. @default - GKE makes one */
  readonly serviceRange?: Input<string>;
}

/** Ranges of the network that the cluster gets when it is given none. They cannot be changed without a new cluster. */
export interface ClusterAddresses {
  /** @default `10.0.0.0/20`, 4092 nodes */
  readonly nodes?: Input<string>;
  /** @default `10.64.0.0/14`, 1024 nodes of 110 pods */
  readonly pods?: Input<string>;
  /** @default `10.32.0.0/20`, 4096 services */
  readonly services?: Input<string>;
}

/** From where the control plane is reached. */
export interface ControlPlaneAccess {
  /** By name, from anywhere, by those whom IAM allows. @default true */
  readonly dnsEndpoint?: Input<boolean>;
  /** Ranges that reach the address of the control plane. @default - none */
  readonly authorizedNetworks?: Input<readonly Input<AuthorizedNetwork>[]>;
  /** Whether the address is one of the VPC. @default false */
  readonly privateEndpoint?: Input<boolean>;
}

/** A range that reaches the control plane. */
export interface AuthorizedNetwork {
  readonly cidr: Input<string>;
  readonly name?: Input<string>;
}

/** What GKE installs and keeps up to date. */
export interface ClusterAddons {
  /** Claims of Filestore. @default true */
  readonly filestore?: Input<boolean>;
  /** Buckets as volumes. @default true */
  readonly gcsFuse?: Input<boolean>;
  /** The Gateway API, with Google's load balancers behind it. @default true */
  readonly gatewayApi?: Input<boolean>;
  /** Claims of Managed Lustre. @default false */
  readonly lustre?: Input<boolean>;
  /** KubeRay, with logs and metrics of its clusters. @default false */
  readonly ray?: Input<boolean>;
  /** Multi-tier checkpoints. @default false */
  readonly multiTierCheckpointing?: Input<boolean>;
  /** Config Connector. @default false */
  readonly configConnector?: Input<boolean>;
}

/** Node pools that GKE makes by itself when pods wait, for example those of ComputeClasses. */
export interface AutoProvisioning {
  /** Most of each resource in the whole cluster: `cpu` (cores) and `memory` (GiB), and accelerators by their type, such as `nvidia-l4`. */
  readonly limits: Input<{ readonly [resource: string]: Input<number> }>;
  /**
   * Whether GPUs within the limits come by ComputeClasses only, which install their driver. Otherwise pods have to select
   * `cloud.google.com/gke-gpu-driver-version`, and a warning says so. @default false
   */
  readonly computeClassesOnly?: Input<boolean>;
  /** `BALANCED` or `OPTIMIZE_UTILIZATION`. @default `BALANCED` */
  readonly profile?: Input<string>;
  /** Zones of the pools. @default - the cluster's */
  readonly zones?: Input<readonly Input<string>[]>;
}

/** The pool for everything that needs no accelerator: without one, system pods would fill the nodes that have them. */
export interface SystemPool {
  /** @default `e2-standard-4` */
  readonly machineType?: Input<string>;
  /** @default 1 */
  readonly minPerZone?: Input<number>;
  /** @default 3 */
  readonly maxPerZone?: Input<number>;
  /** @default 100 */
  readonly diskGiB?: Input<number>;
}

/** When GKE may upgrade the cluster: RFC 3339 times of the first window, and how it recurs (RFC 5545). */
export interface MaintenanceWindow {
  readonly startTime: Input<string>;
  readonly endTime: Input<string>;
  /** @default `FREQ=WEEKLY;BYDAY=SA,SU` */
  readonly recurrence?: Input<string>;
}

/** Arguments of {@link GkeCluster}. */
export interface GkeClusterArgs {
  /** Name in Google Cloud. @default - the name in the program with some random characters */
  readonly name?: Input<string>;
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: Input<string>;
  /** Region, or zone for a cluster with one control plane. */
  readonly location: Input<string>;
  /** Zones of nodes. @default - GKE chooses three of the region */
  readonly zones?: Input<readonly Input<string>[]>;
  /** @default - a new network, with addresses for private nodes to reach the internet from */
  readonly network?: ExistingNetwork;
  /** Ranges of the new network. Not together with a network. */
  readonly addresses?: ClusterAddresses;
  readonly controlPlane?: ControlPlaneAccess;
  /** `RAPID`, `REGULAR`, `STABLE` or `EXTENDED`. @default `REGULAR` */
  readonly releaseChannel?: Input<string>;
  /** Least version of the control plane, such as `1.34`. @default - the channel's */
  readonly minVersion?: Input<string>;
  readonly addons?: ClusterAddons;
  /** @default - none */
  readonly autoProvisioning?: AutoProvisioning;
  readonly systemPool?: SystemPool;
  /** Whether nodes can have several networks, as GPUDirect needs. Cannot be changed. @default true */
  readonly multiNetworking?: Input<boolean>;
  /** Whether Google collects metrics in the Prometheus format, those of GPUs and JobSets among them. @default true */
  readonly managedPrometheus?: Input<boolean>;
  /** Whether GKE runs its own exporter of GPU metrics. Two on a node compete: disable it where you install another. @default true */
  readonly managedGpuMetrics?: Input<boolean>;
  /** `DISABLED`, `BASIC` or `ENTERPRISE`. @default `BASIC` */
  readonly securityPosture?: Input<string>;
  /** E-mail of the nodes' service account. @default - a new one with the roles that nodes need */
  readonly nodeServiceAccount?: Input<string>;
  /** Key of Cloud KMS that Secrets are encrypted with. @default - Google's own encryption only */
  readonly secretsKey?: Input<string>;
  readonly maintenanceWindow?: MaintenanceWindow;
  /** Whether Google refuses to delete the cluster. @default true */
  readonly deletionProtection?: Input<boolean>;
  /** Most pods of a node. @default 110 */
  readonly maxPodsPerNode?: Input<number>;
  /** Labels of all resources, for bills. */
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}
