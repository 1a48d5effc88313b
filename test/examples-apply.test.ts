/** Plain `kubectl apply -f` takes whatever the examples write, the first time and after an upgrade. */
import { parseAllDocuments } from 'yaml';
import { EXAMPLE_NAMES, everyFileOfExample } from './support/examples';
import { LAST_APPLIED_MAX_BYTES, lastAppliedBytes } from './support/last-applied';
import type { Manifest, PodSpec, Volume } from '../src/manifests/kubernetes';

function objectsOf(example: string): Manifest[] {
  return [...everyFileOfExample(`${example}/main.ts`)].filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as Manifest | null)).filter((object) => object !== null);
}

const idOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata?.namespace ?? '-'}/${metadata?.name}`;

/** ConfigMaps that a volume shows, by name. */
function configMapsOf({ configMap, projected }: Volume): string[] {
  const sources = [{ configMap }, ...(projected as { readonly sources: readonly Partial<Volume>[] } | undefined)?.sources ?? []];
  return sources.flatMap((source) => (source.configMap as { readonly name?: string } | undefined)?.name ?? []);
}

test.each(EXAMPLE_NAMES)('what examples/%s writes has room for the annotation of kubectl apply', (example) => {
  const tooLarge = objectsOf(example).filter((object) => {
    const others = Buffer.byteLength(JSON.stringify(object.metadata?.annotations ?? {}));
    return lastAppliedBytes(object) + others >= LAST_APPLIED_MAX_BYTES;
  });
  expect(tooLarge.map(idOf)).toEqual([]);
});

test.each(['operator', 'security', 'monitoring', 'gitops', 'kubeflow-gke', 'kubeflow-local', 'environments'])('the operator of examples/%s has every ConfigMap that it mounts', (example) => {
  const objects = objectsOf(example);
  const operators = objects.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'trainyard-operator') as (Manifest & { readonly spec: { readonly template: { readonly spec: PodSpec } } })[];
  expect(operators.length).toBeGreaterThan(0);
  const ids = new Set(objects.map(idOf));
  for (const { metadata: { namespace }, spec: { template: { spec } } } of operators) {
    const mounted = (spec.volumes ?? []).flatMap(configMapsOf);
    expect(mounted.length).toBeGreaterThan(1);
    expect(mounted.filter((name) => !ids.has(`ConfigMap ${namespace}/${name}`))).toEqual([]);
  }
});
