/** How pods name the networks of their nodes. */
import type { PlannedNetwork } from './plan-gpu-network';

/**
 * A `Network` of each subnetwork, under its name, with what it is.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods
 */
export function gpuNetworkObjects(networks: readonly PlannedNetwork[]): object[] {
  return networks.flatMap(({ name: vpc, isOrdinary, subnetworks }) => subnetworks.flatMap(({ name }) => [
    {
      apiVersion: 'networking.gke.io/v1',
      kind: 'GKENetworkParamSet',
      metadata: { name },
      spec: { vpc, vpcSubnet: name, deviceMode: isOrdinary ? 'NetDevice' : 'RDMA' },
    },
    {
      apiVersion: 'networking.gke.io/v1',
      kind: 'Network',
      metadata: { name },
      spec: { type: 'Device', parametersRef: { group: 'networking.gke.io', kind: 'GKENetworkParamSet', name } },
    },
  ]));
}
