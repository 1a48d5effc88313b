/**
 * A small API server: objects by name with uids and resource versions, one log of changes per kind that watches follow, optimistic
 * locking, preconditions, and graceful deletion of pods. Objects are never changed in place, so that a log entry stays what it was.
 */
import { mergePatch } from '../../../runtime/support/fake-storage';
import type { KubeObject, WatchEvent } from '../../../../../src/operator/runtime/kube-object';
import type { Workload } from '../../../../../src/operator/kueue/workload';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../../../src/model/labels';

/** Namespace that everything is in. */
export const NAMESPACE = 'default';

/** Why a request was refused, or what went wrong with it. */
export type RefusalReason = 'Conflict' | 'NotFound' | 'AlreadyExists' | 'Forbidden' | 'TooManyRequests' | 'InternalError' | 'Timeout';

/** A request that did not go as asked. */
export class Refusal extends Error {
  /**
   * @param inDoubt whether the request may have been carried out all the same
   * @param retryAfterMs how long the server asks to be left alone, milliseconds
   */
  public constructor(public readonly reason: RefusalReason, public readonly inDoubt = false, public readonly retryAfterMs = 0) {
    super(reason);
  }
}

/** Kinds of objects that caches follow. */
export type KindName = 'jobs' | 'pods' | 'services' | 'workloads';

/** All kinds. */
export const KINDS: readonly KindName[] = ['jobs', 'pods', 'services', 'workloads'];

/** Kinds that nothing is planned without. */
export const CORE_KINDS: readonly KindName[] = ['jobs', 'pods', 'services'];

/** The objects of one kind and the log of their changes. */
export class Collection<T extends KubeObject> {
  public readonly objects = new Map<string, T>();
  public readonly log: WatchEvent<T>[] = [];

  public constructor(private readonly nextVersion: () => string) {}

  public get(name: string): T | undefined {
    return this.objects.get(name);
  }

  /** Stores a new object or a new version of one. */
  public put(name: string, object: T): T {
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    const stored = { ...object, metadata: { ...object.metadata, name, namespace: NAMESPACE, resourceVersion: this.nextVersion() } };
    this.objects.set(name, stored);
    this.log.push({ type, object: stored });
    return stored;
  }

  /** Removes an object for good. */
  public remove(name: string): T {
    const object = this.objects.get(name)!;
    this.objects.delete(name);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: this.nextVersion() } };
    this.log.push({ type: 'DELETED', object: last });
    return last;
  }
}

/** See the top of this file. */
export class ApiServer {
  private version = 0;
  private uids = 0;
  public readonly jobs = new Collection<TrainingJobObject>(() => this.nextVersion());
  public readonly pods = new Collection<PodObject>(() => this.nextVersion());
  public readonly services = new Collection<KubeObject>(() => this.nextVersion());
  public readonly workloads = new Collection<Workload>(() => this.nextVersion());
  public readonly configmaps = new Collection<KubeObject>(() => this.nextVersion());
  public readonly secrets = new Collection<KubeObject>(() => this.nextVersion());
  public readonly networkpolicies = new Collection<KubeObject>(() => this.nextVersion());

  /** Called after the status of a job was replaced; the invariants listen here. */
  public onStatus: (before: TrainingJobObject, after: TrainingJobObject) => void = () => undefined;

  /** Called when the owner of a job has changed its Workload, or deleted it. */
  public onWorkload: (before: Workload, after: Workload | undefined) => void = () => undefined;

  /** Called when a pod was created. */
  public onPodCreated: (pod: PodObject) => void = () => undefined;

  /** Called when a pod is gone from the server; after a removal by force its process may live on. */
  public onPodGone: (pod: PodObject, byForce: boolean) => void = () => undefined;

  /** Newest resource version. */
  public get newestVersion(): string {
    return String(this.version);
  }

  public createJob(name: string, spec: TrainingJobSpec): TrainingJobObject {
    return this.jobs.put(name, {
      apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { uid: this.newUid('job'), generation: 1 }, spec,
    });
  }

  /** What a user does with `kubectl edit`. */
  public updateSpec(name: string, spec: TrainingJobSpec): void {
    const job = this.jobs.get(name)!;
    this.jobs.put(name, { ...job, metadata: { ...job.metadata, generation: job.metadata!.generation! + 1 }, spec });
  }

  public replaceStatus(read: TrainingJobObject, status: TrainingJobStatus): TrainingJobObject {
    const { name, uid, resourceVersion } = read.metadata!;
    this.check(this.jobs, name!, { uid, resourceVersion });
    const before = this.jobs.get(name!)!;
    const after = this.jobs.put(name!, { ...before, status });
    this.onStatus(before, after);
    return after;
  }

  /** A merge patch of a job's status, on condition that it is still the one that was read. */
  public patchStatus(name: string, { resourceVersion }: { readonly resourceVersion?: string }, patch: object): TrainingJobObject {
    this.check(this.jobs, name, { resourceVersion });
    const read = this.jobs.get(name)!;
    return this.replaceStatus(read, mergePatch(read.status, patch) as TrainingJobStatus);
  }

  public deleteJob(name: string, uid?: string): void {
    this.check(this.jobs, name, { uid });
    this.jobs.remove(name);
  }

  public createPod(pod: PodObject): PodObject {
    if (this.pods.get(pod.metadata!.name!)) {
      throw new Refusal('AlreadyExists');
    }
    const created = this.pods.put(pod.metadata!.name!, {
      ...pod, metadata: { ...pod.metadata, uid: this.newUid('pod') }, status: { phase: 'Pending' },
    });
    this.onPodCreated(created);
    return created;
  }

  /** Creates an object that nothing happens to by itself. */
  public createOther<T extends KubeObject>(collection: Collection<T>, object: T): T {
    const { metadata } = object;
    if (collection.get(metadata!.name!)) {
      throw new Refusal('AlreadyExists');
    }
    return collection.put(metadata!.name!, { ...object, metadata: { ...metadata, uid: this.newUid('object') } });
  }

  public deleteService(name: string, uid?: string): void {
    this.check(this.services, name, { uid });
    this.services.remove(name);
  }

  /** What the owner of a job does; its deletion by others is Kueue's to do. */
  public deleteWorkload(name: string, uid?: string): void {
    this.check(this.workloads, name, { uid });
    this.onWorkload(this.workloads.get(name)!, undefined);
    this.workloads.remove(name);
  }

  /** Refuses unless an object is there and as the preconditions say. */
  public check<T extends KubeObject>(collection: Collection<T>, name: string, preconditions: { uid?: string; resourceVersion?: string } = {}): void {
    const found = collection.get(name)?.metadata;
    if (found === undefined) {
      throw new Refusal('NotFound');
    }
    const { uid = found.uid, resourceVersion = found.resourceVersion } = preconditions;
    if (found.uid !== uid || found.resourceVersion !== resourceVersion) {
      throw new Refusal('Conflict');
    }
  }

  /**
   * Deletes a pod as the API server does: one that no node has taken, or whose containers have ended, goes at once; any other is marked
   * and goes when its kubelet says that it has ended.
   */
  public deletePod(name: string, uid?: string): PodObject {
    this.check(this.pods, name, { uid });
    const pod = this.pods.get(name)!;
    if (pod.metadata!.deletionTimestamp !== undefined) {
      return pod;
    }
    const phase = pod.status?.phase;
    if (pod.spec?.nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') {
      return this.removePod(name);
    }
    return this.pods.put(name, {
      ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
    });
  }

  /** Removes a pod whose process has ended. */
  public removePod(name: string): PodObject {
    const gone = this.pods.remove(name);
    this.onPodGone(gone, false);
    return gone;
  }

  /** Removes a pod without asking its kubelet: `kubectl delete --force`. */
  public removePodByForce(name: string): PodObject {
    if (this.pods.get(name) === undefined) {
      throw new Refusal('NotFound');
    }
    const gone = this.pods.remove(name);
    this.onPodGone(gone, true);
    return gone;
  }

  private nextVersion(): string {
    return String(++this.version);
  }

  private newUid(kind: string): string {
    return `${kind}-${++this.uids}`;
  }
}
