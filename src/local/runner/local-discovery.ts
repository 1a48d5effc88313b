/**
 * Host discovery of elastic Horovod on one machine. In a cluster the script looks up the workers in DNS. Here each worker, which only waits, writes
 * its process id into a folder, and another script counts the running processes. For horovodrun they are all on this machine, so it starts its ranks
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
 * @param fresh whether the folder may have process ids of an earlier run, which may belong to other processes now
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

/** The command of a worker: it writes its process id, and waits until it is stopped. */
export function discoverableWorker(replica: Replica, folder: string): string[] {
  return ['/bin/sh', '-c', escapeReferences('echo $$ > "$0"; while :; do sleep 3600; done'), path.join(folder, `${replica.podName}.pid`)];
}

/** Replaces the cluster's script in the launcher's variables. */
export function withLocalDiscovery(env: readonly EnvVarSpec[], folder: string): EnvVarSpec[] {
  return env.map((entry) => (entry.name === HOST_DISCOVERY_VARIABLE ? { name: entry.name, value: path.join(folder, HOST_DISCOVERY_SCRIPT) } : entry));
}
