/**
 * Pods of model servers by the labels that KServe gives them, and of which of them a drain of nodes has to leave some: those of components that have
 * two replicas at the least. Replicas over several nodes are left out, because the loss of one pod is the loss of its whole replica.
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 */
import type { LlmInferenceServiceSpec } from './llm';
import { componentsOf, type InferenceServiceSpec } from './spec';
import { llmLabels } from '../kinds/serving';

type Texts = { readonly [label: string]: string };

/** Fewest replicas that a budget is of use for: of one it would hold up every drain. */
export const LEAST_REPLICAS_OF_BUDGET = 2;

/** Labels of the pods of a component of an InferenceService, in both modes. */
export function servingPodLabels(service: string, role: string): Texts {
  return { 'serving.kserve.io/inferenceservice': service, 'component': role };
}

/** Labels of the pods of an LLMInferenceService whose replicas have one pod. */
export function llmPodLabels(service: string, part: LlmPart): Texts {
  return { 'app.kubernetes.io/component': `llminferenceservice-${part}`, ...llmLabels(service) };
}

/** Parts of an LLMInferenceService, as KServe calls them. */
export type LlmPart = 'workload' | 'workload-prefill';

/** Pods that shall not all go at once. */
export interface ServingBudget {
  /** What they are of the service: the end of the budget's name. */
  readonly part: string;
  readonly labels: Texts;
}

export function servingBudgets(name: string, spec: InferenceServiceSpec): ServingBudget[] {
  return componentsOf(spec)
    .filter(({ component: { scaling, worker } }) => worker === undefined && (scaling?.minReplicas ?? 0) >= LEAST_REPLICAS_OF_BUDGET)
    .map(({ role }) => ({ part: role, labels: servingPodLabels(name, role) }));
}

export function llmBudgets(name: string, { decode, prefill }: LlmInferenceServiceSpec): ServingBudget[] {
  const parts = [['workload', decode, 'workload'], ['prefill', prefill, 'workload-prefill']] as const;
  return parts
    .filter(([, workload]) => workload?.worker === undefined)
    .filter(([, workload]) => (workload?.scaling?.minReplicas ?? workload?.replicas ?? 0) >= LEAST_REPLICAS_OF_BUDGET)
    .map(([part, , label]) => ({ part, labels: llmPodLabels(name, label) }));
}
