/**
 * Drivers of stores.
 *
 * What a pod needs for a bucket: attributes of the volume, annotations that configure the sidecar, and the sidecar's own volumes.
 */
import type { Volume } from '../kubernetes';
import { GCS_FUSE_ANNOTATION } from '../../model/storage/check-backends';
import type { GcsFuseBackend, StoreSpec } from '../../model/storage/store';

/** Driver names, as classes and volumes write them. */
export const DRIVERS = {
  filestore: 'filestore.csi.storage.gke.io',
  gcsFuse: 'gcsfuse.csi.storage.gke.io',
  lustre: 'lustre.csi.storage.gke.io',
  hyperdiskMl: 'pd.csi.storage.gke.io',
  nfs: 'nfs.csi.k8s.io',
  cephFs: 'cephfs.csi.ceph.com',
  efs: 'efs.csi.aws.com',
  azureFiles: 'file.csi.azure.com',
} as const;

/** Label of the zone in topologies of Google's drivers. */
export const ZONE_LABEL = 'topology.gke.io/zone';

/** The most files that a renamed folder may have. */
const RENAME_LIMIT = 200_000;

/**
 * Mount options of a store: the user's, and those that its backend needs.
 */
export function storeMountOptions(spec: StoreSpec): string[] {
  const { backend, mountOptions = [] } = spec;
  return backend.kind === 'gcsFuse' ? fuseOptions(spec, backend, [...backend.mountOptions ?? [], ...mountOptions]) : [...mountOptions];
}

function fuseOptions({ user, group }: StoreSpec, { folder, hierarchicalNamespace }: GcsFuseBackend, written: readonly string[]): string[] {
  const names = written.map((option) => option.split(/[=:]/)[0]);
  const own: readonly (readonly [string, string | undefined])[] = [
    // Other tools write objects without creating folders.
    ['implicit-dirs', ''],
    ['only-dir', folder],
    // Checkpoints are renamed when they are complete.
    ['rename-dir-limit', hierarchicalNamespace ? undefined : String(RENAME_LIMIT)],
    ['uid', user?.toString()],
    ['gid', (group ?? user)?.toString()],
    ['file-mode', user === undefined && group === undefined ? undefined : '664'],
    ['dir-mode', user === undefined && group === undefined ? undefined : '775'],
  ];
  return [
    ...own.filter(([name, value]) => value !== undefined && !names.includes(name)).map(([name, value]) => (value === '' ? name : `${name}=${value}`)),
    ...written,
  ];
}

const CACHE_VOLUME = 'gke-gcsfuse-cache';
const BUFFER_VOLUME = 'gke-gcsfuse-buffer';

/** Volume of a cache: a tenth more than the cache, because it is filled before anything is evicted. */
const CACHE_ROOM = 1.1;

/** `volumeAttributes` without the bucket and its mount options, which are elsewhere in a PersistentVolume. */
export function gcsFuseAttributes({ cache, attributes }: GcsFuseBackend): { readonly [name: string]: string } {
  return {
    ...(cache !== undefined && { fileCacheCapacity: `${cache.sizeGiB}Gi`, ...(cache.rangeReads && { fileCacheForRangeRead: 'true' }) }),
    ...attributes,
  };
}

/** Annotations of pods with the bucket. */
export function gcsFuseAnnotations({ cache, sidecar }: GcsFuseBackend): { readonly [name: string]: string } {
  const { cpu, memory, ephemeralStorage } = sidecar ?? {};
  // A cache counts against the sidecar, whose default limits assume none.
  const limits = {
    'cpu-limit': cpu,
    'memory-limit': memory ?? (cache?.medium === 'memory' ? '0' : undefined),
    'ephemeral-storage-limit': ephemeralStorage ?? (cache !== undefined && cache.medium !== 'memory' ? '0' : undefined),
  };
  return {
    [GCS_FUSE_ANNOTATION]: 'true',
    ...Object.fromEntries(Object.entries(limits).filter((entry): entry is [string, string] => entry[1] !== undefined).map(([name, value]) => [`gke-gcsfuse/${name}`, value])),
  };
}

/** Volumes of the sidecar that replace the driver's defaults. */
export function gcsFuseSidecarVolumes({ cache, bufferGiB }: GcsFuseBackend): Volume[] {
  return [
    ...(cache === undefined ? [] : [scratch(CACHE_VOLUME, cache.volumeGiB ?? Math.ceil(cache.sizeGiB * CACHE_ROOM), cache.medium === 'memory')]),
    ...(bufferGiB === undefined ? [] : [scratch(BUFFER_VOLUME, bufferGiB, false)]),
  ];
}

function scratch(name: string, gib: number, inMemory: boolean): Volume {
  return { name, emptyDir: { ...(inMemory && { medium: 'Memory' }), sizeLimit: `${gib}Gi` } };
}
