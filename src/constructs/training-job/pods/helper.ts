import type { EnvValue } from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator-request';
import type { TrainingResources } from './resources';

/** What a failed helper means for the job. */
export enum HelperFailure {
  /** It is replaced, by itself, and the failure is counted (`runPolicy.backoffLimit`). */
  RESTART = 'Restart',
  /** The job fails. */
  FAIL = 'Fail',
  /** The job continues without it. */
  IGNORE = 'Ignore',
}

/**
 * One role of helpers: replicas that start together with those that train, have a program of their own, and are ended when these have succeeded.
 */
export interface JobHelper {
  /** Name of the role, such as `actor` or `evaluator`; not one of the framework's. */
  readonly name: string;
  /** Number of replicas. @default 1 */
  readonly replicas?: number;
  /** Image of its container. @default - the job's; then `command` is needed */
  readonly image?: string;
  /** Entry point of its container. @default - the image's */
  readonly command?: string[];
  /** Arguments of the entry point. @default - the image's */
  readonly args?: string[];
  /** Added to the job's environment; a name that is in both has this value. @default - the job's alone */
  readonly env?: { readonly [name: string]: EnvValue };
  /** Compute of each replica. @default - none asked for */
  readonly resources?: TrainingResources;
  /** Accelerators of each replica. Not together with `resources.gpu` and `resources.tpu`. @default - none */
  readonly accelerator?: AcceleratorRequest;
  /** Port at which the others expect its replicas, in `TRAINYARD_NAME_HOSTS`. @default 29600 */
  readonly port?: number;
  /** What its failure means for the job. @default HelperFailure.RESTART */
  readonly onFailure?: HelperFailure;
  /** Kubernetes pod template (`metadata` and `spec`), merged over the job's. @default - the job's alone */
  readonly podTemplate?: { readonly [field: string]: unknown };
}
