/** What constructs of model serving synthesize, shown to the API server with the upstream definitions and strict checks. Nothing is kept. */
import { Chart, Testing } from 'cdk8s';
import type { TestObject } from '../../support/cluster';
import { judge } from '../../support/submit';

/** Collections of the kinds, by namespace. */
const COLLECTIONS: { readonly [kind: string]: string } = {
  'policy/v1 PodDisruptionBudget': '/apis/policy/v1/namespaces/NAMESPACE/poddisruptionbudgets',
  'serving.kserve.io/v1beta1 InferenceService': '/apis/serving.kserve.io/v1beta1/namespaces/NAMESPACE/inferenceservices',
  'serving.kserve.io/v1alpha1 InferenceGraph': '/apis/serving.kserve.io/v1alpha1/namespaces/NAMESPACE/inferencegraphs',
  'serving.kserve.io/v1alpha1 ServingRuntime': '/apis/serving.kserve.io/v1alpha1/namespaces/NAMESPACE/servingruntimes',
  'serving.kserve.io/v1alpha1 ClusterServingRuntime': '/apis/serving.kserve.io/v1alpha1/clusterservingruntimes',
  'serving.kserve.io/v1alpha1 ClusterStorageContainer': '/apis/serving.kserve.io/v1alpha1/clusterstoragecontainers',
  'serving.kserve.io/v1alpha1 LocalModelCache': '/apis/serving.kserve.io/v1alpha1/localmodelcaches',
  'serving.kserve.io/v1alpha1 LocalModelNamespaceCache': '/apis/serving.kserve.io/v1alpha1/namespaces/NAMESPACE/localmodelnamespacecaches',
  'serving.kserve.io/v1alpha1 LocalModelNodeGroup': '/apis/serving.kserve.io/v1alpha1/localmodelnodegroups',
  'serving.kserve.io/v1alpha2 LLMInferenceService': '/apis/serving.kserve.io/v1alpha2/namespaces/NAMESPACE/llminferenceservices',
  'gateway.networking.k8s.io/v1 HTTPRoute': '/apis/gateway.networking.k8s.io/v1/namespaces/NAMESPACE/httproutes',
  'v1 ServiceAccount': '/api/v1/namespaces/NAMESPACE/serviceaccounts',
};

/** What a user would write. */
export type Program = (chart: Chart) => void;

/** What a program writes. */
export function synthesize(namespace: string, program: Program): TestObject[] {
  const chart = new Chart(Testing.app(), 'serving', { namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

/** What is shown of an object: synthesized, or rendered by `manifests`. */
interface Submitted {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string };
}

/** What the API server says against objects, as `KIND NAME: what`. */
export async function objections(objects: readonly Submitted[], namespace: string): Promise<string[]> {
  const found: string[] = [];
  for (const object of objects) {
    const collection = COLLECTIONS[`${object.apiVersion} ${object.kind}`];
    if (collection === undefined) {
      throw new Error(`No collection is known for ${object.apiVersion} ${object.kind}: add it to COLLECTIONS.`);
    }
    const { status, message, warnings } = await judge(collection.replace('NAMESPACE', namespace), object);
    found.push(...[...(status === 201 ? [] : [message]), ...warnings].map((text) => `${object.kind} ${object.metadata.name}: ${text}`));
  }
  return found;
}
