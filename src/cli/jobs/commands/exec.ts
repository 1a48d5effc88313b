/** `trainyard exec`: runs a command in a replica of a job. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { CliError } from '../../cli-error';
import { parseCount } from '../../options';
import type { ReplicaFlags } from '../replicas';
import { exec, explainRefusal } from '../streams/exec';
import { containerOf, oneReplica, replicaTitle } from '../streams/one-replica';
import { withRawTerminal } from '../streams/raw-terminal';
import { withJob, withJobOptions, type Target } from '../target';
import { Terminal } from '../../../local/output/terminal';

interface ExecFlags extends ClusterFlags, ReplicaFlags {
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** Exit codes of shells for commands that did not start. */
const NOT_FOUND_EXIT_CODE = 127;
const NOT_STARTED_EXIT_CODE = 126;

/** Messages of container runtimes, and of `trainyard dev`, about a program that does not exist. */
const NOT_FOUND = /not found|no such file|no program of that name/i;

const DETAILS = `The command runs in the replica of rank 0, unless --rank or --role selects another one. The exit code is the exit code of the command, 127 if the
program does not exist in the container, or 126 if it could not be started. Examples:

  trainyard exec digits -- nvidia-smi
  trainyard exec digits --rank 3 -it -- bash
  trainyard exec digits -i -- tar xf - -C /data < data.tar`;

export function execCommand(): Command {
  return withJobOptions(new Command('exec')
    .description('run a command in a replica of a job')
    .usage('[options] <job> -- <command...>')
    .argument('<job>', 'job of a cluster')
    .argument('<command...>', 'program and its arguments, after --')
    .option('-r, --rank <number>', 'rank of the replica (default: 0)', parseCount)
    .option('--role <name>', 'role of the replica')
    .option('-c, --container <name>', 'container (default: the one that trains)')
    .option('-i, --stdin', 'pass standard input to the command')
    .option('-t, --tty', 'run the command on a terminal, for interactive programs; includes --stdin'), DETAILS)
    .action(async (job: string, command: readonly string[], flags: ExecFlags) => {
      if (flags.tty && !(process.stdin.isTTY && process.stdout.isTTY)) {
        throw new CliError('--tty: standard input and output are not both a terminal. Remove --tty, and use --stdin to pass piped input.');
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
    onProblem: (sentence) => terminal.warn(sentence),
  });
  try {
    const end = await (flags.tty ? withRawTerminal(process.stdin, run) : run());
    if (end.kind === 'exited') {
      return end.exitCode;
    }
    terminal.note(`trainyard: ${replicaTitle(target, replica)}: running '${command[0]}' in container ${request.container} failed: ${end.message}`);
    return NOT_FOUND.test(end.message) ? NOT_FOUND_EXIT_CODE : NOT_STARTED_EXIT_CODE;
  } catch (error) {
    throw explainRefusal(error, 'run commands in pods', 'pods/exec');
  } finally {
    // An open input would keep this process running.
    stdin?.destroy();
  }
}
