/**
 * Queued jobs and Kueue: what is seen of a job's Workload, the steps that the planner asks for, and what an admission says about the pods.
 */
import type { ObservedQueue } from '../plan/observe/observed-queue';
import { resolveOnce } from '../plan/resolve-once';
import { removeAll, type LiveOwner } from '../cleanup/orphans';
import { TRAINING_JOBS, type TrainingJobObject } from '../resources';
import { constructWorkload, needsWorkload, podSetsHash, priorityClassRefOf, queuedSize, workloadName } from '../../../manifests/kueue/workload';
import type { PodPlacement } from '../../../manifests/pod/placement';
import { replicaPodSpecs } from '../../../manifests/pod/replica-pod';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { flavorsOf, placementsOf, type Placements, type ResourceFlavor } from '../../kueue/placement';
import { admissionOf, type WorkloadStep } from '../../kueue/protocol';
import type { QueuePositions } from '../../kueue/queue-positions';
import { PRIORITY_CLASSES, RESOURCE_FLAVORS, WORKLOADS, WORKLOAD_PRIORITY_CLASSES, type Workload } from '../../kueue/workload';
import type { WorkloadCache } from '../../kueue/workload-cache';
import { ApiError } from '../../runtime/http/api-error';
import type { Clock } from '../../runtime/process/clock';
import { OutdatedError, type Source } from '../../runtime/controller';
import type { KubeClient } from '../../runtime/kube-client';
import { controllerOf, controllerReference, isControlledBy, objectKey, type KubeObject } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';
import type { Store } from '../../runtime/watch/store';

/** How long a ResourceFlavor is taken to be as it was, milliseconds. A start of many pods asks once. */
const FLAVOR_AGE_MS = 30_000;

/** What {@link JobQueues} works with. */
export interface JobQueuesOptions {
  readonly client: KubeClient;
  readonly cache: WorkloadCache;
  readonly positions: QueuePositions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A class of priorities, Kueue's or Kubernetes'. */
interface PriorityClass extends KubeObject {
  readonly value?: number;
}

/** Something that a queued job needs is not there; the status says what. */
export class QueueProblem extends Error {
  /** @param reason of the condition */
  public constructor(public readonly reason: string, message: string) {
    super(message);
  }
}

/** See the top of this file. */
export class JobQueues {
  private readonly flavors = new Map<string, { readonly readAt: number; readonly flavor: ResourceFlavor }>();

  public constructor(private readonly options: JobQueuesOptions) {}

  /** What is seen of the job's place in its queue; undefined when it is not queued by a Workload. */
  public observe(job: TrainingJobObject): ObservedQueue | undefined {
    if (!needsWorkload(job)) {
      return undefined;
    }
    const { cache, positions } = this.options;
    const { name, namespace, uid } = job.metadata!;
    const { state } = cache;
    const workload = state === 'Ready' ? cache.ofOwner(job.metadata!) : undefined;
    const named = { state, workloadName: workload?.metadata?.name ?? workloadName(name!, uid!) };
    const isWaiting = workload !== undefined && workload.status?.admission === undefined && job.status?.completionTime === undefined;
    return {
      ...named,
      ...(workload && { workload }),
      ...(isWaiting && { position: positions.positionOf(namespace!, job.spec.scheduling!.queueName!, named.workloadName) }),
    };
  }

  /** Reads the Workload again after a step whose result is unknown: if it was deleted, it admits no pods. */
  public async readAgain(job: TrainingJobObject): Promise<void> {
    const { client, cache } = this.options;
    if (!needsWorkload(job) || cache.state !== 'Ready') {
      return;
    }
    const { name: jobName, namespace, uid } = job.metadata!;
    const known = cache.ofOwner(job.metadata!)?.metadata;
    const name = known?.name ?? workloadName(jobName!, uid!);
    const live = await client.tryGet<Workload>(WORKLOADS, { namespace, name });
    if (live !== undefined) {
      cache.store.applyWritten(live);
    } else if (known !== undefined) {
      cache.store.markDeleted({ namespace, name, uid: known.uid });
    }
  }

  /** Carries out a step of the protocol. */
  public async execute(job: TrainingJobObject, step: WorkloadStep): Promise<void> {
    const { namespace } = job.metadata!;
    this.options.logger.debug('step of Kueue\'s protocol', { job: `${namespace}/${job.metadata!.name}`, step: step.type, reason: step.type === 'create' ? undefined : step.reason });
    switch (step.type) {
      case 'create': return this.create(job);
      case 'delete': return this.delete(job, step.uid);
      case 'patchStatus': return this.patchStatus(job, step);
    }
  }

  /**
   * What the admission says about the pods, by role; undefined when the job is not queued by a Workload.
   * @throws Error when the job is not admitted (any more): its pods must not be created
   */
  public async placementsOf(job: TrainingJobObject): Promise<Placements | undefined> {
    if (!needsWorkload(job)) {
      return undefined;
    }
    const workload = this.admittedWorkload(job);
    const flavors = await Promise.all(flavorsOf(workload).map(async (name) => [name, await this.flavor(name)] as const));
    // Where flavors had to be read, the job may have been admitted again in the meantime, to others.
    return this.admittedWorkload(job) === workload ? placementsOf(workload, new Map<string, ResourceFlavor>(flavors)) : this.placementsOf(job);
  }

  /** Asked in the moment in which a pod is asked for. @throws OutdatedError when the job is queued and not admitted (any more) */
  public checkAdmission(job: TrainingJobObject): void {
    if (needsWorkload(job)) {
      this.admittedWorkload(job);
    }
  }

  private admittedWorkload(job: TrainingJobObject): Workload {
    const { cache } = this.options;
    const workload = cache.state === 'Ready' ? cache.ofOwner(job.metadata!) : undefined;
    if (workload === undefined || admissionOf(workload, podSetsHash(resolvedJob(job))).state !== 'Admitted') {
      throw new OutdatedError(`job ${job.metadata!.name} is no longer admitted to its queue`);
    }
    return workload;
  }

  /** Workloads of jobs of this name, also of those that are gone. */
  public workloadsOf(key: string): readonly Workload[] {
    return this.options.cache.ofOwnerName(key);
  }

  /** Deletes Workloads whose job is gone; the garbage collector would do it later. @see deleteOrphans in orphans.ts, which has the rules */
  public async deleteOrphans(key: string, job: TrainingJobObject | undefined, owner: LiveOwner): Promise<void> {
    const { logger } = this.options;
    const isLeft = (workload: Workload, uid: string | undefined) => controllerOf(workload)?.kind === TRAINING_JOBS.kind
      && controllerOf(workload)?.uid !== uid && workload.metadata?.deletionTimestamp === undefined;
    if (!this.workloadsOf(key).some((workload) => isLeft(workload, job?.metadata?.uid))) {
      return;
    }
    const live = await owner.uid();
    const left = this.workloadsOf(key).filter((workload) => isLeft(workload, live));
    await removeAll(key, logger, left.map((workload) => async () => this.remove(workload)));
  }

  private async create(job: TrainingJobObject): Promise<void> {
    const { client, cache } = this.options;
    const { namespace } = job.metadata!;
    const resolved = resolvedJob(job);
    const priority = await this.priorityOf(job);
    const ownership = { namespace: namespace!, owner: controllerReference(job) };
    const manifest = constructWorkload(resolved, ownership, replicaPodSpecs(queuedSize(resolved), namespace!), priority) as unknown as Workload;
    try {
      cache.store.applyWritten(await client.create(WORKLOADS, manifest));
    } catch (error) {
      if (error instanceof ApiError && error.isAlreadyExists) {
        const found = await client.tryGet<Workload>(WORKLOADS, { namespace, name: manifest.metadata!.name! });
        if (found !== undefined && isControlledBy(found, job)) {
          cache.store.applyWritten(found);
          return;
        }
      }
      throw refusedByKueue(error);
    }
  }

  private async delete(job: TrainingJobObject, uid: string): Promise<void> {
    const workload = this.options.cache.ofOwner(job.metadata!);
    if (workload?.metadata?.uid === uid) {
      await this.remove(workload);
    }
  }

  private async remove({ metadata }: Workload): Promise<void> {
    const { client, cache } = this.options;
    const { namespace, name, uid } = { ...metadata, name: metadata?.name ?? '' };
    try {
      const response = await client.delete(WORKLOADS, { namespace, name }, { preconditions: { uid } });
      cache.store.applyDeleteResponse({ namespace, name, uid }, response);
    } catch (error) {
      if (!(error instanceof ApiError && (error.isNotFound || error.isConflict))) {
        throw error;
      }
      cache.store.markDeleted({ namespace, name, uid });
    }
  }

  private async patchStatus(job: TrainingJobObject, { resourceVersion, status }: Extract<WorkloadStep, { type: 'patchStatus' }>): Promise<void> {
    const { client, cache } = this.options;
    const { namespace } = job.metadata!;
    const name = cache.ofOwner(job.metadata!)?.metadata?.name;
    if (name === undefined) {
      return;
    }
    try {
      const answer = await client.patch<Workload>(WORKLOADS, { namespace, name }, { metadata: { resourceVersion }, status }, { subresource: 'status' });
      cache.store.applyWritten(answer);
    } catch (error) {
      if (!(error instanceof ApiError && (error.isConflict || error.isNotFound))) {
        throw refusedByKueue(error);
      }
      // Kueue has written in between. What it wrote is on its way in the watch, or here now; the next plan starts from it.
      const live = await client.tryGet<Workload>(WORKLOADS, { namespace, name });
      if (live !== undefined) {
        cache.store.applyWritten(live);
      }
    }
  }

  /** Value of the job's class of priority; undefined when it has none. */
  private async priorityOf(job: TrainingJobObject): Promise<number | undefined> {
    const ref = priorityClassRefOf(resolvedJob(job));
    if (ref === undefined) {
      return undefined;
    }
    const kind = ref.kind === 'PriorityClass' ? PRIORITY_CLASSES : WORKLOAD_PRIORITY_CLASSES;
    const found = await readable(ref.kind, this.options.client.tryGet<PriorityClass>(kind, { name: ref.name }));
    if (found === undefined) {
      throw new QueueProblem('PriorityClassMissing', `${ref.kind} ${ref.name}in spec.scheduling does not exist. Create it; then the job is queued`);
    }
    return found.value ?? 0;
  }

  private async flavor(name: string): Promise<ResourceFlavor> {
    const { client, clock } = this.options;
    const known = this.flavors.get(name);
    if (known !== undefined && clock.monotonic() < known.readAt + FLAVOR_AGE_MS) {
      return known.flavor;
    }
    const flavor = await readable('ResourceFlavor', client.get<ResourceFlavor>(RESOURCE_FLAVORS, { name }));
    this.flavors.set(name, { readAt: clock.monotonic(), flavor });
    return flavor;
  }
}

/** Only valid jobs are queued. A pod asks for each of many, so that the job is resolved once. */
function resolvedJob({ metadata, spec }: TrainingJobObject): ResolvedTrainingJob {
  return resolveOnce(metadata!.name!, spec).resolved!;
}

/** A Workload that is refused says nothing about the job's own objects, for which a refusal is final. */
function refusedByKueue(error: unknown): unknown {
  // Not an object that is missing, such as the namespace: that has a reason. Nothing serves the kind any more; the cache hears of it in a moment.
  if (error instanceof ApiError && error.isNotFound && error.reason === '') {
    return new QueueProblem('KueueMissing', 'The API server no longer serves workloads.kueue.x-k8s.io. Install Kueue again, or create the job without a queue');
  }
  return error instanceof ApiError && (error.isInvalid || error.isBadRequest || error.status === 403)
    ? new QueueProblem('WorkloadRefused', `Kueue rejects the job: ${error.serverMessage}`)
    : error;
}

/** What is in no namespace, an operator that is limited to namespaces may not read by itself. */
async function readable<T>(kind: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ApiError && error.status === 403
      ? new QueueProblem('QueueNotReadable', `The operator may not read the ${kind} that the queue refers to: ${error.serverMessage}. Give its service account `
        + 'permission, with a ClusterRole that has the verb get')
      : error;
  }
}

/** Jobs that wait in queues, at the moment at which Kueue is there: those that have no Workload yet are woken by nothing else. */
export function queueSource(cache: WorkloadCache, jobs: Store<TrainingJobObject>): Source {
  return {
    name: 'queues',
    // Never waited for: most clusters have none.
    waitForSync: () => Promise.resolve(),
    subscribe: (onChange) => cache.onServed(() => onChange(jobs.list().filter(needsWorkload).map(objectKey), false)),
  };
}

/** The placement of a role's pods. */
export function placementOfRole(placements: Placements | undefined, role: string): PodPlacement | undefined {
  return placements?.get(role);
}
