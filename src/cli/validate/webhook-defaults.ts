/** Defaults that webhooks of other systems set before the API server checks required fields. */
import { isRecord, record } from '../../model/json-parts';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { keyOf } from '../../model/references/relations';

/** The object with the defaults. */
export function withWebhookDefaults(object: ManifestObject): ManifestObject {
  return keyOf(object) === 'jobset.x-k8s.io/JobSet' ? withRuleNames(object) : object;
}

/** @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go */
function withRuleNames(object: ManifestObject): ManifestObject {
  const spec = record(object.spec);
  const policy = record(spec.failurePolicy);
  if (!Array.isArray(policy.rules)) {
    return object;
  }
  const rules = policy.rules.map((rule: unknown, index) => (isRecord(rule) ? { name: `failurePolicyRule${index}`, ...rule } : rule));
  return { ...object, spec: { ...spec, failurePolicy: { ...policy, rules } } };
}
