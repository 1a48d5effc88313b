/** Identity of a run, and its tracker. */
import type { JobContext, JobPart } from './part';
import { JobRun } from '../../runs/job-run';
import { RUN_LABELS } from '../../../model/runs/identity';

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
