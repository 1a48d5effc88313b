/** `trainyard delete`: deletes a job or service with its pods. */
import { Command } from 'commander';
import { namespaceOf, withCluster, type ClusterFlags } from '../../cluster';
import { findTarget, titleOf, withJobOptions } from '../target';
import { watchJob } from '../watch-job';
import { Terminal } from '../../../local/output/terminal';

interface DeleteFlags extends ClusterFlags {
  readonly wait?: boolean;
}

const DETAILS = `If one of the jobs does not exist, none is deleted. Everything that they own is deleted too: pods, services, objects of other controllers.
Checkpoints, claims and buckets stay.`;

export function deleteCommand(): Command {
  return withJobOptions(new Command('delete')
    .description('delete jobs or services, with their pods')
    .argument('<job...>', 'jobs of a cluster')
    .option('-w, --wait', 'wait until they are deleted'), DETAILS)
    .action(async (jobs: string[], flags: DeleteFlags) => deleteJobs(jobs, flags));
}

async function deleteJobs(jobs: readonly string[], flags: DeleteFlags): Promise<void> {
  const terminal = new Terminal();
  await withCluster(flags, async (client) => {
    const namespace = namespaceOf(client, flags);
    const targets = await Promise.all(jobs.map(async (job) => findTarget(client, job, namespace)));
    for (const target of targets) {
      const { job, kind, ref } = target;
      await client.delete(kind, ref, { preconditions: { uid: job.metadata?.uid }, propagationPolicy: 'Background' });
      terminal.line(`${titleOf(target)} is deleted.`);
    }
    for (const target of flags.wait ? targets : []) {
      await watchJob(target, { until: 'deleted', terminal });
    }
  });
}
