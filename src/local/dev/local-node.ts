/** The node that this machine is to the control plane. */
import os from 'node:os';
import { LOCAL_POD_IP } from '../process/pod-fields';
import { timeText } from '../../model/text/times';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';
import { NODES } from '../../operator/runtime/resource-kind';

export const LOCAL_NODE_NAME = 'local';

/** What the node says that its kubelet is. */
export const LOCAL_KUBELET_VERSION = 'trainyard';

/** Most pods that the node says to take; every pod is some processes. */
const MAX_PODS = 1000;

/**
 * Makes the node, or brings an earlier one up to date.
 * @param port port of the kubelet's server on 127.0.0.1, which the API server asks for logs, commands and ports
 */
export async function ensureLocalNode(client: KubeClient, port: number): Promise<void> {
  const name = LOCAL_NODE_NAME;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': os.platform() } } };
  await client.apply<KubeObject>(NODES, node, { fieldManager: 'trainyard-dev' });
  const capacity = { cpu: String(os.availableParallelism()), memory: String(os.totalmem()), pods: String(MAX_PODS) };
  const now = timeText(Date.now());
  const status = {
    capacity,
    allocatable: capacity,
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'pods run as processes', lastTransitionTime: now, lastHeartbeatTime: now }],
    addresses: [{ type: 'InternalIP', address: LOCAL_POD_IP }, { type: 'Hostname', address: os.hostname() }],
    // WebSockets come as they are: otherwise the API server makes SPDY of those of kubectl.
    declaredFeatures: ['ExtendWebSocketsToKubelet'],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: {
      architecture: os.arch(), operatingSystem: os.platform(), kernelVersion: os.release(), osImage: os.version(),
      kubeletVersion: LOCAL_KUBELET_VERSION,
      containerRuntimeVersion: 'process://1', machineID: '', systemUUID: '', bootID: '', kubeProxyVersion: '',
    },
  };
  await client.patch(NODES, { name }, { status }, { subresource: 'status' });
}
