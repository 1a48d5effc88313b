/**
 * Annotations by which objects tell Argo CD how to sync them. People and programs set them; Argo CD reads them on any object that it applies.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/annotations-and-labels/
 */

/** What all of them begin with. */
export const ARGO_CD_PREFIX = 'argocd.argoproj.io/';

/** Number of an object's wave; lower ones are applied first. */
export const SYNC_WAVE_ANNOTATION = `${ARGO_CD_PREFIX}sync-wave`;

/** Options of an object's sync, with commas between them. */
export const SYNC_OPTIONS_ANNOTATION = `${ARGO_CD_PREFIX}sync-options`;

/** Phase of a sync in which an object is created again. */
export const HOOK_ANNOTATION = `${ARGO_CD_PREFIX}hook`;

export const HOOK_DELETE_POLICY_ANNOTATION = `${ARGO_CD_PREFIX}hook-delete-policy`;

/** Options of an object that stays in the cluster when it leaves the program, and when its Application is deleted. */
export const KEPT_SYNC_OPTIONS = 'Prune=false,Delete=false';

/**
 * Annotations of objects that take other people's work with them when they are deleted: definitions, with all objects of their kinds, and namespaces.
 * Argo CD and Flux leave them in the cluster.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/
 * @see https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources
 */
export const KEPT_ANNOTATIONS: { readonly [annotation: string]: string } = {
  [SYNC_OPTIONS_ANNOTATION]: KEPT_SYNC_OPTIONS, 'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};
