/** The features of a job, in the order in which they apply. */
import { acceleratorPart } from './accelerators';
import { autoscalerPart } from './autoscaler';
import { capacityPart } from './capacity';
import { codePart } from './code';
import type { JobContext, JobPart } from './part';
import { runPart } from './run';
import { storePart } from './store';
import type { TrainingJobProps } from '../training-job-props';

/** A feature, and the properties that ask for it; without any, every job has it. */
interface Feature {
  readonly of: readonly (keyof TrainingJobProps)[];
  readonly make: (job: JobContext) => JobPart | undefined;
}

/** A new feature stands here, behind those whose changes it has to see. */
const FEATURES: readonly Feature[] = [
  { of: ['code'], make: (job) => codePart(job) },
  { of: [], make: (job) => acceleratorPart(job) },
  { of: ['capacity'], make: (job) => capacityPart(job) },
  { of: ['checkpoint'], make: (job) => storePart(job) },
  { of: ['run', 'tracker'], make: (job) => runPart(job) },
  { of: ['elastic'], make: (job) => autoscalerPart(job) },
];

/** The features that a job asks for. */
export function partsOf(job: JobContext): JobPart[] {
  const parts: JobPart[] = [];
  for (const { of, make } of FEATURES) {
    const part = of.length === 0 || of.some((property) => job.props[property] !== undefined) ? make(job) : undefined;
    if (part !== undefined) {
      parts.push(part);
    }
  }
  return parts;
}
