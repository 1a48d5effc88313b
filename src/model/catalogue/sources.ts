/** Where components come from, and the shapes that their entries share. */
import type { ComponentPart, GitSource, HelmSource, KubernetesRange, OwnedFields, VersionPin } from './types';

/** Kubeflow's own distribution, which pairs its components. The repository was kubeflow/manifests. */
export const KUBEFLOW_REPOSITORY = 'https://github.com/kubeflow/community-distribution';

/** Tag of the distribution. @see https://github.com/kubeflow/community-distribution/releases/tag/26.03 */
const KUBEFLOW_REVISION = '26.03';

export const KUBEFLOW_RELEASE = 'https://github.com/kubeflow/community-distribution/releases/tag/26.03';

/** The releases of Kubernetes that Kubeflow 26.03 is made for. */
export const KUBEFLOW_KUBERNETES: KubernetesRange = { from: '1.34', source: KUBEFLOW_RELEASE, confirmed: true };

/**
 * Releases of Kubernetes that a source names which is not of just this version: the oldest that its authors ask for.
 * @param testedTo newest that they have tested
 */
export function since(from: string, source: string, testedTo?: string): KubernetesRange {
  return { from, source, confirmed: false, ...(testedTo !== undefined && { testedTo }) };
}

/** Releases that objects of this library need: what is in them is served since then. */
export function ownObjects(from: string, source: string): KubernetesRange {
  return { from, source, confirmed: true };
}

/** A folder of Kubeflow's distribution. */
export function kubeflow(path: string): GitSource {
  return { kind: 'git', repository: KUBEFLOW_REPOSITORY, path, revision: KUBEFLOW_REVISION };
}

export function git(repository: string, path: string, revision: string): GitSource {
  return { kind: 'git', repository, path, revision };
}

export function chart(repository: string, name: string, version: string): HelmSource {
  return { kind: 'helm', repository, chart: name, version };
}

/** One part, whose release has the name of the component. */
export function part(name: string, source: ComponentPart['source'], more: Omit<ComponentPart, 'name' | 'source'> = {}): ComponentPart {
  return { name, source, ...more };
}

export const PROGRAM = { kind: 'program' } as const;

export function confirmed(source: string): VersionPin {
  return { source, confirmed: true };
}

/** A version that is right by its project's numbering, while no source at hand says that just this chart was published. */
export function unconfirmed(source: string): VersionPin {
  return { source, confirmed: false };
}

export function crds(group: string, ...plurals: string[]): string[] {
  return plurals.map((plural) => `${plural}.${group}`);
}

/** Bundles of webhooks, which certificate controllers fill in. */
function caBundles(kind: 'Mutating' | 'Validating', name?: string): OwnedFields {
  return {
    group: 'admissionregistration.k8s.io',
    kind: `${kind}WebhookConfiguration`,
    ...(name !== undefined && { name }),
    jqPaths: ['.webhooks[]?.clientConfig.caBundle'],
    reason: 'the CA of the webhook is filled in when its certificate exists',
  };
}

/** Both kinds of webhooks. */
export const WEBHOOK_BUNDLES: readonly OwnedFields[] = [caBundles('Mutating'), caBundles('Validating')];

/** A Secret with the certificate of a webhook. @param by who creates it */
export function webhookCertificate(name: string, by: string): OwnedFields {
  return { group: '', kind: 'Secret', name, pointers: ['/data'], reason: `${by} creates the certificate of its webhook` };
}

/** Roles that gather rules of others, or have an empty list of rules. */
export function aggregated(name: string): OwnedFields {
  return {
    group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name, pointers: ['/rules'], reason: 'Kubernetes writes the rules of roles that aggregate others or have none',
  };
}

/** Replicas under an autoscaler. */
export function scaledDeployment(name: string): OwnedFields {
  return { group: 'apps', kind: 'Deployment', name, pointers: ['/spec/replicas'], reason: 'a HorizontalPodAutoscaler sets its replicas' };
}
