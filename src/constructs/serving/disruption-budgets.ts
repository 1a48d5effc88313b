/** PodDisruptionBudgets of a service, which the functions of this file create. */
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { BUDGET_API_VERSION, oneAtATime } from '../../manifests/job/disruption-budget';
import type { ServingBudget } from '../../model/serving/disruptions';

/** The service that has them. */
export interface BudgetedService {
  readonly name: string;
  readonly namespace?: string;
}

/** Adds them to a service: `NAME-PART` each. */
export function addDisruptionBudgets(scope: Construct, { name, namespace }: BudgetedService, budgets: readonly ServingBudget[]): void {
  budgets.forEach(({ part, labels }) => new PlainApiObject(scope, `DisruptionBudget-${part}`, {
    apiVersion: BUDGET_API_VERSION,
    kind: 'PodDisruptionBudget',
    metadata: { name: `${name}-${part}`, ...(namespace !== undefined && { namespace }) },
    spec: oneAtATime(labels),
  }));
}
