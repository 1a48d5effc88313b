/** PodDisruptionBudgets, so that serving continues while nodes are drained. */
type Fields = { readonly [field: string]: unknown };
type Texts = { readonly [label: string]: string };

/** `apiVersion` of a PodDisruptionBudget. */
export const BUDGET_API_VERSION = 'policy/v1';

/** `spec` of a budget that allows one disruption at a time. Only for pods of Deployments and StatefulSets, whose number Kubernetes knows. */
export function oneAtATime(labels: Texts): Fields {
  return { maxUnavailable: 1, selector: { matchLabels: labels } };
}

/** `spec` of a budget that keeps a number of pods of any kind. */
export function atLeast(pods: number, labels: Texts): Fields {
  return { minAvailable: pods, selector: { matchLabels: labels } };
}
