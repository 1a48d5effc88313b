/** Environments of one program, in plain data: what differs between them, and which takes its versions from which. */

/** How something gets from one environment to the next. */
export type PromotionMode = 'automatic' | 'pull-request';

/** Names by their values: versions by components, images by what they are for. */
export interface Pinned {
  readonly [name: string]: string;
}

/** One environment. */
export interface EnvironmentSpec {
  readonly name: string;
  /** Environment that versions and images come from; the first one has none. */
  readonly from?: string;
  readonly mode: PromotionMode;
  /** Branch or revision that is delivered. */
  readonly revision?: string;
  /** API server of its cluster. */
  readonly server?: string;
  /** What stands before the names of its namespaces. */
  readonly namespacePrefix: string;
  readonly versions: Pinned;
  readonly images: Pinned;
  /** Names of its sizes. */
  readonly sizes: readonly string[];
  /** Names of its quotas. */
  readonly quotas: readonly string[];
}

/** What is promoted: the only settings that a file can hold, and that `trainyard promote` copies. */
export const PROMOTED_SETTINGS = ['versions', 'images'] as const;

/** Environments of a program that does not say which it has, each promoted to the next. */
export const STANDARD_ENVIRONMENTS = ['dev', 'qa', 'stress', 'prod'];
