import { Construct } from 'constructs';
import { Names } from 'cdk8s';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { GKE_LEVELS, HOSTNAME_LABEL, constructTopologySpec } from '../../manifests/node-pools/kueue';
import { clusterObject } from '../rendering/objects';
import { checkProps } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** Properties of a `GpuTopology`. */
export interface GpuTopologyProps {
  /** Name of the topology. @default - derived from the id of the construct */
  readonly name?: string;

  /**
   * Node labels, the widest level first. `kubernetes.io/hostname` can only be the last.
   * @default - GKE's: block, sub-block, host, node
   */
  readonly levels?: string[];
}

/**
 * The levels of a network topology, by which Kueue places pods near each other.
 * @see https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
 * @example
 * import { GpuTopology, ResourceFlavor } from 'trainyard/queues';
 *
 * const racks = new GpuTopology(chart, 'Racks', {
 *   name: 'racks',
 *   levels: ['example.com/row', 'example.com/rack', 'kubernetes.io/hostname'],
 * });
 * new ResourceFlavor(chart, 'InRacks', { name: 'h100-racks', nodeLabels: { 'example.com/pool': 'h100' }, topology: racks });
 */
export class GpuTopology extends Construct {
  /** Name of the topology. */
  public readonly name: string;

  /** Node labels, the widest level first. */
  public readonly levels: string[];

  public constructor(scope: Construct, id: string, props: GpuTopologyProps = {}) {
    super(scope, id);
    checkProps(this, 'GpuTopologyProps', props);
    this.name = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    this.levels = [...props.levels ?? GKE_LEVELS];
    clusterObject(this, 'Resource', {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`,
      kind: 'Topology',
      metadata: { name: this.name },
      spec: constructTopologySpec(this.levels),
    });
    reportAtSynth(this, `GpuTopology '${this.name}'`, () => this.problems());
  }

  private problems(): Problem[] {
    const { levels } = this;
    const problems: string[] = [];
    if (levels.length === 0 || levels.length > 16) {
      problems.push(`levels: ${levels.length}: must be 1 to 16. List node labels, the widest first.`);
    }
    levels.forEach((level, index) => {
      if (levels.indexOf(level) < index) {
        problems.push(`levels[${index}]: ${JSON.stringify(level)}: is listed twice. Remove it.`);
      }
      if (level === HOSTNAME_LABEL && index < levels.length - 1) {
        problems.push(`levels[${index}]: ${JSON.stringify(level)}: is the level of a single node, which can only be the last. Move it to the end.`);
      }
    });
    return problems;
  }
}
