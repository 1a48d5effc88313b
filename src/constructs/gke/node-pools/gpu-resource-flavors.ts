import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import type { GpuNodePool } from './gpu-node-pool';
import { checkProps } from '../../props/check-props';
import type { IResourceFlavor } from '../../queues/flavor';
import { FlavorReference } from '../../queues/flavor-reference';
import type { GpuTopology } from '../../queues/gpu-topology';
import { clusterObject } from '../../rendering/objects';
import type { IComputeClass } from '../../training-job/capacity';
import { constructResourceFlavorSpec } from '../../../manifests/node-pools/kueue';
import { priceAnnotation } from '../../../manifests/node-pools/gke-values';
import { GPU_RESOURCE, NODE_LABELS, TPU_RESOURCE_NAME } from '../../../model/accelerators/labels';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../../model/kueue-names';
import { devicesPerNode, writtenLabels } from '../../../model/node-pools/nodes';
import type { NodePoolSpec, PoolSize } from '../../../model/node-pools/spec';
import type { FlavorSpec, FlavorTaintSpec, FlavorTolerationSpec } from '../../../model/queues/spec';

/** Properties of `GpuResourceFlavors`. */
export interface GpuResourceFlavorsProps {
  /**
   * Prefix of the flavors' names, for the choices of a ComputeClass. Flavors of pools have the names of the pools.
   * @default - the name of the class
   */
  readonly name?: string;

  /** Pools, the most preferred first: a flavor for each. @default - the choices of a ComputeClass */
  readonly pools?: GpuNodePool[];

  /** A class of pools that GKE creates: a flavor for each of its choices. @default - `pools` */
  readonly computeClass?: IComputeClass;

  /** Topology by which Kueue places workloads of the flavors. @default - none */
  readonly topology?: GpuTopology;
}

/**
 * Kueue's flavors for node pools, or for the choices of a ComputeClass, in the order of preference. List them in the same order in a ClusterQueue:
 * Kueue tries them in that order.
 * @see docs/platform/node-pools.md
 * @see https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
 * @example
 * import { Accelerator, Framework, Gpu, TrainingJob } from 'trainyard';
 * import { Capacity, GpuResourceFlavors, JobCapacity } from 'trainyard/gke';
 *
 * const train = new TrainingJob(chart, 'Train', {
 *   framework: Framework.pytorch(),
 *   image: 'registry.example/train:1',
 *   replicas: 2,
 *   resources: { gpu: Gpu.nvidia(8) },
 *   capacity: JobCapacity.preferences({
 *     anyOf: [Accelerator.NVIDIA_B200],
 *     capacity: [Capacity.SPOT, Capacity.flexStart()],
 *   }),
 * });
 * new GpuResourceFlavors(chart, 'Flavors', { computeClass: train.computeClass });
 */
export class GpuResourceFlavors extends Construct {
  public constructor(scope: Construct, id: string, private readonly props: GpuResourceFlavorsProps) {
    super(scope, id);
    checkProps(this, 'GpuResourceFlavorsProps', props);
    if ((props.pools === undefined) === (props.computeClass === undefined)) {
      throw new Error(`GpuResourceFlavors at '${this.node.path}': needs either pools or computeClass, but has ${props.pools === undefined ? 'none' : 'both'}. Set one of the two.`);
    }
    if (props.computeClass !== undefined && props.computeClass._choices === undefined) {
      throw new Error(`GpuResourceFlavors at '${this.node.path}': class '${props.computeClass.name}' consists of pools listed by name. Set pools instead.`);
    }
    const names = this.flavorNames;
    const priced = props.pools?.flatMap(({ _priced }) => _priced) ?? props.computeClass!._priced;
    names.forEach((name, index) => {
      const annotations = priceAnnotation(priced[index]);
      clusterObject(this, index === 0 ? 'Resource' : `Resource${index}`, {
        apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`,
        kind: 'ResourceFlavor',
        metadata: { name, ...(Object.keys(annotations).length > 0 && { annotations }) },
        spec: Lazy.any({ produce: () => constructResourceFlavorSpec(this.nodes[index], props.computeClass?.name, props.topology?.name) }),
      });
    });
    [...props.pools ?? [], props.computeClass, props.topology].forEach((other) => other && this.node.addDependency(other));
  }

  /** Names of the flavors, the most preferred first. */
  public get flavorNames(): string[] {
    const { pools, computeClass, name } = this.props;
    return pools?.flatMap(({ poolNames }) => poolNames)
      // The names of choices start with the class.
      ?? this.nodes.map((pool) => (name === undefined ? pool.name : `${name}${pool.name.slice(computeClass!.name.length)}`));
  }

  /**
   * The flavors, the most preferred first, for quotas of a `ClusterQueue`. Jobs of the queue are checked against what is known about their nodes.
   */
  public get flavors(): IResourceFlavor[] {
    const { computeClass, topology } = this.props;
    return this.flavorNames.map((name, index) =>
      FlavorReference._of(name, () => poolFlavorSpec(name, this.nodes[index], computeClass?.name, topology)));
  }

  private get nodes(): NodePoolSpec[] {
    return this.props.pools?.flatMap(({ _pools }) => _pools) ?? this.props.computeClass!._choices!;
  }
}

/** The flavor for the checks of queues. */
function poolFlavorSpec(name: string, pool: NodePoolSpec, computeClass: string | undefined, topology: GpuTopology | undefined): FlavorSpec {
  const { nodeLabels, nodeTaints = [], tolerations = [] } = constructResourceFlavorSpec(pool, computeClass, topology?.name);
  const { gpus, tpus, size } = pool;
  const devices = devicesPerNode(pool);
  // For shared or partitioned GPUs, the device plugin counts clients or partitions.
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

/** Maximum number of nodes; undefined if the number of zones is unknown. */
function nodeCount({ nodes, totalMax, maxPerZone }: PoolSize, zones: number | undefined): number | undefined {
  const perZone = nodes ?? maxPerZone;
  return totalMax ?? (perZone === undefined || zones === undefined ? undefined : perZone * zones);
}
