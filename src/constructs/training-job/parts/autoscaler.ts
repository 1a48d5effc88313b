/** The autoscaler of an elastic job. */
import * as kplus from 'cdk8s-plus-28';
import type { JobContext, JobPart } from './part';

/**
 * Adds a HorizontalPodAutoscaler (autoscaling/v2) that changes the job's number of replicas through its scale subresource. Where the job's containers
 * have no requests, a metric of their use in percent has nothing to refer to, and Kubernetes says so in the autoscaler's status.
 */
export function autoscalerPart({ construct, engine, props: { elastic }, name, namespace, object }: JobContext): JobPart | undefined {
  if (!elastic?.metrics?.length) {
    return undefined;
  }
  const { metrics, minReplicas, maxReplicas } = elastic;
  return {
    bind() {
      const { apiVersion, kind, hasScale } = object();
      if (!hasScale) {
        throw new Error(`TrainingJob at '${construct.node.path}': 'elastic.metrics' creates an autoscaler, but ${engine._definition.title}'s ${kind} cannot be `
          + 'scaled by one. Leave the metrics out, or choose another engine.');
      }
      const target: kplus.IScalable = {
        hasAutoscaler: false,
        markHasAutoscaler() { this.hasAutoscaler = true; },
        // No number of replicas: the one that the job is created with is where the autoscaler starts from.
        toScalingTarget: () => ({ apiVersion, kind, name: name(), containers: [] }),
      };
      // The autoscaler only renders the metrics.
      new kplus.HorizontalPodAutoscaler(construct, 'Autoscaler', {
        target, metadata: { namespace: namespace() }, minReplicas, maxReplicas, metrics: metrics as kplus.Metric[],
      });
      return [];
    },
  };
}
