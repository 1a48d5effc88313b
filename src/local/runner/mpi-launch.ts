/**
 * MPI without ssh. In a cluster the launcher's mpirun reaches the workers' pods by ssh; on one machine there is nobody to reach: a script in ssh's
 * place drops the host's name and runs the command here. The hostfile is the one of the cluster, so ranks, slots and local ranks are too. The
 * workers, which would run an ssh server, only wait.
 * @see https://www.open-mpi.org/faq/?category=rsh
 */
import fs from 'node:fs';
import os from 'node:os';
import type { EnvVar } from '../../manifests/kubernetes';
import { needsMpiFiles } from '../../manifests/job/mpi-files';
import { variable, type Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { programText } from '../../programs/program-text';

/** A program that waits until it is ended. */
export const IDLE_COMMAND: readonly string[] = ['/bin/sh', '-c', 'while :; do sleep 3600; done'];

/** Whether the replica is a worker that the launcher would start its ranks on. */
export function isMpiWorker(job: ResolvedTrainingJob, replica: Replica): boolean {
  return needsMpiFiles(job) && replica.role === 'worker';
}

/**
 * Writes the script that replaces ssh.
 * @param file beside the folder `pods` of the runs, in which it makes folders that go with the pods
 */
export function writeMpiAgent(file: string): void {
  fs.writeFileSync(file, programText('local/run-on-host.sh'), { mode: 0o755 });
}

/** Variables of the launcher on one machine. */
export function mpiLaunchVariables(agentFile: string): EnvVar[] {
  const loopback = loopbackInterface();
  return [
    variable('OMPI_MCA_plm_rsh_agent', agentFile),
    // Workers on one machine have the same local ranks, and would mix up their segments of shared memory.
    variable('OMPI_MCA_btl', 'self,tcp'),
    ...(loopback ? [variable('OMPI_MCA_btl_tcp_if_include', loopback), variable('OMPI_MCA_oob_tcp_if_include', loopback)] : []),
    ...(process.getuid?.() === 0 ? [variable('OMPI_ALLOW_RUN_AS_ROOT', 1), variable('OMPI_ALLOW_RUN_AS_ROOT_CONFIRM', 1)] : []),
  ];
}

/** Name of the loopback interface: `lo` on Linux, `lo0` on macOS. */
export function loopbackInterface(): string | undefined {
  return Object.entries(os.networkInterfaces()).find(([, addresses]) => addresses?.some((address) => address.address === '127.0.0.1'))?.[0];
}
