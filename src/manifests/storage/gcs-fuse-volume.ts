/** What a pod needs for a bucket: attributes of the volume, annotations that shape the sidecar, and the sidecar's own volumes. */
import type { Volume } from '../kubernetes';
import { GCS_FUSE_ANNOTATION } from '../../model/storage/gcs-fuse';
import type { GcsFuseBackend } from '../../model/storage/store';

const CACHE_VOLUME = 'gke-gcsfuse-cache';
const BUFFER_VOLUME = 'gke-gcsfuse-buffer';

/** Volume behind a cache: the cache and a tenth, because it is filled before anything is thrown out. */
const CACHE_ROOM = 1.1;

/** `volumeAttributes`, but the bucket and its mount options, which stand elsewhere in a PersistentVolume. */
export function gcsFuseAttributes({ cache, attributes }: GcsFuseBackend): { readonly [name: string]: string } {
  return {
    ...(cache !== undefined && { fileCacheCapacity: `${cache.sizeGiB}Gi`, ...(cache.rangeReads && { fileCacheForRangeRead: 'true' }) }),
    ...attributes,
  };
}

/** Annotations of pods with the bucket. */
export function gcsFuseAnnotations({ cache, sidecar }: GcsFuseBackend): { readonly [name: string]: string } {
  const { cpu, memory, ephemeralStorage } = sidecar ?? {};
  // What is in a cache is counted against the sidecar, whose limits are made for none.
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

/** Volumes of the sidecar that are other than the driver makes them. */
export function gcsFuseSidecarVolumes({ cache, bufferGiB }: GcsFuseBackend): Volume[] {
  return [
    ...(cache === undefined ? [] : [scratch(CACHE_VOLUME, cache.volumeGiB ?? Math.ceil(cache.sizeGiB * CACHE_ROOM), cache.medium === 'memory')]),
    ...(bufferGiB === undefined ? [] : [scratch(BUFFER_VOLUME, bufferGiB, false)]),
  ];
}

function scratch(name: string, gib: number, inMemory: boolean): Volume {
  return { name, emptyDir: { ...(inMemory && { medium: 'Memory' }), sizeLimit: `${gib}Gi` } };
}
