/**
 * Deletes what a job has left behind. Kubernetes' garbage collector does the same by the owner references, later, and not at all where it does
 * not run; doing it here makes deletion quick and needs no finalizer, so that a job can be deleted while no operator runs. Nothing is deleted on
 * the word of a cache: the API server is asked once whether the owner is really gone, and an object that has changed since (by `kubectl delete
 * --cascade=orphan`, say) is not deleted before the change was seen.
 *
 * ConfigMaps, NetworkPolicies and objects of gang schedulers are in no cache. The vanished job's spec says which of them there are, and they are
 * found by their names. What may not be deleted is left to the garbage collector, and keeps nothing else from going. Secrets always are: the
 * operator has no right to read or delete them.
 */
import { companionsOf, possibleCompanions, type Companion, type FormerJobs } from '../children/former-jobs';
import { BY_JOB, TRAINING_JOBS, type ChildStores, type TrainingJobObject } from '../resources';
import { GANG_LABEL } from '../../../model/labels';
import { ApiError, isApiError } from '../../runtime/http/api-error';
import type { KubeClient } from '../../runtime/kube-client';
import { controllerOf, objectKey, splitKey, type KubeObject } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';
import { PODS, SERVICES, type ResourceKind } from '../../runtime/resource-kind';

/** Who bears a job's name now, as the API server has it. Asked when it matters, and then once. */
export class LiveOwner {
  private answer?: Promise<string | undefined>;

  public constructor(private readonly client: KubeClient, private readonly key: string) {}

  /** Its uid; undefined when nobody does. @throws ApiError, TransportError when nobody can say */
  public async uid(): Promise<string | undefined> {
    const { namespace, name } = splitKey(this.key);
    this.answer ??= this.client.tryGet<TrainingJobObject>(TRAINING_JOBS, { namespace, name }).then((job) => job?.metadata?.uid);
    return this.answer;
  }
}

/** What {@link deleteOrphans} works with. */
export interface OrphansOptions {
  readonly client: KubeClient;
  readonly stores: ChildStores;
  readonly former: FormerJobs;
  readonly owner: LiveOwner;
  readonly logger: Logger;
}

/**
 * Deletes pods, services and all that belongs to them of jobs with this name that are gone.
 * @param job who bears the name now, as far as the cache knows
 * @throws ApiError, TransportError when something is left that has to be tried again
 */
export async function deleteOrphans(key: string, job: TrainingJobObject | undefined, options: OrphansOptions): Promise<void> {
  const { client, stores, former, owner, logger } = options;
  const isOrphan = (uid: string | undefined) => (object: KubeObject) => (
    controllerOf(object)?.uid !== uid && object.metadata?.deletionTimestamp === undefined);
  const gone = former.of(key);
  const left = [...stores.pods.byIndex(BY_JOB, key), ...stores.services.byIndex(BY_JOB, key)].filter(isOrphan(job?.metadata?.uid));
  const known = gone === undefined || gone.metadata?.uid === job?.metadata?.uid ? [] : companionsOf(gone);
  if (left.length === 0 && known.length === 0) {
    former.forget(key);
    return;
  }
  const live = await owner.uid();
  const pods = stores.pods.byIndex(BY_JOB, key).filter(isOrphan(live));
  const services = stores.services.byIndex(BY_JOB, key).filter(isOrphan(live));
  const owners = new Set([...pods, ...services].map((object) => controllerOf(object)?.uid));
  const hasStrangers = [...owners].some((uid) => uid !== gone?.metadata?.uid);
  if (gone !== undefined && gone.metadata?.uid !== live) {
    owners.add(gone.metadata?.uid);
  }
  if (owners.size === 0) {
    former.forget(key);
    return;
  }
  const gangs = new Set(pods.flatMap((pod) => pod.metadata?.labels?.[GANG_LABEL] ?? []));
  const companions = hasStrangers ? possibleCompanions(key, gangs) : known;
  logger.info('deleting leftovers of a deleted job', { job: key, pods: pods.length, services: services.length });
  // An operator that dies in between finds the companions by the pods and services that still remind of the job.
  await removeAll(key, logger, companions.map((companion) => async () => removeCompanion(client, companion, splitKey(key).name, owners)), [
    ...pods.map((pod) => async () => remove(client, PODS, pod, stores.pods)),
    ...services.map((service) => async () => remove(client, SERVICES, service, stores.services)),
  ]);
  former.forget(key);
}

/**
 * Deletes an object that bears the name of one that `job` needs, if it belongs to an earlier job of the same name: one whose deletion no operator saw
 * to its end. The API server is asked who bears the job's name now, because `job` itself may be the one that is gone.
 * @returns whether the object was deleted; it may take its time to go
 */
export async function removeLeftBehind(client: KubeClient, kind: ResourceKind, found: KubeObject, job: TrainingJobObject): Promise<boolean> {
  const { namespace, name, uid } = job.metadata!;
  const owner = jobThatControls(found, name!);
  if (owner === undefined || owner.uid === uid || found.metadata?.deletionTimestamp !== undefined) {
    return false;
  }
  if (await new LiveOwner(client, objectKey({ metadata: { namespace, name } })).uid() !== uid) {
    return false;
  }
  const { name: ownName, uid: ownUid, resourceVersion } = found.metadata!;
  await client.delete(kind, { namespace, name: ownName! }, { preconditions: { uid: ownUid, resourceVersion } });
  return true;
}

/**
 * Removes things, phase by phase, those of a phase side by side, and all of them, whatever becomes of the others. What may not be removed is left to
 * the garbage collector.
 * @throws the first failure of another kind, when all have been tried
 */
export async function removeAll(key: string, logger: Logger, ...phases: readonly (readonly (() => Promise<void>)[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const removals of phases) {
    const outcomes = await Promise.allSettled(removals.map(async (removal) => removal()));
    failures.push(...outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : [])));
  }
  const forbidden = failures.filter((error) => isApiError(error, 'isForbidden'));
  if (forbidden.length > 0) {
    logger.warn('no permission to remove leftovers of a deleted job; leaving them to the garbage collector', { job: key, error: forbidden[0] });
  }
  const [failure] = failures.filter((error) => !isApiError(error, 'isForbidden'));
  if (failure !== undefined) {
    throw failure as Error;
  }
}

/** Deletes an object that has not changed since it was read, and tells the cache. @param force without waiting for its kubelet */
export async function remove(
  client: KubeClient, kind: ResourceKind, object: KubeObject, store: ChildStores['pods'] | ChildStores['services'], { force = false } = {},
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = object.metadata!;
  try {
    const options = { preconditions: { uid, resourceVersion }, ...(force && { gracePeriodSeconds: 0 }) };
    const response = await client.delete(kind, { namespace, name: name! }, options);
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

/**
 * The controller of an object, where that is a training job of this name. The uid alone says nothing: whoever may create a pod may write any uid
 * into its references, and objects of other controllers must not go because such a pod names them.
 */
function jobThatControls(object: KubeObject, name: string) {
  const owner = controllerOf(object);
  const isSuchJob = owner !== undefined && owner.kind === TRAINING_JOBS.kind && owner.name === name && owner.apiVersion.split('/')[0] === TRAINING_JOBS.group;
  return isSuchJob ? owner : undefined;
}

async function removeCompanion(client: KubeClient, { kind, ref }: Companion, job: string, owners: ReadonlySet<string | undefined>): Promise<void> {
  const found = await client.tryGet<KubeObject>(kind, ref);
  const owner = found && jobThatControls(found, job);
  if (found === undefined || owner === undefined || !owners.has(owner.uid)) {
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
