/**
 * The schema of a pod's spec. Kubernetes has no definition of it, but many definitions repeat it: where one of them was given,
 * the templates of an MLTrainingJob, which its own definition carries through unseen, can be checked as well.
 */
import type { Definitions } from './definitions';
import { additionalSchema, type StructuralSchema } from './structural-schema';

/** Definitions that hold a whole pod spec, and where. `[]` is an item, `{}` a value whose key is free. */
const PLACES: readonly (readonly [apiVersion: string, kind: string, path: string])[] = [
  ['jobset.x-k8s.io/v1alpha2', 'JobSet', 'spec.replicatedJobs.[].template.spec.template.spec'],
  ['kubeflow.org/v1', 'PyTorchJob', 'spec.pytorchReplicaSpecs.{}.template.spec'],
  ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'spec.leaderWorkerTemplate.workerTemplate.spec'],
  ['ray.io/v1', 'RayCluster', 'spec.headGroupSpec.template.spec'],
];

/** The schema of a pod's spec, and the kind whose definition it is from; undefined when no definition has it. */
export function podSpecSchema(definitions: Definitions): { readonly schema: StructuralSchema; readonly kind: string } | undefined {
  for (const [apiVersion, kind, path] of PLACES) {
    const lookup = definitions.lookup(apiVersion, kind);
    const schema = 'found' in lookup ? path.split('.').reduce<StructuralSchema | undefined>(step, lookup.found.schema) : undefined;
    if (schema?.properties?.containers !== undefined) {
      return { schema, kind };
    }
  }
  return undefined;
}

function step(schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined {
  return name === '[]' ? schema?.items : name === '{}' ? schema && additionalSchema(schema) : schema?.properties?.[name];
}
