/** `trainyard delete`: a job or service goes, with its pods. */
import { Command } from 'commander';
import { namespaceOf, withCluster, type ClusterFlags } from '../../cluster';
import { findJob } from '../find-job';
import { Reader } from '../reader';
import { JOB_NAMES, withJobOptions } from '../target';
import { watchJob } from '../watch-job';
import { Terminal } from '../../../local/output/terminal';

interface DeleteFlags extends ClusterFlags {
  readonly wait?: boolean;
}

const DETAILS = `
${JOB_NAMES}
If one of the jobs does not exist, none is deleted. What they own goes with them: pods, services, objects of other controllers. Checkpoints,
claims and buckets stay.`;

export function deleteCommand(): Command {
  return withJobOptions(new Command('delete')
    .description('delete jobs or services, with their pods')
    .argument('<job...>', 'jobs of a cluster')
    .option('-w, --wait', 'wait until they are gone'))
    .addHelpText('after', DETAILS)
    .action(async (jobs: string[], flags: DeleteFlags) => deleteJobs(jobs, flags));
}

async function deleteJobs(jobs: readonly string[], flags: DeleteFlags): Promise<void> {
  const terminal = new Terminal();
  await withCluster(flags, async (client) => {
    const reader = new Reader(client);
    const namespace = namespaceOf(client, flags);
    const found = await Promise.all(jobs.map(async (job) => findJob(reader, namespace, job)));
    for (const { job, kind } of found) {
      const { name = '', uid } = job.metadata ?? {};
      await client.delete(kind, { namespace, name }, { preconditions: { uid }, propagationPolicy: 'Background' });
      terminal.line(`${kind.kind} ${namespace}/${name} is deleted.`);
    }
    for (const { job, kind } of flags.wait ? found : []) {
      await watchJob({ job, kind, client, reader, namespace, ref: { namespace, name: job.metadata!.name! } }, { until: 'deleted', terminal });
    }
  });
}
