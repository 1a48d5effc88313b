/** Files that look like objects and are not objects of a cluster: the tool that reads them, by the group of their `apiVersion`. */
const CONFIGURATION_FILES: { readonly [group: string]: string } = {
  'kind.x-k8s.io': 'kind (kind create cluster --config FILE)',
  'kustomize.config.k8s.io': 'kustomize (kubectl apply -k FOLDER)',
  'kubeadm.k8s.io': 'kubeadm',
  'kubelet.config.k8s.io': 'the kubelet',
  'kubescheduler.config.k8s.io': 'kube-scheduler',
  'kubeproxy.config.k8s.io': 'kube-proxy',
  'apiserver.config.k8s.io': 'kube-apiserver',
  'audit.k8s.io': 'kube-apiserver (--audit-policy-file)',
  'config.kueue.x-k8s.io': 'Kueue (--config)',
  'client.authentication.k8s.io': 'kubectl',
  'skaffold': 'Skaffold',
};

/** The tool that reads such a file; undefined for an object. */
export function readerOfConfiguration(apiVersion: unknown, kind: unknown): string | undefined {
  if (apiVersion === 'v1' && kind === 'Config') {
    return 'kubectl (KUBECONFIG)';
  }
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? CONFIGURATION_FILES[apiVersion.split('/')[0]] : undefined;
}
