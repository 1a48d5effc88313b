/** Checks the permissions of a client's user. */
import type { KubeClient } from '../../operator/runtime/kube-client';

/** @param resourceAttributes the permission. An empty namespace means all */
export async function mayDo(
  client: KubeClient,
  resourceAttributes: { readonly [attribute in 'verb' | 'group' | 'resource' | 'namespace']: string } & { readonly subresource?: string },
): Promise<boolean> {
  const { status } = await client.raw<{ readonly status?: { readonly allowed?: boolean } }>('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes },
  });
  return status?.allowed ?? false;
}
