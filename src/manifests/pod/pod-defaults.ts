/**
 * Security defaults of pods that work with every image: the runtime's seccomp profile, and no service account token unless an account is named.
 * Whether an image works without root, capabilities or a writable file system, only its author knows. Explicit settings take precedence.
 */
import type { Container, PodSpec } from '../kubernetes';

type Fields = { readonly [field: string]: unknown };

/** The seccomp profile that every runtime has. */
export const RUNTIME_SECCOMP = { type: 'RuntimeDefault' } as const;

/** The pod with both. @param needsToken whether its programs use the Kubernetes API */
export function withPodDefaults<T extends Partial<PodSpec>>(spec: T, needsToken: boolean = false): T {
  const { serviceAccountName, serviceAccount, automountServiceAccountToken, securityContext } = spec;
  const keepsToken = needsToken || serviceAccountName !== undefined || serviceAccount !== undefined;
  return {
    ...spec,
    automountServiceAccountToken: automountServiceAccountToken ?? (keepsToken ? undefined : false),
    securityContext: { seccompProfile: RUNTIME_SECCOMP, ...securityContext },
  };
}

/** A security context without privilege escalation. */
export function withoutEscalation(written: Fields | undefined): Fields | undefined {
  return needsEscalation(written) ? written : { allowPrivilegeEscalation: false, ...written };
}

export function containerWithoutEscalation(container: Container): Container {
  return { ...container, securityContext: withoutEscalation(container.securityContext) };
}

/** The API server rejects a privileged container without privilege escalation. */
function needsEscalation({ privileged, capabilities }: Fields = {}): boolean {
  const { add = [] } = (capabilities ?? {}) as { readonly add?: readonly string[] };
  return privileged === true || add.some((capability) => /^(CAP_)?SYS_ADMIN$/.test(capability));
}
