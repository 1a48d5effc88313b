/** Files that look like objects and are not objects of a cluster. */
import path from 'node:path';
import type { ManifestObject } from '../../model/objects/manifest-object';

const KUSTOMIZE = 'kustomize (kubectl apply -k FOLDER)';

/** Names by which kustomize finds its file, which needs no apiVersion then. */
const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml'];

/** The tool that reads a file, by the group of its `apiVersion`. */
const CONFIGURATION_FILES: { readonly [group: string]: string } = {
  'kind.x-k8s.io': 'kind (kind create cluster --config FILE)',
  'kustomize.config.k8s.io': KUSTOMIZE,
  'kubeadm.k8s.io': 'kubeadm',
  'kubelet.config.k8s.io': 'the kubelet',
  'kubescheduler.config.k8s.io': 'kube-scheduler',
  'kubeproxy.config.k8s.io': 'kube-proxy',
  'apiserver.config.k8s.io': 'kube-apiserver',
  'audit.k8s.io': 'kube-apiserver (--audit-policy-file)',
  'client.authentication.k8s.io': 'kubectl',
  'skaffold': 'Skaffold',
};

/** The tool that reads such a file; undefined for an object. */
export function readerOfConfiguration(file: string, { apiVersion, kind }: Pick<ManifestObject, 'apiVersion' | 'kind'>): string | undefined {
  if (apiVersion === undefined && KUSTOMIZATIONS.includes(path.basename(file))) {
    return KUSTOMIZE;
  }
  if (apiVersion === 'v1' && kind === 'Config') {
    return 'kubectl (KUBECONFIG)';
  }
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  // Kueue, JobSet and others of their kind: config.kueue.x-k8s.io.
  return group.startsWith('config.') && kind === 'Configuration' ? 'a controller (--config)' : CONFIGURATION_FILES[group];
}
