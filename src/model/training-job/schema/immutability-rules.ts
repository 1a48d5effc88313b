/**
 * Rules on what cannot change while a job exists: everything that its pods were made from, and what its past was judged by. What may
 * change: whether it is suspended, how long it may run and stays, how many more failures it may have, which pods are cleaned up, and the number
 * of replicas of an elastic job.
 */
import type { ValidationRule } from './json-schema';
import type { RunPolicySpec } from '../run-policy';
import type { TrainingJobSpec } from '../spec';

/** Fields of the spec that stay as they are. */
const FIXED_FIELDS: readonly (keyof TrainingJobSpec)[] = [
  'framework', 'image', 'roles', 'command', 'args', 'workingDir', 'env', 'resources', 'hyperparameters', 'checkpointPath', 'checkpoint',
  'nprocPerNode', 'port', 'template', 'scheduling', 'security', 'elastic', 'autoTuning', 'preflight', 'debug', 'idle', 'managedBy',
];

/** Fields of the run policy that stay as they are. */
const FIXED_RUN_POLICY_FIELDS: readonly (keyof RunPolicySpec)[] = [
  'restartPolicy', 'restartInPlace', 'backoff', 'exitCodes', 'disruptionLimit', 'successPolicy', 'stall',
];

const MESSAGE = 'cannot change while the job exists. Delete the job and create it anew';

/** Rules at `spec`. */
export function immutabilityRules(): ValidationRule[] {
  return [
    ...FIXED_FIELDS.map((field) => fixed(field)),
    {
      rule: `has(self.elastic) || (${unchanged('replicas')})`,
      message: 'cannot change while the job exists, unless it is elastic. Delete the job and create it anew, or create it with spec.elastic',
      fieldPath: '.replicas',
      reason: 'FieldValueForbidden',
    },
    // An elastic job stays in its form all the same.
    {
      rule: 'has(self.replicas) == has(oldSelf.replicas)',
      message: MESSAGE,
      fieldPath: '.replicas',
      reason: 'FieldValueForbidden',
    },
  ];
}

/** Rules at `spec.runPolicy`. */
export function runPolicyImmutabilityRules(): ValidationRule[] {
  return FIXED_RUN_POLICY_FIELDS.map((field) => fixed(field));
}

function fixed(field: string): ValidationRule {
  return { rule: unchanged(field), message: MESSAGE, fieldPath: `.${field}`, reason: 'FieldValueForbidden' };
}

function unchanged(field: string): string {
  return `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`;
}
