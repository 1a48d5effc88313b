/**
 * Host discovery of elastic Horovod on one machine. In a cluster the script asks DNS for the workers; here each worker, which only waits, leaves its
 * process id in a folder, and another script counts the processes that live. All of them are this machine for horovodrun, which starts its ranks
 * directly.
 */
import fs from 'node:fs';
import path from 'node:path';
import { discoversHosts } from '../../manifests/job/host-discovery';
import type { Replica, ResolvedTrainingJob } from '../../model/frameworks/contract';
import { HOST_DISCOVERY_SCRIPT, HOST_DISCOVERY_VARIABLE, slotsPerWorker } from '../../model/frameworks/mpi';
import type { EnvVarSpec } from '../../model/training-job/spec';
import { escapeReferences } from '../../model/variable-references';
import { programText } from '../../programs/program-text';

/**
 * Writes the script into a folder of the job, once.
 * @param fresh whether the folder may hold process ids of an earlier run, which are others' by now
 */
export function prepareDiscovery(job: ResolvedTrainingJob, folder: string, fresh = false): void {
  const file = path.join(folder, HOST_DISCOVERY_SCRIPT);
  if (fresh) {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  if (discoversHosts(job) && !fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'slots'), `${slotsPerWorker(job)}\n`);
    fs.writeFileSync(file, programText('local/discover-hosts.sh'), { mode: 0o755 });
  }
}

/** What a worker runs: it writes its process id, and waits until it is stopped. */
export function discoverableWorker(replica: Replica, folder: string): string[] {
  return ['/bin/sh', '-c', escapeReferences('echo $$ > "$0"; while :; do sleep 3600; done'), path.join(folder, `${replica.podName}.pid`)];
}

/** The launcher's variables with this machine's script in the place of the cluster's. */
export function withLocalDiscovery(env: readonly EnvVarSpec[], folder: string): EnvVarSpec[] {
  return env.map((entry) => (entry.name === HOST_DISCOVERY_VARIABLE ? { name: entry.name, value: path.join(folder, HOST_DISCOVERY_SCRIPT) } : entry));
}
