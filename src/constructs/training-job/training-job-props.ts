import type { Framework } from './framework';
import type { JobSettings } from './job-settings';
import type { JobHelper } from './pods/helper';
import type { TrainingResources } from './pods/resources';
import type { TrainingRole } from './pods/role';
import type { AcceleratorRequest } from '../accelerators/accelerator';

/** Properties of a `TrainingJob`. */
export interface TrainingJobProps extends TrainingReplicas, JobSettings {
  /**
   * Roles that start with those that train, run programs of their own, and are stopped when training has succeeded. `JobGroup` has separate
   * properties for them.
   * @default - none
   */
  readonly helpers?: JobHelper[];
}

/** A framework and its replicas, in the short form or by roles. */
export interface TrainingReplicas {
  /** Framework of the training script: determines roles, environment and when the job has succeeded. */
  readonly framework: Framework;

  /** Image of the `training` container, for all roles that do not name their own. */
  readonly image: string;

  /**
   * Short form: how many replicas train, 1 to 10,000. The framework determines their roles; for PyTorch, one master and `replicas - 1` workers.
   * Not together with `roles`.
   * @default - the job names its roles
   */
  readonly replicas?: number;

  /**
   * Long form: the roles, each with its own number of replicas. Not together with `replicas`.
   * @default - the job gives `replicas`, or roles are added later with `addRole`
   */
  readonly roles?: TrainingRole[];

  /** Entry point of the `training` container. The local runner starts it as a process. @default - the image's */
  readonly command?: string[];

  /** Arguments of the entry point. @default - the image's */
  readonly args?: string[];

  /** Compute of each replica. @default - no requests */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each replica: limits, node selector, tolerations and which interfaces NCCL uses. Not together with
   * `resources.gpu` and `resources.tpu`.
   * @default - what `resources` requests, on any node
   */
  readonly accelerator?: AcceleratorRequest;

  /** Port on which replicas connect to each other (`MASTER_PORT`). @default 29500 */
  readonly port?: number;
}
