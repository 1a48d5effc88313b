// Generated from the tables of src/model/training-job: run `npm run props` after a change there.
import type { Duration } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import type { TrainingResources } from '../pods/resources';

/** A pod that runs once, before the replicas of a job or after them. */
export interface JobHook {
  /** Image of its container. @default - the job's */
  readonly image?: string;

  /** Entry point of its container. */
  readonly command: string[];

  /** Arguments of the entry point. @default - none */
  readonly args?: string[];

  /** Added to the job's environment; for a name in both, the hook's value is used. @default - the job's alone */
  readonly env?: { readonly [name: string]: EnvValue };

  /** Compute of its pod: cpu, memory and ephemeralStorage. A hook gets no devices. @default - none requested */
  readonly resources?: TrainingResources;

  /**
   * How long the hook may take, all of its tries together. The time in which the job is suspended is not counted.
   * @default Duration.hours(1)
   */
  readonly timeout?: Duration;

  /**
   * How often it is tried again after a failure. Pods that the cluster removes are replaced and not counted. From 0 to 10.
   * @default 0
   */
  readonly backoffLimit?: number;
}

/** Pods that run before the replicas of the job, and after them. */
export interface JobHooks {
  /**
   * Runs before the first replica is created: once for the job, not for each attempt. If it fails, the job fails.
   * @default - none
   */
  readonly before?: JobHook;

  /**
   * Runs when the replicas have succeeded, before the job is reported as succeeded. If it fails, the job fails.
   * @default - none
   */
  readonly after?: JobHook;

  /** Runs when the job has succeeded or failed. If it fails, the outcome of the job stays the same. @default - none */
  readonly onExit?: JobHook;
}
