import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { ClusterQueue, type IClusterQueue } from './cluster-queue';
import { landscapeOf } from './landscape';
import type { StopPolicy } from './queue-policies';
import { jobDemand } from '../../manifests/kueue/demand';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { constructLocalQueueSpec } from '../../manifests/kueue/queues';
import { cohortCycle } from '../../model/queues/capacity';
import { fitProblems } from '../../model/queues/fit';
import { validateClusterQueue, validateLocalQueue } from '../../model/queues/rules';
import { formatViolation } from '../../model/violations';
import { TrainingJob } from '../training-job/training-job';
import { checkProps } from '../props/check-props';

/** Properties of a `LocalQueue`. */
export interface LocalQueueProps extends kplus.ResourceProps {
  /** ClusterQueue of the queue. It cannot be changed later. */
  readonly clusterQueue: IClusterQueue;
  /** Weight of the queue in its ClusterQueue. Only if that has `admitByUsage`. @default 1 */
  readonly fairSharingWeight?: number;
  /** Whether it admits workloads. @default StopPolicy.NONE */
  readonly stopPolicy?: StopPolicy;
}

/**
 * A queue of a namespace, for `scheduling.queueName` of jobs. A training job of the app that can never fit is an error.
 * @see docs/teams/queues.md
 * @see https://kueue.sigs.k8s.io/docs/concepts/local_queue/
 * @example
 * import { ClusterQueue, LocalQueue } from 'trainyard/queues';
 *
 * const queue = new LocalQueue(chart, 'TeamA', {
 *   metadata: { name: 'team-a', namespace: 'team-a' },
 *   clusterQueue: ClusterQueue.fromClusterQueueName('research'),
 * });
 */
export class LocalQueue extends kplus.Resource {
  public readonly resourceType = 'localqueues';

  protected readonly apiObject: ApiObject;

  private readonly clusterQueue: IClusterQueue;

  public constructor(scope: Construct, id: string, props: LocalQueueProps) {
    super(scope, id);
    checkProps(this, 'LocalQueueProps', props);
    const { clusterQueue, fairSharingWeight, stopPolicy, metadata } = props;
    this.clusterQueue = clusterQueue;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`,
      kind: 'LocalQueue',
      metadata,
      spec: constructLocalQueueSpec({ clusterQueue: clusterQueue.clusterQueueName, fairWeight: fairSharingWeight, stopPolicy }),
    });
    if (clusterQueue instanceof Construct) {
      this.node.addDependency(clusterQueue);
    }
    this.node.addValidation({ validate: () => this.validate() });
  }

  /** Jobs of the app that wait in this queue. */
  private get jobs(): TrainingJob[] {
    return this.node.root.node.findAll().filter((other): other is TrainingJob => (
      other instanceof TrainingJob && other.metadata.namespace === this.metadata.namespace && other._toSpec().scheduling?.queueName === this.name
    ));
  }

  private validate(): string[] {
    if (!(this.clusterQueue instanceof ClusterQueue)) {
      return [];
    }
    const queue = this.clusterQueue._toSpec();
    const landscape = landscapeOf(this);
    const problems = validateLocalQueue(this.metadata.namespace, queue).map((violation) => `LocalQueue '${this.name}': ${formatViolation(violation)}`);
    // Sums over invalid queues would be wrong.
    if (validateClusterQueue(queue).length === 0 && cohortCycle(landscape.cohorts).length === 0) {
      for (const job of this.jobs.filter((candidate) => candidate.node.validate().length === 0)) {
        problems.push(...fitProblems(jobDemand(job.name, job._toSpec()), queue, landscape)
          .map((problem) => `TrainingJob '${job.name}': spec.scheduling.queueName: "${this.name}": can never be admitted: ${problem}`));
      }
    }
    return problems;
  }
}
