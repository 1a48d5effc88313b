/**
 * The folder for checkpoints without a volume. In a container they would be on its own disk and removed with it. Here the folder stays, so that the
 * next run can continue from them.
 */
import fs from 'node:fs';
import type { PathMapping } from '../process/local-path';
import type { Pod } from '../../manifests/kubernetes';
import { TRAINING_CONTAINER } from '../../manifests/pod/replica-pod';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { trimmedEnd } from '../../model/text/trim';

/**
 * The mapping; undefined for checkpoints in a volume, at a URL or at a relative path.
 * @param folder created if it is needed
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
