/** The volume by which a replica reports its progress: a token for this job's endpoint alone, and whom to trust. */
import type { Volume, VolumeMount } from '../kubernetes';
import { PROGRESS_CA_ANNOTATION, RESERVED_VOLUME_PREFIX } from '../../model/labels';
import {
  PROGRESS_CA_FILE, PROGRESS_MOUNT_PATH, PROGRESS_TOKEN_FILE, PROGRESS_TOKEN_SECONDS, progressAudience, type JobRef, type ProgressTarget,
} from '../../model/progress/contract';

/** Name of the volume. */
const PROGRESS_VOLUME = `${RESERVED_VOLUME_PREFIX}progress`;

/** Where the `training` container sees it. */
export const PROGRESS_MOUNT: VolumeMount = { name: PROGRESS_VOLUME, mountPath: PROGRESS_MOUNT_PATH, readOnly: true };

/** The volume of a replica of `job`. */
export function progressVolume(job: JobRef, target: ProgressTarget): Volume {
  return {
    name: PROGRESS_VOLUME,
    projected: {
      sources: [
        { serviceAccountToken: { audience: progressAudience(job), expirationSeconds: PROGRESS_TOKEN_SECONDS, path: PROGRESS_TOKEN_FILE } },
        ...(target.hasAuthorities ? [{
          downwardAPI: { items: [{ path: PROGRESS_CA_FILE, fieldRef: { fieldPath: `metadata.annotations['${PROGRESS_CA_ANNOTATION}']` } }] },
        }] : []),
      ],
    },
  };
}
