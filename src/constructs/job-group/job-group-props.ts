import type * as kplus from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../accelerators/accelerator-request';
import type { CodeBundle } from '../code/code-bundle';
import type { Checkpoint } from '../training-job/checkpoints/checkpoint';
import type { Engine } from '../training-job/engines/engine';
import type { Framework } from '../training-job/framework';
import type { Preflight } from '../training-job/health';
import type { JobHelper } from '../training-job/pods/helper';
import type { TrainingResources } from '../training-job/pods/resources';
import type { TrainingRole } from '../training-job/pods/role';
import type { RunPolicy } from '../training-job/run-policy';
import type { Scheduling } from '../training-job/scheduling';
import type { JobSecurity } from '../training-job/security';
import type { IEnvFrom, VolumeMount } from '../training-job/pods/kplus-types';

/**
 * The part of a group that trains: it decides whether the group has succeeded, and its framework gives it its environment, as if it were alone.
 */
export interface GroupPrimary {
  /** Framework of the training script. */
  readonly framework: Framework;

  /** Image of the `training` container. */
  readonly image: string;

  /**
   * Short form: how many replicas train. Not together with `roles`.
   *
   * @default - the primary names its roles
   */
  readonly replicas?: number;

  /**
   * Long form: the framework's roles, each with its own number of replicas. Not together with `replicas`.
   *
   * @default - the primary gives `replicas`
   */
  readonly roles?: TrainingRole[];

  /**
   * Entry point of the `training` container.
   *
   * @default - the image's
   */
  readonly command?: string[];

  /**
   * Arguments of the entry point.
   *
   * @default - the image's
   */
  readonly args?: string[];

  /**
   * Compute of each replica.
   *
   * @default - none asked for
   */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each replica. Not together with `resources.gpu` and `resources.tpu`.
   *
   * @default - what `resources` says, on any node
   */
  readonly accelerator?: AcceleratorRequest;

  /**
   * Port on which replicas meet (`MASTER_PORT`).
   *
   * @default 29500
   */
  readonly port?: number;
}

/**
 * Properties of a `JobGroup`. What stands beside `primary` and `helpers` holds for all of them.
 */
export interface JobGroupProps extends kplus.ResourceProps {
  /** Who trains. */
  readonly primary: GroupPrimary;

  /** Who helps: one entry for each role. */
  readonly helpers: JobHelper[];

  /**
   * Files of the program that come into the pods beside the images.
   *
   * @default - the images have all of it
   */
  readonly code?: CodeBundle;

  /**
   * Working directory of the containers.
   *
   * @default - the folder of `code`, else the images'
   */
  readonly workingDir?: string;

  /**
   * Environment of all replicas. Names that the framework's contract sets are refused.
   *
   * @default - the contract's variables alone
   */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /**
   * ConfigMaps and Secrets whose keys become variables of all replicas.
   *
   * @default - none
   */
  readonly envFrom?: IEnvFrom[];

  /**
   * Values that the scripts read from their environment: each under its own name, and all together as JSON in `TRAINYARD_HYPERPARAMETERS`.
   *
   * @default - none
   */
  readonly hyperparameters?: { readonly [name: string]: string };

  /**
   * Where checkpoints go, and which one to start from.
   *
   * @default - the scripts get no `CHECKPOINT_PATH`
   */
  readonly checkpoint?: Checkpoint;

  /**
   * Identity of the pods.
   *
   * @default - the namespace's default service account
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /**
   * Registry credentials that images are pulled with.
   *
   * @default - the service account's
   */
  readonly imagePullSecrets?: kplus.ISecret[];

  /**
   * Volumes that the containers of all roles mount.
   *
   * @default - none
   */
  readonly volumeMounts?: VolumeMount[];

  /**
   * Kubernetes pod template (`metadata` and `spec`) that every pod is built on.
   *
   * @default - nothing beyond the other properties
   */
  readonly podTemplate?: { readonly [field: string]: unknown };

  /**
   * Restarts, deadlines and clean-up.
   *
   * @default - no restarts of those that train; helpers are replaced; pods that still run when the group ends are deleted
   */
  readonly runPolicy?: RunPolicy;

  /**
   * Queue, gang, priority and placement of all pods.
   *
   * @default - the cluster's
   */
  readonly scheduling?: Scheduling;

  /**
   * Whether frameworks tell more than usual, and stacks of hung Python programs are kept with the failure.
   *
   * @default false
   */
  readonly debug?: boolean;

  /**
   * Checks of nodes and network before training; `{}` for all defaults.
   *
   * @default - none
   */
  readonly preflight?: Preflight;

  /**
   * Whether commands run below an init, a shell script that is process 1 of the container, as with `docker run --init`. It passes SIGTERM on, so
   * that a program without a handler for it ends at once instead of after its grace period. Needs `/bin/sh` in the image, and a `command`.
   *
   * @default false
   */
  readonly init?: boolean;

  /**
   * What the pods may do, and whom they talk to.
   *
   * @default - what their image and namespace allow
   */
  readonly security?: JobSecurity;

  /**
   * Whether the group waits without pods until this is set to false.
   *
   * @default false
   */
  readonly suspend?: boolean;

  /**
   * What runs the group.
   *
   * @default Engine.operator()
   */
  readonly engine?: Engine;
}
