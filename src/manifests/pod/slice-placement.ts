/**
 * Keeps the pods of a TPU slice together, and away from other slices. A slice of several hosts is a node pool on GKE: pods of one slice on nodes of
 * two pools could not reach each other. JobSet's exclusive placement says the same.
 * @see https://jobset.sigs.k8s.io/docs/tasks/tpu_multislice/
 */
import { createHash } from 'node:crypto';
import { NODE_LABELS } from '../../model/accelerators/labels';
import type { Replica } from '../../model/frameworks/contract';
import { TPU_SLICE_LABEL } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { slicePlaceOf } from '../../model/training-job/replicas/tpu-slices';

/** Terms that a node has to keep. */
interface Required {
  readonly requiredDuringSchedulingIgnoredDuringExecution: readonly object[];
}

/** Labels of a pod that is a host of a slice; none of any other. */
export function sliceLabels(job: ResolvedTrainingJob, replica: Replica, namespace: string | undefined): { readonly [label: string]: string } {
  const name = sliceName(job, replica, namespace);
  return name === undefined ? {} : { [TPU_SLICE_LABEL]: name };
}

/**
 * Affinity of a pod that is a host of a slice. The first of them may go to any pool: Kubernetes lets a pod that has to be near its like start alone.
 */
export function sliceAffinity(
  job: ResolvedTrainingJob, replica: Replica, namespace: string | undefined,
): { readonly podAffinity: Required; readonly podAntiAffinity: Required } | undefined {
  const name = sliceName(job, replica, namespace);
  const topologyKey = NODE_LABELS.nodePool;
  return name === undefined ? undefined : {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { [TPU_SLICE_LABEL]: name } }, topologyKey }] },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        labelSelector: { matchExpressions: [{ key: TPU_SLICE_LABEL, operator: 'Exists' }, { key: TPU_SLICE_LABEL, operator: 'NotIn', values: [name] }] },
        namespaceSelector: {},
        topologyKey,
      }],
    },
  };
}

/** Number of the slice in the job, and a text that is the job's own in the cluster. */
function sliceName(job: ResolvedTrainingJob, replica: Replica, namespace = ''): string | undefined {
  const place = slicePlaceOf(job, replica);
  return place && `${place.slices.first + place.slice}-${createHash('sha256').update(`${namespace}/${job.name}`).digest('hex').slice(0, 10)}`;
}
