/** Names of the pods and hosts of a Volcano Job, as its controller and its `svc` plugin set them. */
import type { Replica } from '../../../model/frameworks/contract';
import { replicasOfRole } from '../../../model/training-job/replicas/replicas';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Name of a replica's pod, and of its host. */
export function volcanoPodName(jobName: string, { role, index }: Pick<Replica, 'role' | 'index'>): string {
  return `${jobName}-${role}-${index}`;
}

/** Host name at which its peers reach a replica. */
export function volcanoHost(jobName: string, replica: Pick<Replica, 'role' | 'index'>): string {
  return `${volcanoPodName(jobName, replica)}.${jobName}`;
}

/** Variables that the `svc` plugin adds to every container: the hosts of each task, and their number. */
export function volcanoHostVariables(job: ResolvedTrainingJob): { readonly name: string; readonly value: string }[] {
  return job.roles.flatMap((role) => {
    const prefix = `VC_${role.name.replaceAll('-', '_').toUpperCase()}`;
    const hosts = replicasOfRole(job, role.name).map((replica) => volcanoHost(job.name, replica));
    return [{ name: `${prefix}_HOSTS`, value: hosts.join(',') }, { name: `${prefix}_NUM`, value: String(hosts.length) }];
  });
}
