/** Names that KServe derives from an InferenceService's, and how long they may get. */
import { componentsOf, type NamedInferenceService } from './spec';
import { DNS_1035_LABEL_PATTERN, DNS_LABEL_MAX_LENGTH } from '../names';
import { expressionOf } from '../text/expressions';
import { shownName } from '../text/printable';
import { ViolationCollector, type Violation } from '../violations';

const NAME = expressionOf(DNS_1035_LABEL_PATTERN);

/** Whether KServe's webhooks take a name for an InferenceService or InferenceGraph. */
export function isServingName(name: string): boolean {
  return NAME.test(name);
}

/** Whether Kubernetes takes a name for an object without Services: dots too, such as in `vllm-0.11`. */
export function isObjectName(name: string, maxLength: number = 253): boolean {
  return name.length <= maxLength && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}

/** Deployment and Service of a predictor in Standard mode, and Knative Service of any component in Knative mode. */
export function componentServiceName(name: string, role: string, variant?: string): string {
  return variant === undefined ? `${name}-${role}` : `${name}-${variant}-${role}`;
}

export function validateServingNames({ name, namespace, spec }: NamedInferenceService): Violation[] {
  const violations = new ViolationCollector();
  if (!NAME.test(name)) {
    violations.add('metadata.name', name,
      'KServe accepts lower-case letters, digits and \'-\', starting with a letter and ending with a letter or digit. Choose such a name.');
  }
  for (const { role, component, path } of componentsOf(spec)) {
    const service = componentServiceName(name, role, component.name);
    checkName(violations, component.name, `${path}.name`);
    checkLength(violations, name, service, `Service of its ${role}`);
    if (spec.mode === 'Standard' && namespace !== undefined) {
      // KServe refuses to reconcile when the first label of the host name is too long, also where it makes no ingress (kserve#4807).
      checkLength(violations, name, `${componentServiceName(name, role)}-${namespace}`, `host name of its ${role}`);
    }
    if (spec.tagRouting) {
      checkLength(violations, name, `latest-${service}`, `address of the newest revision of its ${role}`);
    }
  }
  (spec.canaries ?? []).forEach((canary, index) => {
    checkName(violations, canary.name, `spec.canary[${index}].predictor.name`);
    if (spec.mode === 'Standard') {
      checkLength(violations, name, componentServiceName(name, 'predictor', canary.name), `Service of its canary '${canary.name}'`);
    }
  });
  return violations.violations;
}

function checkName(violations: ViolationCollector, name: string | undefined, path: string): void {
  violations.form(path, name, NAME, 'is part of the names of Deployments and Services: lower-case letters, digits and \'-\', starting with a letter. Choose such a name.');
}

function checkLength(violations: ViolationCollector, name: string, derived: string, what: string): void {
  const excess = derived.length - DNS_LABEL_MAX_LENGTH;
  if (excess > 0) {
    const fix = name.length > excess ? `Use at most ${name.length - excess} characters.` : 'Shorten the other parts.';
    violations.add('metadata.name', name, `is too long: the ${what} would be '${shownName(derived)}' with ${derived.length} characters, and DNS labels hold `
      + `${DNS_LABEL_MAX_LENGTH}. ${fix}`);
  }
}

/**
 * Annotations that name the Secret with the credentials of a model's storage. KServe reads the one that its ConfigMap names
 * (`credentials.storageSecretNameAnnotation`): its release manifests name the first, its Helm charts the second. An installation ignores the
 * other one, so both are written.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/config/configmap/inferenceservice.yaml
 */
export const STORAGE_SECRET_ANNOTATIONS: readonly string[] = ['serving.kserve.io/storageSecretName', 'serving.kserve.io/secretName'];
