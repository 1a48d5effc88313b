/** `trainyard exec`: a command in a replica of a job. */
import { Command } from 'commander';
import { CliError } from '../../cli-error';
import { parseCount } from '../parse';
import type { ReplicaFlags } from '../replicas';
import { exec, explainRefusal } from '../streams/exec';
import { containerOf, oneReplica, replicaTitle } from '../streams/one-replica';
import { withRawTerminal } from '../streams/raw-terminal';
import { JOB_NAMES, withJob, withJobOptions, type JobFlags, type Target } from '../target';
import { Terminal } from '../../../local/output/terminal';

interface ExecFlags extends JobFlags, ReplicaFlags {
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** Of commands that were not started, as shells have them. */
const NOT_FOUND_EXIT_CODE = 127;
const NOT_STARTED_EXIT_CODE = 126;

const DETAILS = `
${JOB_NAMES}
The command runs in the replica of rank 0, or in the one that --rank or --role names. Its exit code is the exit code of this command: 127 when the
container has no such program, 126 when it could not be started. Examples:

  trainyard exec digits -- nvidia-smi
  trainyard exec digits --rank 3 -it -- bash
  trainyard exec digits -i -- tar xf - -C /data < data.tar`;

/** The sub-command. */
export function execCommand(): Command {
  return withJobOptions(new Command('exec')
    .description('run a command in a replica of a job')
    .usage('[options] <job> -- <command...>')
    .argument('<job>', 'job of a cluster')
    .argument('<command...>', 'program and its arguments, after --')
    .option('-r, --rank <number>', 'rank of the replica (default: 0)', parseCount)
    .option('--role <name>', 'role of the replica')
    .option('-c, --container <name>', 'container (default: the one that trains)')
    .option('-i, --stdin', 'pass on the standard input')
    .option('-t, --tty', 'with a terminal, for interactive programs; includes --stdin'))
    .addHelpText('after', DETAILS)
    .action(async (job: string, command: readonly string[], flags: ExecFlags) => {
      if (flags.tty && !(process.stdin.isTTY && process.stdout.isTTY)) {
        throw new CliError('--tty: standard input and output are not both a terminal. Leave --tty out; --stdin passes on what is piped in.');
      }
      process.exitCode = await withJob(job, flags, async (target) => execIn(target, command, flags));
    });
}

async function execIn(target: Target, command: readonly string[], flags: ExecFlags): Promise<number> {
  const { client, namespace } = target;
  const terminal = new Terminal();
  const replica = await oneReplica(target, flags, 'run a command');
  const request = { namespace, pod: replica.name, container: containerOf(replica, flags.container), command };
  const stdin = flags.stdin || flags.tty ? process.stdin : undefined;
  const run = async () => exec(client, request, {
    stdin, stdout: process.stdout, stderr: process.stderr, terminal: flags.tty ? process.stdout : undefined,
    onProblem: (sentence) => terminal.note(terminal.paintErr(`trainyard: ${sentence}`, 'yellow')),
  });
  try {
    const end = await (flags.tty ? withRawTerminal(process.stdin, run) : run());
    if (end.kind === 'exited') {
      return end.exitCode;
    }
    terminal.note(`trainyard: ${replicaTitle(target, replica)}: running '${command[0]}' in container ${request.container} failed: ${end.message}`);
    return /not found|no such file/i.test(end.message) ? NOT_FOUND_EXIT_CODE : NOT_STARTED_EXIT_CODE;
  } catch (error) {
    throw explainRefusal(error, 'run commands in pods', 'pods/exec');
  } finally {
    // An input that goes on would keep this process.
    stdin?.destroy();
  }
}
