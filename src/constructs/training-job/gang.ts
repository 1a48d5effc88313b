import type { Duration } from 'cdk8s';
import { checkTypes } from '../props/check-props';

/** How large a gang is and how long it may take. */
export interface GangOptions {
  /** Replicas that have to be placed together. @default - all; of an elastic job its `minReplicas` */
  readonly minAvailable?: number;
  /** How long a gang may stay placed in part before all of it is released. @default Duration.seconds(60) */
  readonly scheduleTimeout?: Duration;
}

/** A gang of a scheduler that has queues. */
export interface QueuedGangOptions extends GangOptions {
  /** Queue of the gang scheduler; Kueue's are another thing (`queueName`). @default - the scheduler's default queue */
  readonly queue?: string;
}

/** All-or-nothing start of the replicas, by the scheduler that this job chooses. @see docs/gang-scheduling.md */
export class Gang {
  /** The Coscheduling plugin of kubernetes-sigs/scheduler-plugins. */
  public static coscheduling(options: GangOptions = {}): Gang {
    checkTypes('Gang.coscheduling', 'GangOptions', options);
    return new Gang('Coscheduling', options);
  }

  /** Volcano. */
  public static volcano(options: QueuedGangOptions = {}): Gang {
    checkTypes('Gang.volcano', 'QueuedGangOptions', options);
    return new Gang('Volcano', options, options.queue);
  }

  /** KAI Scheduler. */
  public static kai(options: QueuedGangOptions = {}): Gang {
    checkTypes('Gang.kai', 'QueuedGangOptions', options);
    return new Gang('Kai', options, options.queue);
  }

  /** Apache YuniKorn. */
  public static yuniKorn(options: QueuedGangOptions = {}): Gang {
    checkTypes('Gang.yuniKorn', 'QueuedGangOptions', options);
    return new Gang('YuniKorn', options, options.queue);
  }

  /** Kubernetes itself, from 1.36 on, with its feature gates GenericWorkload and GangScheduling. */
  public static native(options: GangOptions = {}): Gang {
    checkTypes('Gang.native', 'GangOptions', options);
    return new Gang('Native', options);
  }

  /** Replicas that have to be placed together; undefined for all. */
  public readonly minAvailable?: number;

  /** How long a gang may stay placed in part; undefined for a minute. */
  public readonly scheduleTimeout?: Duration;

  /**
   * @param scheduler Name of the scheduler in `spec.scheduling.gang.scheduler`.
   * @param queue Queue of the gang scheduler.
   */
  private constructor(public readonly scheduler: string, options: GangOptions, public readonly queue?: string) {
    this.minAvailable = options.minAvailable;
    this.scheduleTimeout = options.scheduleTimeout;
  }
}
