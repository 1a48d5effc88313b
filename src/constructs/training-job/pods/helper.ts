import type { EnvValue } from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { TrainingResources } from './resources';

/** What a failed helper means for the job. */
export enum HelperFailure {
  /** Only the helper is replaced, and the failure is counted (`runPolicy.backoffLimit`). */
  RESTART = 'Restart',
  /** The job fails. */
  FAIL = 'Fail',
  /** The job continues without it. */
  IGNORE = 'Ignore',
}

/**
 * One role of helpers: replicas that start with those that train, run a program of their own, and are stopped when training has succeeded.
 */
export interface JobHelper {
  /** Name of the role, such as `actor` or `evaluator`, different from the framework's roles. */
  readonly name: string;
  /** Number of replicas. @default 1 */
  readonly replicas?: number;
  /** Image of its container. @default - the job's; `command` is then required */
  readonly image?: string;
  /** Entry point of its container. @default - the image's */
  readonly command?: string[];
  /** Arguments of the entry point. @default - the image's */
  readonly args?: string[];
  /** Added to the job's environment; for a name in both, this value is used. @default - only the job's */
  readonly env?: { readonly [name: string]: EnvValue };
  /** Compute of each replica. @default - no requests */
  readonly resources?: TrainingResources;
  /** Accelerators of each replica. Not together with `resources.gpu` and `resources.tpu`. @default - none */
  readonly accelerator?: AcceleratorRequest;
  /** Port of its replicas, which the other roles read from `TRAINYARD_NAME_HOSTS`. @default 29600 */
  readonly port?: number;
  /** What its failure means for the job. @default HelperFailure.RESTART */
  readonly onFailure?: HelperFailure;
  /** Kubernetes pod template (`metadata` and `spec`), merged over the job's. @default - only the job's */
  readonly podTemplate?: { readonly [field: string]: unknown };
}
