/** `trainyard explain`: what a field means, or why a job does not run. */
import { Command } from 'commander';
import { CliError } from '../cli-error';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../cluster';
import { fieldLines, severalLines } from '../explain/field/explain-field';
import { lookupField, type FieldLookup } from '../explain/field/field-tree';
import { collectSnapshot } from '../explain/job/collect';
import { diagnose } from '../explain/job/diagnose';
import { diagnosisLines } from '../explain/job/output';
import { Reader } from '../jobs/reader';
import { Terminal } from '../../local/output/terminal';
import { outputOption } from '../options';

interface ExplainFlags extends ClusterFlags {
  readonly output: 'text' | 'json';
}

const DETAILS = `
FIELD is a field of MLTrainingJob: spec.runPolicy.backoffLimit, runPolicy.backoffLimit, backoffLimit, roles[0].image, status.lastFailure.

JOB is the name of a job in a cluster, with its kind if it is not an MLTrainingJob or has the name of a field: digits, mltj/digits,
pytorchjob/bert, trainjob/bert, job/x, isvc/llm, cronjob/nightly, deployment/trainyard-operator. The command reads its status, queue, pods,
nodes and events; it changes nothing. The exit code is 0 when the job is running or has succeeded, 1 when not, and 2 when there is no such
field or job.`;

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('explain a field, or why a job does not run')
    .argument('<field|job>', 'field of MLTrainingJob, or job of a cluster')
    .option('-n, --namespace <name>', 'namespace of the job (default: that of the kubeconfig)');
  return withClusterOptions(command)
    .addOption(outputOption('text', 'json'))
    .addHelpText('after', DETAILS)
    .action(async (name: string, flags: ExplainFlags) => {
      process.exitCode = await explain(name, flags);
    });
}

async function explain(name: string, flags: ExplainFlags): Promise<number> {
  const terminal = new Terminal();
  const lookup: FieldLookup = isJob(name, flags) ? { hint: '' } : lookupField(name);
  if ('field' in lookup) {
    terminal.lines(fieldLines(lookup.field, terminal.paintOut));
    return 0;
  }
  if ('several' in lookup) {
    terminal.lines(severalLines(name, lookup.several, terminal.paintOut));
    return 0;
  }
  if (isPath(name)) {
    throw new CliError(`${name} is not a field of MLTrainingJob.${lookup.hint}`);
  }
  return explainJob(name, flags, lookup.hint, terminal);
}

/** Whether it can only be a job. */
function isJob(name: string, { namespace, kubeconfig, context }: ExplainFlags): boolean {
  return name.includes('/') || namespace !== undefined || kubeconfig !== undefined || context !== undefined;
}

/** Whether it can only be a field. */
function isPath(name: string): boolean {
  return /[.[]/.test(name) && !name.includes('/');
}

async function explainJob(name: string, flags: ExplainFlags, hint: string, terminal: Terminal): Promise<number> {
  try {
    const diagnosis = await withCluster(flags, async (client) => (
      diagnose(await collectSnapshot(new Reader(client), namespaceOf(client, flags), name, Date.now))));
    terminal.result(flags.output, diagnosis, (paint) => diagnosisLines(diagnosis, paint));
    return ['Running', 'Succeeded'].includes(diagnosis.state) ? 0 : 1;
  } catch (error) {
    throw error instanceof CliError && !name.includes('/') ? new CliError(`${error.message} ${name} is not a field of MLTrainingJob either.${hint}`) : error;
  }
}
