/** What a checkpoint store adds to the jobs that use it. The store implements it, so jobs are independent of the kind of storage. */
import type { Construct } from 'constructs';
import type { Engine } from '../engines/engine';
import type { EngineJob } from '../../../manifests/engines/engine';
import type { Finding } from '../../../model/findings';
import type { StoreUser } from '../../../model/storage/check-use';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** A store, as a job sees it. */
export interface CheckpointBinding {
  /** Applied before the job. */
  readonly store: Construct;
  /** Folder in the store. @default - the job's name */
  readonly folder?: string;
  /** Whether each job has a folder of its own. */
  readonly foldersOfJobs: boolean;
  /** The job with the store. */
  specWith(spec: TrainingJobSpec, folder: string): TrainingJobSpec;
  /** Errors and warnings about a job that uses it. */
  findings(user: StoreUser): Finding[];
  /** Registers a job that uses it. @param findings called when warnings are collected */
  join(name: () => string, findings: () => readonly Finding[]): void;
}

/** A job on its engine, with its namespace. */
export interface JobOfStore {
  readonly engine: Engine;
  readonly job: EngineJob;
  readonly namespace?: string;
}

/** The spec with its store. */
export function withStore(name: string, spec: TrainingJobSpec, binding: CheckpointBinding | undefined): TrainingJobSpec {
  return binding === undefined ? spec : binding.specWith(spec, binding.folder ?? name);
}

/** What is to say of a job's store, of a job that keeps all other rules. */
export function storeFindings({ engine, job, namespace }: JobOfStore, binding: CheckpointBinding): Finding[] {
  const { name, spec } = job;
  return binding.findings({ name, namespace, spec, engine: engine._definition.title, folder: binding.folder, ...jobSetOf(engine, job) });
}

/** The JobSet that an engine makes of a job, or its controller does. */
function jobSetOf(engine: Engine, job: EngineJob): Pick<StoreUser, 'hasJobSet' | 'replicatedJobs'> {
  if (engine.name !== 'jobset' && engine.name !== 'trainer') {
    return { hasJobSet: false };
  }
  const { job: rendered, companions } = engine._definition.render(job);
  const replicated = [rendered, ...companions].map((object) => replicatedJobsIn(object)).find((count) => count !== undefined);
  return { hasJobSet: true, replicatedJobs: replicated };
}

interface WithJobs { readonly spec?: { readonly replicatedJobs?: readonly unknown[]; readonly template?: WithJobs } }

/** A JobSet has them itself, a runtime in its template. */
function replicatedJobsIn(object: object): number | undefined {
  const { spec } = object as WithJobs;
  return spec?.replicatedJobs?.length ?? spec?.template?.spec?.replicatedJobs?.length;
}
