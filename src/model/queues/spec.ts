/** Queues of Kueue, in the model's terms: the one description that rules check, that manifests are rendered from, and that jobs are fitted into. */

/** What a queue has of one resource in one flavor. Amounts are Kubernetes quantities. */
export interface QuotaSpec {
  /** Such as `cpu` or `nvidia.com/gpu`. */
  readonly resource: string;
  readonly nominal: string;
  /** Most that is taken from the cohort in addition to the nominal quota. @default - whatever the cohort has */
  readonly borrowingLimit?: string;
  /** Most of the nominal quota that the cohort may have. @default - all of it */
  readonly lendingLimit?: string;
}

export interface FlavorQuotasSpec {
  readonly flavor: string;
  readonly quotas: readonly QuotaSpec[];
}

/** Flavors that can replace each other, in order of preference. All of them have quotas for the same resources. */
export interface ResourceGroupSpec {
  /** Names of the resources. @default - those of the first flavor */
  readonly coveredResources?: readonly string[];
  readonly flavors: readonly FlavorQuotasSpec[];
}

/** Who has to give way. */
export interface QueuePreemptionSpec {
  /** `Never`, `LowerPriority`, `LowerOrNewerEqualPriority`. */
  readonly withinClusterQueue?: string;
  /** `Never`, `LowerPriority`, `Any`: of workloads of other queues that run on borrowed quota. */
  readonly reclaimWithinCohort?: string;
  /** Whether others are preempted in order to borrow: those up to a priority, or any of a lower one. */
  readonly borrowWithinCohort?: { readonly policy: string; readonly maxPriorityThreshold?: number };
}

/** When the next flavor is tried. */
export interface FlavorFungibilitySpec {
  /** `MayStopSearch` or `TryNextFlavor`. */
  readonly whenCanBorrow?: string;
  /** `MayStopSearch` or `TryNextFlavor`. */
  readonly whenCanPreempt?: string;
  /** `BorrowingOverPreemption` or `PreemptionOverBorrowing`. */
  readonly preference?: string;
}

/** Kinds of admission checks that rules distinguish. */
export type AdmissionCheckKind = 'provisioning' | 'multiKueue' | 'other';

/** A check that a queue's workloads have to pass. */
export interface AdmissionCheckUseSpec {
  readonly name: string;
  readonly kind: AdmissionCheckKind;
  /** @default - all flavors */
  readonly onFlavors?: readonly string[];
}

export interface ClusterQueueSpec {
  readonly name: string;
  readonly cohort?: string;
  readonly resourceGroups: readonly ResourceGroupSpec[];
  /** Names of namespaces. @default - all */
  readonly namespaces?: readonly string[];
  /** Labels of namespaces. @default - all */
  readonly namespaceLabels?: { readonly [label: string]: string };
  readonly queueingStrategy?: string;
  readonly preemption?: QueuePreemptionSpec;
  readonly flavorFungibility?: FlavorFungibilitySpec;
  readonly fairWeight?: number;
  /** Whether LocalQueues that have used less go first. */
  readonly admitByUsage?: boolean;
  readonly admissionChecks?: readonly AdmissionCheckUseSpec[];
  readonly stopPolicy?: string;
  /** Starts of names of resources that Kueue's configuration leaves out of its sums. */
  readonly uncountedResources?: readonly string[];
}

export interface CohortSpec {
  readonly name: string;
  readonly parent?: string;
  readonly resourceGroups: readonly ResourceGroupSpec[];
  readonly fairWeight?: number;
}

/** A taint, with the effect as Kubernetes spells it. */
export interface FlavorTaintSpec {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface FlavorTolerationSpec {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** What is known of the nodes of a flavor. What is undefined is not known, and not checked. */
export interface FlavorNodesSpec {
  /** Labels of the nodes in addition to those that the flavor selects by. */
  readonly labels?: { readonly [label: string]: string };
  /** What pods can have of one node, as numbers of the base unit. */
  readonly perNode?: { readonly [resource: string]: number };
  /** Most nodes that there can be. */
  readonly count?: number;
  /** Whether quotas may add up to more than the nodes have. */
  readonly overcommitted?: boolean;
}

export interface FlavorSpec {
  readonly name: string;
  readonly nodeLabels: { readonly [label: string]: string };
  readonly nodeTaints: readonly FlavorTaintSpec[];
  readonly tolerations: readonly FlavorTolerationSpec[];
  /** Levels are undefined where the topology is not in the program. */
  readonly topology?: { readonly name: string; readonly levels?: readonly string[] };
  readonly nodes?: FlavorNodesSpec;
}

/** All queues of a program. A cohort that is named and not in it may have members and quota that are not known here. */
export interface QueueLandscape {
  readonly clusterQueues: readonly ClusterQueueSpec[];
  readonly cohorts: readonly CohortSpec[];
  readonly flavors: readonly FlavorSpec[];
}
