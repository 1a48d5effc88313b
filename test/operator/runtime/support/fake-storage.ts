/**
 * What etcd and the registry of kube-apiserver do, in memory and for any resource: revisions, uids, names, optimistic locking,
 * the status subresource, finalizers, grace periods, cascading deletion, and a history from which watches are served.
 */
import { randomUUID } from 'node:crypto';
import { KubeObject } from '../../../../src/operator/runtime/kube-object';

/** An object of any kind, whose fields tests read without casts. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyObject = KubeObject & Record<string, any>;

/** A change, as watches see it. */
export interface StorageEvent {
  readonly revision: number;
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: AnyObject;
  readonly previous?: AnyObject;
}

/** A refused operation; becomes a `Status` answer. */
export class StorageError extends Error {
  public constructor(
    public readonly status: number,
    public readonly reason: string,
    message: string,
    public readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Preconditions and manner of a deletion. */
export interface StorageDeleteOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
}

export class FakeStorage {
  public revision = 1000;
  /** Changes up to here cannot be watched any more. */
  public compactedTo = 0;
  public readonly history: StorageEvent[] = [];
  /** Pods stay with a deletionTimestamp until {@link finishDeletion}, as if a kubelet had to stop them. */
  public gracefulPods = false;
  /** Deleting an owner deletes what it owns. */
  public garbageCollection = true;
  /** Called before an object is stored; may change or refuse it (throw a StorageError). */
  public readonly admission: ((resource: string, object: AnyObject, old?: AnyObject) => void)[] = [];
  private readonly collections = new Map<string, Map<string, AnyObject>>();
  private readonly subscribers = new Set<(event: StorageEvent) => void>();

  public subscribe(subscriber: (event: StorageEvent) => void): () => void {
    this.subscribers.add(subscriber);
    return () => this.subscribers.delete(subscriber);
  }

  /** Objects of a resource such as `pods` or `leases.coordination.k8s.io`, ordered by key as etcd orders them. */
  public list(resource: string): AnyObject[] {
    return [...(this.collections.get(resource) ?? [])].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object);
  }

  public get(resource: string, namespace: string | undefined, name: string): AnyObject {
    const object = this.collections.get(resource)?.get(key(namespace, name));
    if (object === undefined) {
      throw new StorageError(404, 'NotFound', `${resource} "${name}" not found`, { name, kind: resource });
    }
    return object;
  }

  public create(resource: string, namespace: string | undefined, input: AnyObject): AnyObject {
    const object = structuredClone(input);
    const { generateName } = object.metadata ?? {};
    const name = object.metadata?.name ?? (generateName === undefined ? undefined : generateName + randomUUID().slice(0, 5));
    if (!name) {
      throw new StorageError(422, 'Invalid', `${resource} "" is invalid: metadata.name: Required value: name or generateName is required`, {
        causes: [{ reason: 'FieldValueRequired', field: 'metadata.name', message: 'Required value: name or generateName is required' }],
      });
    }
    if (object.metadata?.resourceVersion) {
      throw new StorageError(400, 'BadRequest', 'resourceVersion should not be set on objects to be created');
    }
    if (this.collections.get(resource)?.has(key(namespace, name))) {
      throw new StorageError(409, 'AlreadyExists', `${resource} "${name}" already exists`, { name, kind: resource });
    }
    object.metadata = {
      ...object.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: randomUUID(),
      generation: 1,
      creationTimestamp: new Date().toISOString(),
    };
    if (resource === 'pods') {
      object.status ??= { phase: 'Pending' };
    }
    this.admission.forEach((admit) => admit(resource, object));
    return this.write(resource, object, 'ADDED');
  }

  /** Replaces an object, or with `subresource` "status" only its status. */
  public update(resource: string, namespace: string | undefined, input: AnyObject, subresource?: string): AnyObject {
    const current = this.get(resource, namespace, input.metadata?.name ?? '');
    const expected = input.metadata?.resourceVersion;
    if (expected !== undefined && expected !== current.metadata!.resourceVersion) {
      throw conflict(resource, current, 'the object has been modified; please apply your changes to the latest version and try again');
    }
    if (input.metadata?.uid !== undefined && input.metadata.uid !== current.metadata!.uid) {
      throw conflict(resource, current, `Precondition failed: UID in precondition: ${input.metadata.uid}, UID in object meta: ${current.metadata!.uid}`);
    }
    const { status: newStatus, ...body } = structuredClone(input);
    const next: AnyObject =
      subresource === 'status'
        ? { ...structuredClone(current), status: newStatus }
        : { ...body, ...(current.status === undefined ? {} : { status: structuredClone(current.status) }) };
    const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion } = current.metadata!;
    const fixed = { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion };
    next.metadata = { ...next.metadata, ...(JSON.parse(JSON.stringify(fixed)) as typeof fixed) };
    if (JSON.stringify(next.spec) !== JSON.stringify(current.spec)) {
      next.metadata.generation = (generation ?? 1) + 1;
    }
    this.admission.forEach((admit) => admit(resource, next, current));
    if (sameContent(next, current)) {
      return current;
    }
    if (deletionTimestamp !== undefined && !next.metadata.finalizers?.length && !deletionGracePeriodSeconds) {
      return this.remove(resource, next);
    }
    return this.write(resource, next, 'MODIFIED', current);
  }

  /** Deletes an object; returns it, and whether it is really gone. */
  public delete(
    resource: string,
    namespace: string | undefined,
    name: string,
    options: StorageDeleteOptions = {},
  ): { object: AnyObject; gone: boolean } {
    const current = this.get(resource, namespace, name);
    const { uid, resourceVersion, finalizers, deletionTimestamp } = current.metadata!;
    const { preconditions } = options;
    if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
      throw conflict(resource, current, `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid})`);
    }
    if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
      throw conflict(resource, current, `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match (${resourceVersion})`);
    }
    const grace = resource === 'pods' && this.gracefulPods ? (options.gracePeriodSeconds ?? current.spec?.terminationGracePeriodSeconds ?? 30) : 0;
    if (!finalizers?.length && grace === 0) {
      return { object: this.remove(resource, current), gone: true };
    }
    if (deletionTimestamp !== undefined) {
      return { object: current, gone: false };
    }
    const next = structuredClone(current);
    next.metadata!.deletionTimestamp ??= new Date().toISOString();
    next.metadata!.deletionGracePeriodSeconds = grace;
    return { object: this.write(resource, next, 'MODIFIED', current), gone: false };
  }

  /** What a kubelet does last: the pod that was asked to end has ended. */
  public finishDeletion(resource: string, namespace: string | undefined, name: string): void {
    this.remove(resource, this.get(resource, namespace, name));
  }

  /** Changes an object by hand, whatever part of it: a kubelet, a user, a scheduler. */
  public mutate(resource: string, namespace: string | undefined, name: string, change: (object: AnyObject) => void): AnyObject {
    const current = this.get(resource, namespace, name);
    const next = structuredClone(current);
    change(next);
    return this.write(resource, next, 'MODIFIED', current);
  }

  /** Forgets the history, as etcd's compaction does. */
  public compact(): void {
    this.compactedTo = this.revision;
    this.history.length = 0;
  }

  private remove(resource: string, object: AnyObject): AnyObject {
    const previous = this.get(resource, object.metadata!.namespace, object.metadata!.name!);
    const gone = structuredClone(object);
    this.collections.get(resource)!.delete(key(object.metadata!.namespace, object.metadata!.name!));
    gone.metadata!.resourceVersion = String(++this.revision);
    this.publish({ revision: this.revision, resource, type: 'DELETED', object: gone, previous });
    if (this.garbageCollection) {
      this.collect(gone.metadata!.uid!);
    }
    return gone;
  }

  private collect(ownerUid: string): void {
    for (const [resource, collection] of this.collections) {
      for (const object of [...collection.values()]) {
        if (object.metadata!.ownerReferences?.some(({ uid }) => uid === ownerUid)) {
          this.delete(resource, object.metadata!.namespace, object.metadata!.name!);
        }
      }
    }
  }

  private write(resource: string, object: AnyObject, type: 'ADDED' | 'MODIFIED', previous?: AnyObject): AnyObject {
    object.metadata!.resourceVersion = String(++this.revision);
    let collection = this.collections.get(resource);
    if (collection === undefined) {
      this.collections.set(resource, (collection = new Map()));
    }
    collection.set(key(object.metadata!.namespace, object.metadata!.name!), object);
    this.publish({ revision: this.revision, resource, type, object, previous });
    return object;
  }

  private publish(event: StorageEvent): void {
    this.history.push(event);
    this.subscribers.forEach((subscriber) => subscriber(event));
  }
}

function key(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

function conflict(resource: string, object: AnyObject, why: string): StorageError {
  const name = object.metadata!.name;
  return new StorageError(409, 'Conflict', `Operation cannot be fulfilled on ${resource} "${name}": ${why}`, { name, kind: resource });
}

function sameContent(left: AnyObject, right: AnyObject): boolean {
  return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(canonical);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, each]) => [name, canonical(each)]),
    );
  }
  return value;
}

/** JSON merge patch, RFC 7396. Server-side apply is simplified to the same, with null kept out. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return patch;
  }
  const result: Record<string, unknown> = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[name];
    } else {
      result[name] = mergePatch(result[name], value);
    }
  }
  return result;
}
