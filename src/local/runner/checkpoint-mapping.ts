/**
 * Where checkpoints go that no volume holds. In a container an absolute checkpoint path without a volume is the container's own disk, gone with it;
 * on this machine it is a folder of the job that stays, so that the next run can go on from there.
 */
import fs from 'node:fs';
import type { PathMapping } from '../process/local-path';
import type { Pod } from '../../manifests/kubernetes';
import { TRAINING_CONTAINER } from '../../manifests/pod/replica-pod';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { trimmedEnd } from '../../model/text/trim';

/**
 * The mapping; undefined when a volume holds the checkpoints, or when they go to a URL or a relative path, which need none.
 * @param folder made when it is needed
 */
export function checkpointMapping(job: ResolvedTrainingJob, pod: Pod, folder: string): PathMapping | undefined {
  const path = job.spec.checkpointPath === undefined ? undefined : trimmedEnd(job.spec.checkpointPath, '/');
  const [first] = pod.spec?.containers ?? [];
  const training = pod.spec?.containers.find((container) => container.name === TRAINING_CONTAINER) ?? first;
  const isMounted = (training?.volumeMounts ?? []).some(({ mountPath }) => `${path}/`.startsWith(`${trimmedEnd(mountPath, '/')}/`));
  if (!path?.startsWith('/') || isMounted) {
    return undefined;
  }
  fs.mkdirSync(folder, { recursive: true });
  return { containerPath: path, localPath: folder };
}
