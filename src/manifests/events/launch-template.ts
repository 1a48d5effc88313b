/**
 * What the launcher fills in and creates: the object that an engine renders for a job, what belongs to it, and where both are in the API. The event
 * is a variable of the job, so that every engine writes it like other variables.
 */
import type { EngineDefinition, EngineObjects } from '../engines/engine';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { EVENT_PLACEHOLDER, EVENT_VARIABLE, LAUNCHER_LABEL, templateName, type CronSpec, type QueueSource } from '../../model/events/spec';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { Violation } from '../../model/violations';

/** Plural names of the other objects that engines render. */
const PLURALS: { readonly [kind: string]: string } = {
  ConfigMap: 'configmaps', Secret: 'secrets', Service: 'services', NetworkPolicy: 'networkpolicies', PodGroup: 'podgroups',
  Workload: 'workloads', TrainingRuntime: 'trainingruntimes',
};

/** The template's size limit in bytes: a ConfigMap holds a MiB, program included. */
const TEMPLATE_MAX_BYTES = 900_000;

/** A job that is started repeatedly. */
export interface LaunchedJob {
  /** Name of what starts it. */
  readonly launcher: string;
  readonly namespace: string;
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly engine: EngineDefinition;
  readonly spec: TrainingJobSpec;
}

/** How jobs are started. */
export interface LaunchSettings {
  readonly maxRunning?: number;
  readonly source?: QueueSource;
  readonly schedule?: CronSpec;
}

/** An object and the collection that it is created in. */
interface Placed {
  readonly path: string;
  readonly group: string;
  readonly plural: string;
  readonly object: Manifest;
}

/** The job with the variable of its event. */
export function withEvent(spec: TrainingJobSpec): TrainingJobSpec {
  return { ...spec, env: [...spec.env ?? [], { name: EVENT_VARIABLE, value: EVENT_PLACEHOLDER }] };
}

function renderLaunched({ launcher, namespace, labels, engine, spec }: LaunchedJob): EngineObjects {
  return engine.render({ name: templateName(launcher), namespace, labels, spec });
}

/** What cannot be started repeatedly. */
export function launchViolations(job: LaunchedJob): Violation[] {
  const twice = [job.spec, ...job.spec.roles ?? []].flatMap(({ env = [] }) => env).filter(({ name }) => name === EVENT_VARIABLE);
  if (twice.length > 1) {
    return [{ path: `job.env.${EVENT_VARIABLE}`, value: twice[0].value, message: 'is the variable with the event, which the launcher sets. Rename yours.' }];
  }
  const { companions } = renderLaunched(job);
  const unknown = companions.find(({ kind }) => PLURALS[kind] === undefined);
  if (unknown !== undefined) {
    return [{ path: 'job.engine', value: job.engine.name, message: `creates a ${unknown.kind} for each job, which the launcher cannot do. Choose another engine.` }];
  }
  const bytes = new TextEncoder().encode(JSON.stringify(launchTemplate(job, {}))).length;
  return bytes <= TEMPLATE_MAX_BYTES ? [] : [{
    path: 'job',
    value: `${bytes} bytes`,
    message: `is too large: its template is in a ConfigMap, which has room for ${TEMPLATE_MAX_BYTES} bytes. `
      + 'Use fewer replicas with their own templates, or another engine.',
  }];
}

/** `launch.json`. */
export function launchTemplate(job: LaunchedJob, settings: LaunchSettings): object {
  const { placed, companions } = place(job);
  const { schedule } = settings;
  return plainObject({
    name: job.launcher,
    jobs: placed.path,
    maxRunning: settings.maxRunning,
    source: settings.source,
    schedule: schedule && {
      concurrency: schedule.concurrency, successful: schedule.successfulJobs, failed: schedule.failedJobs, prunes: prunes(schedule),
    },
    job: { ...placed.object, metadata: { ...placed.object.metadata, ...metadataOf(job, placed.object) } },
    companions: companions.map(({ path, object }) => ({ path, object })),
  });
}

/** The author's labels and annotations, and over them the engine's; jobs are counted by the launcher's label. */
function metadataOf({ launcher, labels, annotations }: LaunchedJob, { metadata }: Manifest): Manifest['metadata'] {
  const all = { ...annotations, ...metadata.annotations };
  return {
    name: metadata.name,
    labels: { ...labels, ...metadata.labels, [LAUNCHER_LABEL]: launcher },
    ...(Object.keys(all).length > 0 && { annotations: all }),
  };
}

/** A rule of a Role. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What the launcher may do: create jobs; list, read or delete them only where it has to. */
export function launchRules(job: LaunchedJob, { maxRunning, schedule }: LaunchSettings): AccessRule[] {
  const { placed, companions } = place(job);
  const lists = maxRunning !== undefined || (schedule !== undefined && (schedule.concurrency !== 'Allow' || prunes(schedule)));
  const deletes = schedule !== undefined && (schedule.concurrency === 'Replace' || prunes(schedule));
  const verbs = ['create', ...(companions.length > 0 ? ['get'] : []), ...(lists ? ['list'] : []), ...(deletes ? ['delete'] : [])];
  const beside = new Map(companions.map(({ group, plural }) => [`${group}/${plural}`, { apiGroups: [group], resources: [plural], verbs: ['create', 'patch'] }]));
  return [{ apiGroups: [placed.group], resources: [placed.plural], verbs }, ...beside.values()];
}

function prunes({ successfulJobs, failedJobs }: CronSpec): boolean {
  return successfulJobs !== undefined || failedJobs !== undefined;
}

function place(job: LaunchedJob): { readonly placed: Placed; readonly companions: readonly Placed[] } {
  const objects = renderLaunched(job);
  const { plural } = job.engine.kindOf(job.spec.framework);
  return {
    placed: placeOne(objects.job, plural, job.namespace),
    companions: objects.companions.map((object) => placeOne(object, PLURALS[object.kind], job.namespace)),
  };
}

function placeOne(object: Manifest, plural: string, namespace: string): Placed {
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  const root = group === '' ? `/api/${object.apiVersion}` : `/apis/${object.apiVersion}`;
  return { path: `${root}/namespaces/${namespace}/${plural}`, group, plural, object };
}
