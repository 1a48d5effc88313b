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

/** What is known of the nodes of a flavor, for checks at synth. Nothing of it is synthesized. */
export interface FlavorNodes {
  /** Most nodes that there can be. @default - unknown, and not checked */
  readonly count?: number;
  /** GPUs of each node. @default - unknown, and not checked */
  readonly gpu?: Gpu;
  /** TPU chips of each node. @default - unknown, and not checked */
  readonly tpu?: Tpu;
  /** Cores that pods can have of a node. @default - unknown, and not checked */
  readonly cpu?: Cpu;
  /** Memory that pods can have of a node. @default - unknown, and not checked */
  readonly memory?: Size;
  /** Whether quotas may add up to more than the nodes have. @default false */
  readonly overcommitted?: boolean;
}

/** Properties of a `ResourceFlavor`. */
export interface ResourceFlavorProps {
  /** Name of the flavor. @default - from the id of the construct */
  readonly name?: string;
  /** Labels of its nodes, which its pods are sent to by: at most 8. @default - all nodes */
  readonly nodeLabels?: { readonly [label: string]: string };
  /** Taints of its nodes that jobs have to tolerate themselves in order to get the flavor. @default - none */
  readonly nodeTaints?: NodeTaint[];
  /** Tolerations that pods get with the flavor. @default - none */
  readonly tolerations?: Toleration[];
  /** Topology that workloads of the flavor are placed by. @default - none */
  readonly topology?: GpuTopology;
  /** What is known of the nodes. @default - nothing */
  readonly nodes?: FlavorNodes;
}

/**
 * A kind of node that a queue has quota of. `GpuResourceFlavors` creates the flavors of node pools.
 * @see docs/queues.md
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
  /** A flavor that exists. Nothing is known of its nodes, and nothing checked. @param name name of the flavor */
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

/** A ResourceFlavor of Kueue: one that the program makes, or one that exists. */
export interface IResourceFlavor {
  /** Name of the flavor. */
  readonly flavorName: string;
}
