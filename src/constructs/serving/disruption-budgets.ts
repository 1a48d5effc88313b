/** PodDisruptionBudgets of a service. */
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { BUDGET_API_VERSION, oneAtATime } from '../../manifests/job/disruption-budget';
import type { ServingBudget } from '../../model/serving/disruptions';

/** The service of the budgets. */
export interface BudgetedService {
  readonly name: string;
  readonly namespace?: string;
}

/** Adds budgets named `NAME-PART`. */
export function addDisruptionBudgets(scope: Construct, { name, namespace }: BudgetedService, budgets: readonly ServingBudget[]): void {
  budgets.forEach(({ part, labels }) => new PlainApiObject(scope, `DisruptionBudget-${part}`, {
    apiVersion: BUDGET_API_VERSION,
    kind: 'PodDisruptionBudget',
    metadata: { name: `${name}-${part}`, ...(namespace !== undefined && { namespace }) },
    spec: oneAtATime(labels),
  }));
}
