/** Identity of a run, and its tracker. */
import type { JobContext, JobPart } from './part';
import {
  RUN_LABELS, RUN_VARIABLES, runIdentity, runLabels, validateRun, validateRunVariables, withRun, type RunIdentity,
} from '../../../model/runs/identity';
import { createHash } from 'node:crypto';
import type { RunOptions, Tracker } from '../../runs/tracker';
import { trackerVariables, validateTracker } from '../../../model/runs/trackers';
import type { EnvVarSpec, TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** See the top of this file. */
export function runPart({ props: { run: options, tracker }, name }: JobContext): JobPart | undefined {
  const run = new JobRun(options, tracker);
  return !run.isGiven ? undefined : {
    labels: { names: RUN_LABELS, values: (spec) => run.labels(name(), spec) },
    credentials: tracker?._credentials,
    apply: (spec) => run.applied(name(), spec),
    problems: (spec) => run.problems(name(), spec),
  };
}

/** Run identity and tracker of a job, written into its spec. */
class JobRun {
  /** @param options what was said; undefined, together with the tracker, for a job without an identity */
  public constructor(private readonly options: RunOptions | undefined, private readonly tracker: Tracker | undefined) {}

  /** Whether the job has an identity: it is asked for one, or its tracker wants it. */
  public get isGiven(): boolean {
    return this.options !== undefined || this.tracker !== undefined;
  }

  /** The identity of a job's run. */
  public identity(name: string, spec: TrainingJobSpec): RunIdentity {
    return runIdentity(name, spec, this.options ?? {}, sha256);
  }

  /** The spec with identity and tracker. */
  public applied(name: string, spec: TrainingJobSpec): TrainingJobSpec {
    if (!this.isGiven) {
      return spec;
    }
    const identity = this.identity(name, spec);
    return withRun(spec, identity, this.trackerVariables(name, spec, identity));
  }

  /** Labels of the job's object. */
  public labels(name: string, spec: TrainingJobSpec): { readonly [label: string]: string } {
    return this.isGiven ? runLabels(spec, this.identity(name, spec)) : {};
  }

  /** What is wrong with both. */
  public problems(name: string, spec: TrainingJobSpec): Violation[] {
    if (!this.isGiven) {
      return [];
    }
    const run = this.options ?? {};
    const ofTracker = this.tracker === undefined ? [] : validateTracker(this.tracker._toSpec(), run);
    const tracked = this.trackerVariables(name, spec, this.identity(name, spec)).map((variable) => variable.name);
    return [...validateRun(run), ...ofTracker, ...validateRunVariables(spec, Object.values(RUN_VARIABLES), 'run'), ...validateRunVariables(spec, tracked, 'tracker')];
  }

  private trackerVariables(name: string, spec: TrainingJobSpec, identity: RunIdentity): EnvVarSpec[] {
    return this.tracker === undefined ? [] : trackerVariables(this.tracker._toSpec(), name, spec, identity);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
