/** What the recorder keeps of a job in memory: large specs are compressed, and what anybody can write into the metadata has a limit. */
import type { AnyObject } from '../../jobs/objects';
import { keptSpec } from '../../../operator/training/kept-spec';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** Characters of labels, of annotations or of owners from which they are left out. */
const MAX_CHARACTERS = 16 * 1024;

/** A copy of the object. */
const APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The job, as it is recorded. */
export function keptJob({ metadata, spec, ...job }: AnyObject): AnyObject {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels, ownerReferences } = metadata ?? {};
  const { [APPLIED_ANNOTATION]: _applied, ...annotations } = metadata?.annotations ?? {};
  return {
    ...job,
    metadata: {
      name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp,
      ...within({ labels }), ...within({ annotations }), ...within({ ownerReferences }),
    },
    ...(spec !== undefined && { spec: keptSpec(spec as unknown as TrainingJobSpec) as unknown as AnyObject['spec'] }),
  };
}

function within<T extends object>(field: T): Partial<T> {
  const { length } = JSON.stringify(field);
  return length > '{}'.length && length <= MAX_CHARACTERS ? field : {};
}
