/** Objects of gang schedulers, on clusters that may not have the scheduler: their creation, and their removal when the job is gone. */
import { GANG_RENDERERS, type GangRenderer } from '../../../manifests/gang';
import { gangName } from '../../../manifests/gang/gang-renderer';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import { ApiError } from '../../runtime/http/api-error';
import type { KubeObject } from '../../runtime/kube-object';
import { apiVersionOf, type ResourceKind, type ResourceRef } from '../../runtime/resource-kind';

/** The API of the scheduler that the job's gang needs is not there. */
export class GangSchedulerMissingError extends Error {
  public constructor({ title, needs }: GangRenderer, kind: ResourceKind) {
    super(`The gang of the job needs ${title}, and this cluster does not serve ${kind.plural}.${kind.group} (${kind.version}). ${needs}, `
      + 'or create the job without spec.scheduling.gang');
  }
}

const KINDS: readonly { readonly renderer: GangRenderer; readonly kind: ResourceKind }[] = Object.values(GANG_RENDERERS)
  .flatMap((renderer) => renderer.resources.map((resource) => ({ renderer, kind: { ...resource, namespaced: true } })));

/** The kind of an object that a gang scheduler wants; undefined for others. */
export function gangKindOf({ apiVersion, kind }: KubeObject): ResourceKind | undefined {
  return KINDS.find((known) => known.kind.kind === kind && apiVersionOf(known.kind) === apiVersion)?.kind;
}

/**
 * Creates an object of a gang scheduler by `create`.
 * @throws GangSchedulerMissingError when its API is not served
 */
export async function createGangObject(object: KubeObject, create: (object: KubeObject) => Promise<void>): Promise<void> {
  try {
    await create(object);
  } catch (error) {
    const known = KINDS.find(({ kind }) => kind === gangKindOf(object));
    if (known !== undefined && error instanceof ApiError && error.isNotFound) {
      throw new GangSchedulerMissingError(known.renderer, known.kind);
    }
    throw error;
  }
}

/** The objects that a job of this name has for these schedulers, by name: they are in no cache. */
export function gangObjectsOf(
  jobName: string, namespace: string | undefined, schedulers: ReadonlySet<string>,
): { readonly kind: ResourceKind; readonly ref: ResourceRef }[] {
  return [...schedulers].flatMap((scheduler) => GANG_RENDERERS[scheduler as GangScheduler]?.resources ?? [])
    .map((resource) => ({ kind: { ...resource, namespaced: true }, ref: { namespace, name: gangName({ name: jobName }) } }));
}
