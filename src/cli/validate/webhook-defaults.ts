/** What webhooks of other systems fill in before the API server asks whether a required field is there. */
import { isRecord, record } from '../../model/json-parts';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { keyOf } from '../../model/references/relations';

/** The object as its definition sees it. */
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
