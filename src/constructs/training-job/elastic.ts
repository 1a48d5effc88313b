import type { IMetric } from './pods/kplus-types';

/**
 * Range in which the number of replicas of a job may change while it runs. The job goes on as long as the fewest are there.
 */
export interface ElasticRange {
  /** Fewest replicas that the job trains with. */
  readonly minReplicas: number;

  /** Most replicas that the job may be scaled to. */
  readonly maxReplicas: number;

  /**
   * PyTorch: how often torchrun starts the processes of a replica again by itself. Each loss of a peer takes one.
   *
   * @default 100
   */
  readonly maxRestarts?: number;

  /**
   * What a HorizontalPodAutoscaler scales the job by, within the range.
   *
   * @default - no autoscaler; `kubectl scale` and autoscalers of others change the number
   */
  readonly metrics?: IMetric[];
}
