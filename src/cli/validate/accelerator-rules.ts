/**
 * Accelerators of GKE: whether nodes have what pods ask for. A training job is looked at as a whole; of other objects each pod that stands in
 * them, whatever the kind, because a pod is recognised by its containers.
 */
import type { ManifestObject } from '../read-manifests';
import type { Finding } from '../../model/accelerators/findings';
import { checkPodAccelerators, type PodAccelerators, type PodToleration } from '../../model/accelerators/rules/pod-rules';
import { fieldPath } from '../../model/shapes';
import { resolveTrainingJob } from '../../model/training-job/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { checkJobAccelerators } from '../../model/training-job/validation-accelerators';

interface Fields { readonly [field: string]: unknown }

/** Kinds whose contents are no pods, whatever they look like. */
const NO_PODS = ['CustomResourceDefinition', 'ConfigMap', 'Secret'];

/** Deepest place in which a pod is looked for: those of operators' objects stand five or six levels deep. */
const DEEPEST = 12;

/** Checks a training job that keeps the rules of the model. */
export function jobAccelerators(name: string, spec: TrainingJobSpec): Finding[] {
  return checkJobAccelerators(resolveTrainingJob(name, spec));
}

/** Checks the pods in any other object. */
export function podAccelerators(object: ManifestObject): Finding[] {
  return NO_PODS.includes(String(object.kind)) ? [] : podsIn(object as Fields, '', undefined, 0).flatMap(checkPodAccelerators);
}

/** @param job the object that has the template which the pod stands in: a Job knows how many pods it makes */
function podsIn(value: unknown, path: string, job: { readonly fields: Fields; readonly path: string } | undefined, depth: number): PodAccelerators[] {
  if (depth > DEEPEST) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => podsIn(entry, `${path}[${index}]`, undefined, depth + 1));
  }
  if (!isFields(value)) {
    return [];
  }
  if (Array.isArray(value.containers) && value.containers.some((container) => isFields(container) && 'image' in container)) {
    return [podOf(value, path, job)];
  }
  return Object.entries(value).flatMap(([name, field]) => {
    const parent = name === 'template' ? { fields: value, path } : name === 'spec' ? job : undefined;
    return podsIn(field, path === '' ? name : fieldPath(path, name), parent, depth + 1);
  });
}

function podOf(spec: Fields, path: string, job: { readonly fields: Fields; readonly path: string } | undefined): PodAccelerators {
  const nodeSelector = isFields(spec.nodeSelector) ? spec.nodeSelector : {};
  const parallelism = job?.fields.parallelism;
  return {
    // What is no text is told by whoever knows the kind.
    nodeSelector: Object.fromEntries(Object.entries(nodeSelector).filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    labelPath: (label) => fieldPath(`${path}.nodeSelector`, label),
    tolerations: [...fieldsOf(spec.tolerations) as readonly PodToleration[], ...devicesOf(spec, path).map(({ resource }) => ({ key: resource, operator: 'Exists' }))],
    devices: devicesOf(spec, path),
    ephemeralVolumes: (Array.isArray(spec.volumes) ? spec.volumes : []).flatMap((volume: unknown, index) => (
      isFields(volume) && 'ephemeral' in volume ? [{ value: String(volume.name), path: `${path}.volumes[${index}]` }] : []
    )),
    ...(typeof parallelism === 'number' && { replicas: { count: parallelism, path: `${job!.path}.parallelism` } }),
  };
}

/** Extended resources, which GKE tolerates by itself for the pods that ask for them. */
function devicesOf(spec: Fields, path: string): PodAccelerators['devices'] {
  return fieldsOf(spec.containers).flatMap(({ resources }, index) => {
    const limits = isFields(resources) && isFields(resources.limits) ? resources.limits : {};
    return Object.entries(limits).filter(([name]) => name.includes('/')).map(([resource, value]) => ({
      resource, value: Number(value), path: fieldPath(`${path}.containers[${index}].resources.limits`, resource),
    }));
  });
}

function fieldsOf(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
