import { Names } from 'cdk8s';
import type { Construct } from 'constructs';
import { GpuComputeClass, type GpuComputeClassProps } from './gpu-compute-class';
import { checkTypes } from '../../props/check-props';
import type { BoundCapacity, IComputeClass, IJobCapacity } from '../../training-job/capacity';

/** Longest name of a class, which is a label value. */
const CLASS_NAME_MAX_LENGTH = 63;

/**
 * The machines that a job runs on, as a list of preferences. The job creates a ComputeClass, or uses one that several jobs share: its pods with
 * accelerators select the class and tolerate its taint.
 * @see docs/platform/node-pools.md
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 */
export class JobCapacity implements IJobCapacity {
  /**
   * Machines for this job only: GKE creates a node of the first choice that is available, in the order of `capacity` and, within each, of `anyOf`.
   * The name of the class contains the job's namespace and name, because ComputeClasses have no namespace.
   * @param preferences accelerators, capacity, prices and the other properties of a ComputeClass
   */
  public static preferences(preferences: GpuComputeClassProps): JobCapacity {
    checkTypes('JobCapacity.preferences', 'GpuComputeClassProps', preferences);
    return new JobCapacity((scope, name) => ({ computeClass: new GpuComputeClass(scope, 'Capacity', { ...preferences, name: preferences.name ?? name }), isOwn: true }));
  }

  /**
   * Machines of a ComputeClass that other jobs use too. The job can select some of its choices.
   * @param computeClass the class
   */
  public static shared(computeClass: IComputeClass): JobCapacity {
    return new JobCapacity(() => ({ computeClass, isOwn: false }));
  }

  private constructor(private readonly bind: (scope: Construct, name: string) => BoundCapacity) {}

  /**
   * The class of a job.
   * @param job scope of the class, if the job has its own
   * @internal
   */
  public _bind(job: Construct, name: string, namespace: string | undefined): BoundCapacity {
    const full = namespace === undefined ? name : `${namespace}-${name}`;
    return this.bind(job, full.length <= CLASS_NAME_MAX_LENGTH ? full : Names.toDnsLabel(job, { maxLen: CLASS_NAME_MAX_LENGTH }));
  }
}
