/**
 * A cache of objects of one resource type that is fed from two sides: by a list/watch, which is complete but late, and by our own
 * writes, which are early but know only what we did. The reader must see its own writes (a planner that does not see the pod it has
 * just created makes it again), and neither side may undo what the other already knows to be newer.
 *
 * Facts that the algorithm rests on, all part of the API contract:
 *   (F1) resource versions (RVs) of one resource type grow with time and can be compared (`resource-version.ts`);
 *   (F2) a watch delivers the changes in RV order, none left out; `progress`, the RV of the last event, bookmark or list, therefore
 *        means "everything up to here has been told";
 *   (F3) a list without resourceVersion is a consistent read: it contains every write that was answered before the list began;
 *   (F4) a uid, once its object is gone, never comes back. The name may.
 *
 * Rules:
 *   applyWritten(object @w), the answer of a create, update, patch or get:
 *     w <= progress: ignored, by (F2): the cache already knows what became of w, perhaps even that the object is deleted. Without
 *       this rule an answer that is processed late would resurrect an object, and nothing would ever remove it.
 *     w > progress: stored if newer than what is there, marked as ahead of the watch.
 *   markDeleted(uid), the answer of a delete: removes the object if it still has that uid, and leaves a tombstone: everything about that
 *     uid is ignored from now on (F4), until the watch tells of its deletion or a list begins later (F3). The version that was removed
 *     becomes the floor of its name: anything older there belongs to predecessors, and is ignored too.
 *   watch event @e: ignored if it is about a tombstone, below the floor or older than what is stored; otherwise it wins. A DELETED event leaves no
 *     tombstone, because the first rule of applyWritten does that work.
 *   list @L that began at moment t: wins over everything, except over writes whose answers came after t: an object written since t
 *     stays if it is newer than the list's version of it (or than L, when the list lacks it), and one deleted since t stays deleted.
 *     What was written before t and is not in the list is gone (F3). This also heals every mistake, and follows an etcd that was
 *     restored from a backup, where RVs go backwards.
 *
 * Where RVs are not numbers (an aggregated API server with its own scheme), order is unknown. Then the watch always wins except for
 * uids of tombstones, a write counts only where the cache has nothing, or another uid, under that name, and an object that was
 * written during a list stays until the watch has told its story. Creations, which matter most, stay covered.
 *
 * No expectations, which client-go controllers need because their cache does not see their writes: here it does, whenever the
 * answer arrived. When it did not (time-out of a create), an expectation would not help either; names that follow from the plan do,
 * because repeating the create then ends in AlreadyExists, and the object found is passed to applyWritten.
 */
import { keyOf, KubeObject, objectKey, WatchEvent } from '../kube-object';
import { ObjectIndex } from './object-index';
import { compareResourceVersions, isAtMost, isComparable } from './resource-version';

/** What happened to one key of a store. */
export interface StoreChange<T extends KubeObject> {
  readonly key: string;
  /** The object before; absent when it is new. */
  readonly previous?: T;
  /** The object now; absent when it is gone. */
  readonly current?: T;
  /** Who brought the news. */
  readonly origin: 'list' | 'watch' | 'write';
}

/** Settings of a {@link Store}. */
export interface StoreOptions<T extends KubeObject> {
  /** Named indexes: each gives the values under which an object is found. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
  /**
   * Makes the object that is kept, without what nobody needs, to save memory. It must leave its argument as it is, and keep name,
   * namespace, uid and resourceVersion.
   */
  readonly transform?: (object: T) => T;
  /**
   * Whether an object belongs in this store: the selector of the list/watch. Without it, writing to an object that has left the
   * selection would put it back, and the watch would never again say anything about it.
   */
  readonly selects?: (object: T) => boolean;
}

/** Names an object that was deleted. */
export interface DeletedObject {
  readonly namespace?: string;
  readonly name: string;
  /** Uid of the deleted object. @default - that of the object in the store */
  readonly uid?: string;
}

interface Entry<T> {
  readonly object: T;
  readonly resourceVersion: string;
  /** Moment of our write when the watch has not told of it yet; 0 for what list and watch brought. */
  writtenAt: number;
}

/** How many uids that the watch has told to be gone are remembered. */
const REMEMBERED_UIDS = 4096;

/** See the top of this file. Objects are shared, not copied: whoever reads must not change them. */
export class Store<T extends KubeObject> {
  private readonly entries = new Map<string, Entry<T>>();
  /** Uids of objects that we deleted, with the moment of the answer, until the watch tells of it. */
  private readonly tombstones = new Map<string, number>();
  /** Versions up to which news of a name are about objects that we deleted, with the moment of the answer. */
  private readonly floors = new Map<string, { version: string; madeAt: number }>();
  /** Uids that the watch told to be gone; the newest last. Without comparable versions, late answers are known by them. */
  private readonly goneUids = new Set<string>();
  private readonly indexes = new Map<string, ObjectIndex<T>>();
  private readonly listeners = new Set<(change: StoreChange<T>) => void>();
  private progressVersion = '';
  /** Counts moments: writes and beginnings of lists. */
  private moment = 0;
  private synced = false;

  public constructor(private readonly options: StoreOptions<T> = {}) {
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) {
      this.indexes.set(name, new ObjectIndex(valuesOf));
    }
  }

  // ---- readers

  /** Whether a first list is in: before that, absence means nothing. */
  public get hasSynced(): boolean {
    return this.synced;
  }

  /** Number of objects. */
  public get size(): number {
    return this.entries.size;
  }

  /** Resource version up to which list and watch have told everything; empty before the first list. */
  public get progress(): string {
    return this.progressVersion;
  }

  /** The object under a key (`namespace/name`, or `name`), if any. */
  public get(key: string): T | undefined {
    return this.entries.get(key)?.object;
  }

  /** All objects, in no particular order. */
  public list(): T[] {
    return Array.from(this.entries.values(), (entry) => entry.object);
  }

  /** All keys, in no particular order. */
  public keys(): string[] {
    return [...this.entries.keys()];
  }

  /** The objects that an index has under a value. Throws for an index that does not exist. */
  public byIndex(name: string, value: string): T[] {
    const index = this.indexes.get(name);
    if (index === undefined) {
      throw new Error(`Reading index "${name}" of a store: it does not exist; the store has: ${[...this.indexes.keys()].join(', ') || 'no index'}.`);
    }
    return index.keys(value).map((key) => this.entries.get(key)!.object);
  }

  /** Calls `listener` synchronously after each change; returns what ends that. It must be quick and must not throw: enqueue a key. */
  public onChange(listener: (change: StoreChange<T>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // ---- writers: answers of our own requests

  /** Takes in an object as a create, update, patch or get returned it. */
  public applyWritten(object: T): void {
    const key = objectKey(object);
    const { uid, resourceVersion } = identify(object, key);
    const entry = this.entries.get(key);
    const isTold = isComparable(resourceVersion) ? isAtMost(resourceVersion, this.progressVersion) : this.goneUids.has(uid);
    if (isTold || this.isBelowFloor(key, resourceVersion)) {
      return;
    }
    if (this.tombstones.has(uid)) {
      // The answer of the deletion overtook this one, which still proves that all older objects of the name are gone.
      this.floors.set(key, { version: resourceVersion, madeAt: ++this.moment });
      if (entry !== undefined && isAtMost(entry.resourceVersion, resourceVersion)) {
        this.remove(key, 'write');
      }
      return;
    }
    if (entry !== undefined) {
      const order = compareResourceVersions(resourceVersion, entry.resourceVersion);
      if (order === undefined ? uid === entry.object.metadata?.uid : order <= 0) {
        return;
      }
    }
    if (this.options.selects?.(object) === false) {
      this.remove(key, 'write');
      return;
    }
    this.put(key, this.trim(object), resourceVersion, ++this.moment, 'write');
  }

  /** Takes in that an object is gone: our delete was answered so, or a get or delete of it found nothing. */
  public markDeleted(deleted: DeletedObject): void {
    const key = keyOf(deleted.namespace, deleted.name);
    const entry = this.entries.get(key);
    const storedUid = entry?.object.metadata?.uid;
    const uid = deleted.uid ?? storedUid;
    if (uid === undefined || this.goneUids.has(uid)) {
      // Nothing is known of it, or everything: the watch was faster than the answer.
      return;
    }
    const madeAt = ++this.moment;
    this.tombstones.set(uid, madeAt);
    if (entry !== undefined && storedUid === uid) {
      this.floors.set(key, { version: entry.resourceVersion, madeAt });
      this.remove(key, 'write');
    }
  }

  /** Whether an object that a list has just shown is nothing new: it is stored, or something newer, or the watch has told what became of it. */
  public knows(object: Pick<KubeObject, 'metadata'>): boolean {
    const { resourceVersion = '' } = object.metadata ?? {};
    const stored = this.entries.get(objectKey(object))?.resourceVersion ?? '';
    return isAtMost(resourceVersion, this.progressVersion) || isAtMost(resourceVersion, stored) || (stored !== '' && stored === resourceVersion);
  }

  /** Takes in what `KubeClient.delete` returned: the object is gone, or is kept for now by a grace period or finalizers. */
  public applyDeleteResponse(deleted: DeletedObject, response: KubeObject): void {
    const metadata = response.kind === 'Status' ? undefined : response.metadata;
    const isKept = metadata?.deletionTimestamp !== undefined && (metadata.finalizers?.length || metadata.deletionGracePeriodSeconds);
    if (metadata?.uid !== undefined && isKept) {
      this.applyWritten(response as T);
    } else {
      this.markDeleted({ ...deleted, uid: metadata?.uid ?? deleted.uid });
    }
  }

  // ---- the list/watch

  /** To be called before the first request of a list is sent; its result goes to {@link commitList}. */
  public beginList(): number {
    return ++this.moment;
  }

  /** Trims an object as {@link StoreOptions.transform} says; for lists that come in pages, page by page. */
  public trim(object: T): T {
    return this.options.transform?.(object) ?? object;
  }

  /** Takes in a whole list, trimmed, of version `listVersion`, which {@link beginList} announced. */
  public commitList(begunAt: number, items: readonly T[], listVersion: string): void {
    const listed = new Set<string>();
    const changes: StoreChange<T>[] = [];
    for (const item of items) {
      const key = objectKey(item);
      const { uid, resourceVersion } = identify(item, key);
      if ((this.tombstones.get(uid) ?? 0) > begunAt || this.isBelowFloor(key, resourceVersion, begunAt)) {
        continue;
      }
      listed.add(key);
      const entry = this.entries.get(key);
      if (entry !== undefined && entry.writtenAt > begunAt && !isAtMost(entry.resourceVersion, resourceVersion)) {
        continue;
      }
      if (entry?.resourceVersion === resourceVersion) {
        entry.writtenAt = 0;
      } else {
        changes.push(this.replaceEntry(key, item, resourceVersion, 0, 'list'));
      }
    }
    for (const [key, entry] of this.entries) {
      if (!listed.has(key) && !(entry.writtenAt > begunAt && !isAtMost(entry.resourceVersion, listVersion))) {
        changes.push(this.removeEntry(key, entry, 'list'));
      }
    }
    this.tombstones.forEach((madeAt, uid) => madeAt < begunAt && this.tombstones.delete(uid));
    this.floors.forEach(({ madeAt }, key) => madeAt < begunAt && this.floors.delete(key));
    this.progressVersion = listVersion;
    this.synced = true;
    // Only now: listeners must not see half of a list.
    changes.forEach((change) => this.notify(change));
  }

  /** Takes in one event of the watch, untrimmed. */
  public applyEvent(event: WatchEvent<T>): void {
    this.progressVersion = event.object.metadata?.resourceVersion ?? this.progressVersion;
    if (event.type === 'BOOKMARK') {
      return;
    }
    const key = objectKey(event.object);
    const { uid, resourceVersion } = identify(event.object, key);
    const isStale = this.tombstones.has(uid) || this.isBelowFloor(key, resourceVersion);
    if (event.type === 'DELETED') {
      this.tombstones.delete(uid);
      this.rememberGone(uid);
    }
    if (!isStale) {
      // The watch has passed the floor.
      this.floors.delete(key);
      this.applyLiveEvent(event, key, uid, resourceVersion);
    }
  }

  private applyLiveEvent(event: WatchEvent<T>, key: string, uid: string, resourceVersion: string): void {
    const entry = this.entries.get(key);
    const order = entry === undefined ? undefined : compareResourceVersions(resourceVersion, entry.resourceVersion);
    if (event.type === 'DELETED') {
      if (entry !== undefined && (order === undefined ? uid === entry.object.metadata?.uid : order >= 0)) {
        this.remove(key, 'watch');
      }
      return;
    }
    if (entry !== undefined && order === 0) {
      entry.writtenAt = 0;
    } else if (order === undefined || order > 0) {
      this.put(key, this.trim(event.object), resourceVersion, 0, 'watch');
    }
  }

  /** Whether news of this version are about a predecessor of an object that we deleted, or about that object; counts floors made after `since`. */
  private isBelowFloor(key: string, resourceVersion: string, since = 0): boolean {
    const floor = this.floors.get(key);
    return floor !== undefined && floor.madeAt > since && isAtMost(resourceVersion, floor.version);
  }

  private rememberGone(uid: string): void {
    this.goneUids.add(uid);
    if (this.goneUids.size > REMEMBERED_UIDS) {
      const [oldest] = this.goneUids;
      this.goneUids.delete(oldest);
    }
  }

  private put(key: string, object: T, resourceVersion: string, writtenAt: number, origin: StoreChange<T>['origin']): void {
    this.notify(this.replaceEntry(key, object, resourceVersion, writtenAt, origin));
  }

  private remove(key: string, origin: StoreChange<T>['origin']): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) {
      this.notify(this.removeEntry(key, entry, origin));
    }
  }

  private replaceEntry(key: string, current: T, resourceVersion: string, writtenAt: number, origin: StoreChange<T>['origin']): StoreChange<T> {
    const previous = this.entries.get(key)?.object;
    this.entries.set(key, { object: current, resourceVersion, writtenAt });
    // An object that left the selection, which looks like a deletion, may come back.
    this.goneUids.delete(current.metadata!.uid!);
    this.indexes.forEach((index) => index.replace(key, previous, current));
    return { key, previous, current, origin };
  }

  private removeEntry(key: string, entry: Entry<T>, origin: StoreChange<T>['origin']): StoreChange<T> {
    this.entries.delete(key);
    this.indexes.forEach((index) => index.replace(key, entry.object, undefined));
    return { key, previous: entry.object, origin };
  }

  private notify(change: StoreChange<T>): void {
    this.listeners.forEach((listener) => listener(change));
  }
}

function identify(object: KubeObject, key: string): { uid: string; resourceVersion: string } {
  const { uid, resourceVersion } = object.metadata ?? {};
  if (!uid || !resourceVersion) {
    throw new Error(
      `Storing ${object.kind ?? 'object'} "${key}": metadata.uid or metadata.resourceVersion is missing; store objects as the API server returned them.`,
    );
  }
  return { uid, resourceVersion };
}
