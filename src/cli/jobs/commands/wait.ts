/** `trainyard wait`: waits until a job reaches a state. */
import { Command, Option } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { watchJob } from '../watch-job';
import { parseDuration } from '../../options';
import { withJob, withJobOptions } from '../target';

interface WaitFlags extends ClusterFlags {
  readonly for: string;
  readonly timeout?: number;
}

const DETAILS = `The exit code is 0 when the job reaches the state, and 1 after the timeout or when the job can no longer reach the state because it has ended or
was deleted. finished means that it has succeeded: a failed job is exit code 1.`;

export function waitCommand(): Command {
  return withJobOptions(new Command('wait')
    .description('wait until a job has ended or reached another state')
    .argument('<job>', 'job of a cluster')
    .addOption(new Option('--for <state>', 'state to wait for').choices(['finished', 'running', 'suspended', 'failed', 'deleted']).default('finished'))
    .option('--timeout <duration>', 'give up after this time, such as 10m (default: never)', parseDuration), DETAILS)
    .action(async (job: string, flags: WaitFlags) => {
      process.exitCode = await withJob(job, flags, async (target) => watchJob(target, { until: flags.for as never, timeoutMs: flags.timeout }));
    });
}
