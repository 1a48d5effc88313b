import type { IResourceFlavor } from './flavor-interface';
import type { Quota } from './quota';

/**
 * Quotas of one flavor.
 */
export interface FlavorQuotas {
  /**
   * The flavor.
   */
  readonly flavor: IResourceFlavor;

  /**
   * A quota for each resource that pods of the queue may ask for. All flavors of a group have the same ones, in any order.
   */
  readonly quotas: Quota[];
}

/**
 * Flavors that stand in for each other: a job gets the first that it fits, for all resources of the group.
 */
export interface ResourceGroup {
  /**
   * The most wanted first.
   */
  readonly flavors: FlavorQuotas[];
}
