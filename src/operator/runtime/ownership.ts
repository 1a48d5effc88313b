import { KubeObject, OwnerReference } from './kube-object';

/** Thrown when an object that we would manage is controlled by somebody else. */
export class ForeignOwnerError extends Error {
  public constructor(object: KubeObject, owner: KubeObject) {
    const current = controllerOf(object);
    const found = current === undefined ? 'has no controller' : `is controlled by ${current.kind} "${current.name}" (uid ${current.uid})`;
    super(
      `${describe(object)} ${found}, so ${describe(owner)} (uid ${owner.metadata?.uid ?? 'unknown'}) must not take it over; ` +
        'remove or rename that object, or rename its intended owner.',
    );
    this.name = 'ForeignOwnerError';
  }
}

/**
 * The controller reference that makes `owner` the one controller of an object: the garbage collector removes the object with its
 * owner, and other controllers leave it alone.
 *
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

/** The owner reference marked as controller, if the object has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * Whether `owner` is the controller of `object`. Compared by uid: an owner that was deleted and made again under the same name is
 * another owner, whose predecessor's objects the garbage collector is about to remove.
 */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata?.uid;
}

/** Throws a {@link ForeignOwnerError} unless `owner` is the controller of `object`. */
export function assertControlledBy(object: KubeObject, owner: KubeObject): void {
  if (!isControlledBy(object, owner)) {
    throw new ForeignOwnerError(object, owner);
  }
}

function describe(object: KubeObject): string {
  const { namespace, name } = object.metadata ?? {};
  return `${object.kind ?? 'object'} "${namespace ? `${namespace}/` : ''}${name ?? '(unnamed)'}"`;
}
