/** Rules on what goes when a RayJob has ended, those of KubeRay's `validateDeletionConfiguration`. */
import type { RayDeletionPolicy, RayDeletionRuleSpec, RayJobEnd, RayJobSpec } from './job';
import { ViolationCollector, type Violation } from '../violations';

/** What goes first: each of them takes those before it along. */
const ORDER: readonly RayDeletionPolicy[] = ['DeleteWorkers', 'DeleteCluster', 'DeleteSelf'];

const ENDS: { readonly [end in RayJobEnd]: string } = { SUCCEEDED: 'jobs that succeed', FAILED: 'jobs that fail', DeploymentFailed: 'jobs that KubeRay gives up on' };

/** Checks deletion. */
export function validateRayDeletion(spec: RayJobSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  const { deletionRules, shutdownAfterJobFinishes, ttlSecondsAfterFinished } = spec;
  if (ttlSecondsAfterFinished !== undefined) {
    if (!(Number.isInteger(ttlSecondsAfterFinished) && ttlSecondsAfterFinished >= 0)) {
      violations.add(`${path}.ttlSecondsAfterFinished`, ttlSecondsAfterFinished, 'must be whole seconds, 0 or more.');
    }
    if (!shutdownAfterJobFinishes) {
      violations.add(`${path}.ttlSecondsAfterFinished`, ttlSecondsAfterFinished, deletionRules === undefined
        ? 'is the time until a cluster is shut down, but this one is not shut down (shutdownAfterJobFinishes: false). Remove one of the two.'
        : 'cannot be combined with deletionRules, which set how long each resource is kept. Remove it.');
    }
  }
  if (deletionRules !== undefined && shutdownAfterJobFinishes) {
    violations.add(`${path}.shutdownAfterJobFinishes`, true, 'cannot be combined with deletionRules, which set what is deleted. Remove it.');
  }
  if (deletionRules?.length === 0) {
    violations.add(`${path}.deletionStrategy.deletionRules`, [], 'must have at least one rule. Add one, or leave the list out.');
  }
  (deletionRules ?? []).forEach((rule, index) => validateRule(spec, rule, index, `${path}.deletionStrategy.deletionRules[${index}]`, violations));
  validateOrder(deletionRules ?? [], `${path}.deletionStrategy.deletionRules`, violations);
  return violations.violations;
}

function validateRule(
  { cluster, deletionRules = [] }: RayJobSpec, rule: RayDeletionRuleSpec, index: number, path: string, violations: ViolationCollector,
): void {
  const { policy, end, ttlSeconds } = rule;
  if (!(Number.isInteger(ttlSeconds) && ttlSeconds >= 0)) {
    violations.add(`${path}.condition.ttlSeconds`, ttlSeconds, 'must be whole seconds, 0 or more.');
  }
  if (cluster === undefined && (policy === 'DeleteCluster' || policy === 'DeleteWorkers')) {
    violations.add(`${path}.policy`, policy, 'deletes a cluster that is not the job\'s. Use DeleteSelf, or leave the rule out.');
  }
  if (cluster?.autoscaler !== undefined && policy === 'DeleteWorkers') {
    violations.add(`${path}.policy`, policy, 'cannot be combined with an autoscaler, which would start workers again. Use DeleteCluster.');
  }
  if (deletionRules.findIndex((other) => other.policy === policy && other.end === end) < index) {
    violations.add(path, policy, `already exists for ${ENDS[end]}. Remove one of the two.`);
  }
}

function validateOrder(rules: readonly RayDeletionRuleSpec[], path: string, violations: ViolationCollector): void {
  for (const end of Object.keys(ENDS) as RayJobEnd[]) {
    const inOrder = ORDER.flatMap((policy) => rules.find((rule) => rule.end === end && rule.policy === policy) ?? []);
    inOrder.slice(1).forEach(({ policy, ttlSeconds }, index) => {
      const before = inOrder[index];
      if (ttlSeconds < before.ttlSeconds) {
        violations.add(path, `${policy} after ${ttlSeconds} s`, `comes before ${before.policy} (${before.ttlSeconds} s) for ${ENDS[end]}, and makes it void. `
          + `Use ${before.ttlSeconds} s or more.`);
      }
    });
  }
}
