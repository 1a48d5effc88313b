/** The autoscaler of an elastic job. */
import * as kplus from 'cdk8s-plus-28';
import type { ElasticRange } from './elastic';
import type { TrainingJob } from './training-job';

/**
 * Adds a HorizontalPodAutoscaler (autoscaling/v2) that changes the job's number of replicas through its scale subresource. Where the job's containers
 * have no requests, a metric of their use in percent has nothing to refer to, and Kubernetes says so in the autoscaler's status.
 */
export function addAutoscaler(job: TrainingJob, range: ElasticRange): kplus.HorizontalPodAutoscaler {
  const target: kplus.IScalable = {
    hasAutoscaler: false,
    markHasAutoscaler() { this.hasAutoscaler = true; },
    // No number of replicas: the one that the job is created with is where the autoscaler starts from.
    toScalingTarget: () => ({ apiVersion: job.apiVersion, kind: job.kind, name: job.name, containers: [] }),
  };
  return new kplus.HorizontalPodAutoscaler(job, 'Autoscaler', {
    target,
    metadata: { namespace: job.metadata.namespace },
    minReplicas: range.minReplicas,
    maxReplicas: range.maxReplicas,
    // The autoscaler only renders them.
    metrics: range.metrics as kplus.Metric[] | undefined,
  });
}
