/** The features of a job, in the order in which they apply. */
import { acceleratorPart } from './accelerators';
import { autoscalerPart } from './autoscaler';
import { capacityPart } from './capacity';
import { codePart } from './code';
import type { JobContext, JobPart } from './part';
import { runPart } from './run';
import { storePart } from './store';
import type { TrainingJobProps } from '../training-job-props';

/** A feature, and the properties that enable it. An empty list enables it for every job. */
interface Feature {
  readonly of: readonly (keyof TrainingJobProps)[];
  readonly make: (job: JobContext) => JobPart | undefined;
}

/** Add a new feature here, after those whose changes it depends on. */
const FEATURES: readonly Feature[] = [
  { of: ['code'], make: (job) => codePart(job) },
  { of: [], make: (job) => acceleratorPart(job) },
  { of: ['capacity'], make: (job) => capacityPart(job) },
  { of: ['checkpoint'], make: (job) => storePart(job) },
  { of: ['run', 'tracker'], make: (job) => runPart(job) },
  { of: ['elastic'], make: (job) => autoscalerPart(job) },
];

/** The features of a job. */
export function partsOf(job: JobContext): JobPart[] {
  return FEATURES.filter(({ of }) => of.length === 0 || of.some((property) => job.props[property] !== undefined))
    .map(({ make }) => make(job)).filter((part) => part !== undefined);
}
