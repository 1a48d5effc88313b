import { Lazy, Names, type Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { FlavorReference } from './flavor-reference';
import type { GpuTopology } from './gpu-topology';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { constructFlavorSpec } from '../../manifests/kueue/queues';
import { amountOf } from '../../model/queues/capacity';
import { validateFlavor } from '../../model/queues/rules';
import type { FlavorNodesSpec, FlavorSpec, FlavorTolerationSpec } from '../../model/queues/spec';
import { clusterObject } from '../rendering/objects';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import type { NodeTaint, Toleration } from '../training-job/pods/toleration';
import type { Gpu, Tpu } from '../training-job/pods/resources';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** The nodes of a flavor, only for checks at synth. */
export interface FlavorNodes {
  /** Maximum number of nodes. @default - unknown, and not checked */
  readonly count?: number;
  /** GPUs of each node. @default - unknown, and not checked */
  readonly gpu?: Gpu;
  /** TPU chips of each node. @default - unknown, and not checked */
  readonly tpu?: Tpu;
  /** Allocatable cores of each node. @default - unknown, and not checked */
  readonly cpu?: Cpu;
  /** Allocatable memory of each node. @default - unknown, and not checked */
  readonly memory?: Size;
  /** Whether the sum of quotas may exceed the nodes' resources. @default false */
  readonly overcommitted?: boolean;
}

/** Properties of a `ResourceFlavor`. */
export interface ResourceFlavorProps {
  /** Name of the flavor. @default - derived from the id of the construct */
  readonly name?: string;
  /** Labels of its nodes, at most 8. Pods select them. @default - all nodes */
  readonly nodeLabels?: { readonly [label: string]: string };
  /** Taints of its nodes that jobs must tolerate themselves to use the flavor. @default - none */
  readonly nodeTaints?: NodeTaint[];
  /** Tolerations that pods get with the flavor. @default - none */
  readonly tolerations?: Toleration[];
  /** Topology by which Kueue places workloads of the flavor. @default - none */
  readonly topology?: GpuTopology;
  /** The nodes, for checks at synth. @default - unknown */
  readonly nodes?: FlavorNodes;
}

/**
 * A kind of node for the quotas of a queue. `GpuResourceFlavors` creates the flavors of node pools.
 * @see docs/teams/queues.md
 * @see https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
 * @example
 * import { Gpu } from 'trainyard';
 * import { ResourceFlavor } from 'trainyard/queues';
 *
 * new ResourceFlavor(chart, 'H100', {
 *   name: 'h100',
 *   nodeLabels: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' },
 *   nodes: { count: 8, gpu: Gpu.nvidia(8) },
 * });
 */
export class ResourceFlavor extends Construct implements IResourceFlavor {
  /** An existing flavor. Its nodes are unknown, and not checked. @param name name of the flavor */
  public static fromFlavorName(name: string): IResourceFlavor {
    return new FlavorReference(name);
  }

  public readonly flavorName: string;

  public constructor(scope: Construct, id: string, private readonly props: ResourceFlavorProps = {}) {
    super(scope, id);
    checkProps(this, 'ResourceFlavorProps', props);
    this.flavorName = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    clusterObject(this, 'Resource', {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`,
      kind: 'ResourceFlavor',
      metadata: { name: this.flavorName },
      spec: Lazy.any({ produce: () => constructFlavorSpec(this._toSpec()) }),
    });
    if (props.topology !== undefined) {
      this.node.addDependency(props.topology);
    }
    reportAtSynth(this, `ResourceFlavor '${this.flavorName}'`, () => validateFlavor(this._toSpec()));
  }

  /** @internal */
  public _toSpec(): FlavorSpec {
    const { nodeLabels = {}, nodeTaints = [], tolerations = [], topology, nodes } = this.props;
    return {
      name: this.flavorName,
      nodeLabels,
      nodeTaints: nodeTaints.map(({ key, value = '', effect = 'NoSchedule' }) => ({ key, value, effect })),
      tolerations: tolerations.map(toleration) as FlavorTolerationSpec[],
      ...(topology && { topology: { name: topology.name, levels: topology.levels } }),
      nodes: nodes && nodesSpec(nodes),
    };
  }
}

function nodesSpec({ count, gpu, tpu, cpu, memory, overcommitted }: FlavorNodes): FlavorNodesSpec {
  return {
    count,
    overcommitted,
    perNode: {
      ...(gpu && { [gpu.resourceName]: gpu.count }),
      ...(tpu && { 'google.com/tpu': tpu.count }),
      ...(cpu && { cpu: amountOf(cpu.amount) }),
      ...(memory && { memory: amountOf(memory.asString()) }),
    },
  };
}

/** A ResourceFlavor of the program, or an existing one. */
export interface IResourceFlavor {
  /** Name of the flavor. */
  readonly flavorName: string;
}
