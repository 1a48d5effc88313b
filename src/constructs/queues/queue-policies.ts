/** Order of a queue. */
export enum QueueingStrategy {
  /** By priority and age; who does not fit lets others pass. */
  BEST_EFFORT_FIFO = 'BestEffortFIFO',
  /** By priority and age; who does not fit blocks those behind. */
  STRICT_FIFO = 'StrictFIFO',
}

/** Whether a queue admits anything. */
export enum StopPolicy {
  /** It does. */
  NONE = 'None',
  /** Nothing new. */
  HOLD = 'Hold',
  /** Nothing new, and what runs is evicted. */
  HOLD_AND_DRAIN = 'HoldAndDrain',
}

/** Who of the same queue gives way. */
export enum PreemptionWithinQueue {
  /** Nobody. */
  NEVER = 'Never',
  /** Workloads of lower priority. */
  LOWER_PRIORITY = 'LowerPriority',
  /** Workloads of lower priority, and younger ones of the same. */
  LOWER_OR_NEWER_EQUAL_PRIORITY = 'LowerOrNewerEqualPriority',
}

/** Who of the cohort gives back what was lent to him. */
export enum ReclaimWithinCohort {
  /** Nobody, until he is done. */
  NEVER = 'Never',
  /** Workloads of lower priority. */
  LOWER_PRIORITY = 'LowerPriority',
  /** Whoever runs on what was lent. */
  ANY = 'Any',
}

/** Who has to give way, and for whom. @see https://kueue.sigs.k8s.io/docs/concepts/preemption/ */
export interface QueuePreemption {
  /** Who of the same queue. @default PreemptionWithinQueue.NEVER */
  readonly withinClusterQueue?: PreemptionWithinQueue;

  /**
   * Who of the other queues of the cohort, when the queue wants its own quota back.
   * @default ReclaimWithinCohort.NEVER
   */
  readonly reclaimWithinCohort?: ReclaimWithinCohort;

  /** Whether workloads of lower priority in other queues also give way to one that has to borrow. @default false */
  readonly borrowByPreemption?: boolean;

  /** Of them only those up to this priority. @default - all of a lower priority */
  readonly borrowMaxPriority?: number;
}

/** What to do when a flavor has room only by borrowing, or by preemption. */
export enum FlavorSearch {
  /** Take it. */
  MAY_STOP = 'MayStopSearch',
  /** Look whether the next flavor has room without. */
  TRY_NEXT = 'TryNextFlavor',
}

/** What is preferred when both are possible, and all flavors were tried. */
export enum FlavorPreference {
  /** To borrow, so that no workload is preempted. */
  BORROWING_OVER_PREEMPTION = 'BorrowingOverPreemption',
  /** To preempt in a flavor where nothing has to be borrowed. */
  PREEMPTION_OVER_BORROWING = 'PreemptionOverBorrowing',
}

/** When the next flavor is tried. @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#flavorfungibility */
export interface FlavorFungibility {
  /** When the flavor has room if something is borrowed. @default FlavorSearch.MAY_STOP */
  readonly whenCanBorrow?: FlavorSearch;

  /** When the flavor has room only after preemption. @default FlavorSearch.TRY_NEXT */
  readonly whenCanPreempt?: FlavorSearch;

  /**
   * What is better. Only where both others are `FlavorSearch.TRY_NEXT`.
   * @default FlavorPreference.BORROWING_OVER_PREEMPTION
   */
  readonly preference?: FlavorPreference;
}
