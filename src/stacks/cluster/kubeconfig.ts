/**
 * How programs reach the cluster: with the credentials of whoever runs them, which `gke-gcloud-auth-plugin` asks Google for. There is no secret in
 * it.
 */

/** What a kubeconfig is made from. */
export interface ClusterAccess {
  readonly name: string;
  /** Address of the control plane. */
  readonly endpoint: string;
  /** Base64. */
  readonly certificateAuthority?: string;
  /** Name of the control plane, whose certificate is one of the internet. */
  readonly dnsEndpoint?: string;
}

/** The kubeconfig, as JSON, which is YAML. */
export function kubeconfigOf({ name, endpoint, certificateAuthority, dnsEndpoint }: ClusterAccess): string {
  const cluster = dnsEndpoint !== undefined
    ? { server: `https://${dnsEndpoint}` }
    : { 'server': `https://${endpoint}`, 'certificate-authority-data': certificateAuthority };
  return JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [{ name, cluster }],
    'contexts': [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
    'users': [{
      name,
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: 'gke-gcloud-auth-plugin',
          installHint: 'gcloud components install gke-gcloud-auth-plugin',
          provideClusterInfo: true,
        },
      },
    }],
  });
}
