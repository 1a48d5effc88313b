import type { Duration } from 'cdk8s';
import { checkTypes } from '../props/check-props';

/** Size and timeout of a gang. */
export interface GangOptions {
  /** Replicas that must be placed together. @default - all; `minReplicas` of an elastic job */
  readonly minAvailable?: number;
  /** How long a gang may stay partly placed before its pods are released. @default Duration.seconds(60) */
  readonly scheduleTimeout?: Duration;
}

/** A gang of a scheduler that has queues. */
export interface QueuedGangOptions extends GangOptions {
  /** Queue of the gang scheduler, not of Kueue (`queueName`). @default - the scheduler's default queue */
  readonly queue?: string;
}

/** All-or-nothing start of the replicas, by a scheduler of your choice. @see docs/jobs/gang-scheduling.md */
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

  /** Kubernetes itself, 1.36 or later, with its feature gates GenericWorkload and GangScheduling. */
  public static native(options: GangOptions = {}): Gang {
    checkTypes('Gang.native', 'GangOptions', options);
    return new Gang('Native', options);
  }

  /** Replicas that must be placed together; undefined for all. */
  public readonly minAvailable?: number;

  /** How long a gang may stay partly placed; undefined for 60 seconds. */
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
