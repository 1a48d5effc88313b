/**
 * The files through which an MPI launcher reaches its workers: a ConfigMap with the hostfile and the settings of ssh and sshd, and a Secret
 * with keys. Everything works for root and for any other user that the image knows, without a capability.
 *
 * How the keys get to their reader. OpenSSH refuses a private key that others may read when the key belongs to the current user. Files of a
 * mounted Secret belong to root: for root they must be 0400, which nobody else can read; and an `fsGroup`, the usual remedy, opens every
 * file of a Secret to the group, whatever mode it was given, so that root can use it no more. No mode is right for both, and whether an image
 * runs as root is not known here. So an init container, which runs as the same user from the same image, makes copies of its own in a volume
 * in memory. The training containers see the copies only.
 *
 * The launcher's init container then waits until every worker answers: OpenMPI gives a job up when one ssh fails, and a worker has an address
 * long before its image is pulled.
 *
 * What ssh starts on a worker would have none of its container's environment: sshd hides it. So a worker writes its environment down before it
 * becomes an ssh server, and every session reads it: ranks find PATH, LD_LIBRARY_PATH, hyperparameters and secrets as if they had been started
 * in the container. (Names that no shell can hold, such as `learning.rate`, are lost on this way; the JSON variable has them.)
 *
 * The workers' host key belongs to the job too, so that the launcher knows whom it talks to (`StrictHostKeyChecking yes`).
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

/** Where the init container finds the Secret itself. */
export const MPI_SECRET_PATH = '/etc/mpi-ssh-auth';

/** Key of the ConfigMap with the init container's script. */
export const MPI_PREPARE_SCRIPT = 'prepare.sh';

/** Where plain `ssh` finds its settings for the job's workers, as Horovod and people call it. Debian and Red Hat include the folder. */
export const SSH_SETTINGS_PATH = '/etc/ssh/ssh_config.d/trainyard-mpi.conf';

/** Name under which the workers' host key stands in `known_hosts`, whatever a worker's address is. */
const HOST_KEY_ALIAS = 'mpi-worker';

/** A key pair as OpenSSH reads it. */
export interface SshKeyPair {
  /** PEM. */
  readonly privateKey: string;
  /** One line, `TYPE BASE64`. */
  readonly publicKey: string;
}

/** What a job's Secret is filled with. Made by `operator/training/ssh-keys.ts`, because it takes randomness. */
export interface MpiSshKeys {
  readonly client: SshKeyPair;
  /** The workers' host key. */
  readonly host: SshKeyPair;
}

/** Whether a job needs the files. */
export function needsMpiFiles(job: ResolvedTrainingJob): boolean {
  return job.roles.some((role) => role.name === 'launcher') && ['mpi', 'horovod', 'deepspeed'].includes(job.framework.name);
}

/** What differs where another controller makes the pods. */
export interface MpiFilesOptions {
  /** Folder that the ConfigMap is mounted at, where {@link MPI_CONFIG_PATH} is taken. @default MPI_CONFIG_PATH */
  readonly folder?: string;
  /** Pattern of the workers' host names, as ssh_config has them. @default - `NAME-worker-*` */
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
      // A pod whose init container runs a second time has the environment of the first time still, closed against writing with the keys beside it.
      [MPI_PREPARE_SCRIPT]: programText('mpi/prepare.sh'),
      'worker.sh': programText('mpi/worker.sh'),
      'session.sh': programText('mpi/session.sh'),
    },
  });
}

/**
 * Secret of {@link mpiSecretName} without its keys. They are made once, when the Secret is created: a Secret that exists is never replaced, and
 * {@link withMpiSshKeys} fills one that does not.
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

/** The Secret with its keys, ready to be created. */
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

/** For the job's workers only, so that ssh to anything else (a git server, say) works as ever. */
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

/** Nothing in it needs root: own port, own host key, no PAM, no pid file, no switching of users. */
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
    // Folders of volumes belong to others than the user; only this pod's containers see them.
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
