import type { Construct } from 'constructs';
import { checkTypes } from '../props/check-props';
import type { JobSettings } from '../training-job/job-settings';
import type { JobHelper } from '../training-job/pods/helper';
import { TrainingJob } from '../training-job/training-job';
import type { TrainingReplicas } from '../training-job/training-job-props';

/**
 * Several programs that run as one job: a primary that trains, with the environment of its framework, and helpers, each with its own image,
 * accelerators and number of replicas. All start together. The group succeeds when the primary succeeds; the helpers are then stopped.
 *
 * For reinforcement learning (a learner, actors, a replay buffer), custom parameter servers and evaluators. Each replica reads the addresses of the
 * others from `TRAINYARD_PRIMARY_HOSTS` and `TRAINYARD_ROLE_HOSTS`, one variable for each role.
 * @example
 * import { Framework, Gpu, HelperFailure, JobGroup } from 'trainyard';
 *
 * new JobGroup(chart, 'Rl', {
 *   metadata: { name: 'rl' },
 *   primary: { framework: Framework.pytorch(), image: 'registry.example/learner:1', replicas: 4, resources: { gpu: Gpu.nvidia(8) } },
 *   helpers: [{ name: 'actor', replicas: 32, image: 'registry.example/actor:1', onFailure: HelperFailure.IGNORE }],
 * });
 */
export class JobGroup extends TrainingJob {
  public constructor(scope: Construct, id: string, props: JobGroupProps) {
    checkTypes(`JobGroup at '${scope.node.path}/${id}'`, 'JobGroupProps', props);
    const { primary, helpers, ...shared } = props;
    super(scope, id, { ...shared, ...primary, helpers });
  }
}

/** Properties of a `JobGroup`. Properties other than `primary` and `helpers` apply to all of them. */
export interface JobGroupProps extends JobSettings {
  /**
   * The replicas that train. They determine whether the group has succeeded, and get the environment of their framework, as without helpers.
   */
  readonly primary: TrainingReplicas;

  /** The helpers: one entry for each role. */
  readonly helpers: JobHelper[];
}
