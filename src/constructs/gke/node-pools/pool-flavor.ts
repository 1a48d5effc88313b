/** What is known of the nodes behind a flavor that was made from a pool. */
import type { GpuTopology } from './gpu-topology';
import { constructResourceFlavorSpec } from '../../../manifests/node-pools/resource-flavor';
import { GPU_RESOURCE, NODE_LABELS, TPU_RESOURCE_NAME } from '../../../model/accelerators/labels';
import { devicesPerNode, writtenLabels } from '../../../model/node-pools/nodes';
import type { NodePoolSpec, PoolSize } from '../../../model/node-pools/spec';
import type { FlavorSpec, FlavorTaintSpec, FlavorTolerationSpec } from '../../../model/queues/spec';

/** The flavor in the terms of queues. */
export function poolFlavorSpec(name: string, pool: NodePoolSpec, computeClass: string | undefined, topology: GpuTopology | undefined): FlavorSpec {
  const { nodeLabels, nodeTaints = [], tolerations = [] } = constructResourceFlavorSpec(pool, computeClass, topology?.name);
  const { gpus, tpus, size } = pool;
  const devices = devicesPerNode(pool);
  // A device plugin counts the clients or the parts of a GPU that is shared or divided.
  const whole = gpus === undefined || (gpus.sharing === undefined && gpus.partition === undefined);
  return {
    name,
    nodeLabels,
    nodeTaints: nodeTaints as FlavorTaintSpec[],
    tolerations: tolerations as FlavorTolerationSpec[],
    ...(topology && { topology: { name: topology.name, levels: topology.levels } }),
    nodes: {
      labels: {
        ...writtenLabels(pool),
        ...(gpus && { [NODE_LABELS.accelerator]: gpus.type }),
        ...(tpus && { [NODE_LABELS.tpuAccelerator]: tpus.type, [NODE_LABELS.tpuTopology]: tpus.topology }),
      },
      perNode: devices === undefined || !whole ? {} : { [tpus === undefined ? GPU_RESOURCE : TPU_RESOURCE_NAME]: devices },
      count: size && nodeCount(size, pool.zones?.length),
    },
  };
}

/** Most nodes; undefined where nobody says how many zones there are. */
function nodeCount({ nodes, totalMax, maxPerZone }: PoolSize, zones: number | undefined): number | undefined {
  const perZone = nodes ?? maxPerZone;
  return totalMax ?? (perZone === undefined || zones === undefined ? undefined : perZone * zones);
}
