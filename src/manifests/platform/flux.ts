/**
 * A platform for Flux. HelmReleases can wait only for HelmReleases, and Kustomizations for Kustomizations, so each component has a Kustomization,
 * which applies the component's parts (releases, kustomizations of others, objects) and is ready when all of them are. Components wait for these.
 * @see https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies
 * @see https://fluxcd.io/flux/components/helm/helmreleases/
 */
import { componentLabels, hasParts, repositoriesOf, writtenPatch, type ProgramFiles, type ToYaml } from './delivery';
import type { PlannedChart, PlannedComponent, PlannedKustomization, PlatformPlan } from './plan';
import type { OwnedFields } from '../../model/catalogue/types';
import type { PlatformObject } from './platform-object';

const KUSTOMIZATION = 'kustomize.toolkit.fluxcd.io/v1';
const HELM_RELEASE = 'helm.toolkit.fluxcd.io/v2';
const SOURCE = 'source.toolkit.fluxcd.io/v1';

/** Settings of Flux's objects. */
export interface FluxSpec {
  /** Name of the platform, and prefix of all names. */
  readonly platform: string;
  /** Namespace of Flux's objects. */
  readonly namespace: string;
  readonly files: ProgramFiles;
  /** Secret for reading the repository. @default - the repository is public */
  readonly secretName?: string;
  /** How often sources and objects are compared, in Flux's format. */
  readonly interval: string;
  /** How long a component may take. */
  readonly timeout: string;
  readonly retries: number;
  readonly prune: boolean;
}

/** Sources of everything, and a Kustomization for each component. */
export function constructFluxRoot(plan: PlatformPlan, spec: FluxSpec): PlatformObject[] {
  const { platform, files } = spec;
  const own: PlatformObject = {
    ...object(SOURCE, 'GitRepository', platform, spec),
    spec: {
      interval: spec.interval, url: fluxUrl(files.repository), ref: { branch: files.revision },
      ...(spec.secretName !== undefined && { secretRef: { name: spec.secretName } }),
    },
  };
  const components = plan.components.filter(hasParts);
  const names = new Set(components.map(({ name }) => name));
  return [own, ...sources(plan, spec), ...components.map((component): PlatformObject => ({
    ...object(KUSTOMIZATION, 'Kustomization', fluxName(spec, component.name), spec, component),
    spec: {
      interval: spec.interval, retryInterval: '1m', timeout: spec.timeout, prune: spec.prune, wait: true,
      sourceRef: { kind: 'GitRepository', name: platform },
      path: `./${files.locate(fluxName(spec, component.name)).path}`,
      ...dependsOn(component.after.filter((name) => names.has(name)).map((name) => fluxName(spec, name))),
    },
  }))];
}

/** The objects that a component's Kustomization applies, except those of the program. Each part waits for the previous one. */
export function constructFluxComponent(component: PlannedComponent, spec: FluxSpec, toYaml: ToYaml): PlatformObject[] {
  const before: { release?: string; kustomization?: string } = {};
  return component.parts.flatMap((part): PlatformObject[] => {
    const name = `${fluxName(spec, component.name)}-${part.name}`;
    switch (part.kind) {
      case 'helm': {
        const object = release(part, name, component, spec, before.release);
        before.release = name;
        return [object];
      }
      case 'git': {
        const object = kustomization(part, name, component, spec, toYaml, before.kustomization);
        before.kustomization = name;
        return [object];
      }
      case 'program':
        return [];
    }
  });
}

/** Name of the Kustomization of a component, and of the chart that it applies. */
function fluxName({ platform }: Pick<FluxSpec, 'platform'>, component: string): string {
  return `${platform}-${component}`;
}

function object(apiVersion: string, kind: string, name: string, { namespace, platform }: FluxSpec, component?: PlannedComponent): PlatformObject {
  const labels = component === undefined ? { 'app.kubernetes.io/managed-by': 'trainyard', 'app.kubernetes.io/part-of': platform } : componentLabels(platform, component);
  return { apiVersion, kind, metadata: { name, namespace, labels } };
}

function dependsOn(names: readonly string[]): { readonly dependsOn?: object[] } {
  return names.length === 0 ? {} : { dependsOn: names.map((name) => ({ name })) };
}

/** Repositories of charts, and of kustomizations at each used revision. */
function sources(plan: PlatformPlan, spec: FluxSpec): PlatformObject[] {
  const charts = plan.components.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'helm' ? [part.source.repository] : [])));
  const folders = plan.components.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'git' ? [part.source] : [])));
  const byName = new Map(folders.map((source) => [gitName(source, spec), source]));
  return [
    ...repositoriesOf(plan).filter((url) => charts.includes(url)).map((url): PlatformObject => ({
      ...object(SOURCE, 'HelmRepository', sourceName(url, spec), spec),
      spec: { interval: '1h', url, ...(url.startsWith('oci://') && { type: 'oci' }) },
    })),
    ...[...byName].map(([name, { repository, revision }]): PlatformObject => ({
      ...object(SOURCE, 'GitRepository', name, spec),
      // Only folders with kustomizations are needed.
      spec: { interval: '12h', url: repository, ref: { tag: revision }, ignore: '/**/*.md\n/**/*.py\n' },
    })),
  ];
}

/** Flux accepts only URLs, and not git's short form for SSH: `git@HOST:PATH` is `ssh://git@HOST/PATH`. */
function fluxUrl(repository: string): string {
  const colon = repository.indexOf(':');
  return repository.includes('://') || colon < 0 ? repository : `ssh://${repository.slice(0, colon)}/${repository.slice(colon + 1)}`;
}

/** A name for an address, such as `charts-jetstack-io` for `https://charts.jetstack.io`. */
function sourceName(url: string, { platform }: FluxSpec): string {
  const words = url.replace(/^[a-z]+:\/\//, '').toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '');
  return `${platform}-${words.join('-')}`;
}

function gitName({ repository, revision }: { readonly repository: string; readonly revision: string }, spec: FluxSpec): string {
  const tag = revision.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '').join('-');
  return `${sourceName(repository, spec)}-${tag}`;
}

function release(part: PlannedChart, name: string, component: PlannedComponent, spec: FluxSpec, before: string | undefined): PlatformObject {
  const { source, namespace, values } = part;
  const remediation = { retries: spec.retries };
  const ignore = driftIgnored(component.owned);
  return {
    ...object(HELM_RELEASE, 'HelmRelease', name, spec, component),
    spec: {
      interval: spec.interval, timeout: spec.timeout, releaseName: part.name, targetNamespace: namespace, storageNamespace: namespace,
      chart: { spec: { chart: source.chart, version: source.version, sourceRef: { kind: 'HelmRepository', name: sourceName(source.repository, spec) } } },
      install: { createNamespace: true, crds: 'CreateReplace', remediation },
      upgrade: { crds: 'CreateReplace', remediation: { ...remediation, remediateLastFailure: true } },
      driftDetection: { mode: 'enabled', ...(ignore.length > 0 && { ignore }) },
      ...dependsOn(before === undefined ? [] : [before]),
      ...(Object.keys(values).length > 0 && { values }),
    },
  };
}

function kustomization(
  part: PlannedKustomization, name: string, component: PlannedComponent, spec: FluxSpec, toYaml: ToYaml, before: string | undefined,
): PlatformObject {
  const { source, patches } = part;
  return {
    ...object(KUSTOMIZATION, 'Kustomization', name, spec, component),
    spec: {
      interval: spec.interval, retryInterval: '1m', timeout: spec.timeout, prune: spec.prune, wait: true,
      sourceRef: { kind: 'GitRepository', name: gitName(source, spec) },
      path: `./${source.path}`,
      ...dependsOn(before === undefined ? [] : [before]),
      ...(patches.length > 0 && { patches: patches.map((patch) => writtenPatch(patch, toYaml)) }),
    },
  };
}

/** Fields that a release does not write back. Flux supports only JSON pointers, so whole lists are ignored. */
function driftIgnored(owned: readonly OwnedFields[]): object[] {
  return owned.map(({ group, kind, name, pointers, jqPaths }) => ({
    paths: [...pointers ?? [], ...(jqPaths ?? []).map((path) => `/${/^\.([A-Za-z]+)/.exec(path)![1]}`)],
    target: { ...(group !== '' && { group }), kind, ...(name !== undefined && { name }) },
  }));
}
