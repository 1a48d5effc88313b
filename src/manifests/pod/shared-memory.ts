import type { Volume, VolumeMount } from '../kubernetes';
import { SHARED_MEMORY_PATH } from '../../model/accelerators/shared-memory';

/** The volume at `/dev/shm` and its mount; none without a size. */
export function sharedMemoryParts(
  sizeLimit: string | undefined, name: string = 'shared-memory',
): { readonly volumes: readonly Volume[]; readonly volumeMounts: readonly VolumeMount[] } {
  return sizeLimit === undefined ? { volumes: [], volumeMounts: [] } : {
    volumes: [{ name, emptyDir: { medium: 'Memory', sizeLimit } }],
    volumeMounts: [{ name, mountPath: SHARED_MEMORY_PATH }],
  };
}
