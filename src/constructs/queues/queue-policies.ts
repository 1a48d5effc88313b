/** Order of a queue. */
export enum QueueingStrategy {
  /** By priority and age. A workload that does not fit does not block later ones. */
  BEST_EFFORT_FIFO = 'BestEffortFIFO',
  /** By priority and age. A workload that does not fit blocks later ones. */
  STRICT_FIFO = 'StrictFIFO',
}

/** Whether a queue admits workloads. */
export enum StopPolicy {
  /** It admits workloads. */
  NONE = 'None',
  /** It admits no new workloads. */
  HOLD = 'Hold',
  /** It admits no new workloads, and running ones are evicted. */
  HOLD_AND_DRAIN = 'HoldAndDrain',
}

/** Workloads of the same queue that can be preempted. */
export enum PreemptionWithinQueue {
  /** None. */
  NEVER = 'Never',
  /** Workloads of lower priority. */
  LOWER_PRIORITY = 'LowerPriority',
  /** Workloads of lower priority, and younger ones of the same. */
  LOWER_OR_NEWER_EQUAL_PRIORITY = 'LowerOrNewerEqualPriority',
}

/** Workloads in the cohort that are preempted to reclaim borrowed quota. */
export enum ReclaimWithinCohort {
  /** None. */
  NEVER = 'Never',
  /** Workloads of lower priority. */
  LOWER_PRIORITY = 'LowerPriority',
  /** All workloads that use borrowed quota. */
  ANY = 'Any',
}

/** Workloads that can be preempted. @see https://kueue.sigs.k8s.io/docs/concepts/preemption/ */
export interface QueuePreemption {
  /** Workloads of the same queue. @default PreemptionWithinQueue.NEVER */
  readonly withinClusterQueue?: PreemptionWithinQueue;

  /**
   * Workloads in other queues of the cohort, to reclaim the queue's own quota.
   * @default ReclaimWithinCohort.NEVER
   */
  readonly reclaimWithinCohort?: ReclaimWithinCohort;

  /** Whether a workload that must borrow can also preempt workloads of lower priority in other queues. @default false */
  readonly borrowByPreemption?: boolean;

  /** Maximum priority of these workloads. @default - any lower priority */
  readonly borrowMaxPriority?: number;
}

/** What to do if a workload fits a flavor only with borrowing, or only with preemption. */
export enum FlavorSearch {
  /** Use this flavor. */
  MAY_STOP = 'MayStopSearch',
  /** Try the next flavor. */
  TRY_NEXT = 'TryNextFlavor',
}

/** What is preferred if both are possible, after all flavors were tried. */
export enum FlavorPreference {
  /** Borrowing, so that no workload is preempted. */
  BORROWING_OVER_PREEMPTION = 'BorrowingOverPreemption',
  /** Preemption in a flavor without borrowing. */
  PREEMPTION_OVER_BORROWING = 'PreemptionOverBorrowing',
}

/** When the next flavor is tried. @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#flavorfungibility */
export interface FlavorFungibility {
  /** If the workload fits with borrowing. @default FlavorSearch.MAY_STOP */
  readonly whenCanBorrow?: FlavorSearch;

  /** If the workload fits only with preemption. @default FlavorSearch.TRY_NEXT */
  readonly whenCanPreempt?: FlavorSearch;

  /**
   * What is preferred. Only if both others are `FlavorSearch.TRY_NEXT`.
   * @default FlavorPreference.BORROWING_OVER_PREEMPTION
   */
  readonly preference?: FlavorPreference;
}
