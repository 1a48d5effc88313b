/**
 * Volumes that a replica's pod gets because of what its job asks for. Their names start with `trainyard-`, and templates cannot use that prefix for
 * volumes of their own; their containers may mount ours.
 *
 * The volume by which a replica reports its progress: a token for this job's endpoint alone, and whom to trust.
 */
import { codeMounts, codeVolumes } from '../code/code-pod';
import { discoversHosts } from '../job/host-discovery';
import { MPI_PREPARE_SCRIPT, MPI_SECRET_PATH, SSH_SETTINGS_PATH, needsMpiFiles } from '../job/mpi-files';
import type { Container, Volume, VolumeMount } from '../kubernetes';
import { SHARED_MEMORY_PATH } from '../../model/accelerators/shared-memory';
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
/** Volume with the Secret from which the keys of MPI are taken. */
export const MPI_SECRET_VOLUME = `${RESERVED_VOLUME_PREFIX}mpi-secret`;

/** Init container that hands the keys of MPI to the pod's user. */
export const MPI_PREPARE_CONTAINER = 'mpi-prepare';

/** Volumes of a pod, and where its `training` container sees them. */
export interface ReplicaVolumes {
  readonly volumes: Volume[];
  readonly mounts: VolumeMount[];
}

/** Volumes that the job's fields ask for, whichever engine runs it. */
export function roleVolumes(job: ResolvedTrainingJob, role: ResolvedRole): ReplicaVolumes {
  const volumes: Volume[] = codeVolumes(job);
  const mounts: VolumeMount[] = codeMounts(job);
  const { checkpoint, checkpointPath } = job.spec;
  const sharedMemory = sharedMemoryOf(job, role);
  if (sharedMemory !== undefined) {
    volumes.push({ name: SHARED_MEMORY_VOLUME, emptyDir: { medium: 'Memory', sizeLimit: sharedMemory } });
    mounts.push({ name: SHARED_MEMORY_VOLUME, mountPath: SHARED_MEMORY_PATH });
  }
  if (checkpoint?.claimName !== undefined && checkpointPath !== undefined) {
    volumes.push({ name: CHECKPOINT_VOLUME, persistentVolumeClaim: { claimName: checkpoint.claimName } });
    mounts.push({ name: CHECKPOINT_VOLUME, mountPath: checkpointPath, ...(checkpoint.subPath !== undefined && { subPath: checkpoint.subPath }) });
  }
  return { volumes, mounts };
}

/** Volumes of one replica of the operator's. */
export function replicaVolumes(job: ResolvedTrainingJob, role: ResolvedRole, { mpiSecret = mpiSecretName(job.name) }: RunFacts = {}): ReplicaVolumes {
  const { volumes, mounts } = roleVolumes(job, role);
  if (needsMpiFiles(job) && role.helper === undefined) {
    volumes.push(
      { name: MPI_CONFIG_VOLUME, configMap: { name: mpiConfigMapName(job.name), ...(discoversHosts(job) && { defaultMode: 0o555 }) } },
      { name: MPI_SECRET_VOLUME, secret: { secretName: mpiSecret, defaultMode: 0o444 } },
      { name: MPI_KEYS_VOLUME, emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    );
    mounts.push(
      { name: MPI_CONFIG_VOLUME, mountPath: MPI_CONFIG_PATH, readOnly: true },
      { name: MPI_KEYS_VOLUME, mountPath: MPI_KEY_PATH },
      { name: MPI_CONFIG_VOLUME, mountPath: SSH_SETTINGS_PATH, subPath: 'ssh_config', readOnly: true },
    );
    if (job.framework.name === 'deepspeed' && role.name === 'launcher') {
      mounts.push({ name: MPI_CONFIG_VOLUME, mountPath: DEEPSPEED_HOSTFILE, subPath: 'hostfile', readOnly: true });
    }
  }
  return { volumes, mounts };
}

/**
 * Init containers of one replica.
 * @param training its finished `training` container: the keys have to belong to the user that this one runs as
 */
export function replicaInitContainers(job: ResolvedTrainingJob, replica: Replica, training: Container): Container[] {
  if (!needsMpiFiles(job) || isHelper(job, replica)) {
    return [];
  }
  return [{
    name: MPI_PREPARE_CONTAINER,
    image: training.image,
    imagePullPolicy: training.imagePullPolicy,
    command: ['/bin/sh', `${MPI_CONFIG_PATH}/${MPI_PREPARE_SCRIPT}`],
    env: [{ name: 'ROLE', value: replica.role }],
    volumeMounts: [
      { name: MPI_CONFIG_VOLUME, mountPath: MPI_CONFIG_PATH, readOnly: true },
      { name: MPI_SECRET_VOLUME, mountPath: MPI_SECRET_PATH, readOnly: true },
      { name: MPI_KEYS_VOLUME, mountPath: MPI_KEY_PATH },
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: training.securityContext,
  }];
}

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
