/** Arguments of a cluster. */
import type { Input } from '@pulumi/pulumi';
import type { InputsOf } from '../support/inputs';

/** An existing network. The cluster does not change it. */
export interface ExistingNetwork {
  /** Name or self link of the VPC. */
  readonly network: Input<string>;
  /** Name or self link of the subnetwork, in the cluster's region. */
  readonly subnetwork: Input<string>;
  /** Secondary range of the subnetwork for pods. @default - GKE creates one */
  readonly podRange?: Input<string>;
  /** Secondary range of the subnetwork for services. @default - GKE creates one */
  readonly serviceRange?: Input<string>;
}

/** Ranges of the network that is created if you set no `network`. A change of them replaces the cluster. */
export interface ClusterAddresses {
  /** @default `10.0.0.0/20`, 4092 nodes */
  readonly nodes?: Input<string>;
  /** @default `10.64.0.0/14`, 1024 nodes of 110 pods */
  readonly pods?: Input<string>;
  /** @default `10.32.0.0/20`, 4096 services */
  readonly services?: Input<string>;
}

/** Access to the control plane. */
export interface ControlPlaneAccess {
  /** Whether the control plane has a DNS name, which works from anywhere with permission in IAM. @default true */
  readonly dnsEndpoint?: Input<boolean>;
  /** Ranges with access to the IP address of the control plane. @default - none */
  readonly authorizedNetworks?: Input<readonly Input<AuthorizedNetwork>[]>;
  /** Whether the IP address is a private address of the VPC. @default false */
  readonly privateEndpoint?: Input<boolean>;
}

/** A range with access to the control plane. */
export interface AuthorizedNetwork {
  readonly cidr: Input<string>;
  readonly name?: Input<string>;
}

/** Addons that GKE installs and updates. */
export interface ClusterAddons {
  /** The CSI driver for Filestore. @default true */
  readonly filestore?: Input<boolean>;
  /** The CSI driver for Cloud Storage FUSE, which mounts buckets. @default true */
  readonly gcsFuse?: Input<boolean>;
  /** The Gateway API, implemented with Google's load balancers. @default true */
  readonly gatewayApi?: Input<boolean>;
  /** The CSI driver for Managed Lustre. @default false */
  readonly lustre?: Input<boolean>;
  /** The Ray operator (KubeRay), with logs and metrics of Ray clusters. @default false */
  readonly ray?: Input<boolean>;
  /** Multi-tier checkpointing. @default false */
  readonly multiTierCheckpointing?: Input<boolean>;
  /** Config Connector. @default false */
  readonly configConnector?: Input<boolean>;
}

/** Node pools that GKE creates automatically for pending pods, for example those of ComputeClasses. */
export interface AutoProvisioning {
  /** Maximum of each resource in the whole cluster: `cpu` (cores), `memory` (GiB), and accelerators by their type, such as `nvidia-l4`. */
  readonly limits: Input<{ readonly [resource: string]: Input<number> }>;
  /**
   * Whether GPUs within the limits are created only through ComputeClasses, which install the driver. Otherwise pods must select
   * `cloud.google.com/gke-gpu-driver-version`, and a warning says so. @default false
   */
  readonly computeClassesOnly?: Input<boolean>;
  /** `BALANCED` or `OPTIMIZE_UTILIZATION`. @default `BALANCED` */
  readonly profile?: Input<string>;
  /** Zones of the pools. @default - the zones of the cluster */
  readonly zones?: Input<readonly Input<string>[]>;
}

/** The pool for pods without accelerators. Without it, system pods would run on the nodes with accelerators. */
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

/** When GKE may upgrade the cluster: start and end of the first window (RFC 3339), and its recurrence (RFC 5545). */
export interface MaintenanceWindow {
  readonly startTime: Input<string>;
  readonly endTime: Input<string>;
  /** @default `FREQ=WEEKLY;BYDAY=SA,SU` */
  readonly recurrence?: Input<string>;
}

/** Arguments of {@link GkeCluster}. */
export interface GkeClusterArgs {
  /** Name in Google Cloud. @default - the name in the program, with a random suffix */
  readonly name?: Input<string>;
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: Input<string>;
  /** Region, or zone for a cluster with one control plane. */
  readonly location: Input<string>;
  /** Zones of the nodes. @default - GKE chooses three zones of the region */
  readonly zones?: Input<readonly Input<string>[]>;
  /** @default - a new network, with a NAT gateway for private nodes */
  readonly network?: ExistingNetwork;
  /** Ranges of the new network. Cannot be combined with `network`. */
  readonly addresses?: ClusterAddresses;
  readonly controlPlane?: ControlPlaneAccess;
  /** `RAPID`, `REGULAR`, `STABLE` or `EXTENDED`. @default `REGULAR` */
  readonly releaseChannel?: Input<string>;
  /** Minimum version of the control plane, such as `1.34`. @default - the version of the channel */
  readonly minVersion?: Input<string>;
  readonly addons?: ClusterAddons;
  /** @default - none */
  readonly autoProvisioning?: AutoProvisioning;
  readonly systemPool?: SystemPool;
  /** Whether nodes can have several networks, which GPUDirect needs. Cannot be changed. @default true */
  readonly multiNetworking?: Input<boolean>;
  /** Whether Google collects metrics in the Prometheus format, including those of GPUs and JobSets. @default true */
  readonly managedPrometheus?: Input<boolean>;
  /** Whether GKE runs its own exporter of GPU metrics. Disable it if you install another one, because two on a node conflict. @default true */
  readonly managedGpuMetrics?: Input<boolean>;
  /** `DISABLED`, `BASIC` or `ENTERPRISE`. @default `BASIC` */
  readonly securityPosture?: Input<string>;
  /** E-mail of the service account of the nodes. @default - a new account with the roles that nodes need */
  readonly nodeServiceAccount?: Input<string>;
  /** Cloud KMS key that Secrets are encrypted with. @default - only Google's own encryption */
  readonly secretsKey?: Input<string>;
  readonly maintenanceWindow?: MaintenanceWindow;
  /** Whether Google refuses to delete the cluster. @default true */
  readonly deletionProtection?: Input<boolean>;
  /** Maximum number of pods on a node. @default 110 */
  readonly maxPodsPerNode?: Input<number>;
  /** Labels of all resources, for example for billing. */
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}
