/** Fields in which an object may differ from its source: another program writes them. */
export interface ArgoCdIgnoredFields {
  /** JSON pointers, such as `/spec/replicas`. @default - none */
  readonly jsonPointers?: string[];
  /** Paths of jq, such as `.spec.workers[].replicas`. @default - none */
  readonly jqPathExpressions?: string[];
  /** Field managers whose fields are ignored, such as `kueue`. @default - none */
  readonly managedFieldsManagers?: string[];
}

/** Something that people can do to an object from Argo CD. */
export interface ArgoCdAction {
  /** Name in the menu. */
  readonly name: string;
  /** Lua that changes `obj` and returns it. */
  readonly lua: string;
}

/**
 * Settings of Argo CD for a kind.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#custom-health-checks
 */
export interface ArgoCdCustomization {
  /** API group; empty for Kubernetes' own kinds without one. */
  readonly group: string;

  /** Kind. */
  readonly kind: string;

  /**
   * Lua that returns `{ status = 'Healthy', message = '...' }` for the object `obj`. Statuses are Healthy, Progressing, Degraded, Suspended.
   * @default - Argo CD's own, or none
   */
  readonly health?: string;

  /** Lua that returns which of the actions there are for `obj`. @default - no actions */
  readonly actionDiscovery?: string;

  /** Actions. @default - none */
  readonly actions?: ArgoCdAction[];

  /** Fields that another program writes. @default - none */
  readonly ignoreDifferences?: ArgoCdIgnoredFields;

  /** Whether the scripts have all of Lua's libraries, such as `string`. @default false */
  readonly useOpenLibs?: boolean;
}
