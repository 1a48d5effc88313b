/** Names and quantities of a store's objects. */
import { canonicalQuantity } from '../../model/quantities';
import type { StoreSpec } from '../../model/storage/store';

/** Name of what a store has in the cluster as a whole. */
export function clusterName({ name, namespace }: Pick<StoreSpec, 'name' | 'namespace'>): string {
  return namespace === undefined ? name : `${namespace}-${name}`;
}

/** Class that a volume and its claim name alike. */
export function classOfVolume({ backend }: StoreSpec): string {
  return backend.kind === 'gcsFuse' ? backend.profile ?? '' : '';
}

/** A size as Kubernetes writes it. What is wrong with one that is missing is told by the rules. */
export function storageQuantity(gib: number | undefined): string {
  const size = gib ?? 1;
  return canonicalQuantity(Number.isInteger(size) ? `${size}Gi` : `${Math.ceil(size * 1024)}Mi`);
}
