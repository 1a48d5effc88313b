/** `spec.debug`: keeps the stacks of pods that were taken away with the failure that they were taken away for. */
import type { Rule } from './rule';
import { withStackDumps } from '../stack-dumps';

/** Tells of them. */
export const stackDumpsRule: Rule = {
  observe(observation, view, status) {
    return withStackDumps(view.job, observation, status);
  },
};
