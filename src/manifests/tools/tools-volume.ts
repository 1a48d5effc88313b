/** The volume with the scripts of `NAME-tools`. */
import type { VolumeMount } from '../kubernetes';
import { RESERVED_VOLUME_PREFIX } from '../../model/labels';

/** Mount path of the scripts. */
export const TOOLS_PATH = '/etc/trainyard/tools';

export const TOOLS_VOLUME = `${RESERVED_VOLUME_PREFIX}tools`;

/** Its mount in containers. */
export const TOOLS_MOUNT: VolumeMount = { name: TOOLS_VOLUME, mountPath: TOOLS_PATH, readOnly: true };
