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

/** What holds for a whole job, whoever trains in it. */
export interface JobSettings extends kplus.ResourceProps {
  /** Files of the program that come into the pods in addition to the image. @default - the image has all of it */
  readonly code?: CodeBundle;

  /** Working directory of the `training` container. @default - the folder of `code`, else the image's */
  readonly workingDir?: string;

  /**
   * Environment of the `training` container on all roles. Names that the framework's contract sets are refused.
   * @default - the framework's variables alone
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

  /** Where the run is tracked. @default - where the script says */
  readonly tracker?: Tracker;

  /**
   * Values that the script reads from its environment: each under its own name, and all together as JSON in `TRAINYARD_HYPERPARAMETERS`.
   * @default - none
   */
  readonly hyperparameters?: { readonly [name: string]: string };

  /**
   * A search for the best hyperparameters: the job is tried with one set of values after another, each in a job of its own.
   * @default - one training with `hyperparameters` as they stand
   */
  readonly autoTuning?: AutoTuning;

  /** Copies of the job that differ in their index alone, each a job of its own. @default - one job */
  readonly array?: JobArray;

  /** Where checkpoints go, and which one to start from. @default - the script gets no `CHECKPOINT_PATH` */
  readonly checkpoint?: Checkpoint;

  /** Identity of the pods. @default - the namespace's default service account */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials that images are pulled with. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Volumes that the `training` container of all roles mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /**
   * Kubernetes pod template (`metadata` and `spec`) that every pod is built on: sidecars, security context, affinity and so on. A
   * container named `training` in it is merged with the one that trains.
   * @default - nothing beyond the other properties
   */
  readonly podTemplate?: { readonly [field: string]: unknown };

  /** Restarts, deadlines and clean-up. @default - no restarts; pods that still run when the job ends are deleted */
  readonly runPolicy?: RunPolicy;

  /** Priority and placement. @default - the cluster's */
  readonly scheduling?: Scheduling;

  /**
   * Whether frameworks tell more than usual, and stacks of hung Python programs are kept with the failure.
   * @default false
   */
  readonly debug?: boolean;

  /** Checks of nodes and network before training; `{}` for all defaults. @default - none */
  readonly preflight?: Preflight;

  /**
   * Pods that run before the replicas and after them: to prepare data, register the model, upload a report.
   * @default - none
   */
  readonly hooks?: JobHooks;

  /**
   * Whether commands run below an init, a shell script that is process 1 of the container, as with `docker run --init`. It passes SIGTERM on, so
   * that a program without a handler for it ends at once instead of after its grace period. Needs `/bin/sh` in the image, and a `command`.
   * @default false
   */
  readonly init?: boolean;

  /** What happens when the job leaves its accelerators unused. @default - nothing */
  readonly idle?: IdlePolicy;

  /** What the pods may do, and whom they talk to. @default - what their image and namespace allow */
  readonly security?: JobSecurity;

  /**
   * Range in which the number of replicas may change while the job runs; with PyTorch and Horovod, in the short form.
   * @default - the number stays as it is, and the loss of one replica restarts all
   */
  readonly elastic?: ElasticRange;

  /** Whether the job waits without pods until this is set to false. @default false */
  readonly suspend?: boolean;

  /** What runs the job. @default Engine.operator() */
  readonly engine?: Engine;
}

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
   * @default 100
   */
  readonly maxRestarts?: number;

  /**
   * What a HorizontalPodAutoscaler scales the job by, within the range.
   * @default - no autoscaler; `kubectl scale` and autoscalers of others change the number
   */
  readonly metrics?: IMetric[];
}
