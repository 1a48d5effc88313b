/** A team: the namespace that it works in, who may do what there, and how much of it. */

/** Who: names as the API server knows them after it has authenticated somebody. */
export interface SubjectsSpec {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** Most that a team may have, as quantities by the names of a ResourceQuota (`requests.cpu`, `pods`). */
export interface TeamQuotaSpec {
  readonly hard: { readonly [name: string]: string };
}

/** What containers get that do not say, and what they may ask for. */
export interface ContainerLimitsSpec {
  readonly defaultRequest?: { readonly [resource: string]: string };
  readonly max?: { readonly [resource: string]: string };
}

/** Where traffic may go and come from. */
export interface TeamNetworkSpec {
  readonly fromNamespaces: readonly string[];
  /** Whether traffic out is limited to the namespace, names, HTTPS, the operator, what is named here, and for identities metadata servers. */
  readonly isLimited: boolean;
  /** Where the operator is that jobs report to. */
  readonly operatorNamespace: string;
  /** Whether pods have an identity in a cloud. */
  readonly hasIdentity: boolean;
  readonly toCidrs: readonly string[];
  readonly toNamespaces: readonly string[];
}

/** A team. */
export interface TeamSpec {
  readonly name: string;
  /** User that owns the Kubeflow profile; undefined for a plain namespace. */
  readonly profileOwner?: string;
  readonly members: SubjectsSpec;
  readonly viewers: SubjectsSpec;
  readonly quota?: TeamQuotaSpec;
  readonly containers?: ContainerLimitsSpec;
  /** `privileged`, `baseline` or `restricted`. */
  readonly podSecurity: string;
  readonly network?: TeamNetworkSpec;
  readonly labels: { readonly [label: string]: string };
  /** Whether members may open shells and ports in pods. */
  readonly interactive: boolean;
}
