/**
 * How the launcher of an elastic Horovod job learns which workers there are: `horovodrun` runs a script once a second, which prints `HOST:SLOTS` for
 * each worker that can be used.
 *
 * The script asks the cluster's DNS for each worker that the job can have. The job's service publishes ready pods only, a worker is ready when its
 * ssh server listens, and a pod that is asked to go leaves the service at once, seconds before its processes do. So nothing is written when a worker
 * comes or goes, no ConfigMap has to find its way through a kubelet (up to a minute), and the launcher needs no right to read pods.
 * @see https://horovod.readthedocs.io/en/stable/elastic_include.html
 */
import type { Container } from '../kubernetes';
import type { AddressBook } from '../../model/frameworks/address-book';
import type { ResolvedTrainingJob } from '../../model/frameworks/contract';
import { HOST_DISCOVERY_SCRIPT, MPI_SSH_PORT, possibleWorkers, slotsPerWorker } from '../../model/frameworks/mpi';
import { programText } from '../../programs/program-text';

/** Seconds that a worker goes on after it has left the service, so that the launcher can take its processes out of the group first. */
const LEAVE_SECONDS = 10;

/** File beside the script with the workers that the job can have, and their slots. */
const POSSIBLE_HOSTS_FILE = 'possible_hosts';

/** File with the number of workers that the launcher's init script waits for. Those that come later join by themselves. */
const FEWEST_HOSTS_FILE = 'fewest_hosts';

/** Whether the job's launcher discovers its workers. */
export function discoversHosts(job: ResolvedTrainingJob): boolean {
  return job.framework.name === 'horovod' && job.spec.elastic !== undefined;
}

/** Files of {@link MPI_CONFIG_PATH} for the discovery; none where hosts are not discovered. */
export function discoveryFiles(job: ResolvedTrainingJob, addresses: AddressBook): { [file: string]: string } {
  return !discoversHosts(job) ? {} : {
    [HOST_DISCOVERY_SCRIPT]: programText('mpi/discover-hosts.sh'),
    [POSSIBLE_HOSTS_FILE]: possibleWorkers(job).map((worker) => `${addresses.host(worker)}:${slotsPerWorker(job)}\n`).join(''),
    [FEWEST_HOSTS_FILE]: `${job.spec.elastic!.minReplicas}\n`,
  };
}

/** What the `training` container of a worker gets, so that its name leads to it exactly as long as it can be used. */
export function discoveryHooks(job: ResolvedTrainingJob, role: string): Partial<Container> {
  return !discoversHosts(job) || role !== 'worker' ? {} : {
    readinessProbe: { tcpSocket: { port: MPI_SSH_PORT }, periodSeconds: 2, failureThreshold: 2 },
    lifecycle: { preStop: { exec: { command: ['sleep', String(LEAVE_SECONDS)] } } },
  };
}
