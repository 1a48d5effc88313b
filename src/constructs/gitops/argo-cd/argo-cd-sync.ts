import { ApiObject, JsonPatch } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { apiObjectsIn } from '../../rendering/objects';
import {
  ARGO_CD_PREFIX, HOOK_ANNOTATION, HOOK_DELETE_POLICY_ANNOTATION, SYNC_OPTIONS_ANNOTATION, SYNC_WAVE_ANNOTATION,
} from '../../../model/argo-cd/annotations';
import { contentName, mentionsOf, jobFindings, type RenderedJob } from '../../../model/argo-cd/job-findings';
import { jobKindOf } from '../../../model/kinds/registry';
import { formatViolation } from '../../../model/violations';
import { checkTypes } from '../../props/check-props';

/** After everything else: Argo CD does not wait for the last wave. */
const LAST_WAVE = 1000;

/** Number of places in a message. */
const PLACES_SHOWN = 3;

/** When a hook runs. @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/ */
export enum ArgoCdHookPhase {
  /** Before anything else is applied. */
  PRE_SYNC = 'PreSync',
  /** Together with everything else, in its wave. */
  SYNC = 'Sync',
  /** When everything is applied and healthy. */
  POST_SYNC = 'PostSync',
  /** When the sync has failed. */
  SYNC_FAIL = 'SyncFail',
}

/** When Argo CD deletes a hook. */
export enum ArgoCdHookDeletePolicy {
  /** Before the next one is created. Until then, you can inspect it. */
  BEFORE_HOOK_CREATION = 'BeforeHookCreation',
  /** When it has succeeded. */
  HOOK_SUCCEEDED = 'HookSucceeded',
  /** When it has failed. */
  HOOK_FAILED = 'HookFailed',
}

/** Options of `ArgoCdSync.hook`. */
export interface ArgoCdHookOptions {
  /** When the job runs. @default ArgoCdHookPhase.SYNC */
  readonly phase?: ArgoCdHookPhase;
  /** When Argo CD deletes it. @default ArgoCdHookDeletePolicy.BEFORE_HOOK_CREATION */
  readonly deletePolicy?: ArgoCdHookDeletePolicy;
  /** Its wave. Objects that the job needs, such as its files, are in the wave before. @default 0 */
  readonly wave?: number;
}

/** Options of `ArgoCdSync.replace` and `ArgoCdSync.nameByContent`. */
export interface ArgoCdJobOptions {
  /**
   * Its wave. A sync waits for the end of a job, also while the job is queued, before it applies later waves; it does not wait for the last wave.
   * @default 1000 - after everything else
   */
  readonly wave?: number;
}

/** Kinds without which a webhook rejects an object of another kind. */
const NEEDED_BY: { readonly [kind: string]: string } = { TrainingRuntime: 'TrainJob', Pipeline: 'PipelineVersion' };

/**
 * How Argo CD syncs objects that run to completion, whichever construct creates them: a `TrainingJob` on any engine, a `JobGroup`, a `RayJob`,
 * a `SparkApplication`.
 *
 * A job that has run cannot be changed, so a changed job must be a new one: with a name that depends on its content (`nameByContent`), by deleting
 * the old one first (`replace`), or as a hook of each sync (`hook`). With each of them, a job that deletes itself is an error at synth, because Argo
 * CD would create it again.
 * @see docs/platform/gitops.md
 */
export class ArgoCdSync {
  /**
   * Puts all objects of a construct into a wave. Waves are applied in ascending order, each when the one before is healthy. Runtimes of TrainJobs and
   * pipelines of PipelineVersions are in the wave before, because Kubeflow's webhooks reject a job or a version without them.
   * @param construct a chart, a job, any construct
   * @param wave a whole number; 0 is the wave of all other objects
   */
  public static wave(construct: IConstruct, wave: number): void {
    checkWave('wave', construct, wave);
    const objects = apiObjectsIn(construct);
    const kinds = new Set(objects.map(({ kind }) => kind));
    objects.forEach(({ kind, metadata }) => {
      const isFirst = Object.hasOwn(NEEDED_BY, kind) && kinds.has(NEEDED_BY[kind]);
      metadata.addAnnotation(SYNC_WAVE_ANNOTATION, String(isFirst ? wave - 1 : wave));
    });
  }

  /**
   * Runs the jobs of a construct with each sync of their Application, which waits for their end. A change of only a hook does not start a sync of an
   * automated Application, because Argo CD does not compare hooks.
   * @param job construct that creates the jobs
   */
  public static hook(job: IConstruct, options: ArgoCdHookOptions = {}): void {
    checkTypes('ArgoCdSync.hook', 'ArgoCdHookOptions', options);
    const { phase = ArgoCdHookPhase.SYNC, deletePolicy = ArgoCdHookDeletePolicy.BEFORE_HOOK_CREATION, wave = 0 } = options;
    const { jobs, others } = prepare('hook', job, wave);
    if (phase === ArgoCdHookPhase.PRE_SYNC && others.length > 0) {
      throw new Error(`ArgoCdSync.hook at '${job.node.path}': runs in phase PreSync, and needs ${others.map(({ kind, name }) => `${kind} ${name}`).join(', ')}, `
        + 'which is applied after it. Use ArgoCdHookPhase.SYNC with a wave.');
    }
    for (const { metadata } of jobs) {
      metadata.addAnnotation(HOOK_ANNOTATION, phase);
      metadata.addAnnotation(HOOK_DELETE_POLICY_ANNOTATION, deletePolicy);
    }
    inWaves(jobs, others, wave);
  }

  /**
   * Deletes a job and creates it again when it has changed. The Application needs the sync option `ApplyOutOfSyncOnly=true`; without it, Argo CD
   * replaces the job with each sync, changed or not.
   * @param job construct that creates the jobs
   */
  public static replace(job: IConstruct, options: ArgoCdJobOptions = {}): void {
    checkTypes('ArgoCdSync.replace', 'ArgoCdJobOptions', options);
    const { wave = LAST_WAVE } = options;
    const { jobs, others } = prepare('replace', job, wave);
    jobs.forEach(({ metadata }) => metadata.addAnnotation(SYNC_OPTIONS_ANNOTATION, 'Replace=true,Force=true'));
    inWaves(jobs, others, wave);
  }

  /**
   * Appends a hash of a job's content to its name, so that a changed job is a new object, and the old one is pruned with its pods. Call it when
   * the job is complete. `name` of the construct remains the name without the hash.
   * @param job construct that creates the job
   * @returns name of the job's object; if there are several, of the first one
   */
  public static nameByContent(job: IConstruct, options: ArgoCdJobOptions = {}): string {
    checkTypes('ArgoCdSync.nameByContent', 'ArgoCdJobOptions', options);
    const { wave = LAST_WAVE } = options;
    const { jobs, others } = prepare('nameByContent', job, wave);
    inWaves(jobs, others, wave);
    const names = jobs.map((object) => ({ object, old: object.name, name: tryName(object, others) }));
    for (const { object, old, name } of names) {
      if (name !== undefined) {
        object.addJsonPatch(JsonPatch.replace('/metadata/name', name));
        job.node.addValidation({ validate: () => renameProblems(object, others, old, name) });
      }
    }
    return names[0].name ?? names[0].old;
  }

  /**
   * The name that `nameByContent` would give, for jobs whose objects contain the name: create the job in a separate chart first, and then with this
   * name.
   * @param draft the job, with the name to which the hash is appended; it is not changed
   * @returns name with the hash; if there are several jobs, of the first one
   */
  public static contentName(draft: IConstruct): string {
    const { jobs, others } = jobsOf('contentName', draft);
    return tryName(jobs[0], others) ?? jobs[0].name;
  }

  private constructor() {}
}

/** The jobs of a construct and the objects that belong to them. The jobs are checked when the app is validated. */
function prepare(method: string, construct: IConstruct, wave: number): { readonly jobs: ApiObject[]; readonly others: ApiObject[] } {
  checkWave(method, construct, wave);
  const { jobs, others } = jobsOf(method, construct);
  construct.node.addValidation({
    validate: () => [
      ...jobs.flatMap((job) => findingsOf(job)),
      ...apiObjectsIn(construct).filter((object) => !jobs.includes(object) && !others.includes(object))
        .map(({ kind, name }) => `ArgoCdSync.${method}: ${kind} '${name}' was added afterwards, and Argo CD would sync it with everything else. Call it last.`),
    ],
  });
  return { jobs, others };
}

function jobsOf(method: string, construct: IConstruct): { readonly jobs: ApiObject[]; readonly others: ApiObject[] } {
  const objects = apiObjectsIn(construct);
  const jobs = objects.filter((object) => jobKindOf(object) !== undefined);
  if (jobs.length === 0) {
    const found = objects.map(({ kind }) => kind).join(', ') || 'nothing';
    throw new Error(`ArgoCdSync.${method} at '${construct.node.path}': creates ${found}, but no job that runs to completion. Services and similar objects only need ArgoCdSync.wave.`);
  }
  return { jobs, others: objects.filter((object) => !jobs.includes(object)) };
}

function checkWave(method: string, construct: IConstruct, wave: number): void {
  if (!Number.isInteger(wave)) {
    throw new Error(`ArgoCdSync.${method} at '${construct.node.path}': wave: ${wave}: must be a whole number.`);
  }
}

/** Argo CD does not know dependencies: files of a job are in the wave before it. */
function inWaves(jobs: readonly ApiObject[], others: readonly ApiObject[], wave: number): void {
  jobs.forEach(({ metadata }) => metadata.addAnnotation(SYNC_WAVE_ANNOTATION, String(wave)));
  others.forEach(({ metadata }) => metadata.addAnnotation(SYNC_WAVE_ANNOTATION, String(wave - 1)));
}

/** An object as synth will write it; undefined if it has errors, which its construct reports. */
function tryRender(object: ApiObject): RenderedJob | undefined {
  try {
    return object.toJson() as RenderedJob;
  } catch {
    return undefined;
  }
}

function findingsOf(object: ApiObject): string[] {
  const rendered = tryRender(object);
  return rendered === undefined ? [] : jobFindings(rendered).map((violation) => `${object.kind} '${object.name}' under Argo CD: ${formatViolation(violation)}`);
}

/** The content is the manifest without its name and without annotations for the sync. */
function tryName(object: ApiObject, others: readonly ApiObject[]): string | undefined {
  const rendered = [object, ...others].map(tryRender);
  return rendered.includes(undefined) ? undefined : contentName(object.name, rendered.map((each) => contentOf(each!)));
}

function contentOf({ metadata: { annotations = {}, ...metadata }, ...rest }: RenderedJob): object {
  const kept = Object.entries(annotations).filter(([name]) => !name.startsWith(ARGO_CD_PREFIX));
  return { ...rest, metadata: { ...metadata, name: '', annotations: Object.fromEntries(kept) } };
}

function renameProblems(object: ApiObject, others: readonly ApiObject[], old: string, name: string): string[] {
  const where = `ArgoCdSync.nameByContent of ${object.kind} '${old}'`;
  const now = tryName(object, others);
  if (now !== undefined && now !== name) {
    return [`${where}: the job was changed afterwards, so its name does not match its content. Call it last.`];
  }
  const allowed = new Set(others.map((other) => other.name));
  const inJob = mentionsOf(old, tryRender(object)?.spec, 'spec', allowed);
  const inOthers = others.flatMap((other) => {
    const { metadata: _metadata, ...rest } = tryRender(other) ?? { metadata: {} };
    return mentionsOf(old, rest, `${other.kind} ${other.name}`, allowed);
  });
  const places = [...inJob, ...inOthers];
  return places.length === 0 ? [] : [
    `${where}: the name is used in ${places.slice(0, PLACES_SHOWN).join(', ')}${places.length > PLACES_SHOWN ? ` and ${places.length - PLACES_SHOWN} more places` : ''}, `
    + 'but the object would no longer have it. Create the job with the name that ArgoCdSync.contentName returns, or use ArgoCdSync.replace.',
  ];
}
