/** `trainyard logs`: what the replicas of a job write, in one log. */
import { Command, InvalidArgumentError } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { CliError } from '../../cli-error';
import { containersOf, followLogs, readLogs, type LogRequest, type ReplicaLine } from '../pod-logs/follow-pods';
import { parseCount, parseDuration } from '../../options';
import { chooseReplicas, mainContainer, replicasOf, shortName, type Replica, type ReplicaFlags } from '../replicas';
import { currentJob, isFinal, podsOf, standingOfJob, titleOf, withJob, withJobOptions, type Target } from '../target';
import { Terminal } from '../../../local/output/terminal';
import { printableLines } from '../../../model/text/printable';
import { OwnerColumn } from '../../../local/output/pod-lines';

interface LogsFlags extends ClusterFlags, ReplicaFlags {
  readonly container?: string;
  readonly allContainers?: boolean;
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly since?: number;
  readonly tail?: number;
  readonly grep?: string;
  readonly timestamps?: boolean;
  readonly prefix: boolean;
}

const DETAILS = `Lines of all replicas are sorted by time, each with its replica before it. --follow continues through restarts of the job and lost
connections, until the job has ended. Without pods there are no logs: read them from the log store of the cluster.`;

export function logsCommand(): Command {
  return withJobOptions(new Command('logs')
    .description('print the logs of a job\'s replicas as one log')
    .argument('<job>', 'job of a cluster')
    .option('-r, --rank <number>', 'only this rank', parseCount)
    .option('--role <name>', 'only replicas of this role')
    .option('-c, --container <name>', 'container (default: the one that trains)')
    .option('--all-containers', 'all containers of each pod')
    .option('-f, --follow', 'continue until the job has ended')
    .option('-p, --previous', 'the previous run of restarted containers')
    .option('--since <duration>', 'only newer lines, such as 90s, 10m or 2h', parseDuration)
    .option('--tail <lines>', 'only the last lines of each container', parseCount)
    .option('-g, --grep <text>', 'only lines that contain this text')
    .option('--timestamps', 'print the time before each line')
    .option('--no-prefix', 'do not print the replica before each line'), DETAILS)
    .action(async (job: string, flags: LogsFlags) => {
      if (flags.follow && flags.previous) {
        throw new InvalidArgumentError('--previous and --follow exclude each other: the previous run of a container has ended. Leave one out.');
      }
      await withJob(job, flags, async (target) => logs(target, flags));
    });
}

async function logs(target: Target, flags: LogsFlags): Promise<void> {
  const { client, kind, namespace } = target;
  const terminal = new Terminal();
  const look = async () => replicasOf(kind.workload, await podsOf(target, target.job));
  const all = await look();
  if (all.length === 0 && !flags.follow) {
    throw new CliError(`${titleOf(target)} has no pods${target.reader.unread.length > 0 ? `. ${target.reader.unread.join(' ')}` : ', so there are no logs here.'}`);
  }
  const chosen = all.length === 0 ? [] : chooseReplicas(all, flags);
  const containers = containersOf(flags.allContainers ?? false, flags.container);
  if (flags.container !== undefined && chosen.length > 0 && chosen.every(({ pod }) => containers(pod).length === 0)) {
    const names = [...new Set(chosen.flatMap(({ pod }) => containersOf(true, undefined)(pod)))];
    throw new CliError(`--container ${flags.container}: the pods have the containers ${names.join(', ')}.`);
  }
  const printer = new LinePrinter(terminal, target.ref.name, flags, chosen.length > 1 || (flags.follow ?? false));
  const request: LogRequest = {
    client, namespace, containers, previous: flags.previous ?? false, tail: flags.tail,
    since: flags.since === undefined ? undefined : new Date(Date.now() - flags.since).toISOString(),
    onLine: (line) => printer.print(line),
    onProblem: (sentence) => terminal.warn(sentence),
  };
  if (!flags.follow) {
    return readLogs(request, chosen);
  }
  await followLogs(request, async () => {
    const job = await currentJob(target);
    const replicas = await look();
    const ended = job === undefined || isFinal(standingOfJob(job));
    return { ended, replicas: chooseExisting(replicas, flags) };
  });
}

/** The selected pod may not exist yet. */
function chooseExisting(replicas: readonly Replica[], flags: LogsFlags): readonly Replica[] {
  try {
    return chooseReplicas(replicas, flags);
  } catch {
    return [];
  }
}

/** Writes lines with a prefix that names their replica. */
class LinePrinter {
  private readonly owners: OwnerColumn;

  public constructor(
    private readonly terminal: Terminal, private readonly job: string, private readonly flags: LogsFlags, private readonly hasMany: boolean,
  ) {
    this.owners = new OwnerColumn(terminal.paintOut);
  }

  public print(line: ReplicaLine): void {
    const { grep, timestamps } = this.flags;
    if (grep !== undefined && !line.text.includes(grep)) {
      return;
    }
    const time = timestamps ? `${line.time} ` : '';
    // A job must not be able to control the terminal.
    const text = printableLines(line.text);
    this.terminal.line(this.flags.prefix && this.hasMany ? `${this.prefix(line)}${time}${text}` : `${time}${text}`);
  }

  private prefix({ replica, container }: ReplicaLine): string {
    const own = container === mainContainer(replica.pod) ? '' : `:${container}`;
    return this.owners.prefix(`${replica.rank === undefined ? '' : `[${replica.rank}] `}${shortName(this.job, replica)}${own}`);
  }
}
