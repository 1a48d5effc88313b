/**
 * The files with which an MPI launcher reaches its workers: a ConfigMap with the hostfile and the settings of ssh and sshd, and a Secret with keys.
 * Everything works for root and for any other user of the image, without capabilities.
 *
 * How the keys get to their user. OpenSSH rejects the current user's private key if others may read it. Files of a mounted Secret belong to root: for
 * root they must have mode 0400, which no other user can read. An `fsGroup`, the usual solution, makes each file of a Secret readable for the group,
 * whatever its mode, so root can no longer use it. No mode works for both, and whether an image runs as root is unknown here. So an init container,
 * with the same user and image, creates its own copies in a volume in memory. The training containers see only the copies.
 *
 * The launcher's init container then waits until every worker answers: OpenMPI fails a job if one ssh fails, and a worker has an address long before
 * its image is pulled.
 *
 * A program that ssh starts on a worker would not get the container's environment, because sshd hides it. So a worker saves its environment before it
 * starts the ssh server, and every session reads it: ranks get PATH, LD_LIBRARY_PATH, hyperparameters and secrets as if they were started in the
 * container. (Names that are invalid in a shell, such as `learning.rate`, are lost; the JSON variable has them.)
 *
 * The workers' host key also belongs to the job, so that the launcher can verify it (`StrictHostKeyChecking yes`).
 * @see https://man.openbsd.org/ssh_config
 * @see https://man.openbsd.org/sshd_config
 */
import { jobObjectMeta, type ObjectOwnership } from './job-metadata';
import { discoveryFiles } from './host-discovery';
import type { ConfigMap, Secret } from '../kubernetes';
import { plainObject } from '../plain-object';
import { PodAddressBook, type AddressBook } from '../../model/frameworks/address-book';
import { MPI_CONFIG_PATH, MPI_KEY_PATH, MPI_SSH_PORT, mpiHostfile } from '../../model/frameworks/mpi';
import { mpiConfigMapName, mpiSecretName } from '../../model/names';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { programText } from '../../programs/program-text';

/** Mount path of the Secret in the init container. */
export const MPI_SECRET_PATH = '/etc/mpi-ssh-auth';

/** Key of the ConfigMap with the init container's script. */
export const MPI_PREPARE_SCRIPT = 'prepare.sh';

/** Where plain `ssh`, as Horovod and users call it, finds its settings for the job's workers. Debian and Red Hat include the folder. */
export const SSH_SETTINGS_PATH = '/etc/ssh/ssh_config.d/trainyard-mpi.conf';

/** Name of the workers' host key in `known_hosts`, for all addresses. */
const HOST_KEY_ALIAS = 'mpi-worker';

/** A key pair in OpenSSH's format. */
export interface SshKeyPair {
  /** PEM. */
  readonly privateKey: string;
  /** One line, `TYPE BASE64`. */
  readonly publicKey: string;
}

/** Content of a job's Secret. `operator/training/ssh-keys.ts` generates it, because it is random. */
export interface MpiSshKeys {
  readonly client: SshKeyPair;
  /** The workers' host key. */
  readonly host: SshKeyPair;
}

/** Whether a job needs the files. */
export function needsMpiFiles(job: ResolvedTrainingJob): boolean {
  return job.roles.some((role) => role.name === 'launcher') && ['mpi', 'horovod', 'deepspeed'].includes(job.framework.name);
}

/** Differences for pods of another controller. */
export interface MpiFilesOptions {
  /** Folder where the ConfigMap is mounted. @default MPI_CONFIG_PATH */
  readonly folder?: string;
  /** Pattern of the workers' host names for ssh_config. @default - `NAME-worker-*` */
  readonly workerHosts?: string;
}

/** ConfigMap `NAME-mpi-config`, mounted at {@link MPI_CONFIG_PATH}. */
export function constructMpiConfigMap(
  job: ResolvedTrainingJob,
  ownership: ObjectOwnership,
  addresses: AddressBook = new PodAddressBook(job.name),
  options: MpiFilesOptions = {},
): ConfigMap {
  const { folder = MPI_CONFIG_PATH, workerHosts = `${job.name}-worker-*` } = options;
  return plainObject<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: jobObjectMeta(job.name, mpiConfigMapName(job.name), ownership),
    data: {
      hostfile: mpiHostfile(job, (worker) => addresses.host(worker)),
      ssh_config: sshConfig(workerHosts),
      sshd_config: sshdConfig(folder),
      ...discoveryFiles(job, addresses),
      // If a pod's init container runs again, the environment and the keys of the first time still exist, read-only.
      [MPI_PREPARE_SCRIPT]: programText('mpi/prepare.sh'),
      'worker.sh': programText('mpi/worker.sh'),
      'session.sh': programText('mpi/session.sh'),
    },
  });
}

/**
 * Secret of {@link mpiSecretName} without its keys. {@link withMpiSshKeys} adds them when the Secret is created; an existing Secret is never
 * replaced.
 */
export function constructMpiSecret(job: ResolvedTrainingJob, ownership: ObjectOwnership): Secret {
  return plainObject<Secret>({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: jobObjectMeta(job.name, mpiSecretName(job.name, ownership.owner?.uid), ownership),
    type: 'kubernetes.io/ssh-auth',
    immutable: true,
  });
}

/** The Secret with its keys. */
export function withMpiSshKeys(secret: Secret, { client, host }: MpiSshKeys): Secret {
  return {
    ...secret,
    stringData: {
      'ssh-privatekey': client.privateKey,
      'ssh-publickey': `${client.publicKey}\n`,
      'ssh-hostkey': host.privateKey,
      'known_hosts': `${HOST_KEY_ALIAS} ${host.publicKey}\n`,
    },
  };
}

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`;
}

/** Settings for the job's workers only, so that ssh to other hosts, such as a git server, still works. */
function sshConfig(workerHosts: string): string {
  return lines(
    `Host ${workerHosts}`,
    `  Port ${MPI_SSH_PORT}`,
    `  IdentityFile ${MPI_KEY_PATH}/ssh-privatekey`,
    '  IdentitiesOnly yes',
    `  HostKeyAlias ${HOST_KEY_ALIAS}`,
    `  UserKnownHostsFile ${MPI_KEY_PATH}/known_hosts`,
    '  GlobalKnownHostsFile /dev/null',
    '  StrictHostKeyChecking yes',
    '  UpdateHostKeys no',
    '  BatchMode yes',
    '  ConnectTimeout 10',
    '  ServerAliveInterval 30',
    '  LogLevel ERROR',
  );
}

/** Settings that do not need root: own port, own host key, no PAM, no pid file, no switching of users. */
function sshdConfig(folder: string): string {
  return lines(
    `Port ${MPI_SSH_PORT}`,
    `HostKey ${MPI_KEY_PATH}/ssh-hostkey`,
    `AuthorizedKeysFile ${MPI_KEY_PATH}/ssh-publickey`,
    'AuthenticationMethods publickey',
    `ForceCommand /bin/sh ${folder}/session.sh`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'PidFile none',
    // Folders of volumes do not belong to the user; only this pod's containers see them.
    'StrictModes no',
    'PrintMotd no',
    'UseDNS no',
    'X11Forwarding no',
    // mpirun opens up to 64 connections at once (plm_rsh_num_concurrent is 128).
    'MaxStartups 256',
    'MaxSessions 256',
    'LogLevel ERROR',
  );
}
