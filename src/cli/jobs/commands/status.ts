/** `trainyard status`: one job, its replicas, what happened to it, and why it waits. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { outputOption } from '../../options';
import { statusLines } from '../status/lines';
import { reportOf } from '../status/report';
import { withJob, withJobOptions } from '../target';
import { Terminal } from '../../../local/output/terminal';

interface StatusFlags extends ClusterFlags {
  readonly events: boolean;
  readonly output: 'text' | 'json';
}

const DETAILS = 'The last part says why the job does not run, like trainyard explain. The exit code is 0 in every state; trainyard wait has one for each result.';

export function statusCommand(): Command {
  return withJobOptions(new Command('status')
    .description('show a job: progress, replicas, history, why it waits')
    .argument('<job>', 'job of a cluster'), DETAILS)
    .option('--no-events', 'without its history')
    .addOption(outputOption('text', 'json'))
    .action(async (job: string, flags: StatusFlags) => {
      const report = await withJob(job, flags, async (target) => reportOf(target, job));
      new Terminal().result(flags.output, report, (paint) => statusLines(flags.events ? report : { ...report, timeline: [] }, paint));
    });
}
