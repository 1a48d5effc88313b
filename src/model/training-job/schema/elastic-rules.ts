/** Rules at `spec` on what `spec.elastic` goes together with. */
import { celList, type ValidationRule } from './json-schema';
import { elasticFrameworks } from '../../frameworks/registry';

/** An elastic job is in the short form, whose `replicas` the scale subresource changes, and of a framework whose replicas can come and go. */
export function elasticFormRules(): ValidationRule[] {
  const frameworks = elasticFrameworks();
  return [
    {
      rule: '!has(self.elastic) || has(self.replicas)',
      message: 'is needed beside elastic: it is what kubectl scale and autoscalers change. Give replicas and leave roles out',
      fieldPath: '.replicas',
      reason: 'FieldValueRequired',
    },
    {
      rule: `!has(self.elastic) || self.framework in ${celList(frameworks.map(({ name }) => name))}`,
      message: `is not possible with this framework, whose replicas cannot come and go while it trains; it is with ${frameworks.map(({ title }) => title).join(' and ')}. Remove it`,
      fieldPath: '.elastic',
      reason: 'FieldValueForbidden',
    },
  ];
}
