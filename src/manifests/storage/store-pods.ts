/** What pods that use a store have, whatever creates them. */
import { DRIVERS, gcsFuseAnnotations, gcsFuseAttributes, gcsFuseSidecarVolumes, storeMountOptions } from './drivers';
import type { Volume } from '../kubernetes';
import { plainObject } from '../plain-object';
import { MULTI_TIER_DRIVER, tierSelector } from '../../model/storage/multi-tier';
import { hasClaim, isReadOnly, type StoreSpec } from '../../model/storage/store';

export interface StorePod {
  /** The volume that mounts the store. */
  readonly volume: Volume;
  /** Volumes that no container of the template mounts: those of a sidecar. */
  readonly furtherVolumes: readonly Volume[];
  readonly annotations: { readonly [name: string]: string };
  readonly nodeSelector: { readonly [label: string]: string };
}

/** Parts of a pod with a store. @param volumeName name of the volume in the pod */
export function constructStorePod(spec: StoreSpec, volumeName: string): StorePod {
  const { backend } = spec;
  const fuse = backend.kind === 'gcsFuse' ? backend : undefined;
  return {
    volume: plainObject({ name: volumeName, ...volumeSource(spec) }),
    furtherVolumes: fuse === undefined ? [] : gcsFuseSidecarVolumes(fuse),
    annotations: fuse === undefined ? {} : gcsFuseAnnotations(fuse),
    nodeSelector: backend.kind === 'multiTier' ? tierSelector(backend) : {},
  };
}

function volumeSource(spec: StoreSpec): { readonly [source: string]: unknown } {
  const { backend } = spec;
  const readOnly = isReadOnly(spec) ? true : undefined;
  if (hasClaim(spec)) {
    return { persistentVolumeClaim: { claimName: backend.kind === 'claim' ? backend.claimName : spec.name, readOnly } };
  }
  return backend.kind === 'gcsFuse'
    ? { csi: { driver: DRIVERS.gcsFuse, readOnly, volumeAttributes: inlineAttributes(spec) } }
    : { csi: { driver: MULTI_TIER_DRIVER } };
}

/** Attributes of a bucket that is written in the pod itself. */
export function inlineAttributes(spec: StoreSpec): { readonly [name: string]: string } {
  const { backend } = spec;
  if (backend.kind !== 'gcsFuse') {
    return {};
  }
  return { bucketName: backend.bucket, mountOptions: storeMountOptions(spec).join(','), ...gcsFuseAttributes(backend) };
}
