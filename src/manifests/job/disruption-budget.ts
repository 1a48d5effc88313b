/** Budgets by which a drain of nodes leaves some pods of what serves. */
type Fields = { readonly [field: string]: unknown };
type Texts = { readonly [label: string]: string };

/** `apiVersion` of a PodDisruptionBudget. */
export const BUDGET_API_VERSION = 'policy/v1';

/** `spec` of a budget that lets one pod go at a time. Kubernetes has to know how many there are to be, so Deployments and StatefulSets make them. */
export function oneAtATime(labels: Texts): Fields {
  return { maxUnavailable: 1, selector: { matchLabels: labels } };
}

/** `spec` of a budget that keeps a number of pods, whoever makes them. */
export function atLeast(pods: number, labels: Texts): Fields {
  return { minAvailable: pods, selector: { matchLabels: labels } };
}
