/** `trainyard submit`: creates the job of a file or program on a cluster. */
import { Command } from 'commander';
import { engineNamed } from '../../choose-engine';
import { CliError } from '../../cli-error';
import { namespaceOf, withCluster, type ClusterFlags } from '../../cluster';
import { appended } from '../../options';
import { COMMAND_KINDS } from '../kinds';
import { Reader } from '../reader';
import { createMissing } from '../submit/companions';
import { createUnder, randomName, withOwnCheckpoints } from '../submit/new-job';
import { withFields } from '../submit/set-fields';
import { onEngine, readSubmission } from '../submit/submission';
import { withNamespaceOptions } from '../target';
import { watchJob } from '../watch-job';
import { Terminal } from '../../../local/output/terminal';
import type { EngineDefinition } from '../../../manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../../manifests/engines/operator';
import { engines } from '../../../manifests/engines/registry';
import { record } from '../../../model/json-parts';

interface SubmitFlags extends ClusterFlags {
  readonly job?: string;
  readonly name?: string;
  readonly generateName?: boolean;
  readonly set: readonly string[];
  readonly engine?: EngineDefinition;
  readonly watch?: boolean;
}

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a cdk8s app (main.ts, .js, .mjs) or the folder of one. The job in it is created, of
whichever kind it is, and so are missing objects of the same file: ConfigMaps, claims, services. Existing objects are never changed: a job with the
same name, or a different object with the same name, is an error. Code bundles with 'upload' are uploaded first.

--generate-name adds a random suffix to the name, so that the same file can be submitted many times. If the job's name is a folder in the path of its
checkpoints, the new name replaces it. FIELD is a field below spec, as trainyard explain has it; VALUE is YAML.`;

export function submitCommand(): Command {
  const names = engines().map(({ name }) => name);
  return withNamespaceOptions(new Command('submit')
    .description('create the job of a manifest or cdk8s app on a cluster')
    .argument('<file>', 'manifest or cdk8s app with the job')
    .option('-j, --job <name>', 'which job, when there are several')
    .option('--name <name>', 'name of the job (default: that in FILE)')
    .option('-g, --generate-name', 'add a random suffix to the name')
    .option('--set <field=value>', 'change a field; can be repeated', appended, [])
    .option('-e, --engine <name>', `engine that runs an MLTrainingJob: ${names.join(', ')}`, engineNamed)
    .option('-w, --watch', 'wait until it has ended'))
    .addHelpText('after', DETAILS)
    .action(async (file: string, flags: SubmitFlags) => {
      process.exitCode = await submit(file, flags);
    });
}

async function submit(file: string, flags: SubmitFlags): Promise<number> {
  const terminal = new Terminal();
  const note = (sentence: string) => terminal.note(terminal.paintErr(sentence, 'grey'));
  if (flags.name !== undefined && flags.generateName) {
    throw new CliError('--name and --generate-name exclude each other. Leave one out.');
  }
  const submission = await readSubmission(file, flags.job, note);
  const written = submission.job.metadata?.name;
  const base = flags.name ?? written ?? String(submission.job.metadata?.generateName ?? 'job').replace(/-$/, '');
  return withCluster(flags, async (client) => {
    const namespace = flags.namespace ?? submission.job.metadata?.namespace ?? namespaceOf(client, flags);
    const name = flags.generateName || written === undefined ? randomName(base) : base;
    const old = record(submission.job.spec);
    const spec = name === written || written === undefined ? old : withOwnCheckpoints(old, written, name).spec;
    const metadata = { ...submission.job.metadata, generateName: undefined, name, namespace };
    const changed = { ...submission, job: withFields({ ...submission.job, metadata, spec }, flags.set) };
    const isOurs = flags.engine === undefined || flags.engine === OPERATOR_ENGINE;
    const whole = isOurs ? changed : onEngine(changed, flags.engine!, name, namespace);
    const kind = COMMAND_KINDS.find(({ group, version, kind: word }) => whole.job.kind === word && whole.job.apiVersion === `${group}/${version}`);
    if (kind === undefined) {
      throw new CliError(`${whole.job.kind} of ${whole.job.apiVersion} is not a version that is known. Apply it with kubectl.`);
    }
    if (await client.tryGet(kind, { namespace, name }) !== undefined) {
      throw new CliError(`${kind.kind} ${namespace}/${name} exists. Nothing was changed. Submit it under another name (--generate-name${flags.name === undefined ? ', --name' : ''}), `
        + 'run the old one again (trainyard rerun), or delete that first (trainyard delete).');
    }
    await createMissing(client, namespace, whole.companions, note);
    const job = await createUnder(client, kind, [name], () => whole.job);
    terminal.line(`${kind.kind} ${namespace}/${name} is created.`);
    const target = { client, reader: new Reader(client), kind, namespace, job, ref: { namespace, name } };
    if (!flags.watch) {
      const where = flags.namespace === undefined ? '' : ` -n ${namespace}`;
      terminal.note(`See it with: trainyard status ${name}${where}; trainyard logs ${name} -f${where}`);
      return 0;
    }
    return watchJob(target, { until: 'finished', terminal });
  });
}

