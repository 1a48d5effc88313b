/**
 * Volumes of a replica's pod by the fields of its job. Their names start with `trainyard-`, a prefix that templates cannot use for their own volumes;
 * their containers may mount ours.
 */
import { codeMounts, codeVolumes } from '../code/code-pod';
import { discoversHosts } from '../job/host-discovery';
import { MPI_PREPARE_SCRIPT, MPI_SECRET_PATH, SSH_SETTINGS_PATH, needsMpiFiles } from '../job/mpi-files';
import type { Container, Volume, VolumeMount } from '../kubernetes';
import { sharedMemoryParts } from './shared-memory';
import type { Replica } from '../../model/frameworks/contract';
import { DEEPSPEED_HOSTFILE, MPI_CONFIG_PATH, MPI_KEY_PATH } from '../../model/frameworks/mpi';
import { PROGRESS_CA_ANNOTATION, RESERVED_VOLUME_PREFIX } from '../../model/labels';
import { mpiConfigMapName, mpiSecretName } from '../../model/names';
import {
  PROGRESS_CA_FILE, PROGRESS_MOUNT_PATH, PROGRESS_TOKEN_FILE, PROGRESS_TOKEN_SECONDS, progressAudience, type JobRef, type ProgressTarget,
} from '../../model/progress/contract';
import { isHelper } from '../../model/training-job/replicas/helpers';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { RunFacts } from '../../model/training-job/run-facts';
import { sharedMemoryOf } from '../../model/training-job/accelerator-labels';

/** Volume with the claim of `spec.checkpoint`. */
export const CHECKPOINT_VOLUME = `${RESERVED_VOLUME_PREFIX}checkpoints`;

/** Volume at `/dev/shm`. */
export const SHARED_MEMORY_VOLUME = `${RESERVED_VOLUME_PREFIX}shared-memory`;

const MPI_CONFIG_VOLUME = `${RESERVED_VOLUME_PREFIX}mpi-config`;
const MPI_KEYS_VOLUME = `${RESERVED_VOLUME_PREFIX}mpi-keys`;
/** Volume with the Secret that contains the keys of MPI. */
export const MPI_SECRET_VOLUME = `${RESERVED_VOLUME_PREFIX}mpi-secret`;

/** Init container that gives the keys of MPI to the pod's user. */
export const MPI_PREPARE_CONTAINER = 'mpi-prepare';

/** Volumes of a pod, and their mounts in its `training` container. */
export interface ReplicaVolumes {
  readonly volumes: Volume[];
  readonly mounts: VolumeMount[];
}

/** Volumes of the job's fields on any engine. */
export function roleVolumes(job: ResolvedTrainingJob, role: ResolvedRole): ReplicaVolumes {
  const sharedMemory = sharedMemoryParts(sharedMemoryOf(job, role), SHARED_MEMORY_VOLUME);
  const volumes: Volume[] = [...codeVolumes(job), ...sharedMemory.volumes];
  const mounts: VolumeMount[] = [...codeMounts(job), ...sharedMemory.volumeMounts];
  const { checkpoint, checkpointPath } = job.spec;
  if (checkpoint?.claimName !== undefined && checkpointPath !== undefined) {
    volumes.push({ name: CHECKPOINT_VOLUME, persistentVolumeClaim: { claimName: checkpoint.claimName } });
    mounts.push({ name: CHECKPOINT_VOLUME, mountPath: checkpointPath, ...(checkpoint.subPath !== undefined && { subPath: checkpoint.subPath }) });
  }
  return { volumes, mounts };
}

/** Volumes of one of the operator's replicas. */
export function replicaVolumes(job: ResolvedTrainingJob, role: ResolvedRole, { mpiSecret = mpiSecretName(job.name) }: RunFacts = {}): ReplicaVolumes {
  const { volumes, mounts } = roleVolumes(job, role);
  if (needsMpiFiles(job) && role.helper === undefined) {
    const mpi = mpiVolumes(job, role, mpiSecret);
    volumes.push(...mpi.volumes);
    mounts.push(...mpi.mounts);
  }
  return { volumes, mounts };
}

/** Volumes with the files of MPI. @param folder where the ConfigMap is mounted */
export function mpiVolumes(job: ResolvedTrainingJob, role: ResolvedRole, secretName: string, folder = MPI_CONFIG_PATH): ReplicaVolumes {
  const config = (mountPath: string, subPath?: string): VolumeMount => (
    { name: MPI_CONFIG_VOLUME, mountPath, ...(subPath !== undefined && { subPath }), readOnly: true });
  return {
    volumes: [
      { name: MPI_CONFIG_VOLUME, configMap: { name: mpiConfigMapName(job.name), ...(discoversHosts(job) && { defaultMode: 0o555 }) } },
      { name: MPI_SECRET_VOLUME, secret: { secretName, defaultMode: 0o444 } },
      { name: MPI_KEYS_VOLUME, emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    ],
    mounts: [
      config(folder),
      { name: MPI_KEYS_VOLUME, mountPath: MPI_KEY_PATH },
      config(SSH_SETTINGS_PATH, 'ssh_config'),
      ...(job.framework.name === 'deepspeed' && role.name === 'launcher' ? [config(DEEPSPEED_HOSTFILE, 'hostfile')] : []),
    ],
  };
}

/** Init containers of one replica. @param training its complete `training` container */
export function replicaInitContainers(job: ResolvedTrainingJob, replica: Replica, training: Container): Container[] {
  return !needsMpiFiles(job) || isHelper(job, replica) ? [] : [mpiInitContainer(replica.role, training)];
}

/**
 * Gives the keys to the user of the image, and waits for the workers on the launcher.
 * @param training complete `training` container of the pod, whose user must own the keys
 * @param folder where the ConfigMap is mounted
 */
export function mpiInitContainer(role: string, training: Container, folder = MPI_CONFIG_PATH): Container {
  return {
    name: MPI_PREPARE_CONTAINER,
    image: training.image,
    imagePullPolicy: training.imagePullPolicy,
    command: ['/bin/sh', `${folder}/${MPI_PREPARE_SCRIPT}`],
    env: [{ name: 'ROLE', value: role }],
    volumeMounts: [
      { name: MPI_CONFIG_VOLUME, mountPath: folder, readOnly: true },
      { name: MPI_SECRET_VOLUME, mountPath: MPI_SECRET_PATH, readOnly: true },
      { name: MPI_KEYS_VOLUME, mountPath: MPI_KEY_PATH },
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: training.securityContext,
  };
}

const PROGRESS_VOLUME = `${RESERVED_VOLUME_PREFIX}progress`;

/** Mount of the progress volume in the `training` container. */
export const PROGRESS_MOUNT: VolumeMount = { name: PROGRESS_VOLUME, mountPath: PROGRESS_MOUNT_PATH, readOnly: true };

/** Volume with which a replica of `job` reports its progress: a token that only this job's endpoint accepts, and the trusted authorities. */
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
