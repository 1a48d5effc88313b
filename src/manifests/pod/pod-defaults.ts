/**
 * What pods are given that takes nothing from an image: the runtime's filter of system calls, and no token of an account that nobody named. Whether
 * an image can do without root, without capabilities and without writing to its own files, only its author knows. What an author has said of any of
 * it stands.
 */
import type { Container, PodSpec } from '../kubernetes';

type Fields = { readonly [field: string]: unknown };

/** The seccomp profile that every runtime has. */
export const RUNTIME_SECCOMP = { type: 'RuntimeDefault' } as const;

/** The pod with both. @param needsToken whether its controller has its programs ask the Kubernetes API */
export function withPodDefaults<T extends Partial<PodSpec>>(spec: T, needsToken: boolean = false): T {
  const { serviceAccountName, serviceAccount, automountServiceAccountToken, securityContext } = spec;
  const keepsToken = needsToken || serviceAccountName !== undefined || serviceAccount !== undefined;
  return {
    ...spec,
    automountServiceAccountToken: automountServiceAccountToken ?? (keepsToken ? undefined : false),
    securityContext: { seccompProfile: RUNTIME_SECCOMP, ...securityContext },
  };
}

/** A security context in which programs get no more rights than they start with. */
export function withoutEscalation(written: Fields | undefined): Fields | undefined {
  return needsEscalation(written) ? written : { allowPrivilegeEscalation: false, ...written };
}

export function containerWithoutEscalation(container: Container): Container {
  return { ...container, securityContext: withoutEscalation(container.securityContext) };
}

/** The API server refuses a container that has rights of the node and is told not to get any. */
function needsEscalation({ privileged, capabilities }: Fields = {}): boolean {
  const { add = [] } = (capabilities ?? {}) as { readonly add?: readonly string[] };
  return privileged === true || add.some((capability) => /^(CAP_)?SYS_ADMIN$/.test(capability));
}
