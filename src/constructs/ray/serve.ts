import type { Duration, Size } from 'cdk8s';
import type { RayRuntimeEnv } from './runtime-env';

/**
 * Autoscaling of a deployment's replicas, based on its requests.
 * @see https://docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html
 */
export interface ServeAutoscaling {
  /** Minimum number of replicas; 0 to scale to zero without requests. @default 1 */
  readonly minReplicas?: number;
  /** Maximum number of replicas. */
  readonly maxReplicas: number;
  /** Initial number of replicas. @default - `minReplicas` */
  readonly initialReplicas?: number;
  /** Target number of requests that a replica processes at the same time. @default 2 */
  readonly targetOngoingRequests?: number;
  /** How long more replicas must be needed before they are added. @default Duration.seconds(30) */
  readonly upscaleDelay?: Duration;
  /** How long fewer replicas must be sufficient before one is removed. @default Duration.minutes(10) */
  readonly downscaleDelay?: Duration;
}

/**
 * A deployment of Ray Serve: a class or function of the program, with its replicas. Options here override those in the program.
 * @see https://docs.ray.io/en/latest/serve/configure-serve-deployment.html
 */
export interface ServeDeployment {
  /** Name of the class or function, or the name that the program gives the deployment. */
  readonly name: string;

  /** Fixed number of replicas. Not together with `autoscaling`. @default - the program's */
  readonly replicas?: number;

  /** Autoscaling of the replicas. @default - the program's */
  readonly autoscaling?: ServeAutoscaling;

  /** Maximum number of requests that a replica processes at the same time; others wait. @default 5 */
  readonly maxOngoingRequests?: number;

  /** Maximum number of requests that wait at each proxy; others are rejected. -1 means no limit. @default -1 */
  readonly maxQueuedRequests?: number;

  /** Cores of each replica. @default 1 */
  readonly cpus?: number;

  /** GPUs of each replica; fractions such as 0.5 are possible. @default 0 */
  readonly gpus?: number;

  /** Memory of each replica, for placement. @default - no request */
  readonly memory?: Size;

  /**
   * Custom resources of each replica, from `rayResources` of the worker groups.
   * @default - none
   */
  readonly customResources?: { readonly [name: string]: number };

  /** Accelerator type in Ray, such as `L4` or `H100`. @default - any */
  readonly acceleratorType?: string;

  /** Values for the program's `reconfigure`, which you can change without new replicas. @default - none */
  readonly userConfig?: { readonly [name: string]: unknown };

  /** Time between health checks of a replica. @default Duration.seconds(10) */
  readonly healthCheckPeriod?: Duration;

  /** Timeout of a health check. @default Duration.seconds(30) */
  readonly healthCheckTimeout?: Duration;

  /** How long a replica may finish its requests before it is stopped. @default Duration.seconds(20) */
  readonly gracefulShutdownTimeout?: Duration;

  /** Additional fields, as in Ray, such as `placement_group_bundles`. @default - none */
  readonly more?: { readonly [field: string]: unknown };
}

/** An application of Ray Serve: deployments behind a path. */
export interface ServeApplication {
  /** Name, unique in the service. */
  readonly name: string;

  /** Import path of the program, as `MODULE:NAME`. */
  readonly importPath: string;

  /** Path prefix of its requests. @default / */
  readonly routePrefix?: string;

  /**
   * Ray's runtime environment for it. `workingDir` must be the URL of an archive.
   * @default - the image's
   */
  readonly runtimeEnv?: RayRuntimeEnv;

  /** Arguments, if `importPath` is a function that builds the application. @default - none */
  readonly args?: { readonly [name: string]: unknown };

  /** Options of its deployments. @default - the program's */
  readonly deployments?: ServeDeployment[];

  /** Additional fields, as in Ray, such as `logging_config`. @default - none */
  readonly more?: { readonly [field: string]: unknown };
}
