/** Rules at `spec` on what an array goes together with. */
import type { ValidationRule } from './json-schema';

/** Rules at `spec`. */
export function arrayRules(): ValidationRule[] {
  return [
    {
      rule: '!has(self.array) || !has(self.elastic)',
      message: 'cannot be combined with elastic: autoscalers would change the replicas of an array, which has no replicas of its own. Remove one of the two',
      fieldPath: '.array',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.array) || !has(self.autoTuning) || !self.autoTuning.enabled',
      message: 'cannot be combined with autoTuning, whose trials are copies of the job already. Remove one of the two',
      fieldPath: '.array',
      reason: 'FieldValueForbidden',
    },
  ];
}
