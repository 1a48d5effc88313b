/**
 * MPI without ssh. In a cluster mpirun connects to the workers' pods by ssh. Here a script replaces ssh, which ignores the host name and runs the
 * command on this machine. The hostfile is that of the cluster, so ranks, slots and local ranks are the same. The workers, which would run an ssh
 * server, only wait.
 * @see https://www.open-mpi.org/faq/?category=rsh
 */
import fs from 'node:fs';
import os from 'node:os';
import type { EnvVar } from '../../manifests/kubernetes';
import { needsMpiFiles } from '../../manifests/job/mpi-files';
import { variable, type Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { programText } from '../../programs/program-text';

/** A program that waits until it is stopped. */
export const IDLE_COMMAND: readonly string[] = ['/bin/sh', '-c', 'while :; do sleep 3600; done'];

/** Whether the replica is a worker on which the launcher would start ranks. */
export function isMpiWorker(job: ResolvedTrainingJob, replica: Replica): boolean {
  return needsMpiFiles(job) && replica.role === 'worker';
}

/**
 * Writes the script that replaces ssh.
 * @param file next to the folder `pods` of the runs, in which the script creates folders
 */
export function writeMpiAgent(file: string): void {
  fs.writeFileSync(file, programText('local/run-on-host.sh'), { mode: 0o755 });
}

/** Variables of the launcher on one machine. */
export function mpiLaunchVariables(agentFile: string): EnvVar[] {
  const loopback = loopbackInterface();
  return [
    variable('OMPI_MCA_plm_rsh_agent', agentFile),
    // Workers on one machine have the same local ranks, so their segments of shared memory would collide.
    variable('OMPI_MCA_btl', 'self,tcp'),
    ...(loopback ? [variable('OMPI_MCA_btl_tcp_if_include', loopback), variable('OMPI_MCA_oob_tcp_if_include', loopback)] : []),
    ...(process.getuid?.() === 0 ? [variable('OMPI_ALLOW_RUN_AS_ROOT', 1), variable('OMPI_ALLOW_RUN_AS_ROOT_CONFIRM', 1)] : []),
  ];
}

/** Name of the loopback interface: `lo` on Linux, `lo0` on macOS. */
export function loopbackInterface(): string | undefined {
  return Object.entries(os.networkInterfaces()).find(([, addresses]) => addresses?.some((address) => address.address === '127.0.0.1'))?.[0];
}
