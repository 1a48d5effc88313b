/** Common metadata of all objects that a job owns. */
import type { ObjectMeta, OwnerReference } from '../kubernetes';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';

/** Owner of constructed objects. */
export interface ObjectOwnership {
  /** @default - the objects name none; it is chosen when they are applied */
  readonly namespace?: string;
  /** Reference to the MLTrainingJob, with which the objects are deleted. @default - no owner, for manifests that are applied by hand */
  readonly owner?: OwnerReference;
  /** What manages the objects. The operator deletes objects that it manages and that belong to no job. @default - the operator */
  readonly managedBy?: string;
  /** Further labels. @default - none */
  readonly labels?: { readonly [name: string]: string };
}

/** Owner of objects that the operator constructs. */
export interface JobOwnership extends ObjectOwnership {
  /** Namespace of the job and of all of its objects. */
  readonly namespace: string;
}

/** Metadata of an object of the job. Its label `job=NAME` works with `kubectl get all -l job=NAME`. */
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
