/** Identity of a run, and its tracker. */
import type { JobContext, JobPart } from './part';
import {
  RUN_LABELS, RUN_VARIABLES, runIdentity, runLabels, validateRun, validateRunVariables, withRun, type RunIdentity,
} from '../../../model/runs/identity';
import { createHash } from 'node:crypto';
import { trackerVariables, validateTracker } from '../../../model/runs/trackers';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** See the top of this file. */
export function runPart({ props: { run = {}, tracker }, name }: JobContext): JobPart {
  const identityOf = (spec: TrainingJobSpec) => runIdentity(name(), spec, run, sha256);
  const trackedBy = (spec: TrainingJobSpec, identity: RunIdentity) => (
    tracker === undefined ? [] : trackerVariables(tracker._toSpec(), name(), spec, identity));
  return {
    labels: { names: RUN_LABELS, values: (spec) => runLabels(spec, identityOf(spec)) },
    credentials: tracker?._credentials,
    apply(spec) {
      const identity = identityOf(spec);
      return withRun(spec, identity, trackedBy(spec, identity));
    },
    problems: (spec) => [
      ...validateRun(run),
      ...(tracker === undefined ? [] : validateTracker(tracker._toSpec(), run)),
      ...validateRunVariables(spec, Object.values(RUN_VARIABLES), 'run'),
      ...validateRunVariables(spec, trackedBy(spec, identityOf(spec)).map((variable) => variable.name), 'tracker'),
    ],
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
