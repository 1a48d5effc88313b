/**
 * Platforms, as a real API server with strict field validation and the definitions of Argo CD, Flux, Istio, cert-manager and the Gateway API sees
 * them: whatever every preset writes in every place with every delivery. Nothing is kept.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'cdk8s';
import { loadAll } from 'js-yaml';
import { KubeflowPlatform, type KubeflowPlatformProps } from '../../../src/constructs/platform';
import { apiRequest } from '../../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { ARTIFACTS, DELIVERIES, PLACES, PRESETS, propsOf, synthesize, type AnyObject } from '../../constructs/platform/support/platforms';
import { upstreamCrds } from '../../support/upstream-definitions';
import { clusterAccess } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { objectionsTo } from '../support/submit';
import { testUnless } from '../../support/where-possible';

/** Systems whose kinds deliveries and platforms write. */
const SYSTEMS = ['argo-cd', 'flux-helm', 'flux-kustomize', 'flux-source', 'istio', 'cert-manager', 'gateway-api'];

/** Kinds of GKE's, whose definitions nobody has published: what is in them is tested in test/manifests/platform/wiring.test.ts. */
const WITHOUT_DEFINITION = ['GCPBackendPolicy', 'HealthCheckPolicy'];

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('platform');
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds(...SYSTEMS)]);
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

/** Collections of kinds, as the API server names them. */
const collections = new Map<string, Promise<{ readonly name: string; readonly namespaced: boolean } | undefined>>();

async function collectionOf({ apiVersion, kind }: AnyObject): Promise<string> {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const key = `${base} ${kind}`;
  const known = collections.get(key) ?? apiRequest<{ resources?: { name: string; kind: string; namespaced: boolean }[] }>(clusterAccess(), 'GET', base)
    .then(({ body }) => body.resources?.find((each) => each.kind === kind && !each.name.includes('/')));
  collections.set(key, known);
  const resource = await known;
  if (resource === undefined) {
    throw new Error(`The API server has no ${kind} in ${apiVersion}.`);
  }
  return `${base}/${resource.namespaced ? `namespaces/${namespace}/` : ''}${resource.name}`;
}

/** What the API server says against objects. All that have a namespace are shown in the test's own. */
async function objections(objects: readonly AnyObject[]): Promise<string[]> {
  return objectionsTo(objects.map((object) => (
    object.metadata.namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } })), collectionOf);
}

/** Whatever ends in a cluster: what is written, what an ApplicationSet makes of it, and what is in the folders of kustomize. */
function everythingOf(props: KubeflowPlatformProps): AnyObject[] {
  const { platform, objects } = synthesize(props);
  const made = objects.filter(({ kind }) => kind === 'ApplicationSet').flatMap(({ metadata, spec }) => (
    spec.generators[0].list.elements.map((element: { readonly component: string; readonly wave: string; readonly spec: object }): AnyObject => ({
      apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: `${metadata.name}-${element.component}`, namespace: metadata.namespace },
      // As the template and its patch make it.
      spec: { ...spec.template.spec, ...element.spec },
    }))));
  const isKustomize = props.delivery._argoCd === undefined && props.delivery._flux === undefined;
  const files = Object.entries(isKustomize ? platform.kustomizationFiles() : {}).filter(([file]) => /\/(namespaces|objects)\.yaml$/.test(file));
  return [...objects, ...made, ...files.flatMap(([, text]) => loadAll(text) as AnyObject[])];
}

const COMBINATIONS = PRESETS.flatMap((preset) => Object.keys(PLACES).map((place) => [preset, place] as const));

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(COMBINATIONS)('%s on %s, by every delivery', async (preset, place) => {
    const objects = Object.entries(DELIVERIES).flatMap(([, delivery]) => everythingOf({ ...propsOf(preset, place, delivery), ...ARTIFACTS[preset] }));
    const kinds = new Set(objects.map(({ apiVersion, kind }) => `${apiVersion.split('/')[0]} ${kind}`));
    expect([...kinds]).toEqual(expect.arrayContaining([
      'argoproj.io AppProject', 'argoproj.io Application', 'argoproj.io ApplicationSet', 'helm.toolkit.fluxcd.io HelmRelease', 'kustomize.toolkit.fluxcd.io Kustomization',
      'source.toolkit.fluxcd.io GitRepository', 'source.toolkit.fluxcd.io HelmRepository', 'v1 Namespace',
    ]));
    const unique = [...new Map(objects.map((object) => [JSON.stringify(object), object])).values()];
    expect(unique.length).toBeGreaterThan(20);
    expect(await objections(unique.filter(({ kind }) => !WITHOUT_DEFINITION.includes(kind)))).toEqual([]);
  });
});

describe('the API server refuses', () => {
  test('a field that no Application has, so that the tests above can fail', async () => {
    const { objects } = synthesize(propsOf(PRESETS[0], 'kind', DELIVERIES['Argo CD, Applications']));
    const application = objects.find(({ kind }) => kind === 'Application')!;
    expect(await objections([{ ...application, spec: { ...application.spec, wave: 1 } }])).toEqual([expect.stringContaining('unknown field "spec.wave"')]);
  });
});

const noKubectl = spawnSync('kubectl', ['version', '--client']).status === 0 ? undefined : 'kubectl is not on this machine';

testUnless(noKubectl, 'folders for kustomize')('kubectl builds the folders that have no sources of others', () => {
  const outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-platform-'));
  try {
    const platform = new KubeflowPlatform(new App({ outdir }), 'Platform', propsOf(PRESETS[0], 'kind', DELIVERIES.kustomize));
    const tree = platform.writeKustomization();
    const folder = readdirSync(tree).find((name) => name.endsWith('-training-operator'))!;
    const built = execFileSync('kubectl', ['kustomize', path.join(tree, folder)], { encoding: 'utf8' });
    expect(built).toContain('name: mltrainingjobs.ml.collabnix.io');
    expect(built).toContain('kind: Deployment');
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});
