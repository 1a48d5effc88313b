/** Rules on pod templates: what the operator sets itself, because it finds its pods by it, or replicas find each other. */
import type { PodTemplateSpec, TrainingJobSpec } from './spec';
import { RESERVED_POD_LABELS, RESERVED_VOLUME_PREFIX } from '../labels';
import { fieldPath } from '../shapes';
import { ViolationCollector, type Violation } from '../violations';

/** Checks the templates of a job and of its roles. Variables in them are checked with all others, in `validation-variables.ts`. */
export function validateTemplates(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  validateTemplate(spec.template, 'spec.template', violations);
  (spec.roles ?? []).forEach((role, index) => validateTemplate(role.template, `spec.roles[${index}].template`, violations));
  return violations.violations;
}

function validateTemplate(template: PodTemplateSpec | undefined, path: string, violations: ViolationCollector): void {
  for (const [label, value] of Object.entries(template?.metadata?.labels ?? {})) {
    if (RESERVED_POD_LABELS.includes(label)) {
      violations.add(`${path}.metadata.labels['${label}']`, value, 'is set by the operator, which finds its pods by it. Remove it.');
    }
  }
  const pod = template?.spec ?? {};
  if (pod.restartPolicy !== undefined && pod.restartPolicy !== 'Never') {
    violations.add(`${path}.spec.restartPolicy`, pod.restartPolicy,
      'must be Never: the operator restarts replicas and counts them. Set spec.runPolicy.restartPolicy.');
  }
  for (const field of ['hostname', 'subdomain']) {
    if (pod[field] !== undefined) {
      violations.add(fieldPath(`${path}.spec`, field), pod[field], 'is set by the operator: replicas find each other by it. Remove it.');
    }
  }
  const volumes = (pod.volumes ?? []) as readonly { readonly name: string }[];
  volumes.forEach(({ name }, index) => {
    if (name.startsWith(RESERVED_VOLUME_PREFIX)) {
      violations.add(`${path}.spec.volumes[${index}].name`, name, `starts with '${RESERVED_VOLUME_PREFIX}', as the operator's own volumes do. Rename it.`);
    }
  });
}
