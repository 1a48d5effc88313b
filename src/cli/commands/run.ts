/** `trainyard run`: a job on this machine, no cluster, no image. */
import { Command } from 'commander';
import { loadJob } from '../load-jobs';
import { watchSignals } from '../signals';
import { TerminalReporter } from '../../local/output/terminal-reporter';
import { Terminal } from '../../local/output/terminal';
import { cleanEnvironment } from '../../local/process/inherited-environment';
import { Interruptions, runLocally } from '../../local/runner/run-locally';

interface RunFlags {
  readonly job?: string;
  readonly namespace?: string;
  readonly fresh?: boolean;
  readonly cleanEnv?: boolean;
}

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a cdk8s app (main.ts, .js, .mjs) or the folder of one.

Each replica is a process on this machine, started with the job's own command in the folder of FILE, or in that of its code
bundle. Volumes and an absolute checkpoint path are folders in .trainyard next to FILE. The exit code is 0 when the job
completes, 1 when it fails, and 2 when it cannot run. Press Ctrl-C to stop the replicas gracefully, twice to stop them
immediately.`;

export function runCommand(): Command {
  return new Command('run')
    .description('run a training job on this machine, each replica a process')
    .argument('<file>', 'manifest or cdk8s app with the job')
    .option('-j, --job <name>', 'which job, when there are several')
    .option('-n, --namespace <name>', 'namespace of the job')
    .option('--fresh', 'remove the checkpoints of earlier runs in .trainyard')
    .option('--clean-env', 'pass only PATH, HOME, TMPDIR, the language and the job\'s own variables to replicas')
    .addHelpText('after', DETAILS)
    .action(async (file: string, flags: RunFlags) => {
      process.exitCode = await run(file, flags);
    });
}

async function run(file: string, flags: RunFlags): Promise<number> {
  const { name, namespace, spec, folder, codeFolder, configMaps, secrets } = loadJob(file, flags);
  const reporter = new TerminalReporter(new Terminal());
  const interruptions = new Interruptions();
  const signals = watchSignals({
    first: (signal) => {
      reporter.warning(`${signal}: stopping the replicas; press again to stop them immediately`);
      interruptions.interrupt();
    },
    again: () => interruptions.interrupt(0),
  });
  try {
    const status = await runLocally({
      name, namespace, spec, workingDir: folder, codeFolder, configMaps, secrets, reporter, interruptions, fresh: flags.fresh,
      env: flags.cleanEnv ? cleanEnvironment(process.env) : undefined,
    });
    reporter.finished(status);
    return signals.exitCode ?? (status.phase === 'Completed' ? 0 : 1);
  } finally {
    signals.stop();
  }
}
