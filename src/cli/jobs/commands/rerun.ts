/** `trainyard rerun`: a job again, as a new one. */
import { Command } from 'commander';
import { CliError } from '../../cli-error';
import { createUnder, hasCheckpoints, numberedNames, withOwnCheckpoints } from '../submit/new-job';
import { withFields } from '../submit/set-fields';
import { JOB_NAMES, titleOf, withJob, withJobOptions, type JobFlags, type Target } from '../target';
import { watchJob } from '../watch-job';
import { Terminal } from '../../../local/output/terminal';
import { isRecord, record, type JsonRecord } from '../../../model/json-parts';
import { JOB } from '../../../model/kinds/job';
import type { WorkloadKind } from '../../../model/kinds/workload-kind';
import { PARENT_RUN_LABEL, RESUME_ANNOTATION, RUN_LABEL } from '../../../model/labels';
import type { ManifestObject } from '../../../model/objects/manifest-object';

interface RerunFlags extends JobFlags {
  readonly name?: string;
  readonly fromCheckpoint?: boolean;
  readonly replace?: boolean;
  readonly set: readonly string[];
  readonly watch?: boolean;
}

const DETAILS = `
${JOB_NAMES}
The new job has the spec of the old one, and the next free name: of digits, digits-2. Its checkpoints go to a folder of its own, where the old
job's name is a folder in their place; with --from-checkpoint it continues from the old job's. --replace deletes the old job first and keeps its
name. FIELD is a field below spec, as trainyard explain has it; VALUE is YAML.`;

/** The sub-command. */
export function rerunCommand(): Command {
  return withJobOptions(new Command('rerun')
    .description('run a job again, as a new job')
    .argument('<job>', 'job of a cluster')
    .option('--name <name>', 'name of the new job (default: the next free number)')
    .option('--from-checkpoint', 'continue from the checkpoints of the old job')
    .option('--replace', 'delete the old job, and create it again')
    .option('--set <field=value>', 'change a field; can be repeated', (change: string, all: readonly string[]) => [...all, change], [])
    .option('-w, --watch', 'wait until it has ended'))
    .addHelpText('after', DETAILS)
    .action(async (job: string, flags: RerunFlags) => {
      process.exitCode = await withJob(job, flags, async (target) => rerun(target, flags));
    });
}

async function rerun(target: Target, flags: RerunFlags): Promise<number> {
  const { job, kind, client, ref, namespace } = target;
  const terminal = new Terminal();
  const { workload } = kind;
  if (!workload.isJob) {
    throw new CliError(`${titleOf(target)}: a ${kind.kind} serves until it is deleted: there is nothing to run again.`);
  }
  if (flags.replace && flags.name !== undefined) {
    throw new CliError('--replace keeps the name of the job. Leave --name out.');
  }
  const old = withoutState(workload, job as ManifestObject & JsonRecord);
  const host = flags.replace ? undefined : hostOf(old.spec, ref.name, 'spec');
  if (host !== undefined) {
    throw new CliError(`${titleOf(target)}: ${host} has a host name with the job's name in it, which another job would not have. Run it again under its own name with --replace, or submit it from its source.`);
  }
  const sharesPlace = !flags.fromCheckpoint && hasCheckpoints(record(old.spec)) && !withOwnCheckpoints(record(old.spec), ref.name, '').moved;
  if (flags.replace) {
    await client.delete(kind, ref, { preconditions: { uid: job.metadata?.uid }, propagationPolicy: 'Foreground' });
    await watchJob(target, { until: 'deleted', terminal });
  }
  const names = flags.replace ? [ref.name] : flags.name === undefined ? numberedNames(ref.name) : [flags.name];
  const created = await createUnder(client, kind, names, (name) => {
    const spec = flags.fromCheckpoint || flags.replace ? record(old.spec) : withOwnCheckpoints(record(old.spec), ref.name, name).spec;
    return withFields({ ...old, metadata: { ...old.metadata, name }, spec }, flags.set);
  });
  const name = created.metadata!.name!;
  terminal.line(`${kind.kind} ${namespace}/${name} is created from ${ref.name}.`);
  if (sharesPlace || (flags.replace && !flags.fromCheckpoint && hasCheckpoints(record(old.spec)))) {
    terminal.note(`note: its checkpoints go where those of ${ref.name} are, so it continues from them. Use --set checkpointPath=... for another place.`);
  }
  return flags.watch ? watchJob({ ...target, job: { ...created, apiVersion: job.apiVersion, kind: job.kind }, ref: { namespace, name } }, { until: 'finished', terminal }) : 0;
}

/** Labels and annotations that controllers and other tools write, by the starts of their names. */
const NOT_COPIED = [
  'kubectl.kubernetes.io/', 'argocd.argoproj.io/', 'app.kubernetes.io/instance', 'batch.kubernetes.io/', 'controller-uid', 'job-name', 'trainyard.dev/',
  'kueue.x-k8s.io/job-', RESUME_ANNOTATION, RUN_LABEL, PARENT_RUN_LABEL,
];

/** What somebody wrote, without what the cluster added. */
function withoutState(kind: WorkloadKind, { apiVersion, kind: word, metadata, spec }: ManifestObject & JsonRecord): ManifestObject {
  const kept = (values: unknown) => Object.fromEntries(Object.entries(record(values)).filter(([name]) => !NOT_COPIED.some((start) => name.startsWith(start))));
  const run = record(metadata?.labels)[RUN_LABEL];
  const labels = { ...kept(metadata?.labels), ...(run !== undefined && { [PARENT_RUN_LABEL]: run }) };
  const forgotten = [kind.suspend, ...(kind.argoCd?.forgotten ?? []).map((path) => ['spec', ...path])].filter((path) => path?.[0] === 'spec') as string[][];
  const cleaned = forgotten.reduce((fields, path) => without(fields, path.slice(1)), record(spec));
  return {
    apiVersion, kind: word,
    metadata: { name: metadata?.name, namespace: metadata?.namespace, labels, annotations: kept(metadata?.annotations) },
    spec: kind === JOB ? withoutSelector(cleaned, kept) : cleaned,
  };
}

/** The API server selects the pods of a Job by labels that it makes. */
function withoutSelector(spec: JsonRecord, kept: (values: unknown) => object): JsonRecord {
  const { selector, template, ...fields } = spec;
  const { metadata, ...rest } = record(template);
  return spec.manualSelector === true ? spec : { ...fields, template: { ...rest, metadata: { ...record(metadata), labels: kept(record(metadata).labels) } } };
}

function without(fields: JsonRecord, [name, ...rest]: readonly string[]): JsonRecord {
  if (rest.length === 0) {
    return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
  }
  return isRecord(fields[name]) ? { ...fields, [name]: without(fields[name], rest) } : fields;
}

/** Where a spec has a host name with the job's name: `digits-worker-0.digits`. Engines without an operator of ours write such names. */
function hostOf(value: unknown, name: string, path: string): string | undefined {
  if (typeof value === 'string') {
    return value.length < 10_000 && (value.includes(`.${name}:`) || value.endsWith(`.${name}`) || value.includes(`.${name}.`) || value.includes(`.${name},`)) ? path : undefined;
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  for (const [field, inner] of Object.entries(value)) {
    const found = hostOf(inner, name, Array.isArray(value) ? `${path}[${field}]` : `${path}.${field}`);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
