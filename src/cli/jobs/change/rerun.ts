/** Runs a job again, as a new one with the spec of the old. */
import { CliError } from '../../cli-error';
import { isOwnedBy, type AnyObject } from '../objects';
import { createUnder, hasCheckpoints, numberedNames, withOwnCheckpoints } from '../submit/new-job';
import { withFields } from '../submit/set-fields';
import { titleOf, type Target } from '../target';
import { watchJob } from '../watch-job';
import { isRecord, record, type JsonRecord } from '../../../model/json-parts';
import { JOB } from '../../../model/kinds/job';
import type { WorkloadKind } from '../../../model/kinds/workload-kind';
import { PARENT_RUN_LABEL, RESUME_ANNOTATION, RUN_LABEL } from '../../../model/labels';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { KubeObject } from '../../../operator/runtime/kube-object';
import { CONFIG_MAPS } from '../../../operator/runtime/resource-kind';

export interface RerunOptions {
  /** @default - the old name with the next free number */
  readonly name?: string;
  /** Whether it continues from the checkpoints of the old job. @default false */
  readonly fromCheckpoint?: boolean;
  /** Whether the old job is deleted first, and its name kept. @default false */
  readonly replace?: boolean;
  /** Changes of fields, `FIELD=VALUE`. @default - none */
  readonly set?: readonly string[];
}

export interface Rerun {
  readonly job: AnyObject;
  /** What was done, as a message. */
  readonly sentence: string;
  /** Message about its checkpoints. */
  readonly note?: string;
}

/** Creates the new job. @throws CliError when it cannot run again, or under that name */
export async function runAgain(target: Target, options: RerunOptions = {}): Promise<Rerun> {
  const { name: wanted, fromCheckpoint = false, replace = false, set = [] } = options;
  const { job, kind, client, ref, namespace } = target;
  if (!kind.workload.isJob) {
    throw new CliError(`${titleOf(target)}: a ${kind.kind} serves until it is deleted: there is nothing to run again.`);
  }
  if (replace && wanted !== undefined) {
    throw new CliError('--replace keeps the name of the job. Leave --name out.');
  }
  const old = withoutState(kind.workload, job as ManifestObject & JsonRecord);
  const spec = record(old.spec);
  const own = replace ? undefined : ownName(spec, ref.name);
  if (own !== undefined) {
    throw new CliError(`${titleOf(target)} cannot run again under another name: ${own}. To delete it and run it again under its own name, use trainyard rerun ${ref.name} --replace. To keep it, submit a new job from its source, with submit --name.`);
  }
  const code = await ownedCode(target);
  const keepsPlace = hasCheckpoints(spec) && !fromCheckpoint && (replace || !withOwnCheckpoints(spec, ref.name, '').moved);
  if (replace) {
    await setOwner(target, code, { $patch: 'delete', uid: job.metadata?.uid });
    await client.delete(kind, ref, { preconditions: { uid: job.metadata?.uid }, propagationPolicy: 'Foreground' });
    await watchJob(target, { until: 'deleted' });
  }
  const names = replace ? [ref.name] : wanted === undefined ? numberedNames(ref.name) : [wanted];
  const created = await createUnder(client, kind, names, (name) => withFields({
    ...old, metadata: { ...old.metadata, name }, spec: fromCheckpoint || replace ? spec : withOwnCheckpoints(spec, ref.name, name).spec,
  }, set));
  await setOwner(target, code, { apiVersion: job.apiVersion, kind: job.kind, name: created.metadata!.name, uid: created.metadata!.uid });
  return {
    job: { ...created, apiVersion: job.apiVersion, kind: job.kind },
    sentence: `${kind.kind} ${namespace}/${created.metadata!.name} is created from ${ref.name}.`,
    ...(keepsPlace && { note: `its checkpoints go where those of ${ref.name} are, so it continues from them. Use --set checkpointPath=... for another place.` }),
  };
}

/** ConfigMaps with code that the job owns, as the Python client creates them. They are deleted with the last run that uses them. */
async function ownedCode({ reader, namespace, job }: Target): Promise<readonly string[]> {
  const { configMap, configMaps = [] } = record(record(job.spec).code) as { readonly configMap?: string; readonly configMaps?: readonly string[] };
  const names = configMap === undefined ? configMaps : [configMap];
  const found = await Promise.all(names.map(async (name) => reader.get<KubeObject>(CONFIG_MAPS, namespace, name)));
  return names.filter((_name, at) => isOwnedBy(found[at] ?? {}, job.metadata?.uid));
}

/** Adds or removes an owner, which is identified by its uid. */
async function setOwner({ client, namespace }: Target, names: readonly string[], owner: object): Promise<void> {
  await Promise.all(names.map(async (name) => client.patch(CONFIG_MAPS, { namespace, name }, { metadata: { ownerReferences: [owner] } }, { type: 'strategic' })));
}

/** Labels and annotations that controllers and other tools write, by the starts of their names. */
const NOT_COPIED = [
  'kubectl.kubernetes.io/', 'argocd.argoproj.io/', 'app.kubernetes.io/instance', 'batch.kubernetes.io/', 'controller-uid', 'job-name', 'trainyard.dev/',
  'kueue.x-k8s.io/job-', RESUME_ANNOTATION, RUN_LABEL, PARENT_RUN_LABEL,
];

/** The object without the fields that the cluster has added. */
function withoutState(kind: WorkloadKind, { apiVersion, kind: word, metadata, spec }: ManifestObject & JsonRecord): ManifestObject {
  const isCopied = ([name]: readonly [string, unknown]) => !NOT_COPIED.some((start) => name.startsWith(start));
  const kept = (values: unknown) => Object.fromEntries(Object.entries(record(values)).filter(isCopied));
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

/** The API server adds a selector with labels of its own to each Job. */
function withoutSelector(spec: JsonRecord, kept: (values: unknown) => object): JsonRecord {
  if (spec.manualSelector === true) {
    return spec;
  }
  const { metadata, ...rest } = record(spec.template);
  return { ...without(spec, ['selector']), template: { ...rest, metadata: { ...record(metadata), labels: kept(record(metadata).labels) } } };
}

function without(fields: JsonRecord, [name, ...rest]: readonly string[]): JsonRecord {
  if (rest.length === 0) {
    return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
  }
  return isRecord(fields[name]) ? { ...fields, [name]: without(fields[name], rest) } : fields;
}

/** Why a spec is valid for one job name only, as the rest of a sentence. Engines without our operator write such specs. */
function ownName(spec: JsonRecord, name: string): string | undefined {
  const host = hostOf(spec, name, 'spec');
  if (host !== undefined) {
    return `${host} has a host name with the job's name in it, and the hosts of another job have other names`;
  }
  const { name: runtime, kind } = record(spec.runtimeRef);
  return runtime === name && kind === 'TrainingRuntime' ? `spec.runtimeRef is the job's own TrainingRuntime, ${name}, which has the names of its hosts` : undefined;
}

/** Path of a field that has a host name with the job's name, such as `digits-worker-0.digits`. */
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
