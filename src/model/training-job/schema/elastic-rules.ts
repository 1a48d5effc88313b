/** Rules at `spec` on what `spec.elastic` goes together with. */
import { celList, type ValidationRule } from './json-schema';
import { elasticFrameworks } from '../../frameworks/registry';

/** An elastic job is in the short form, whose `replicas` the scale subresource changes, and of a framework whose replicas can come and go. */
export function elasticFormRules(): ValidationRule[] {
  const frameworks = elasticFrameworks();
  return [
    {
      rule: '!has(self.elastic) || has(self.replicas)',
      message: 'is required with elastic: kubectl scale and autoscalers change it. Set replicas and leave roles out',
      fieldPath: '.replicas',
      reason: 'FieldValueRequired',
    },
    {
      rule: `!has(self.elastic) || self.framework in ${celList(frameworks.map(({ name }) => name))}`,
      message: `is not possible with this framework, whose replicas cannot join and leave during training; it is supported by ${frameworks.map(({ title }) => title).join(' and ')}. Remove it`,
      fieldPath: '.elastic',
      reason: 'FieldValueForbidden',
    },
  ];
}
