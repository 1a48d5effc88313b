/** The autoscaler of an elastic job. */
import * as kplus from 'cdk8s-plus-28';
import type { JobContext, JobPart } from './part';

/**
 * Adds a HorizontalPodAutoscaler (autoscaling/v2) that changes the job's number of replicas through its scale subresource. Metrics in percent need
 * containers with requests; without them, Kubernetes reports an error in the autoscaler's status.
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
        throw new Error(`TrainingJob at '${construct.node.path}': 'elastic.metrics' creates an autoscaler, but ${engine._definition.title}'s ${kind} does not `
          + 'support autoscaling. Remove the metrics, or choose another engine.');
      }
      const target: kplus.IScalable = {
        hasAutoscaler: false,
        markHasAutoscaler() { this.hasAutoscaler = true; },
        // No number of replicas: the autoscaler starts with the job's own.
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
