/**
 * The kinds of objects that a job owns.
 *
 * Objects of gang schedulers, on clusters that may not have the scheduler: their creation, and their removal when the job is gone.
 */
import { TRAINING_JOBS } from '../resources';
import { ApiError } from '../../runtime/http/api-error';
import { keyOf, type KubeObject } from '../../runtime/kube-object';
import {
  CONFIG_MAPS, NETWORK_POLICIES, PODS, SECRETS, SERVICES, apiVersionOf, type ResourceKind, type ResourceRef,
} from '../../runtime/resource-kind';
import { GANG_RENDERERS, type GangRenderer } from '../../../manifests/gang';
import { gangName } from '../../../manifests/gang/gang-renderer';
import type { GangScheduler } from '../../../model/training-job/scheduling';

/** Kinds of children by the `kind` of their manifests. */
export const CHILD_KINDS: { readonly [kind: string]: ResourceKind } = {
  Pod: PODS, Service: SERVICES, ConfigMap: CONFIG_MAPS, Secret: SECRETS, MLTrainingJob: TRAINING_JOBS, NetworkPolicy: NETWORK_POLICIES,
};

/** An object as messages name it. */
export function describeChild(object: KubeObject, kind: ResourceKind): string {
  return `${kind.kind} ${keyOf(object.metadata?.namespace, object.metadata?.name ?? '')}`;
}

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

/** Creates an object of a gang scheduler by `create`. @throws GangSchedulerMissingError when its API is not served */
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
