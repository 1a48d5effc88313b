/** What the recorder keeps of a job in memory. Large specs are compressed, and metadata from users has limits. */
import type { AnyObject } from '../../jobs/objects';
import { keptSpec } from '../../../operator/training/kept-spec';
import { LAST_APPLIED_ANNOTATION } from '../../../model/labels';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** Longest labels, annotations or owner references that are kept, in characters of JSON. */
const MAX_CHARACTERS = 16 * 1024;

/** The recorded part of a job. */
export function keptJob({ metadata, spec, ...job }: AnyObject): AnyObject {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels, ownerReferences } = metadata ?? {};
  const { [LAST_APPLIED_ANNOTATION]: _applied, ...annotations } = metadata?.annotations ?? {};
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
