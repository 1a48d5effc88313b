/** Metadata that everything a job owns has in common. */
import type { ObjectMeta, OwnerReference } from './kubernetes';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../model/labels';

/** For whom objects are constructed. */
export interface JobOwnership {
  /** Namespace of the job and of all that it owns. */
  readonly namespace: string;

  /** Reference to the MLTrainingJob, so that all goes with it. @default - objects without an owner, for manifests that are applied by hand */
  readonly owner?: OwnerReference;
}

/** Metadata of an object of the job, `job=NAME` among its labels, so that `kubectl get all -l job=NAME` finds it. */
export function jobObjectMeta(jobName: string, name: string, { namespace, owner }: JobOwnership): ObjectMeta & { readonly name: string } {
  return {
    name,
    namespace,
    labels: { [JOB_LABEL]: jobName, [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR },
    ...(owner && { ownerReferences: [owner] }),
  };
}
