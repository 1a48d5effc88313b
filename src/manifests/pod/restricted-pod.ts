/**
 * Pods that comply with the restricted Pod Security Standard. Applies to all containers of the complete pod. Settings of templates take precedence;
 * the model rejects templates that violate the standard.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
import type { Container, PodSpec } from '../kubernetes';
import type { SecuritySpec } from '../../model/training-job/security';

/** The pod with the job's security. */
export function withSecurity(spec: PodSpec, security: SecuritySpec | undefined): PodSpec {
  if (security === undefined) {
    return spec;
  }
  const { restricted = false, runAsUser, fsGroup } = security;
  const own = {
    ...(restricted && { runAsNonRoot: true }),
    ...(runAsUser !== undefined && { runAsUser }),
    ...(fsGroup !== undefined && { fsGroup }),
  };
  const pod = { ...spec, securityContext: { ...own, ...spec.securityContext } };
  return !restricted ? pod : {
    ...pod,
    containers: spec.containers.map(withRestrictions),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withRestrictions) }),
  };
}

function withRestrictions(container: Container): Container {
  const written = container.securityContext as { readonly capabilities?: object } | undefined;
  return {
    ...container,
    securityContext: { allowPrivilegeEscalation: false, ...written, capabilities: { ...written?.capabilities, drop: ['ALL'] } },
  };
}
