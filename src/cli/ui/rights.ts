/** Checks the permissions of a client's user. */
import type { KubeClient } from '../../operator/runtime/kube-client';

/** A permission. An empty namespace means all. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
}

export async function mayDo(client: KubeClient, resourceAttributes: Attributes): Promise<boolean> {
  const { status } = await client.raw<{ readonly status?: { readonly allowed?: boolean } }>('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes },
  });
  return status?.allowed ?? false;
}
