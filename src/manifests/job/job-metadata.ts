/** Metadata that everything a job owns has in common. */
import type { ObjectMeta, OwnerReference } from '../kubernetes';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';

/** For whom objects are constructed. */
export interface ObjectOwnership {
  /** @default - the objects name none, and whoever applies them chooses */
  readonly namespace?: string;
  /** Reference to the MLTrainingJob, so that all goes with it. @default - objects without an owner, for manifests that are applied by hand */
  readonly owner?: OwnerReference;
  /** Who looks after the objects. The operator deletes what says that it does and belongs to no job. @default - the operator */
  readonly managedBy?: string;
  /** Further labels. @default - none */
  readonly labels?: { readonly [name: string]: string };
}

/** For whom the operator constructs objects. */
export interface JobOwnership extends ObjectOwnership {
  /** Namespace of the job and of all that it owns. */
  readonly namespace: string;
}

/** Metadata of an object of the job, `job=NAME` among its labels, so that `kubectl get all -l job=NAME` finds it. */
export function jobObjectMeta(
  jobName: string, name: string, { namespace, owner, managedBy = MANAGED_BY_OPERATOR, labels }: ObjectOwnership,
): ObjectMeta & { readonly name: string } {
  return {
    name,
    namespace,
    labels: { ...labels, [JOB_LABEL]: jobName, [MANAGED_BY_LABEL]: managedBy },
    ...(owner && { ownerReferences: [owner] }),
  };
}
