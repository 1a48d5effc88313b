/** Names that KServe derives from an InferenceService's, and how long they may get. */
import { componentsOf, type NamedInferenceService } from './spec';
import { checkBaseName, checkDerivedName, isDns1035Label } from '../names';
import { ViolationCollector, type Violation } from '../violations';

/** Deployment and Service of a predictor in Standard mode, and Knative Service of any component in Knative mode. */
export function componentServiceName(name: string, role: string, variant?: string): string {
  return variant === undefined ? `${name}-${role}` : `${name}-${variant}-${role}`;
}

export function validateServingNames({ name, namespace, spec }: NamedInferenceService): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(name, 'Services are named after it', violations);
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
  if (name !== undefined && !isDns1035Label(name)) {
    violations.add(path, name, 'is part of the names of Deployments and Services: lower-case letters, digits and \'-\', starting with a letter. Choose such a name.');
  }
}

function checkLength(violations: ViolationCollector, name: string, derived: string, what: string): void {
  checkDerivedName(name, { name: derived, what }, 'Shorten the other parts.', violations);
}

/**
 * Annotations that name the Secret with the credentials of a model's storage. KServe reads the one that its ConfigMap names
 * (`credentials.storageSecretNameAnnotation`): its release manifests name the first, its Helm charts the second. An installation ignores the
 * other one, so both are written.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/config/configmap/inferenceservice.yaml
 */
export const STORAGE_SECRET_ANNOTATIONS: readonly string[] = ['serving.kserve.io/storageSecretName', 'serving.kserve.io/secretName'];
