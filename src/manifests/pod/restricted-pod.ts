/**
 * Pods that keep the restricted Pod Security Standard. Laid under what the job's templates say, over all containers of the finished pod, whoever
 * added them; the model has made sure that no template asks for the opposite.
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
