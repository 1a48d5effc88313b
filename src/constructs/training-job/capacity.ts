import type { Construct, IConstruct } from 'constructs';
import type { Toleration } from './pods/toleration';
import type { PoolChoice } from '../../model/node-pools/preferences';
import type { NodePoolSpec } from '../../model/node-pools/spec';

/** A ComputeClass that jobs run on: a `GpuComputeClass` of `trainyard/gke`. */
export interface IComputeClass extends IConstruct {
  /** Name of the class. */
  readonly name: string;
  /** The choices in words, the most preferred first. */
  readonly choices: string[];
  /** Choices that cost more than the maximum price. */
  readonly leftOut: string[];
  /** Label with which pods select the class. */
  readonly nodeSelector: { [label: string]: string };
  /** Toleration of the taint that the nodes of the class have. */
  readonly tolerations: Toleration[];
  /** @internal */
  readonly _choices: NodePoolSpec[] | undefined;
  /** @internal */
  readonly _priced: readonly PoolChoice[];
  /** @internal */
  readonly _nodes: NodePoolSpec[];
}

/** Which machines a job runs on: a `JobCapacity` of `trainyard/gke`. */
export interface IJobCapacity {
  /**
   * The class of a job.
   * @param job scope of the class, if the job has its own
   * @internal
   */
  _bind(job: Construct, name: string, namespace: string | undefined): BoundCapacity;
}

/** The class of a job. */
export interface BoundCapacity {
  readonly computeClass: IComputeClass;
  /** Whether only this job uses it: then every choice must fit, and the job tolerates the taints of its nodes. */
  readonly isOwn: boolean;
}
