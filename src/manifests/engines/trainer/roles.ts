/**
 * Jobs that no plugin serves: the runtime holds the JobSet that the engine for JobSet makes of the job, environment and all, and the TrainJob
 * starts it under its own name, so that every host name in it is right. What a TrainJob says itself (suspension, deadline, manager) is not in it.
 */
import { ANCESTOR_LABEL, forNode, type RuntimeSpec } from './runtime';
import type { EngineEnvironment, EngineJob, EngineObjects } from '../engine';
import { jobSetEngine } from '../jobset';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** One replicated job of a JobSet, as far as it matters here. */
interface ReplicatedJob {
  readonly replicas: number;
  readonly template: { readonly metadata?: { readonly labels?: object }; readonly spec: { readonly completions?: number } };
}

const JOB_SET = jobSetEngine();

/** A job that no plugin serves. */
export interface RolesObjects {
  readonly runtime: RuntimeSpec;

  /** Nodes that the TrainJob counts: those of the replicated job that is its trainer. */
  readonly numNodes: number;
  readonly companions: EngineObjects['companions'];
}

/** Renders such a job. */
export function renderRoles(engineJob: EngineJob): RolesObjects {
  const { job, companions } = JOB_SET.render({ ...engineJob, spec: jobSetPart(engineJob.spec) });
  const { replicatedJobs, ...spec } = job.spec as { readonly replicatedJobs: readonly ReplicatedJob[]; readonly [field: string]: unknown };
  // Trainer wants one replica where its label is. Where each replica is a Job, none has it; then nothing is counted.
  const trainer = replicatedJobs.find(({ replicas }) => replicas === 1);
  const numNodes = trainer?.template.spec.completions ?? 1;
  return {
    runtime: {
      mlPolicy: { numNodes },
      template: { spec: forNode({ ...spec, replicatedJobs: replicatedJobs.map((entry) => (entry === trainer ? labelled(entry) : entry)) }) },
    },
    numNodes,
    companions,
  };
}

/** What the JobSet cannot make of such a job. */
export function rolesViolations(name: string, spec: TrainingJobSpec): Violation[] {
  return [...JOB_SET.validate?.(name, jobSetPart(spec)) ?? []];
}

/** What the replicas of such a job see. */
export function rolesEnvironments(engineJob: EngineJob): readonly EngineEnvironment[] {
  return JOB_SET.environments({ ...engineJob, spec: jobSetPart(engineJob.spec) });
}

/** The job without what the TrainJob says. */
function jobSetPart({ suspend: _suspend, managedBy: _managedBy, ...spec }: TrainingJobSpec): TrainingJobSpec {
  const { activeDeadlineSeconds: _deadline, ttlSecondsAfterFinished: _ttl, ...runPolicy } = spec.runPolicy ?? {};
  return { ...spec, ...(spec.runPolicy && { runPolicy }) };
}

function labelled(entry: ReplicatedJob): ReplicatedJob {
  const { metadata } = entry.template;
  return { ...entry, template: { ...entry.template, metadata: { ...metadata, labels: { ...metadata?.labels, [ANCESTOR_LABEL]: 'trainer' } } } };
}
