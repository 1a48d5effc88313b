/** `spec.suspend`: the job has no pods until it is resumed. */
import type { Rule } from './rule';
import { resume, suspend } from '../decisions';

/** Suspends and resumes the job. */
export const suspensionRule: Rule = {
  decide(observation, view) {
    const { spec, status } = observation.job;
    // A pod that was created just before, and is seen only now, ends the attempt once more.
    if (spec.suspend && (status.phase !== 'Suspended' || view.replicas.some((entry) => entry.pod !== undefined))) {
      return suspend(observation, view);
    }
    return !spec.suspend && status.phase === 'Suspended' ? resume(observation, view) : undefined;
  },

  holdsBackPods({ job }) {
    return job.spec.suspend === true;
  },
};
