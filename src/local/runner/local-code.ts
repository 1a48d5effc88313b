/**
 * `spec.code` on this machine. If the bundle's folder is known, containers use it directly, so that changes of files have an effect at the next
 * start. Otherwise, such as for a manifest without its program, the archive is unpacked as in a cluster.
 */
import type { PathMapping } from '../process/local-path';
import { CODE_ARCHIVE_VOLUME, CODE_CREDENTIALS_VOLUME, CODE_VOLUME } from '../../manifests/code/code-pod';
import type { Container, Pod } from '../../manifests/kubernetes';
import { CODE_CONTAINER, codePath } from '../../model/training-job/code';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

const VOLUMES: readonly string[] = [CODE_VOLUME, CODE_ARCHIVE_VOLUME, CODE_CREDENTIALS_VOLUME];

/** A pod that uses a folder of this machine as its code. */
export interface CodeInPlace {
  readonly pod: Pod;
  readonly mapping: PathMapping;
}

/** The pod without its init container and volumes for code; undefined if the job has no code, or its folder is unknown. */
export function codeInPlace({ spec }: ResolvedTrainingJob, pod: Pod, folder: string | undefined): CodeInPlace | undefined {
  const containerPath = codePath(spec);
  if (containerPath === undefined || folder === undefined) {
    return undefined;
  }
  const { containers, initContainers = [], volumes = [], ...rest } = pod.spec!;
  const inits = initContainers.filter(({ name }) => name !== CODE_CONTAINER).map(withoutMount);
  return {
    pod: {
      ...pod,
      spec: {
        ...rest,
        containers: containers.map(withoutMount),
        ...(inits.length > 0 && { initContainers: inits }),
        volumes: volumes.filter(({ name }) => !VOLUMES.includes(name)),
      },
    },
    mapping: { containerPath, localPath: folder },
  };
}

function withoutMount(container: Container): Container {
  const { volumeMounts } = container;
  return volumeMounts === undefined ? container : { ...container, volumeMounts: volumeMounts.filter(({ name }) => name !== CODE_VOLUME) };
}
