import { NAME_MAX_LENGTH } from '../../model/text/printable';

/** One entry of `metadata.ownerReferences`. */
interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  /** At most one owner of an object is its controller. */
  controller?: boolean;
  /** With foreground deletion the owner waits for this object (when RBAC for `finalizers` of the owner is granted). */
  blockOwnerDeletion?: boolean;
}

/** The part of `metadata` that the runtime reads; unknown fields are kept. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339. */
  creationTimestamp?: string;
  /** RFC 3339; set once deletion was asked for, while finalizers or the grace period hold the object. */
  deletionTimestamp?: string;
  /** Seconds until the object goes after `deletionTimestamp` was set. */
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

/** Any Kubernetes object in its JSON form. Timestamps are strings as on the wire. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** A page of a list, or all of it. */
export interface KubeList<T extends KubeObject> {
  items: T[];
  /** Version of the whole collection at the time of the list: where a watch continues. */
  resourceVersion: string;
  /** Token of the next page; undefined on the last one. */
  continueToken?: string;
  /** Size of the answer, for one page. */
  bytes?: number;
}

/** One line of a watch response. `BOOKMARK` carries nothing but a resource version. */
export interface WatchEvent<T extends KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: T;
}

/** `namespace/name`, or `name` for a cluster-scoped object: the key of queues and stores, as in client-go. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Key of an object. Throws when the object has no name, because nothing sensible can be cached under it. */
export function objectKey(object: KubeObject): string {
  const name = object.metadata?.name;
  if (!name) {
    throw new Error(`Reading the key of a ${object.kind ?? 'Kubernetes object'}: metadata.name is missing; only named objects have a key.`);
  }
  return keyOf(object.metadata?.namespace, name);
}

/** Splits what {@link keyOf} made. */
export function splitKey(key: string): { namespace?: string; name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * The controller reference that makes `owner` the one controller of an object: the garbage collector removes the object with its
 * owner, and other controllers leave it alone.
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/controller/controllerutil#SetControllerReference
 */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  if (!apiVersion || !kind || !metadata?.name || !metadata.uid) {
    throw new Error(
      `Building an owner reference to ${describe(owner)}: apiVersion, kind, metadata.name and metadata.uid are all needed; ` +
        'use the object as the API server returned it.',
    );
  }
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/**
 * The owner reference marked as controller, if the object has one. The API server accepts owner references of any length, so those that cannot
 * identify an object are ignored: they would be kept in caches, requested and logged.
 */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  const owner = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  return owner && [owner.apiVersion, owner.kind, owner.name, owner.uid].every((text) => text.length <= NAME_MAX_LENGTH) ? owner : undefined;
}

/**
 * Whether `owner` is the controller of `object`. Compared by uid: an owner that was deleted and made again under the same name is
 * another owner, whose predecessor's objects the garbage collector is about to remove.
 */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata?.uid;
}

function describe(object: KubeObject): string {
  const { namespace, name } = object.metadata ?? {};
  return `${object.kind ?? 'object'} "${namespace ? `${namespace}/` : ''}${name ?? '(unnamed)'}"`;
}
