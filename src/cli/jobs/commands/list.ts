/** `trainyard list`: the jobs and services of a cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { CliError } from '../../cli-error';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../../cluster';
import { outputOption } from '../../options';
import type { JobRow } from '../job-row';
import { kindWords, kindsNamed } from '../kinds';
import { kubectlName, readRows, type RowFilter } from '../read-rows';
import { Reader } from '../reader';
import { STATE_COLOURS } from '../state-colours';
import { tableLines, type Column } from '../../text';
import { Terminal } from '../../../local/output/terminal';
import { TransportError } from '../../../operator/runtime/http/api-error';
import { didYouMean } from '../../../model/violations';
import { duration, elapsed } from '../../../model/text/times';

interface ListFlags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly kind?: readonly string[];
  readonly state?: readonly string[];
  readonly queue?: string;
  readonly selector?: string;
  readonly watch?: boolean;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
}

const STATES = ['waiting', 'running', 'restarting', 'suspended', 'succeeded', 'failed', 'deleting'];

/** Milliseconds between two requests of --watch. */
const WATCH_MS = 2_000;

const DETAILS = `
All kinds that Trainyard knows are listed: MLTrainingJob, TrainJob, jobs of training-operator v1, JobSet, Job, Volcano, Ray, Spark, KServe,
LeaderWorkerSet, Notebook, Katib's Experiment. What one of them creates (the JobSet of a TrainJob) is not listed. Kinds that are not installed
or that you may not read are skipped; the latter are named on standard error.`;

export function listCommand(): Command {
  const command = new Command('list')
    .description('list jobs and services of a cluster, of all engines')
    .option('-n, --namespace <name>', 'namespace (default: that of the kubeconfig)')
    .option('-A, --all-namespaces', 'all namespaces')
    .option('-k, --kind <kind...>', 'only these kinds, such as mltj, trainjob, rayjob, isvc')
    .addOption(new Option('-s, --state <state...>', 'only these states').choices(STATES))
    .option('-q, --queue <name>', 'only this queue')
    .option('-l, --selector <labels>', 'label selector, as kubectl takes it')
    .option('-w, --watch', 'continue, and show changes');
  return withClusterOptions(command)
    .addOption(outputOption('table', 'wide', 'json', 'yaml', 'name'))
    .addHelpText('after', DETAILS)
    .action(async (flags: ListFlags) => list(flags));
}

async function list(flags: ListFlags): Promise<void> {
  const terminal = new Terminal();
  const filter: RowFilter = { kinds: flags.kind?.flatMap(kindsOf), labelSelector: flags.selector, states: flags.state, queue: flags.queue };
  await withCluster(flags, async (client) => {
    const namespace = flags.allNamespaces ? undefined : namespaceOf(client, flags);
    const read = async () => {
      const reader = new Reader(client);
      return { rows: await readRows(reader, namespace, filter), unread: reader.unread };
    };
    const { rows, unread } = await read();
    unread.forEach((sentence) => terminal.note(terminal.paintErr(`note: ${sentence}`, 'grey')));
    if (rows.length === 0 && ['table', 'wide'].includes(flags.output)) {
      terminal.note(`No jobs${namespace === undefined ? '' : ` in the namespace ${namespace}`}.`);
    }
    show(rows, flags, terminal);
    for (let [last, isAway] = [rows, false]; flags.watch;) {
      await delay(WATCH_MS);
      const answer = await unlessAway(read);
      if (answer === undefined) {
        if (!isAway) {
          terminal.note('The cluster does not answer; trying again.');
        }
        isAway = true;
        continue;
      }
      isAway = false;
      const next = answer.rows;
      const changed = next.filter((row) => !last.some((other) => JSON.stringify(other) === JSON.stringify(row)));
      const isSame = (one: JobRow) => (other: JobRow) => other.name === one.name && other.kind === one.kind && other.namespace === one.namespace;
      const gone = last.filter((row) => !next.some(isSame(row)));
      show(changed, flags, terminal, false);
      gone.forEach((row) => terminal.note(`${kubectlName(row)} is deleted`));
      last = next;
    }
  });
}

/** Calls `read`; undefined while the cluster does not answer. */
async function unlessAway<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TransportError) {
      return undefined;
    }
    throw error;
  }
}

function kindsOf(word: string): ReturnType<typeof kindsNamed> {
  const found = kindsNamed(word);
  if (found.length === 0) {
    throw new CliError(`--kind ${word}: there is no job kind ${word}.${didYouMean(word, kindWords())}`);
  }
  return found;
}

function show(rows: readonly JobRow[], { output, allNamespaces }: ListFlags, terminal: Terminal, heading = true): void {
  switch (output) {
    case 'json': return terminal.line(JSON.stringify(rows, undefined, 2));
    case 'yaml': return terminal.line(stringify(rows).trimEnd());
    case 'name': return rows.forEach((row) => terminal.line(kubectlName(row)));
    default: {
      const lines = rows.length === 0 ? [] : tableLines(rows, columns(output === 'wide', allNamespaces === true));
      const at = lines[0]?.indexOf('STATE');
      lines.slice(heading ? 0 : 1).forEach((line, index) => {
        const row = rows[heading ? index - 1 : index] as JobRow | undefined;
        const { phase = '', state = 'Waiting' } = row ?? {};
        terminal.line(row === undefined ? line : line.slice(0, at) + terminal.paintOut(phase, STATE_COLOURS[state]) + line.slice(at + phase.length));
      });
    }
  }
}

/** Narrow for a terminal; wide has the reason too. */
function columns(wide: boolean, allNamespaces: boolean): readonly Column<JobRow>[] {
  const since = (time: string | undefined) => (time === undefined ? undefined : duration(Date.now() - Date.parse(time)));
  const all: readonly Column<JobRow>[] = [
    ['NAMESPACE', ({ namespace }) => namespace],
    ['NAME', ({ name }) => name],
    ['KIND', ({ kind }) => kind],
    ['STATE', ({ phase }) => phase],
    ['READY', ({ ready }) => ready],
    ['PROGRESS', ({ progressPercentage }) => (progressPercentage === undefined ? undefined : `${progressPercentage} %`)],
    ['LEFT', ({ estimatedRemainingSeconds }) => (estimatedRemainingSeconds === undefined ? undefined : elapsed(estimatedRemainingSeconds * 1000))],
    ['QUEUE', ({ queue, queuePosition }) => (queue === undefined ? undefined : `${queue}${queuePosition === undefined ? '' : ` (${queuePosition})`}`)],
    ['GPUS', ({ accelerators }) => accelerators?.toString()],
    ['AGE', ({ createdAt }) => since(createdAt)],
    ['RESTARTS', ({ restarts }) => restarts?.toString()],
    ['ENDED', ({ finishedAt }) => since(finishedAt)],
    ['REASON', ({ reason }) => reason],
  ];
  return all.slice(allNamespaces ? 0 : 1, wide ? undefined : -3);
}
