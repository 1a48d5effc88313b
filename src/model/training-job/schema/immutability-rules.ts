/**
 * Rules on what cannot change while a job exists, in addition to what each field says of itself: everything that its pods were made from, and what
 * its past was judged by. What may change: whether it is suspended, how long it may run and stays, how many more failures it may have, which pods
 * are cleaned up, and the number of replicas of an elastic job. Security may change while the API server lets no pod of the job in, which security
 * may mend.
 */
import { FIXED } from './field';
import type { JsonSchema, ValidationRule } from './json-schema';

/** Rules at `spec`. */
export function replicasRules(): ValidationRule[] {
  return [
    {
      rule: 'has(self.elastic) || !has(self.replicas) || !has(oldSelf.replicas) || self.replicas == oldSelf.replicas',
      message: 'cannot change while the job exists, unless it is elastic. Delete the job and create it again (kubectl replace --force -f FILE), with spec.elastic if the number should change again',
      fieldPath: '.replicas',
      reason: 'FieldValueForbidden',
    },
    // An elastic job stays in its form all the same.
    {
      rule: 'has(self.replicas) == has(oldSelf.replicas)',
      message: FIXED,
      fieldPath: '.replicas',
      reason: 'FieldValueForbidden',
    },
  ];
}

/**
 * Moves the rule on fields that come or go from the spec to the job. A write that changes the phase is one of the status, which cannot change the
 * spec at the same time, so there is nothing to compare. (The API server evaluates all rules on each write of the status, and copies the schemas of
 * all properties of an object for each field that a rule names. To compare two specs took a third of such a write.)
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource
 */
export function presenceAtJob(
  { 'x-kubernetes-validations': all = [], ...spec }: JsonSchema,
): { readonly spec: JsonSchema; readonly rules: readonly ValidationRule[] } {
  const isPresence = ({ rule }: ValidationRule) => rule.startsWith('self == oldSelf || ');
  const ofJob = (expression: string) => expression.replace(/\b(self|oldSelf)\b/g, '$1.spec');
  const phaseOf = (job: string) => `(has(${job}.status) && has(${job}.status.phase) ? ${job}.status.phase : '')`;
  const rules = all.filter(isPresence).map((rule) => ({
    ...rule,
    rule: `${phaseOf('self')} != ${phaseOf('oldSelf')} || ${ofJob(rule.rule)}`,
    messageExpression: ofJob(rule.messageExpression!),
    fieldPath: '.spec',
  }));
  return { spec: { ...spec, 'x-kubernetes-validations': all.filter((rule) => !isPresence(rule)) }, rules };
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
