/** The features of a job, in the order in which they apply. */
import { acceleratorPart } from './accelerators';
import { autoscalerPart } from './autoscaler';
import { capacityPart } from './capacity';
import { codePart } from './code';
import type { JobContext, JobPart } from './part';
import { runPart } from './run';
import { storePart } from './store';

/** A new feature stands here, behind those whose changes it has to see. */
export const JOB_PARTS: readonly ((job: JobContext) => JobPart | undefined)[] = [
  codePart, acceleratorPart, capacityPart, storePart, runPart, autoscalerPart,
];
