/** `trainyard rerun`: runs a job again, as a new job. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { appended } from '../../options';
import { runAgain, type RerunOptions } from '../change/rerun';
import { withJob, withJobOptions, type Target } from '../target';
import { watchJob } from '../watch-job';
import { Terminal } from '../../../local/output/terminal';

interface RerunFlags extends ClusterFlags, RerunOptions {
  readonly set: readonly string[];
  readonly watch?: boolean;
}

const DETAILS = `The new job has the spec of the old one, and the next free name: after digits, digits-2. If the old job's name is a folder in the path of its
checkpoints, the new name replaces it; with --from-checkpoint the new job continues from those of the old one. --replace deletes the old job
first and keeps its name. FIELD is a field below spec, as trainyard explain has it; VALUE is YAML.`;

export function rerunCommand(): Command {
  return withJobOptions(new Command('rerun')
    .description('run a job again, as a new job')
    .argument('<job>', 'job of a cluster')
    .option('--name <name>', 'name of the new job (default: the next free number)')
    .option('--from-checkpoint', 'continue from the checkpoints of the old job')
    .option('--replace', 'delete the old job, and create it again')
    .option('--set <field=value>', 'change a field; can be repeated', appended, [])
    .option('-w, --watch', 'wait until it has ended'), DETAILS)
    .action(async (job: string, flags: RerunFlags) => {
      process.exitCode = await withJob(job, flags, async (target) => rerun(target, flags));
    });
}

async function rerun(target: Target, flags: RerunFlags): Promise<number> {
  const terminal = new Terminal();
  const { job, sentence, note } = await runAgain(target, flags);
  terminal.line(sentence);
  if (note !== undefined) {
    terminal.note(`note: ${note}`);
  }
  const { namespace, name = '' } = job.metadata ?? {};
  return flags.watch ? watchJob({ ...target, job, ref: { namespace, name } }, { until: 'finished', terminal }) : 0;
}
