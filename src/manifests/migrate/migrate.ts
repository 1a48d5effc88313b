/**
 * Migration of other controllers' objects to training jobs. Each object of the input becomes a job, is part of a job, is not a job and carried over
 * unchanged, or is an error. No object and no field is dropped silently: see `fields.ts`.
 */
import { Fields, type JsonObject, MigrationError } from './fields';
import { finishJob, noteUnread } from './finish';
import type { JobDraft, KindReader, MigratedJob, MigrationOptions } from './job';
import { readMetadata } from './metadata';
import { Notes } from './notes';
import { READ_KINDS, READERS } from './readers';
import { withoutNull } from './values';
import { TooManyReplicasError } from '../../model/training-job/replicas/replicas';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { MANAGED_BY_ENGINES, MANAGED_BY_LABEL, TRAINING_JOB_KIND } from '../../model/labels';
import { toolsConfigMapName } from '../../model/names';
import { WORKLOAD_KINDS, workloadKindOf } from '../../model/kinds/registry';
import { didYouMean, quoteValue } from '../../model/violations';
import { isRecord } from '../../model/json-parts';

/** The result for one object. */
export type Migrated =
  | { readonly outcome: 'job'; readonly job: MigratedJob }
  | { readonly outcome: 'part' }
  | { readonly outcome: 'carried'; readonly object: JsonObject }
  | { readonly outcome: 'error'; readonly error: string };

/** Migrates the objects of one input. @returns the result for each, in the order of the objects */
export function migrateObjects(objects: readonly JsonObject[], options: MigrationOptions = {}): Migrated[] {
  const parts = new Set<JsonObject>();
  const context = { options, objects, use: (object: JsonObject) => void parts.add(object) };
  const results = objects.map((object): Migrated | undefined => {
    const reader = readerOf(object);
    try {
      return reader === undefined ? undefined : { outcome: 'job', job: readJob(object, reader, context) };
    } catch (error) {
      if (error instanceof MigrationError || error instanceof TooManyReplicasError) {
        return { outcome: 'error', error: `${describe(object)}: ${error.message}` };
      }
      throw error;
    }
  });
  // Which of the others belong to a job is known only after all jobs are read.
  return results.map((result, index) => result ?? withoutReader(objects[index], parts));
}

function readJob(object: JsonObject, reader: KindReader, context: Parameters<KindReader['read']>[3]): MigratedJob {
  const fields = new Fields(object);
  const notes = new Notes();
  fields.take('apiVersion');
  fields.take('kind');
  const metadata = readMetadata(fields, notes, reader.kind === TRAINING_JOB_KIND);
  const read = reader.read(fields, metadata, notes, context);
  const draft = isDraft(read) ? read : undefined;
  const spec = withoutNull(draft ? finishJob(draft, metadata, notes) : read as TrainingJobSpec);
  if (draft?.roles.some(({ isOurs }) => isOurs)) {
    ownCompanions(context.objects, metadata.name).forEach((companion) => context.use(companion));
  }
  noteUnread(fields, reader.kind, notes);
  const annotations = Object.entries(metadata.annotations).filter(([name]) => !draft?.usedAnnotations?.includes(name));
  return {
    kind: reader.kind,
    name: metadata.name,
    namespace: metadata.namespace,
    labels: metadata.labels,
    annotations: Object.fromEntries(annotations),
    spec,
    companions: draft?.companions ?? [],
    notes: notes.all,
  };
}

/** ConfigMaps with scripts of a job that Trainyard rendered. The new job gets its own. */
function ownCompanions(objects: readonly JsonObject[], name: string): JsonObject[] {
  return objects.filter(({ kind, metadata }) => {
    const { name: own, labels } = isRecord(metadata) ? metadata : {};
    return kind === 'ConfigMap' && own === toolsConfigMapName(name) && isRecord(labels) && labels[MANAGED_BY_LABEL] === MANAGED_BY_ENGINES;
  });
}

function isDraft(read: JobDraft | TrainingJobSpec): read is JobDraft {
  return 'oldHosts' in read;
}

function readerOf({ apiVersion, kind }: JsonObject): KindReader | undefined {
  return READERS.find((reader) => reader.kind === kind && typeof apiVersion === 'string' && reader.apiVersions.includes(apiVersion));
}

/** The result for an object without a reader. */
function withoutReader(object: JsonObject, parts: ReadonlySet<JsonObject>): Migrated {
  if (parts.has(object)) {
    return { outcome: 'part' };
  }
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    const missing = typeof kind !== 'string' ? 'kind' : 'apiVersion';
    return { outcome: 'error', error: `${describe(object)}: ${missing}: is required: the type of the object, such as a PyTorchJob of kubeflow.org/v1.` };
  }
  const sameKind = READERS.filter((reader) => reader.kind === kind);
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  if (sameKind.length > 0 && sameKind.some((reader) => reader.apiVersions.some((version) => version.split('/')[0] === group))) {
    const known = sameKind.flatMap((reader) => reader.apiVersions);
    return { outcome: 'error', error: `${describe(object)}: apiVersion: ${quoteValue(apiVersion)}: is not supported; ${kind}s of ${known.join(' and ')} are.` };
  }
  const { notMigrated } = workloadKindOf({ apiVersion, kind }) ?? {};
  if (notMigrated !== undefined || WORKLOAD_KINDS.some((known) => known.isJob === true && known.group === group)) {
    return { outcome: 'error', error: `${describe(object)}: ${notMigrated ?? unknownKind(kind)}` };
  }
  const guess = didYouMean(kind, READ_KINDS);
  return guess !== '' && group !== '' && sameKind.length === 0
    ? { outcome: 'error', error: `${describe(object)}: ${unknownKind(kind)}` }
    : { outcome: 'carried', object };
}

function unknownKind(kind: string): string {
  return `kind: ${quoteValue(kind)}: is not a supported job kind: ${READ_KINDS.join(', ')}.${didYouMean(kind, READ_KINDS)}`;
}

/** An object in messages, such as `PyTorchJob mnist`. */
function describe({ kind, metadata }: JsonObject): string {
  const name = isRecord(metadata) ? metadata.name : undefined;
  return [typeof kind === 'string' ? kind : 'an object', ...(typeof name === 'string' ? [name] : [])].join(' ');
}
