import type * as kplus from 'cdk8s-plus-28';
import type { Checkpoint } from './checkpoints/checkpoint';
import type { Engine } from './engines/engine';
import type { IJobCapacity } from './capacity';
import type { AutoTuning } from './generated/auto-tuning';
import type { IdlePolicy, Preflight } from './generated/health';
import type { JobHooks } from './generated/hooks';
import type { JobArray } from './generated/job-array';
import type { RunPolicy } from './generated/run-policy';
import type { Scheduling } from './generated/scheduling';
import type { JobSecurity } from './generated/security';
import type { IEnvFrom, IMetric, VolumeMount } from './pods/kplus-types';
import type { CodeBundle } from '../code/code-bundle';
import type { CredentialUse } from '../credentials/credential-use';
import type { RunOptions, Tracker } from '../runs/tracker';

/** Properties of a whole job, whatever its framework and replicas. */
export interface JobSettings extends kplus.ResourceProps {
  /** Files of the program that are added to the image. @default - the image contains the program */
  readonly code?: CodeBundle;

  /** Working directory of the `training` container. @default - the folder of `code`, else the image's */
  readonly workingDir?: string;

  /**
   * Environment of the `training` container on all roles. Names that the framework's contract sets are rejected.
   * @default - only the framework's variables
   */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** ConfigMaps and Secrets whose keys become variables of the `training` container on all roles. @default - none */
  readonly envFrom?: IEnvFrom[];

  /**
   * Tokens and keys that the `training` container of all roles gets at run time, as variables or files.
   * @default - none
   */
  readonly credentials?: CredentialUse[];

  /**
   * GKE machines that the job runs on, in order of preference: `JobCapacity.preferences({ anyOf, capacity, maxPrice, prices })` of `trainyard/gke`,
   * or those of an existing ComputeClass. Pods with accelerators select the class and tolerate its taint.
   * @default - any node that `scheduling` and `accelerator` select
   */
  readonly capacity?: IJobCapacity;

  /**
   * Identity of the run: its id, its parent and the digests of spec, code and image, as labels and variables. `{}` for all defaults.
   * @default - none, unless the job has a tracker
   */
  readonly run?: RunOptions;

  /** Tracking server of the run. @default - the script configures tracking itself */
  readonly tracker?: Tracker;

  /**
   * Values that the script reads from its environment: each under its own name, and all together as JSON in `TRAINYARD_HYPERPARAMETERS`.
   * @default - none
   */
  readonly hyperparameters?: { readonly [name: string]: string };

  /**
   * A search for the best hyperparameters: each set of values is tried in a job of its own.
   * @default - one training with the given `hyperparameters`
   */
  readonly autoTuning?: AutoTuning;

  /** Copies of the job that differ only in their index, each a job of its own. @default - one job */
  readonly array?: JobArray;

  /** Where checkpoints are saved, and which one to start from. @default - `CHECKPOINT_PATH` is not set */
  readonly checkpoint?: Checkpoint;

  /** Identity of the pods. @default - the namespace's default service account */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials for pulling images. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Volumes that the `training` container of all roles mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /**
   * Kubernetes pod template (`metadata` and `spec`) that every pod is based on: sidecars, security context, affinity and so on. A
   * container named `training` in it is merged with the one that trains.
   * @default - only what the other properties set
   */
  readonly podTemplate?: { readonly [field: string]: unknown };

  /** Restarts, deadlines and clean-up. @default - no restarts; pods that still run when the job ends are deleted */
  readonly runPolicy?: RunPolicy;

  /** Priority and placement. @default - the cluster's */
  readonly scheduling?: Scheduling;

  /**
   * Whether frameworks log more than usual, and the stacks of hung Python programs are recorded with the failure.
   * @default false
   */
  readonly debug?: boolean;

  /** Checks of nodes and network before training; `{}` for all defaults. @default - none */
  readonly preflight?: Preflight;

  /**
   * Pods that run before or after the replicas: to prepare data, register the model, upload a report.
   * @default - none
   */
  readonly hooks?: JobHooks;

  /**
   * Whether commands run as a child of an init process, a shell script, as with `docker run --init`. It forwards SIGTERM, so that a program without
   * a handler for it stops immediately instead of after its grace period. Needs `/bin/sh` in the image, and a `command`.
   * @default false
   */
  readonly init?: boolean;

  /** What happens when the job does not use its accelerators. @default - nothing */
  readonly idle?: IdlePolicy;

  /** What the pods may do, and what they may connect to. @default - what their image and namespace allow */
  readonly security?: JobSecurity;

  /**
   * Range in which the number of replicas may change while the job runs. Only with PyTorch and Horovod, in the short form.
   * @default - the number is fixed, and the loss of one replica restarts all
   */
  readonly elastic?: ElasticRange;

  /** Whether the job waits without pods until this is set to false. @default false */
  readonly suspend?: boolean;

  /** What runs the job. @default Engine.operator() */
  readonly engine?: Engine;
}

/**
 * Range in which the number of replicas of a job may change while it runs. The job continues as long as it has `minReplicas`.
 */
export interface ElasticRange {
  /** Minimum number of replicas that the job trains with. */
  readonly minReplicas: number;

  /** Maximum number of replicas that the job can be scaled to. */
  readonly maxReplicas: number;

  /**
   * PyTorch: how often torchrun restarts the processes of a replica. Each loss of a peer uses one restart.
   * @default 100
   */
  readonly maxRestarts?: number;

  /**
   * Metrics with which a HorizontalPodAutoscaler scales the job within the range.
   * @default - no autoscaler; you can change the number with `kubectl scale` or your own autoscaler
   */
  readonly metrics?: IMetric[];
}
