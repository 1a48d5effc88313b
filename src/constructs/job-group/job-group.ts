import type { Construct } from 'constructs';
import type { JobGroupProps } from './job-group-props';
import { checkTypes } from '../props/check-props';
import { TrainingJob } from '../training-job/training-job';

/**
 * Several programs that run as one job: a primary that trains, with the environment of its framework, and helpers beside it, each with an image,
 * accelerators and a number of replicas of their own. All start together. When the primary has succeeded, the group has, and the helpers are ended.
 *
 * For reinforcement learning (a learner, actors, a replay buffer), parameter servers of one's own, evaluators. Every replica finds the addresses
 * of the others in `TRAINYARD_PRIMARY_HOSTS` and `TRAINYARD_ROLE_HOSTS`, one variable for each role.
 */
export class JobGroup extends TrainingJob {
  public constructor(scope: Construct, id: string, props: JobGroupProps) {
    checkTypes(`JobGroup at '${scope.node.path}/${id}'`, 'JobGroupProps', props);
    const { primary, helpers, ...shared } = props;
    super(scope, id, { ...shared, ...primary, helpers });
  }
}
