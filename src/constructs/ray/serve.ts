import type { Duration, Size } from 'cdk8s';
import type { RayRuntimeEnv } from './runtime-env';

/**
 * How many replicas a deployment has, by the requests that it gets.
 * @see https://docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html
 */
export interface ServeAutoscaling {
  /** Fewest replicas; 0 for none while there are no requests. @default 1 */
  readonly minReplicas?: number;
  /** Most replicas. */
  readonly maxReplicas: number;
  /** Replicas at the start. @default - `minReplicas` */
  readonly initialReplicas?: number;
  /** Requests that a replica should work on at the same time. @default 2 */
  readonly targetOngoingRequests?: number;
  /** How long more replicas have to be needed before they come. @default Duration.seconds(30) */
  readonly upscaleDelay?: Duration;
  /** How long fewer replicas have to be enough before one goes. @default Duration.minutes(10) */
  readonly downscaleDelay?: Duration;
}

/**
 * A deployment of Ray Serve: a class or function of the program, with its replicas. What is said here wins over what the program says.
 * @see https://docs.ray.io/en/latest/serve/configure-serve-deployment.html
 */
export interface ServeDeployment {
  /** Name of the class or function, or what the program calls it. */
  readonly name: string;

  /** Fixed number of replicas. Not together with `autoscaling`. @default - the program's */
  readonly replicas?: number;

  /** Replicas by need. @default - the program's */
  readonly autoscaling?: ServeAutoscaling;

  /** Most requests that a replica takes at the same time; others wait. @default 5 */
  readonly maxOngoingRequests?: number;

  /** Most requests that wait at each proxy; others are refused. -1 means no limit. @default -1 */
  readonly maxQueuedRequests?: number;

  /** Cores of each replica. @default 1 */
  readonly cpus?: number;

  /** GPUs of each replica, or a part of one, such as 0.5. @default 0 */
  readonly gpus?: number;

  /** Memory of each replica, for placement. @default - none asked for */
  readonly memory?: Size;

  /**
   * Resources with custom names that each replica takes: the group of workers has them in `rayResources`.
   * @default - none
   */
  readonly customResources?: { readonly [name: string]: number };

  /** Kind of accelerator as Ray calls it, such as `L4` or `H100`. @default - any */
  readonly acceleratorType?: string;

  /** Values for the program's `reconfigure`, which can change without new replicas. @default - none */
  readonly userConfig?: { readonly [name: string]: unknown };

  /** How often a replica is asked how it is. @default Duration.seconds(10) */
  readonly healthCheckPeriod?: Duration;

  /** How long it may take to answer. @default Duration.seconds(30) */
  readonly healthCheckTimeout?: Duration;

  /** How long a replica may finish its requests when it has to go. @default Duration.seconds(20) */
  readonly gracefulShutdownTimeout?: Duration;

  /** Further fields, as Ray spells them, such as `placement_group_bundles`. @default - none */
  readonly more?: { readonly [field: string]: unknown };
}

/** An application of Ray Serve: deployments behind a path. */
export interface ServeApplication {
  /** Name; each application of a service has one of its own. */
  readonly name: string;

  /** Where the program is, as `MODULE:NAME`. */
  readonly importPath: string;

  /** Path that its requests start with. @default / */
  readonly routePrefix?: string;

  /**
   * Environment that Ray makes for it. Files come from the net: `working_dir` has to be the URL of an archive.
   * @default - the image's
   */
  readonly runtimeEnv?: RayRuntimeEnv;

  /** Arguments, where `importPath` names a function that builds the application. @default - none */
  readonly args?: { readonly [name: string]: unknown };

  /** What is said of its deployments. @default - what the program says */
  readonly deployments?: ServeDeployment[];

  /** Further fields, as Ray spells them, such as `logging_config`. @default - none */
  readonly more?: { readonly [field: string]: unknown };
}
