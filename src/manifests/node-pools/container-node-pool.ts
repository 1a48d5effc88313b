/**
 * Config Connector's ContainerNodePool: a node pool as an object that a cluster reconciles. What it has no field for is in `configConnectorGaps`.
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/container/containernodepool
 */
import {
  autoscaling, gkeLabels, gkeTaints, guestAccelerators, management, placementPolicy, priceAnnotation, privateNodes, reservationAffinity,
  upgradeSettings,
} from './gke-values';
import { SYNC_OPTIONS_ANNOTATION } from '../../model/argo-cd/annotations';
import type { PoolChoice } from '../../model/node-pools/preferences';
import { provisionedName } from '../../model/node-pools/replacement';
import type { NodePoolSpec } from '../../model/node-pools/spec';
import { plainObject } from '../plain-object';

/** `apiVersion` of a ContainerNodePool. */
export const CONFIG_CONNECTOR_CONTAINER = 'container.cnrm.cloud.google.com/v1beta1';

/** Project that an object belongs to, where its namespace does not say it. */
const PROJECT_ANNOTATION = 'cnrm.cloud.google.com/project-id';

/** The cluster that the pool belongs to. */
export interface NodePoolTarget {
  /** Name of the ContainerCluster object. @default - the cluster is `clusterName` */
  readonly clusterObject?: string;
  /** Namespace of the ContainerCluster object. @default - that of the pool */
  readonly clusterNamespace?: string;
  /** Name of a cluster that Config Connector does not manage. */
  readonly clusterName?: string;
  /** Region or zone of the cluster. */
  readonly location: string;
  /** @default - that of the namespace */
  readonly project?: string;
}

/** Name of the object, which is the name of the pool. */
export function containerNodePoolName(pool: NodePoolSpec): string {
  return provisionedName(pool, 'configConnector');
}

export function containerNodePoolAnnotations(choice: PoolChoice, { project }: NodePoolTarget): { [name: string]: string } {
  const { blueGreen } = choice.pool;
  return {
    ...priceAnnotation(choice),
    ...(project !== undefined && { [PROJECT_ANNOTATION]: project }),
    // Argo CD deletes what was removed from the program after everything else is ready.
    ...(blueGreen && { [SYNC_OPTIONS_ANNOTATION]: 'PruneLast=true' }),
  };
}

/** `spec` of a valid pool's object. */
export function constructContainerNodePoolSpec(pool: NodePoolSpec, target: NodePoolTarget): { [field: string]: unknown } {
  const placement = placementPolicy(pool);
  return plainObject({
    clusterRef: clusterRef(target),
    location: target.location,
    nodeLocations: pool.zones === undefined || pool.zones.length === 0 ? undefined : [...pool.zones],
    nodeCount: pool.size?.nodes,
    autoscaling: autoscaling(pool),
    management: management(pool),
    maxPodsPerNode: pool.maxPodsPerNode,
    networkConfig: networkConfig(pool),
    placementPolicy: placement && {
      type: placement.type,
      tpuTopology: placement.tpuTopology,
      policyNameRef: placement.policyName === undefined ? undefined : { external: placement.policyName },
    },
    queuedProvisioning: pool.capacity?.queued ? { enabled: true } : undefined,
    upgradeSettings: upgradeSettings(pool),
    nodeConfig: nodeConfig(pool),
  });
}

function clusterRef({ clusterObject, clusterNamespace, clusterName }: NodePoolTarget): object {
  return clusterObject === undefined ? { external: clusterName } : { name: clusterObject, namespace: clusterNamespace };
}

function nodeConfig(pool: NodePoolSpec): object {
  const { capacity = {}, network = {}, secureBoot, confidentialNodeType, workloadMetadata, serviceAccount } = pool;
  return {
    machineType: pool.machineType,
    guestAccelerator: guestAccelerators(pool),
    spot: capacity.spot || undefined,
    reservationAffinity: reservationAffinity(pool),
    labels: gkeLabels(pool),
    taint: gkeTaints(pool),
    imageType: pool.imageType,
    diskType: pool.bootDiskType,
    diskSizeGb: pool.bootDiskGiB,
    ephemeralStorageLocalSsdConfig: pool.localSsdEphemeral === undefined ? undefined : { localSsdCount: pool.localSsdEphemeral },
    localNvmeSsdBlockConfig: pool.localSsdBlock === undefined ? undefined : { localSsdCount: pool.localSsdBlock },
    gcfsConfig: pool.imageStreaming === undefined ? undefined : { enabled: pool.imageStreaming },
    gvnic: network.gvnic === undefined ? undefined : { enabled: network.gvnic },
    fastSocket: network.fastSocket === undefined ? undefined : { enabled: network.fastSocket },
    serviceAccountRef: serviceAccount === undefined ? undefined : { external: serviceAccount },
    resourceLabels: pool.resourceLabels,
    tags: pool.tags,
    shieldedInstanceConfig: secureBoot === undefined ? undefined : { enableSecureBoot: secureBoot, enableIntegrityMonitoring: true },
    confidentialNodes: confidentialNodeType === undefined ? undefined : { enabled: true, confidentialInstanceType: confidentialNodeType },
    workloadMetadataConfig: workloadMetadata === undefined ? undefined : { mode: workloadMetadata },
  };
}

function networkConfig({ network = {} }: NodePoolSpec): object | undefined {
  const { additionalNetworks = [] } = network;
  if (additionalNetworks.length === 0 && network.privateNodes === undefined) {
    return undefined;
  }
  return {
    enablePrivateNodes: privateNodes(network),
    additionalNodeNetworkConfigs: additionalNetworks.length === 0 ? undefined : additionalNetworks.map(({ network: name, subnetwork }) => ({
      networkRef: { external: name }, subnetworkRef: { external: subnetwork },
    })),
  };
}
