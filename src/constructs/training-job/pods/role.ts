import type { EnvValue } from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { TrainingResources } from './resources';
import type { RestartPolicy } from '../generated/run-policy';

/** One role of a job: replicas with the same program. */
export interface TrainingRole {
  /**
   * Name of the role, as the framework spells it: `master`, `worker`, `chief`, `ps`, `evaluator`, `launcher`, `scheduler`, `server`.
   * You choose the names in plain jobs.
   */
  readonly name: string;

  /** Number of replicas. @default 1 */
  readonly replicas?: number;

  /** Image of the `training` container. @default - the job's */
  readonly image?: string;

  /** Entry point of the `training` container. @default - the job's */
  readonly command?: string[];

  /** Arguments of the entry point. @default - the job's */
  readonly args?: string[];

  /** Added to the job's environment; for a name in both, this value is used. @default - only the job's */
  readonly env?: { readonly [name: string]: EnvValue };

  /**
   * Compute of each replica. Replaces the job's resources as a whole.
   * @default - the job's, without its devices on roles that do not compute; a launcher (MPI, Horovod, DeepSpeed) gets 1 CPU and 2 GiB of memory
   */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each replica of this role. Not together with `resources.gpu` and `resources.tpu`.
   * @default - the job's, if the role computes and has no resources of its own
   */
  readonly accelerator?: AcceleratorRequest;

  /** When a replica of this role is restarted. @default - the run policy's */
  readonly restartPolicy?: RestartPolicy;

  /** Kubernetes pod template (`metadata` and `spec`), merged over the job's. @default - only the job's */
  readonly podTemplate?: { readonly [field: string]: unknown };
}
