/** The network of a cluster that is given none: one subnetwork, and a way out for nodes without addresses on the internet. */
import * as compute from '@pulumi/gcp/compute';
import * as pulumi from '@pulumi/pulumi';
import { addressesOf } from './gke-cluster-rules';
import type { ClusterAddresses, ExistingNetwork } from './gke-cluster-args';

const POD_RANGE = 'pods';
const SERVICE_RANGE = 'services';

/** Where the network is made. */
export interface ClusterNetworkOptions {
  readonly project?: pulumi.Input<string>;
  readonly region: pulumi.Input<string>;
  readonly addresses?: ClusterAddresses;
}

/**
 * Makes the network.
 * @param name beginning of the names of its resources
 * @param opts options of each of them
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
    // Nodes without addresses on the internet reach Google's own services through this.
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
    // Nodes that come before there is a way out cannot pull an image.
    subnetwork: pulumi.all([subnetwork.id, nat.id]).apply(([id]) => id),
    podRange: POD_RANGE,
    serviceRange: SERVICE_RANGE,
  };
}
