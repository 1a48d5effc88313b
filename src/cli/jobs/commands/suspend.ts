/** `trainyard suspend` and `trainyard resume`. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { setSuspended } from '../change/suspend';
import { withJob, withJobOptions } from '../target';
import { Terminal } from '../../../local/output/terminal';

const DETAILS = 'A job of another kind that waits in a queue of Kueue is suspended and resumed through its Workload, because Kueue itself writes the field of the job.';

export function suspendCommand(): Command {
  return command('suspend', 'stop a job or service without deleting it: only its pods are deleted', true);
}

export function resumeCommand(): Command {
  return command('resume', 'start a suspended job or service again', false);
}

function command(name: string, description: string, suspend: boolean): Command {
  return withJobOptions(new Command(name).description(description).argument('<job>', 'job of a cluster'), DETAILS)
    .action(async (job: string, flags: ClusterFlags) => {
      new Terminal().line(await withJob(job, flags, async (target) => setSuspended(target, suspend)));
    });
}
