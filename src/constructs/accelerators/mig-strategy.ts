/** How partitions of GPUs are called. */
export enum MigStrategy {
  /** There are none that pods could ask for. */
  NONE = 'none',
  /** All GPUs of a node have partitions of one size, which are `nvidia.com/gpu`. */
  SINGLE = 'single',
  /** Each size is a resource of its own, such as `nvidia.com/mig-1g.10gb`. */
  MIXED = 'mixed',
}
