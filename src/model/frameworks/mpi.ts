/**
 * MPI with a launcher that reaches the workers by ssh, and the two frameworks that are started through it. Hostfile, ssh settings and keys
 * are files: `manifests/job/mpi-files.ts` writes them; the variables here point OpenMPI and the launchers at them.
 * @see https://www.open-mpi.org/faq/?category=rsh
 * @see https://github.com/kubeflow/mpi-operator
 */
import { PodAddressBook } from './address-book';
import { framework, variable, type FrameworkContract, type ReplicaContext, type ResolvedTrainingJob } from './contract';
import { numberReplicas, replicasOfRole, roleOf } from '../training-job/replicas/replicas';
import type { ResourcesSpec } from '../training-job/spec';

/** Port of the workers' ssh servers: one that a user other than root may listen on. */
export const MPI_SSH_PORT = 2222;

const MPI_SSH_PORT_NAME = 'ssh';

/** Folder with `hostfile`, `ssh_config` and `sshd_config`. */
export const MPI_CONFIG_PATH = '/etc/mpi';

/** Folder with the job's key pair. */
export const MPI_KEY_PATH = '/etc/mpi-ssh';

/** Name of the script in {@link MPI_CONFIG_PATH} that prints the workers which are ready, as training-operator v1 calls it. */
export const HOST_DISCOVERY_SCRIPT = 'discover_hosts.sh';

/** Variable with the path of {@link HOST_DISCOVERY_SCRIPT}, for the launcher's command. */
export const HOST_DISCOVERY_VARIABLE = 'HOROVOD_HOST_DISCOVERY_SCRIPT';

/** Where DeepSpeed's launcher looks for its hostfile unless told otherwise. */
export const DEEPSPEED_HOSTFILE = '/job/hostfile';

/** Most bytes of a hostfile: the ConfigMap that it is in holds 1 MiB, and has a few settings next to it. */
const HOSTFILE_MAX_BYTES = 1_000_000;

/**
 * Compute of a launcher whose role does not say: it starts processes on the workers and waits for them. With the workers' cpu and memory it would
 * need a machine of their size, which a cluster that has such machines for accelerators only never gives it.
 */
const LAUNCHER_RESOURCES = { cpu: '1', memory: '2Gi' } as const satisfies ResourcesSpec;

/** What workers run: an ssh server that needs no root. `manifests/job/mpi-files.ts` writes the script. */
export const MPI_WORKER_COMMAND: readonly string[] = ['/bin/sh', `${MPI_CONFIG_PATH}/worker.sh`];

export const MPI = framework({
  name: 'mpi',
  title: 'MPI',
  roles: [
    { name: 'launcher', singleton: true, ranked: false, required: true, devices: false, resources: LAUNCHER_RESOURCES },
    { name: 'worker', required: true, command: MPI_WORKER_COMMAND },
  ],
  // mpirun numbers its processes; DeepSpeed and torch would take a pod's rank for theirs.
  launcherGivesRanks: true,
  shortForm: (replicas) => [{ name: 'launcher', replicas: 1 }, { name: 'worker', replicas }],
  ports: [{ name: MPI_SSH_PORT_NAME, port: MPI_SSH_PORT, roles: ['worker'] }],

  environment({ job, replica }) {
    if (replica.role !== 'launcher') {
      return [];
    }
    const hidden = (roleOf(job, replica).resources.gpu ?? 0) > 0 ? [] : ['NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES'];
    return [
      variable('OMPI_MCA_orte_default_hostfile', `${MPI_CONFIG_PATH}/hostfile`),
      variable('OMPI_MCA_orte_keep_fqdn_hostnames', 'true'),
      variable('OMPI_MCA_orte_set_default_slots', slotsPerWorker(job)),
      // Workers may come up after the launcher: ssh tries again instead of failing the job.
      variable('OMPI_MCA_plm_rsh_args', `-F ${MPI_CONFIG_PATH}/ssh_config -o ConnectionAttempts=10`),
      // Open MPI 4's daemon maps a shared copy of the node's topology at an address that it guesses to be free, and crashes where the guess
      // is wrong (seen once in about a thousand starts). Without the copy each process reads the topology itself.
      variable('OMPI_MCA_rtc_hwloc_vmhole', 'none'),
      // mpirun refuses to work for root unless two variables allow it; in a container root has no special rights.
      variable('OMPI_ALLOW_RUN_AS_ROOT', 1),
      variable('OMPI_ALLOW_RUN_AS_ROOT_CONFIRM', 1),
      // As v1: images of CUDA ask for every GPU of the node, and a launcher that asked for none must not see them.
      ...hidden.map((name) => variable(name, '')),
    ];
  },

  validate(job) {
    const { spec } = job;
    if (spec.nprocPerNode !== undefined && !Number.isInteger(Number(spec.nprocPerNode))) {
      return [{
        path: 'spec.nprocPerNode',
        value: spec.nprocPerNode,
        message: 'is the number of slots in the hostfile, which is written before any worker runs. Set a number, or leave it out for one slot per GPU, or one slot without GPUs.',
      }];
    }
    const addresses = new PodAddressBook(job.name);
    const bytes = mpiHostfile(job, (worker) => addresses.host(worker)).length;
    return bytes <= HOSTFILE_MAX_BYTES ? [] : [{
      path: job.shortForm ? 'spec.replicas' : 'spec.roles',
      value: job.replicas.length,
      message: `are too many for one hostfile: it would have ${bytes} bytes, and a ConfigMap holds ${HOSTFILE_MAX_BYTES}. Use fewer workers or a shorter job name.`,
    }];
  },
});

/**
 * Horovod: `horovodrun -H` or `--hostfile`, or plain mpirun; its ssh uses the same settings. An elastic job's launcher asks a script for the workers
 * that are ready (`manifests/job/host-discovery.ts`).
 * @see https://horovod.readthedocs.io/en/stable/elastic_include.html
 */
export const HOROVOD: FrameworkContract = {
  ...MPI,
  name: 'horovod',
  title: 'Horovod',
  elastic: {
    // A worker is an ssh server; the launcher notices that it has left, and continues with the others.
    endsGroup: () => false,
    // Its processes live on with the state of their last `state.commit()`.
    rewinds: false,
    processesPerReplica: slotsPerWorker,
  },
  environment(context) {
    const common = MPI.environment(context);
    const { elastic } = context.job.spec;
    if (common.length === 0 || elastic === undefined) {
      return common;
    }
    const slots = slotsPerWorker(context.job);
    // For the launcher's command, in which Kubernetes puts values in the place of $(NAME): horovodrun reads no variables.
    return [
      ...common,
      variable(HOST_DISCOVERY_VARIABLE, `${MPI_CONFIG_PATH}/${HOST_DISCOVERY_SCRIPT}`),
      variable('HOROVOD_MIN_NP', elastic.minReplicas * slots),
      variable('HOROVOD_MAX_NP', elastic.maxReplicas * slots),
    ];
  },
};

/** DeepSpeed: its launcher reads {@link DEEPSPEED_HOSTFILE} and starts processes by pdsh or mpirun. */
export const DEEPSPEED: FrameworkContract = {
  ...MPI,
  name: 'deepspeed',
  title: 'DeepSpeed',
  environment(context) {
    const common = MPI.environment(context);
    // pdsh, DeepSpeed's default runner, gets ssh's settings in a variable of its own.
    return common.length === 0 ? [] : [
      ...common,
      variable('PDSH_RCMD_TYPE', 'ssh'),
      variable('PDSH_SSH_ARGS_APPEND', `-F ${MPI_CONFIG_PATH}/ssh_config`),
    ];
  },
};

/** Slots of each worker in the hostfile: what the job says, else its GPUs, else one, as in both upstream operators. */
export function slotsPerWorker(job: ResolvedTrainingJob): number {
  if (job.spec.nprocPerNode !== undefined) {
    return Number(job.spec.nprocPerNode);
  }
  return job.roles.find((role) => role.name === 'worker')?.resources.gpu || 1;
}

/** The workers that a job can have: of an elastic one as many as it may be scaled to, because its files are written once. */
export function possibleWorkers(job: ResolvedTrainingJob): readonly ReplicaContext['replica'][] {
  const { elastic } = job.spec;
  return elastic === undefined || !job.shortForm
    ? replicasOfRole(job, 'worker')
    : numberReplicas(job.name, job.roles.map((role) => (role.name === 'worker' ? { ...role, replicas: elastic.maxReplicas } : role)))
      .filter((replica) => replica.role === 'worker');
}

/** Lines of the hostfile, `HOST slots=N`. */
export function mpiHostfile(job: ResolvedTrainingJob, hostOf: (replica: ReplicaContext['replica']) => string): string {
  const slots = slotsPerWorker(job);
  return possibleWorkers(job).map((worker) => `${hostOf(worker)} slots=${slots}\n`).join('');
}
