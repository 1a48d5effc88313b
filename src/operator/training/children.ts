/** The kinds of objects that a job owns, and their removal when the job is gone. */
import { gangObjectsOf } from './gang-objects';
import { BY_JOB, TRAINING_JOBS, type ChildStores, type TrainingJobObject } from './resources';
import { GANG_LABEL } from '../../model/labels';
import { networkPolicyName } from '../../manifests/network-policy';
import { mpiConfigMapName, mpiSecretName, toolsConfigMapName } from '../../model/names';
import { ApiError } from '../runtime/api-error';
import type { KubeClient } from '../runtime/kube-client';
import { keyOf, splitKey, type KubeObject } from '../runtime/kube-object';
import type { Logger } from '../runtime/logger';
import { controllerOf } from '../runtime/ownership';
import { CONFIG_MAPS, NETWORK_POLICIES, PODS, SECRETS, SERVICES, type ResourceKind } from '../runtime/resource-kind';

/** Kinds of children by the `kind` of their manifests. */
export const CHILD_KINDS: { readonly [kind: string]: ResourceKind } = {
  Pod: PODS, Service: SERVICES, ConfigMap: CONFIG_MAPS, Secret: SECRETS, MLTrainingJob: TRAINING_JOBS, NetworkPolicy: NETWORK_POLICIES,
};

/** An object as messages name it. */
export function describeChild(object: KubeObject, kind: ResourceKind): string {
  return `${kind.kind} ${keyOf(object.metadata?.namespace, object.metadata?.name ?? '')}`;
}

/**
 * Deletes what a job has left behind. Kubernetes' garbage collector does the same by the owner references, later, and not at all where it does
 * not run; doing it here makes deletion quick and needs no finalizer, so that a job can be deleted while no operator runs. Nothing is deleted on
 * the word of a cache: the API server is asked whether the owner is really gone, and an object that has changed since (by `kubectl delete
 * --cascade=orphan`, say) is not deleted before the change was seen.
 *
 * ConfigMaps and Secrets are in no cache, because a cache would need the right to read every Secret of the cluster. They are found by their names
 * beside the children that are, and so they go before those.
 */
export async function deleteOrphans(
  key: string, job: TrainingJobObject | undefined, client: KubeClient, stores: ChildStores, logger: Logger,
): Promise<void> {
  const isOrphan = (object: KubeObject) => controllerOf(object)?.uid !== job?.metadata?.uid && object.metadata?.deletionTimestamp === undefined;
  const pods = stores.pods.byIndex(BY_JOB, key).filter(isOrphan);
  const services = stores.services.byIndex(BY_JOB, key).filter(isOrphan);
  if (pods.length === 0 && services.length === 0) {
    return;
  }
  const { namespace, name } = splitKey(key);
  const live = await client.tryGet<TrainingJobObject>(TRAINING_JOBS, { namespace, name });
  const orphans = <T extends KubeObject>(objects: readonly T[]) => objects.filter((object) => controllerOf(object)?.uid !== live?.metadata?.uid);
  const owners = new Set(orphans([...pods, ...services]).map((object) => controllerOf(object)?.uid));
  if (owners.size === 0) {
    return;
  }
  logger.info('deleting what a vanished job has left behind', { job: key, pods: pods.length, services: services.length });
  const gangs = new Set(orphans(pods).flatMap((pod) => pod.metadata?.labels?.[GANG_LABEL] ?? []));
  await Promise.all([
    ...gangObjectsOf(name, namespace, gangs).map(({ kind, ref }) => removeFile(client, kind, ref, owners)),
    removeFile(client, CONFIG_MAPS, { namespace, name: mpiConfigMapName(name) }, owners),
    removeFile(client, CONFIG_MAPS, { namespace, name: toolsConfigMapName(name) }, owners),
    removeFile(client, SECRETS, { namespace, name: mpiSecretName(name) }, owners),
    removeFile(client, NETWORK_POLICIES, { namespace, name: networkPolicyName(name) }, owners),
  ]);
  await Promise.all([
    ...orphans(pods).map((pod) => remove(client, PODS, pod, stores.pods)),
    ...orphans(services).map((service) => remove(client, SERVICES, service, stores.services)),
  ]);
}

async function remove(
  client: KubeClient, kind: ResourceKind, object: KubeObject, store: ChildStores['pods'] | ChildStores['services'],
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = object.metadata!;
  try {
    const response = await client.delete(kind, { namespace, name: name! }, { preconditions: { uid, resourceVersion } });
    store.applyDeleteResponse({ namespace, name: name!, uid }, response);
  } catch (error) {
    // A conflict: it has changed, and the watch is about to say how, which brings us here again.
    if (error instanceof ApiError && error.isNotFound) {
      store.markDeleted({ namespace, name: name!, uid });
    } else if (!(error instanceof ApiError && error.isConflict)) {
      throw error;
    }
  }
}

async function removeFile(
  client: KubeClient, kind: ResourceKind, ref: { namespace?: string; name: string }, owners: ReadonlySet<string | undefined>,
): Promise<void> {
  const found = await client.tryGet<KubeObject>(kind, ref);
  if (found === undefined || !owners.has(controllerOf(found)?.uid)) {
    return;
  }
  try {
    await client.delete(kind, ref, { preconditions: { uid: found.metadata?.uid } });
  } catch (error) {
    if (!(error instanceof ApiError && (error.isNotFound || error.isConflict))) {
      throw error;
    }
  }
}
