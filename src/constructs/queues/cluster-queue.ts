import { Lazy, Names } from 'cdk8s';
import { Construct } from 'constructs';
import type { AdmissionCheckUse } from './admission-check';
import type { ICohort } from './cohort';
import { landscapeOf, resourceGroupSpecs } from './landscape';
import { MultiKueue } from './multi-kueue';
import type { FlavorFungibility, QueuePreemption, QueueingStrategy, StopPolicy } from './queue-policies';
import type { ResourceGroup } from './quota';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { constructClusterQueueSpec } from '../../manifests/kueue/queues';
import { validateClusterQueue, validateLandscape } from '../../model/queues/rules';
import type { AdmissionCheckUseSpec, ClusterQueueSpec, QueuePreemptionSpec } from '../../model/queues/spec';
import { QueuedProvisioningCheck } from '../gke/node-pools/queued-provisioning-check';
import { clusterObject } from '../rendering/objects';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** A ClusterQueue of the program, or an existing one. */
export interface IClusterQueue {
  /** Name of the queue. */
  readonly clusterQueueName: string;
}

/** Properties of a `ClusterQueue`. */
export interface ClusterQueueProps {
  /** Name of the queue. @default - derived from the id of the construct */
  readonly name?: string;

  /** Quotas. Each resource and each flavor can be in only one group. @default - none; see `addResourceGroup` */
  readonly resourceGroups?: ResourceGroup[];

  /** Cohort that the queue borrows from and lends to. @default - none */
  readonly cohort?: ICohort;

  /** Names of namespaces whose jobs it accepts. @default - all */
  readonly namespaces?: string[];

  /** Labels of namespaces whose jobs it accepts. @default - all */
  readonly namespaceLabels?: { readonly [label: string]: string };

  /** Order of the queue. @default QueueingStrategy.BEST_EFFORT_FIFO */
  readonly queueingStrategy?: QueueingStrategy;

  /** Workloads that can be preempted. @default - none */
  readonly preemption?: QueuePreemption;

  /** When the next flavor is tried. @default - if the workload does not fit the flavor without preemption */
  readonly flavorFungibility?: FlavorFungibility;

  /**
   * Weight of the queue in its cohort, for sharing borrowed quota. Only if fair sharing is enabled in Kueue's configuration.
   * @default 1
   */
  readonly fairSharingWeight?: number;

  /**
   * Whether jobs of LocalQueues with less past usage are admitted first (admission fair sharing). Kueue's configuration must set the half-life of
   * usage: `PlatformComponent.kueue({ usageHalfLife })`.
   * @default false
   */
  readonly admitByUsage?: boolean;

  /** Checks that workloads must pass. @default - none */
  readonly admissionChecks?: AdmissionCheckUse[];

  /** Whether it admits workloads. @default StopPolicy.NONE */
  readonly stopPolicy?: StopPolicy;

  /**
   * Prefixes of resources that Kueue's configuration excludes (`resources.excludeResourcePrefixes`), so that jobs can request them without a quota.
   * @default - every requested resource needs a quota
   */
  readonly uncountedResources?: string[];
}

/**
 * A queue of the cluster, with its quotas.
 * @see docs/teams/queues.md
 * @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/
 * @example
 * import { Gpu } from 'trainyard';
 * import { ClusterQueue, LocalQueue, Quota, ResourceFlavor } from 'trainyard/queues';
 *
 * const h100 = new ResourceFlavor(chart, 'H100', {
 *   name: 'h100',
 *   nodeLabels: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' },
 * });
 * const research = new ClusterQueue(chart, 'Research', {
 *   name: 'research',
 *   resourceGroups: [{ flavors: [{ flavor: h100, quotas: [Quota.gpu(Gpu.nvidia(48))] }] }],
 * });
 * new LocalQueue(chart, 'TeamA', { metadata: { name: 'team-a' }, clusterQueue: research });
 */
export class ClusterQueue extends Construct implements IClusterQueue {
  /** An existing queue. Synth does not check whether jobs fit. @param name name of the queue */
  public static fromClusterQueueName(name: string): IClusterQueue {
    return { clusterQueueName: name };
  }

  public readonly clusterQueueName: string;

  private readonly groups: ResourceGroup[];

  public constructor(scope: Construct, id: string, private readonly props: ClusterQueueProps = {}) {
    super(scope, id);
    checkProps(this, 'ClusterQueueProps', props);
    this.clusterQueueName = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    this.groups = [...props.resourceGroups ?? []];
    clusterObject(this, 'Resource', {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`,
      kind: 'ClusterQueue',
      metadata: { name: this.clusterQueueName },
      spec: Lazy.any({ produce: () => constructClusterQueueSpec(this._toSpec()) }),
    });
    this.dependOn([props.cohort, ...(props.admissionChecks ?? []).map(({ check }) => check), ...this.groups.flatMap(flavorsOf)]);
    reportAtSynth(this, `ClusterQueue '${this.clusterQueueName}'`, () => this.problems());
  }

  /** Adds quotas for more resources. @param group alternative flavors */
  public addResourceGroup(group: ResourceGroup): void {
    checkTypes('ClusterQueue.addResourceGroup', 'ResourceGroup', group);
    this.groups.push(group);
    this.dependOn(flavorsOf(group));
  }

  /** @internal */
  public _toSpec(): ClusterQueueSpec {
    const { cohort, preemption, fairSharingWeight, admissionChecks, ...same } = this.props;
    return {
      ...same,
      name: this.clusterQueueName,
      cohort: cohort?.cohortName,
      resourceGroups: resourceGroupSpecs(this.groups),
      preemption: preemption && preemptionSpec(preemption),
      fairWeight: fairSharingWeight,
      admissionChecks: admissionChecks?.map(checkSpec),
    };
  }

  /** Groups of quotas. @internal */
  public get _groups(): readonly ResourceGroup[] {
    return this.groups;
  }

  private problems(): Problem[] {
    const own = validateClusterQueue(this._toSpec());
    const landscape = landscapeOf(this);
    // Problems of all queues together are reported once.
    const together = landscape.clusterQueues[0].name === this.clusterQueueName ? validateLandscape(landscape) : [];
    return [...own, ...together];
  }

  /** Applies other constructs of the program first. */
  private dependOn(others: readonly unknown[]): void {
    others.filter((other): other is Construct => Construct.isConstruct(other)).forEach((other) => this.node.addDependency(other));
  }
}

function flavorsOf({ flavors }: ResourceGroup): unknown[] {
  return flavors.map(({ flavor }) => flavor);
}

function preemptionSpec({ withinClusterQueue, reclaimWithinCohort, borrowByPreemption, borrowMaxPriority }: QueuePreemption): QueuePreemptionSpec {
  const borrows = borrowByPreemption ?? (borrowMaxPriority !== undefined);
  return {
    withinClusterQueue,
    reclaimWithinCohort,
    ...(borrows && { borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: borrowMaxPriority } }),
  };
}

function checkSpec({ check, onFlavors }: AdmissionCheckUse): AdmissionCheckUseSpec {
  return {
    name: check.admissionCheckName,
    kind: check instanceof QueuedProvisioningCheck ? 'provisioning' : check instanceof MultiKueue ? 'multiKueue' : 'other',
    onFlavors: onFlavors?.map(({ flavorName }) => flavorName),
  };
}
