import type { SparkBatchScheduler } from '../../model/spark/settings';
import { checkTypes } from '../props/check-props';

/** Options of a batch scheduler. */
export interface SparkSchedulingOptions {
  /** Queue of the scheduler. @default - the scheduler's default */
  readonly queue?: string;
  /** PriorityClass of the group of pods. @default - none */
  readonly priorityClassName?: string;
}

/**
 * Scheduler that places driver and executors as a group. The operator has to have it switched on (`controller.batchScheduler.enable` of its chart).
 */
export class SparkScheduler {
  /** Volcano. */
  public static volcano(options: SparkSchedulingOptions = {}): SparkScheduler {
    checkTypes('SparkScheduler.volcano', 'SparkSchedulingOptions', options);
    return new SparkScheduler('volcano', options.queue, options.priorityClassName);
  }

  /** Apache YuniKorn. @param queue its queue, such as `root.training` */
  public static yunikorn(queue?: string): SparkScheduler {
    return new SparkScheduler('yunikorn', queue);
  }

  /** The coscheduling plugin of kube-scheduler. */
  public static coscheduling(): SparkScheduler {
    return new SparkScheduler('kube-scheduler');
  }

  private constructor(
    /** How the operator calls it. */
    public readonly name: string, public readonly queue?: string, public readonly priorityClassName?: string,
  ) {}

  /** In the model's terms. @internal */
  public _toSpec(): { readonly name: SparkBatchScheduler; readonly queue?: string; readonly priorityClassName?: string } {
    return { name: this.name as SparkBatchScheduler, queue: this.queue, priorityClassName: this.priorityClassName };
  }
}
