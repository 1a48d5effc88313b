/** What the API server says to an engine's objects, by upstream definitions. */
import type { Manifest } from '../../../../src/manifests/kubernetes';
import type { TestObject } from '../../support/cluster';
import { removeCrd } from '../../support/crds';
import { judge } from '../../support/submit';

/** Plural names of the kinds that engines render. */
const PLURALS: { readonly [kind: string]: string } = {
  ConfigMap: 'configmaps', NetworkPolicy: 'networkpolicies', Service: 'services', Pod: 'pods', Job: 'jobs', PodGroup: 'podgroups',
  TrainJob: 'trainjobs', TrainingRuntime: 'trainingruntimes',
  PyTorchJob: 'pytorchjobs', TFJob: 'tfjobs', MPIJob: 'mpijobs', XGBoostJob: 'xgboostjobs', PaddleJob: 'paddlejobs', JAXJob: 'jaxjobs',
};

/** Removes definitions that other tests have in another version, or want to find missing. */
export async function remove(names: readonly (readonly [name: string, version: string])[]): Promise<void> {
  for (const [name, version] of names) {
    await removeCrd(name, version);
  }
}

/** An object as the API server would keep it. @throws Error with its words where it refuses the object, or warns of it */
export async function accepted<T extends Manifest>(namespace: string, manifest: T): Promise<T> {
  const api = manifest.apiVersion.includes('/') ? `/apis/${manifest.apiVersion}` : `/api/${manifest.apiVersion}`;
  const { status, message, warnings, object } = await judge(`${api}/namespaces/${namespace}/${PLURALS[manifest.kind]}`, withNamespace(manifest, namespace));
  if (status !== 201 || warnings.length > 0) {
    throw new Error(`${manifest.kind} ${manifest.metadata.name}: ${[...(status === 201 ? [] : [message]), ...warnings].join('; ')}`);
  }
  return object as TestObject as unknown as T;
}

function withNamespace<T extends Manifest>(manifest: T, namespace: string): T {
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}
