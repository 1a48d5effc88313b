/**
 * A node pool as inputs of Pulumi's `gcp.container.NodePool` (`@pulumi/gcp` 9), as plain data: this file does not use Pulumi, and its caller adds
 * the cluster. Every field of the model has an input, so there are no gaps.
 * @see https://www.pulumi.com/registry/packages/gcp/api-docs/container/nodepool/
 */
import {
  autoscaling, gkeLabels, gkeTaints, guestAccelerators, management, placementPolicy, privateNodes, reservationAffinity, seconds, upgradeSettings,
} from './gke-values';
import { provisionedName } from '../../model/node-pools/replacement';
import type { NodePoolSpec } from '../../model/node-pools/spec';
import { plainObject } from '../plain-object';

/** Plain data of an input. */
export interface PulumiFields {
  readonly [field: string]: unknown;
}

/** Inputs of the pool, without its cluster. */
export interface PulumiNodePoolInputs {
  readonly name: string;
  readonly nodeConfig: PulumiFields;
  readonly nodeCount?: number;
  readonly nodeLocations?: readonly string[];
  readonly autoscaling?: PulumiFields;
  readonly management?: PulumiFields;
  readonly maxPodsPerNode?: number;
  readonly networkConfig?: PulumiFields;
  readonly placementPolicy?: PulumiFields;
  readonly queuedProvisioning?: PulumiFields;
  readonly upgradeSettings?: PulumiFields;
}

/** The inputs of a valid pool. */
export function pulumiNodePool(pool: NodePoolSpec): PulumiNodePoolInputs {
  return plainObject({
    name: provisionedName(pool, 'pulumi'),
    nodeCount: pool.size?.nodes,
    nodeLocations: pool.zones === undefined || pool.zones.length === 0 ? undefined : pool.zones,
    autoscaling: autoscaling(pool) as PulumiFields | undefined,
    management: management(pool) as PulumiFields | undefined,
    maxPodsPerNode: pool.maxPodsPerNode,
    networkConfig: networkConfig(pool),
    placementPolicy: placementPolicy(pool) as PulumiFields | undefined,
    queuedProvisioning: pool.capacity?.queued ? { enabled: true } : undefined,
    upgradeSettings: upgradeSettings(pool) as PulumiFields | undefined,
    nodeConfig: nodeConfig(pool),
  });
}

function nodeConfig(pool: NodePoolSpec): PulumiFields {
  const { capacity = {}, network = {}, secureBoot, confidentialNodeType, workloadMetadata } = pool;
  return {
    machineType: pool.machineType,
    guestAccelerators: guestAccelerators(pool),
    spot: capacity.spot || undefined,
    flexStart: capacity.flexStart || undefined,
    maxRunDuration: seconds(capacity.maxRunSeconds),
    reservationAffinity: reservationAffinity(pool),
    labels: gkeLabels(pool),
    taints: gkeTaints(pool),
    imageType: pool.imageType,
    diskType: pool.bootDiskType,
    diskSizeGb: pool.bootDiskGiB,
    secondaryBootDisks: pool.secondaryBootDisks?.map(({ image, project }) => ({
      diskImage: project === undefined ? `global/images/${image}` : `projects/${project}/global/images/${image}`,
      mode: 'CONTAINER_IMAGE_CACHE',
    })),
    ephemeralStorageLocalSsdConfig: pool.localSsdEphemeral === undefined ? undefined : { localSsdCount: pool.localSsdEphemeral },
    localNvmeSsdBlockConfig: pool.localSsdBlock === undefined ? undefined : { localSsdCount: pool.localSsdBlock },
    gcfsConfig: pool.imageStreaming === undefined ? undefined : { enabled: pool.imageStreaming },
    gvnic: network.gvnic === undefined ? undefined : { enabled: network.gvnic },
    fastSocket: network.fastSocket === undefined ? undefined : { enabled: network.fastSocket },
    gpudirectStrategy: network.gpuDirect?.toUpperCase(),
    serviceAccount: pool.serviceAccount,
    resourceLabels: pool.resourceLabels,
    tags: pool.tags,
    shieldedInstanceConfig: secureBoot === undefined ? undefined : { enableSecureBoot: secureBoot, enableIntegrityMonitoring: true },
    confidentialNodes: confidentialNodeType === undefined ? undefined : { enabled: true, confidentialInstanceType: confidentialNodeType },
    workloadMetadataConfig: workloadMetadata === undefined ? undefined : { mode: workloadMetadata },
  };
}

function networkConfig({ network = {} }: NodePoolSpec): PulumiFields | undefined {
  const { additionalNetworks = [], acceleratorNetworkProfile } = network;
  if (additionalNetworks.length === 0 && acceleratorNetworkProfile === undefined && network.privateNodes === undefined) {
    return undefined;
  }
  return {
    acceleratorNetworkProfile,
    enablePrivateNodes: privateNodes(network),
    additionalNodeNetworkConfigs: additionalNetworks.length === 0
      ? undefined
      : additionalNetworks.map(({ network: name, subnetwork }) => ({ network: name, subnetwork })),
  };
}
