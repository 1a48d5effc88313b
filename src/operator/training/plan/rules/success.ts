/** The end that everybody wants. */
import type { Rule } from './rule';
import { end } from '../decisions';
import { hasSucceeded, successMessage } from '../success';

/** Ends the job when its success policy is met. */
export const successRule: Rule = {
  decide(observation, view) {
    return hasSucceeded(view) ? end(observation, 'Completed', 'JobSucceeded', successMessage(view), view) : undefined;
  },
};
