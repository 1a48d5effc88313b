/** Converts the arguments of a cluster to inputs of the Google Cloud provider. */
import type { ClusterArgs } from '@pulumi/gcp/container';
import type { Input } from '@pulumi/pulumi';
import * as pulumi from '@pulumi/pulumi';
import type { AutoProvisioning, ClusterAddons, ControlPlaneAccess, MaintenanceWindow, ClusterAddresses, ExistingNetwork } from './gke-cluster-args';
import * as compute from '@pulumi/gcp/compute';
import { addressesOf } from './gke-cluster-rules';

/** Components whose metrics Google collects: those of the cluster and of JobSets. */
const METRICS = ['SYSTEM_COMPONENTS', 'STORAGE', 'POD', 'DEPLOYMENT', 'STATEFULSET', 'DAEMONSET', 'KUBELET', 'CADVISOR', 'JOBSET'];

/** The component for GPU metrics, for which GKE runs an exporter. */
const GPU_METRICS = 'DCGM';

export function addonsInputs(addons: ClusterAddons = {}): ClusterArgs['addonsConfig'] {
  const { filestore = true, gcsFuse = true, lustre = false, ray = false, multiTierCheckpointing = false, configConnector = false } = addons;
  return {
    gcePersistentDiskCsiDriverConfig: { enabled: true },
    gcpFilestoreCsiDriverConfig: { enabled: filestore },
    gcsFuseCsiDriverConfig: { enabled: gcsFuse },
    lustreCsiDriverConfig: { enabled: lustre },
    highScaleCheckpointingConfig: { enabled: multiTierCheckpointing },
    configConnectorConfig: { enabled: configConnector },
    rayOperatorConfigs: [{ enabled: ray, rayClusterLoggingConfig: { enabled: ray }, rayClusterMonitoringConfig: { enabled: ray } }],
  };
}

/** The CRDs of the Gateway API, which are not an addon in the API of Google. */
export function gatewayInputs({ gatewayApi = true }: ClusterAddons = {}): ClusterArgs['gatewayApiConfig'] {
  return { channel: pulumi.output(gatewayApi).apply((isOn) => (isOn ? 'CHANNEL_STANDARD' : 'CHANNEL_DISABLED')) };
}

/** Access to the control plane. An empty list of networks blocks the address for everyone; without a list, it would be open to everyone. */
export function accessInputs(access: ControlPlaneAccess = {}): Partial<ClusterArgs> {
  const { dnsEndpoint = true, privateEndpoint = false, authorizedNetworks = [] } = access;
  return {
    privateClusterConfig: { enablePrivateNodes: true, enablePrivateEndpoint: privateEndpoint },
    masterAuthorizedNetworksConfig: {
      cidrBlocks: pulumi.output(authorizedNetworks)
        .apply((networks) => networks.map(({ cidr, name }) => ({ cidrBlock: cidr, displayName: name }))),
      gcpPublicCidrsAccessEnabled: false,
    },
    controlPlaneEndpointsConfig: { dnsEndpointConfig: { allowExternalTraffic: dnsEndpoint } },
  };
}

export function autoProvisioningInputs(options: AutoProvisioning | undefined, serviceAccount: Input<string>): ClusterArgs['clusterAutoscaling'] {
  if (options === undefined) {
    return undefined;
  }
  return {
    enabled: true,
    autoscalingProfile: options.profile ?? 'BALANCED',
    autoProvisioningLocations: options.zones as Input<Input<string>[]> | undefined,
    resourceLimits: pulumi.output(options.limits).apply((limits) => (
      Object.entries(limits as { [resource: string]: number }).map(([resourceType, maximum]) => ({ resourceType, maximum }))
    )),
    autoProvisioningDefaults: {
      serviceAccount,
      oauthScopes: ['https://www.googleapis.com/auth/cloud-platform'],
      management: { autoRepair: true, autoUpgrade: true },
      shieldedInstanceConfig: { enableIntegrityMonitoring: true, enableSecureBoot: true },
    },
  };
}

export function monitoringInputs(managedPrometheus: Input<boolean> = true, managedGpuMetrics: Input<boolean> = true): Partial<ClusterArgs> {
  const enableComponents = pulumi.output(managedGpuMetrics).apply((isOn) => (isOn ? [...METRICS, GPU_METRICS] : METRICS));
  return {
    loggingConfig: { enableComponents: ['SYSTEM_COMPONENTS', 'WORKLOADS'] },
    monitoringConfig: { enableComponents, managedPrometheus: { enabled: managedPrometheus } },
  };
}

export function maintenanceInputs(window: MaintenanceWindow | undefined): ClusterArgs['maintenancePolicy'] {
  return window && {
    recurringWindow: { startTime: window.startTime, endTime: window.endTime, recurrence: window.recurrence ?? 'FREQ=WEEKLY;BYDAY=SA,SU' },
  };
}

const POD_RANGE = 'pods';
const SERVICE_RANGE = 'services';

/** Where to create the network. */
interface ClusterNetworkOptions {
  readonly project?: pulumi.Input<string>;
  readonly region: pulumi.Input<string>;
  readonly addresses?: ClusterAddresses;
}

/**
 * Creates the network, with a NAT gateway for nodes without public addresses.
 * @param name the prefix of the names of its resources
 * @param opts the options of each resource
 */
export function createClusterNetwork(
  name: string, { project, region, addresses }: ClusterNetworkOptions, opts: pulumi.CustomResourceOptions,
): ExistingNetwork {
  const { nodes, pods, services } = { ...addressesOf(), ...addresses };
  const network = new compute.Network(`${name}-network`, { project, autoCreateSubnetworks: false }, opts);
  const subnetwork = new compute.Subnetwork(`${name}-nodes`, {
    project,
    region,
    network: network.id,
    ipCidrRange: nodes,
    // Nodes without public addresses reach Google's services through this.
    privateIpGoogleAccess: true,
    secondaryIpRanges: [{ rangeName: POD_RANGE, ipCidrRange: pods }, { rangeName: SERVICE_RANGE, ipCidrRange: services }],
  }, opts);
  const router = new compute.Router(`${name}-router`, { project, region, network: network.id }, opts);
  const nat = new compute.RouterNat(`${name}-nat`, {
    project,
    region,
    router: router.name,
    natIpAllocateOption: 'AUTO_ONLY',
    sourceSubnetworkIpRangesToNat: 'ALL_SUBNETWORKS_ALL_IP_RANGES',
    logConfig: { enable: true, filter: 'ERRORS_ONLY' },
  }, opts);
  return {
    network: network.id,
    // Nodes that are created before the NAT gateway cannot pull images.
    subnetwork: pulumi.all([subnetwork.id, nat.id]).apply(([id]) => id),
    podRange: POD_RANGE,
    serviceRange: SERVICE_RANGE,
  };
}
