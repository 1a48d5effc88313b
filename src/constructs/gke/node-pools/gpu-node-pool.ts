import { Lazy, Names } from 'cdk8s';
import { Construct } from 'constructs';
import { PoolProgram, choiceLines, errorLines, warningLines } from './pool-choices';
import type { GpuNodePoolProps } from './pool-props';
import { toPreferences } from './to-spec';
import { ProgramChecks } from '../../checks/program-checks';
import { checkProps, checkTypes } from '../../props/check-props';
import { PlainApiObject } from '../../rendering/plain-api-object';
import {
  CONFIG_CONNECTOR_CONTAINER, constructContainerNodePoolSpec, containerNodePoolAnnotations, containerNodePoolName, type NodePoolTarget,
} from '../../../manifests/node-pools/container-node-pool';
import { configConnectorGaps } from '../../../model/node-pools/gaps';
import { labelsOfPool } from '../../../model/node-pools/nodes';
import { expandPreferences, type PoolChoice } from '../../../model/node-pools/preferences';
import { describeReplacements, replacementsOf } from '../../../model/node-pools/replacement';
import { POOL_NAME_MAX_LENGTH } from '../../../model/node-pools/rules/option-rules';
import type { NodePoolSpec } from '../../../model/node-pools/spec';

/** Properties of a `GpuNodePool`. */
export interface ConfigConnectorNodePoolProps extends GpuNodePoolProps {
  /** The cluster. */
  readonly cluster: GkeClusterReference;
  /** Namespace of the objects. @default - the chart's */
  readonly namespace?: string;
}

/**
 * A pool of GKE nodes with accelerators, as an object of Config Connector; with several choices, one pool for each.
 *
 * Changes of some fields replace the pool: accelerator, kind of capacity, placement, networks, local SSDs, boot disk, machine type and taints. Config
 * Connector rejects them; with `blueGreen`, a new pool is created first. `replacementsFrom` lists them.
 * @see docs/platform/node-pools.md
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/container/containernodepool
 * @example
 * import { Accelerator } from 'trainyard';
 * import { Capacity, GkeClusterReference, GpuNodePool, NodeCount } from 'trainyard/gke';
 *
 * new GpuNodePool(chart, 'Pool', {
 *   name: 'l4',
 *   cluster: GkeClusterReference.named('ml', { location: 'us-central1' }),
 *   accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-24'),
 *   capacity: [Capacity.SPOT],
 *   size: NodeCount.total(0, 8),
 *   zones: ['us-central1-a'],
 * });
 */
export class GpuNodePool extends Construct {
  private readonly program: PoolProgram;
  private readonly poolName: string;

  public constructor(scope: Construct, id: string, props: ConfigConnectorNodePoolProps) {
    super(scope, id);
    checkProps(this, 'ConfigConnectorNodePoolProps', props);
    this.poolName = props.name ?? Names.toDnsLabel(this, { includeHash: false, maxLen: POOL_NAME_MAX_LENGTH });
    this.program = new PoolProgram(props, this.poolName);
    const target = props.cluster._toTarget();
    this.program.expanded.choices.forEach((choice, index) => {
      const annotations = containerNodePoolAnnotations(choice, target);
      new PlainApiObject(this, index === 0 ? 'Resource' : `Resource${index}`, {
        apiVersion: CONFIG_CONNECTOR_CONTAINER,
        kind: 'ContainerNodePool',
        metadata: {
          name: containerNodePoolName(choice.pool), namespace: props.namespace, ...(Object.keys(annotations).length > 0 && { annotations }),
        },
        spec: Lazy.any({ produce: () => constructContainerNodePoolSpec(this.program.pools[index], target) }),
      });
    });
    this.node.addValidation({ validate: () => errorLines('GpuNodePool', this.poolName, this.program.findings(configConnectorGaps)) });
    ProgramChecks.of(this).addSource(this, () => `GpuNodePool '${this.poolName}'`, () => this.program.findings(configConnectorGaps));
  }

  /** Names of the pools, the most preferred first. */
  public get poolNames(): string[] {
    return this.program.pools.map(containerNodePoolName);
  }

  /** The choices in words, with their prices where they are known, the most preferred first. */
  public get choices(): string[] {
    return choiceLines(this.program.expanded.choices);
  }

  /** Choices that cost more than `maxPrice`. */
  public get leftOut(): string[] {
    return choiceLines(this.program.expanded.leftOut);
  }

  /** Combinations that may not work or are unconfirmed. Never errors. */
  public get warnings(): string[] {
    return warningLines(this.program.findings(configConnectorGaps));
  }

  /** Labels that only nodes of this pool have. @throws Error for a pool with several choices */
  public get nodeSelector(): { [label: string]: string } {
    const names = this.poolNames;
    if (names.length !== 1) {
      throw new Error(`GpuNodePool at '${this.node.path}': has ${names.length} pools, and no label selects all of them. Use a GpuComputeClass, or add your own label with addLabel.`);
    }
    return labelsOfPool({ name: names[0] });
  }

  /**
   * Adds a label to all nodes.
   * @param label name of the label
   * @param value its value
   */
  public addLabel(label: string, value: string): void {
    this.program.addLabel(label, value);
  }

  /**
   * Replacements that a change causes: a sentence for each existing pool that would be created again; empty if all pools can be updated in place.
   * @param previous properties before the change
   */
  public replacementsFrom(previous: GpuNodePoolProps): string[] {
    const before = new Map(expandPreferences(toPreferences(previous, previous.name ?? this.poolName)).choices.map(({ pool }) => [pool.name, pool]));
    return this.program.pools.flatMap((pool) => {
      const old = before.get(pool.name);
      const replacements = old === undefined ? [] : replacementsOf(old, pool, 'configConnector');
      return replacements.length === 0 ? [] : [describeReplacements(pool.name, replacements)];
    });
  }

  /** The choices with their prices. @internal */
  public get _priced(): readonly PoolChoice[] {
    return this.program.expanded.choices;
  }

  /** The pools as specs. @internal */
  public get _pools(): NodePoolSpec[] {
    return this.program.pools;
  }
}

/** Location of a cluster. */
export interface GkeClusterReferenceOptions {
  /** Region or zone of the cluster. */
  readonly location: string;
  /** Project of the cluster. @default - the project of the namespace */
  readonly project?: string;
}

/** A GKE cluster to which node pools are added. */
export class GkeClusterReference {
  /**
   * A cluster that Config Connector did not create.
   * @param name name of the cluster
   * @param options its location
   */
  public static named(name: string, options: GkeClusterReferenceOptions): GkeClusterReference {
    checkTypes('GkeClusterReference.named', 'GkeClusterReferenceOptions', options);
    return new GkeClusterReference({ clusterName: name, location: options.location, project: options.project });
  }

  /**
   * A cluster that is an object of Config Connector.
   * @param name name of the ContainerCluster
   * @param options its location
   */
  public static object(name: string, options: GkeClusterReferenceOptions): GkeClusterReference {
    checkTypes('GkeClusterReference.object', 'GkeClusterReferenceOptions', options);
    return new GkeClusterReference({ clusterObject: name, location: options.location, project: options.project });
  }

  private constructor(private readonly target: NodePoolTarget) {}

  /** @internal */
  public _toTarget(): NodePoolTarget {
    return this.target;
  }
}
