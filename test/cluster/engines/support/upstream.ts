/** Upstream definitions for tests of engines, and what the API server says to an engine's objects. */
import type { Manifest } from '../../../../src/manifests/kubernetes';
import type { TestObject } from '../../support/cluster';
import { installCrds, readUpstreamCrds, removeCrd, type UpstreamCrds } from '../../support/crds';
import { judge } from '../../support/submit';

/** Plural names of the kinds that engines render. */
const PLURALS: { readonly [kind: string]: string } = {
  ConfigMap: 'configmaps', NetworkPolicy: 'networkpolicies', Service: 'services', Pod: 'pods', Job: 'jobs', PodGroup: 'podgroups',
  TrainJob: 'trainjobs', TrainingRuntime: 'trainingruntimes',
  PyTorchJob: 'pytorchjobs', TFJob: 'tfjobs', MPIJob: 'mpijobs', XGBoostJob: 'xgboostjobs', PaddleJob: 'paddlejobs', JAXJob: 'jaxjobs',
};

/** Definitions of upstream systems, or undefined with a word on the console where this machine has none of one. */
export function upstreamCrds(test: string, prefixes: readonly string[]): UpstreamCrds[] | undefined {
  const found = prefixes.map((prefix) => readUpstreamCrds()?.find(({ system }) => system.startsWith(prefix)));
  const missing = prefixes.filter((_prefix, index) => found[index] === undefined);
  if (missing.length > 0) {
    console.warn(`${test}: skipped, the definitions of ${missing.join(', ')} are not on this machine`);
    return undefined;
  }
  return found as UpstreamCrds[];
}

/** Installs definitions. */
export async function install(systems: readonly UpstreamCrds[]): Promise<void> {
  await installCrds(systems.flatMap(({ files }) => files));
}

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
