/**
 * How the launcher of an elastic Horovod job discovers its workers: `horovodrun` runs a script once a second, which prints `HOST:SLOTS` for each
 * available worker.
 *
 * The script looks up each possible worker in the cluster's DNS. The job's service publishes only ready pods, a worker is ready when its ssh server
 * listens, and a terminating pod leaves the service immediately, seconds before its processes end. So no ConfigMap changes when workers change, which
 * a kubelet would show up to a minute later, and the launcher needs no permission to read pods.
 * @see https://horovod.readthedocs.io/en/stable/elastic_include.html
 */
import type { Container } from '../kubernetes';
import type { AddressBook } from '../../model/frameworks/address-book';
import type { ResolvedTrainingJob } from '../../model/frameworks/contract';
import { HOST_DISCOVERY_SCRIPT, MPI_SSH_PORT, possibleWorkers, slotsPerWorker } from '../../model/frameworks/mpi';
import { programText } from '../../programs/program-text';

/** Seconds for which a worker continues after it has left the service, so that the launcher can first remove its processes from the group. */
const LEAVE_SECONDS = 10;

/** File next to the script with all possible workers and their slots. */
const POSSIBLE_HOSTS_FILE = 'possible_hosts';

/** File with the number of workers for which the launcher's init script waits. Later ones join by themselves. */
const FEWEST_HOSTS_FILE = 'fewest_hosts';

/** Whether the job's launcher discovers its workers. */
export function discoversHosts(job: ResolvedTrainingJob): boolean {
  return job.framework.name === 'horovod' && job.spec.elastic !== undefined;
}

/** Files of {@link MPI_CONFIG_PATH} for the discovery; none without discovery. */
export function discoveryFiles(job: ResolvedTrainingJob, addresses: AddressBook): { [file: string]: string } {
  return !discoversHosts(job) ? {} : {
    [HOST_DISCOVERY_SCRIPT]: programText('mpi/discover-hosts.sh'),
    [POSSIBLE_HOSTS_FILE]: possibleWorkers(job).map((worker) => `${addresses.host(worker)}:${slotsPerWorker(job)}\n`).join(''),
    [FEWEST_HOSTS_FILE]: `${job.spec.elastic!.minReplicas}\n`,
  };
}

/** Probe and hook of a worker's `training` container, so that its name resolves exactly while it is available. */
export function discoveryHooks(job: ResolvedTrainingJob, role: string): Partial<Container> {
  return !discoversHosts(job) || role !== 'worker' ? {} : {
    readinessProbe: { tcpSocket: { port: MPI_SSH_PORT }, periodSeconds: 2, failureThreshold: 2 },
    lifecycle: { preStop: { exec: { command: ['sleep', String(LEAVE_SECONDS)] } } },
  };
}
