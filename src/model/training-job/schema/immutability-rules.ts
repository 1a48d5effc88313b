/**
 * Rules on what cannot change while a job exists: everything that its pods were made from, and what its past was judged by. What may
 * change: whether it is suspended, how long it may run and stays, how many more failures it may have, which pods are cleaned up, and the number
 * of replicas of an elastic job. Security may change while the API server lets no pod of the job in, which security may mend.
 */
import type { SchemaFields, ValidationRule } from './json-schema';
import type { RunPolicySpec } from '../run-policy';
import type { TrainingJobSpec } from '../spec';

/** Fields of the spec that stay as they are. */
const FIXED_FIELDS: readonly (keyof TrainingJobSpec)[] = [
  'framework', 'image', 'roles', 'helpers', 'command', 'args', 'code', 'workingDir', 'env', 'resources', 'hyperparameters', 'checkpointPath', 'checkpoint',
  'nprocPerNode', 'port', 'template', 'scheduling', 'elastic', 'autoTuning', 'preflight', 'debug', 'init', 'idle', 'managedBy',
];

/** Fields of the run policy that stay as they are. */
const FIXED_RUN_POLICY_FIELDS: readonly (keyof RunPolicySpec)[] = [
  'restartPolicy', 'restartInPlace', 'backoff', 'exitCodes', 'disruptionLimit', 'successPolicy', 'stall',
];

const MESSAGE = 'cannot change while the job exists. Delete the job and create it again (kubectl replace --force -f FILE)';

/** Rules at `spec`. */
export function immutabilityRules(): ValidationRule[] {
  return [
    // Of an array some fields may change, but a job is one or is none.
    presence('spec', [...FIXED_FIELDS, 'array']),
    {
      rule: 'has(self.elastic) || !has(self.replicas) || !has(oldSelf.replicas) || self.replicas == oldSelf.replicas',
      message: 'cannot change while the job exists, unless it is elastic. Delete the job and create it again (kubectl replace --force -f FILE), with spec.elastic if the number should change again',
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

/**
 * Rule at the job, which alone knows its status. Values are compared before the status is read: nearly every write leaves them alone. Jobs whose
 * status has no counts of pods have jobs of their own below them.
 */
export function securityRule(): ValidationRule {
  const isSame = 'has(self.spec.security) == has(oldSelf.spec.security) && (!has(self.spec.security) || self.spec.security == oldSelf.spec.security)';
  const hasNoPod = [
    'has(oldSelf.status)', 'has(oldSelf.status.conditions)', 'has(oldSelf.status.workerStatuses)', '!(has(oldSelf.status.attemptStarted) && oldSelf.status.attemptStarted)',
    '(!has(oldSelf.status.attempt) || oldSelf.status.attempt == 0)',
    'oldSelf.status.conditions.exists(c, c.type == \'Created\' && c.status == \'False\')',
    'oldSelf.status.workerStatuses.all(w, w.pending + w.running + w.succeeded + w.failed == 0)',
  ].join(' && ');
  return {
    rule: `(${isSame}) || (${hasNoPod})`,
    message: 'cannot change while the job exists, unless its pods are not admitted and it has none. Delete the job and create it again (kubectl replace --force -f FILE)',
    fieldPath: '.spec.security',
    reason: 'FieldValueForbidden',
  };
}

/** Rules at `spec.runPolicy`. */
export function runPolicyImmutabilityRules(): ValidationRule[] {
  return [presence('spec.runPolicy', FIXED_RUN_POLICY_FIELDS)];
}

/** The fields of a spec, those that stay as they are with the rule that says so. */
export function withFixedFields<T extends SchemaFields>(fields: T): T {
  return fix(fields, FIXED_FIELDS);
}

/** As {@link withFixedFields}, for a run policy. */
export function withFixedRunPolicyFields<T extends SchemaFields>(fields: T): T {
  return fix(fields, FIXED_RUN_POLICY_FIELDS);
}

/**
 * A rule at the field itself holds whenever the field was there before and is there now. It is far cheaper than one at the object, and every
 * status write pays for it: the API server looks at all properties of an object each time that a rule there names one of them.
 */
function fix<T extends SchemaFields>(fields: T, fixed: readonly (keyof T & string)[]): T {
  const rule: ValidationRule = { rule: 'self == oldSelf', message: MESSAGE, reason: 'FieldValueForbidden' };
  return {
    ...fields,
    ...Object.fromEntries(fixed.map((field) => [field, {
      ...fields[field],
      'x-kubernetes-validations': [...fields[field]['x-kubernetes-validations'] ?? [], rule],
    }])),
  };
}

/** What comes or goes is seen at the object alone. Nothing is looked at when nothing has changed. */
function presence(place: string, fields: readonly string[]): ValidationRule {
  const comesOrGoes = (field: string) => `has(self.${field}) != has(oldSelf.${field})`;
  return {
    rule: `self == oldSelf || !(${fields.map(comesOrGoes).join(' || ')})`,
    message: MESSAGE,
    // The first of them is named. (The API server refuses a text of a length that it cannot tell beforehand.)
    messageExpression: fields.reduceRight((others, field) => `${comesOrGoes(field)} ? '${place}.${field} ${MESSAGE}' : (${others})`, `'${MESSAGE}'`),
    reason: 'FieldValueForbidden',
  };
}
