// Generated from the tables of src/model/training-job: run `npm run props` after a change there.
import type { Duration } from 'cdk8s';

/** Checks of the devices of each node, and of the network between nodes, before training starts. */
export interface Preflight {
  /** Image that the checks run on; it needs `python3`. @default - the training image */
  readonly image?: string;
  /** How long the checks may take once those of all replicas have begun. @default Duration.minutes(5) */
  readonly timeout?: Duration;
}

/** What happens to a job that leaves its accelerators unused. */
export enum IdleAction {
  /** The condition `Idle` and an event. */
  WARN = 'Warn',
  /** The job is suspended until its spec or its annotation `ml.collabnix.io/resume` changes. */
  SUSPEND = 'Suspend',
}

/** What happens to a job that leaves its accelerators unused. */
export interface IdlePolicy {
  /** Utilization in percent below which accelerators are idle. From 0 to 100. */
  readonly belowPercent: number;
  /** How long that has to last. */
  readonly duration: Duration;
  /** What happens then. @default IdleAction.WARN */
  readonly action?: IdleAction;
}
