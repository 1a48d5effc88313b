/** Done when: for every preset and every delivery the synthesized tree is complete, and nothing comes before what it needs. */
import { load, loadAll } from 'js-yaml';
import { ARTIFACTS, DELIVERIES, PLACES, PRESETS, REPOSITORY, propsOf, synthesize, type AnyObject } from './support/platforms';
import { isBuiltinGroup } from '../../../src/model/objects/builtin-kinds';
import { PlatformPreset } from '../../../src/constructs/platform';
import { CATALOGUE, component } from '../../../src/model/catalogue/catalogue';

// Fixed bytes instead of the real bundle.
jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const COMBINATIONS = PRESETS.flatMap((preset) => Object.keys(PLACES).map((place) => [preset, place] as const));

/** Pairs of components, the first of which needs, or comes after, the second, among those that are installed. */
function orderedPairs(names: readonly string[]): [string, string][] {
  const there = new Set(names);
  return names.flatMap((name) => {
    const { needs = [], after = [] } = component(name);
    const providers = [...needs, ...after]
      .flatMap((wanted) => CATALOGUE.filter((each) => each.name === wanted || each.provides?.includes(wanted)).map((each) => each.name));
    return providers.filter((provider) => there.has(provider) && provider !== name).map((provider): [string, string] => [name, provider]);
  });
}

/** Charts and folders of a component, as `chart@version` and `path@revision`. */
function expectedSources(name: string, environment: string): string[] {
  return component(name).parts.flatMap(({ source, pathIn = {} }) => {
    switch (source.kind) {
      case 'helm': return [`${source.chart}@${source.version}`];
      case 'git': return [`${pathIn[environment as 'kind'] ?? source.path}@${source.revision}`];
      case 'program': return [];
    }
  });
}

describe.each(COMBINATIONS)('%s on %s', (preset, place) => {
  const environment = PLACES[place].environment;

  test('Argo CD has an Application for each component, in waves, and one of them all', () => {
    const { platform, files, objects } = synthesize(propsOf(preset, place, DELIVERIES['Argo CD, Applications']));
    const names = platform.waves.flat();
    const applications = objects.filter(({ kind, metadata }) => kind === 'Application' && metadata.name !== 'platform');
    expect(applications.map(({ metadata }) => metadata.name).sort()).toEqual(names.map((name) => `platform-${name}`).sort());
    const waveOf = new Map(applications.map(({ metadata }) => [metadata.name.replace('platform-', ''), Number(metadata.annotations!['argocd.argoproj.io/sync-wave'])]));
    for (const [name, needed] of orderedPairs(names)) {
      expect([name, needed, waveOf.get(needed)! < waveOf.get(name)!]).toEqual([name, needed, true]);
    }
    for (const application of applications) {
      expectSources(application.spec.sources, application.metadata.name.replace('platform-', ''), environment, files);
    }
    expectProject(objects, applications.map(({ spec }) => spec));
    const root = objects.find(({ kind, metadata }) => kind === 'Application' && metadata.name === 'platform')!;
    const reached = root.spec.sources.flatMap(({ directory }: AnyObject) => files.get(directory.include)!);
    expect(reached).toEqual(expect.arrayContaining([...applications, root, ...objects.filter(({ kind }) => kind === 'AppProject')]));
    // A wave is waited for, the last one is not: the root could not become healthy before itself.
    expect(Number(root.metadata.annotations!['argocd.argoproj.io/sync-wave'])).toBe(Math.max(...waveOf.values()));
  });

  test('an ApplicationSet has each component, and a step for each wave', () => {
    const { platform, files, objects } = synthesize(propsOf(preset, place, DELIVERIES['Argo CD, an ApplicationSet']));
    const set = objects.find(({ kind }) => kind === 'ApplicationSet')!;
    const elements: { component: string; wave: string; spec: AnyObject['spec'] }[] = set.spec.generators[0].list.elements;
    const names = platform.waves.flat();
    expect(elements.map((element) => element.component).sort()).toEqual([...names].sort());
    const steps: string[] = set.spec.strategy.rollingSync.steps.map((step: AnyObject) => step.matchExpressions[0].values[0]);
    const stepOf = new Map(elements.map((element) => [element.component, steps.indexOf(element.wave)]));
    expect([...stepOf.values()]).not.toContain(-1);
    for (const [name, needed] of orderedPairs(names)) {
      expect([name, needed, stepOf.get(needed)! < stepOf.get(name)!]).toEqual([name, needed, true]);
    }
    elements.forEach((element) => expectSources(element.spec.sources, element.component, environment, files));
    expectProject(objects, elements.map(({ spec }) => spec));
  });

  test('Flux has a Kustomization for each component, which waits for those of what it needs', () => {
    const { platform, files, objects } = synthesize(propsOf(preset, place, DELIVERIES.Flux));
    const names = platform.waves.flat();
    const root = [...files].filter(([file]) => file.startsWith('platform-platform/')).flatMap(([, found]) => found);
    const outer = new Map(root.filter(({ kind }) => kind === 'Kustomization').map((each) => [each.metadata.name.replace('platform-', ''), each]));
    expect([...outer.keys()].sort()).toEqual([...names].sort());
    const before = (name: string): string[] => (outer.get(name)!.spec.dependsOn ?? []).map((each: { name: string }) => each.name.replace('platform-', ''));
    for (const [name, needed] of orderedPairs(names)) {
      expect([name, before(name).includes(needed)]).toEqual([name, true]);
    }
    expectNoCircle(names, before);
    for (const [name, { spec }] of outer) {
      expect(spec).toMatchObject({ wait: true, path: `./manifests/platform-${name}`, sourceRef: { kind: 'GitRepository', name: 'platform' } });
      const inner = [...files].filter(([file]) => file.startsWith(`platform-${name}/`)).flatMap(([, found]) => found);
      expect(inner.length).toBeGreaterThan(0);
      expectFluxSources(inner, objects, name, environment);
    }
  });

  test('folders for kustomize are in an order in which they can be applied, and refer to files that are there', () => {
    const { platform } = synthesize(propsOf(preset, place, DELIVERIES.kustomize));
    const files = platform.kustomizationFiles();
    const names = platform.waves.flat();
    const order = files['components.txt'].trim().split('\n');
    expect(order).toEqual([...order].sort((a, b) => Number(a.slice(0, 2)) - Number(b.slice(0, 2))));
    const position = new Map(order.map((folder, index) => [folder.slice(3), index]));
    expect([...position.keys()].sort()).toEqual([...names].sort());
    for (const [name, needed] of orderedPairs(names)) {
      expect([name, needed, position.get(needed)! < position.get(name)!]).toEqual([name, needed, true]);
    }
    const namespaces = new Set(['default', 'kube-system', 'kube-public']);
    for (const folder of order) {
      const kustomization = load(files[`${folder}/kustomization.yaml`]) as AnyObject;
      const resources: string[] = kustomization.resources ?? [];
      const local = resources.filter((resource) => !resource.includes('://'));
      expect(local.filter((file) => files[`${folder}/${file}`] === undefined)).toEqual([]);
      local.flatMap((file) => loadAll(files[`${folder}/${file}`]) as AnyObject[]).filter(({ kind }) => kind === 'Namespace').forEach(({ metadata }) => namespaces.add(metadata.name));
      const charts: { name: string; version: string; namespace: string }[] = kustomization.helmCharts ?? [];
      charts.forEach(({ namespace }) => expect([...namespaces]).toContain(namespace));
      const found = [
        ...charts.map(({ name, version }) => `${name}@${version}`), ...resources.filter((each) => each.includes('://')).map((each) => each.replace(/^.*?\/\/.*?\/\//, '').replace('?ref=', '@')),
      ];
      expect(found.sort()).toEqual(expectedSources(folder.slice(3), environment).sort());
    }
  });
});

/** Groups that every API server has, and GKE's own. */
const isBuiltIn = (group: string) => isBuiltinGroup(group) || group === 'networking.gke.io';

test.each(COMBINATIONS)('%s on %s: no object comes before the definition of its kind, or before its namespace', (preset, place) => {
  const { platform, files } = synthesize({ ...propsOf(preset, place, DELIVERIES['Argo CD, Applications']), ...ARTIFACTS[preset] });
  const waveOf = (name: string) => platform.waves.findIndex((wave) => wave.includes(name));
  const own = [...files].map(([file, objects]) => [file.replace('platform-', '').replace('.k8s.yaml', ''), objects] as const).filter(([name]) => platform.waves.flat().includes(name));
  // Presets for serving are made of charts of others alone.
  expect(own.length > 0).toBe(preset !== PlatformPreset.SERVING);
  for (const [name, objects] of own) {
    for (const { apiVersion, kind, metadata } of objects) {
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      const plural = kind.toLowerCase().replace(/([^aeiou])y$/, '$1ie').replace(/(ss|ch)$/, '$1e');
      const brings = CATALOGUE.filter(({ crds }) => crds.includes(`${plural}s.${group}`)).map((each) => each.name);
      const before = brings
        .filter((other) => component(other).builtInto?.includes(PLACES[place].environment) || (waveOf(other) >= 0 && waveOf(other) < waveOf(name)));
      expect([name, kind, isBuiltIn(group) || brings.includes(name) || before.length > 0]).toEqual([name, kind, true]);
      // A component's own namespace is made with it, or is of one that it comes after.
      const { namespace } = metadata;
      const makers = platform.waves.flat().filter((other) => component(other).namespace === namespace || component(other).otherNamespaces?.includes(namespace ?? ''));
      expect([name, namespace, namespace === undefined || makers.some((other) => waveOf(other) <= waveOf(name))]).toEqual([name, namespace, true]);
    }
  }
});

/** Sources of an Application are those of the catalogue, and files of the program that are there. */
function expectSources(sources: AnyObject[], name: string, environment: string, files: ReadonlyMap<string, readonly AnyObject[]>): void {
  const upstream = sources.filter(({ repoURL }) => repoURL !== REPOSITORY).map(({ chart, path, targetRevision }) => `${chart ?? path}@${targetRevision}`);
  expect(upstream).toEqual(expectedSources(name, environment));
  for (const own of sources.filter(({ repoURL }) => repoURL === REPOSITORY)) {
    expect(own).toMatchObject({ path: 'manifests', targetRevision: 'main' });
    expect(files.get(own.directory.include)?.length).toBeGreaterThan(0);
  }
  expect(sources.length).toBeGreaterThan(0);
}

/** The project lets its Applications read and write what they have to. */
function expectProject(objects: readonly AnyObject[], specs: readonly AnyObject['spec'][]): void {
  const { spec } = objects.find(({ kind }) => kind === 'AppProject')!;
  const repositories = specs.flatMap(({ sources }) => sources.map(({ repoURL }: { repoURL: string }) => repoURL));
  expect(repositories.filter((repository) => !spec.sourceRepos.includes(repository))).toEqual([]);
  const allowed = spec.destinations.map(({ namespace }: { namespace: string }) => namespace);
  expect(specs.map(({ destination }) => destination.namespace).filter((namespace) => !allowed.includes(namespace))).toEqual([]);
}

/** Following what each waits for ends. */
function expectNoCircle(names: readonly string[], before: (name: string) => readonly string[]): void {
  const depth = (name: string, path: readonly string[]): number => {
    expect(path).not.toContain(name);
    return 1 + Math.max(0, ...before(name).map((other) => depth(other, [...path, name])));
  };
  names.forEach((name) => expect(depth(name, [])).toBeGreaterThan(0));
}

/** Releases and kustomizations name sources that are there, each part waits for the one of its kind before it. */
function expectFluxSources(inner: readonly AnyObject[], all: readonly AnyObject[], name: string, environment: string): void {
  const source = (kind: string, wanted: string) => all.find((each) => each.kind === kind && each.metadata.name === wanted && each.apiVersion.startsWith('source.toolkit'));
  const releases = inner.filter(({ kind }) => kind === 'HelmRelease');
  const kustomizations = inner.filter(({ apiVersion }) => apiVersion.startsWith('kustomize.toolkit'));
  const found = [
    ...releases.map(({ spec }) => {
      expect(source('HelmRepository', spec.chart.spec.sourceRef.name)).toBeDefined();
      return `${spec.chart.spec.chart}@${spec.chart.spec.version}`;
    }),
    ...kustomizations.map(({ spec }) => {
      const repository = source('GitRepository', spec.sourceRef.name);
      expect(repository).toBeDefined();
      return `${spec.path.slice(2)}@${repository!.spec.ref.tag}`;
    }),
  ];
  expect(found.sort()).toEqual(expectedSources(name, environment).sort());
  for (const parts of [releases, kustomizations]) {
    const waits = parts.map(({ metadata, spec }) => [metadata.name, (spec.dependsOn ?? []).map((each: { name: string }) => each.name)] as const);
    expect(waits.filter(([, names]) => names.length === 0).length).toBe(parts.length === 0 ? 0 : 1);
    waits.forEach(([, names]) => names.forEach((wanted: string) => expect(parts.map(({ metadata }) => metadata.name)).toContain(wanted)));
  }
}
